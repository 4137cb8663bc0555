"""Collision checks on the emulated GPU: the answers of the processor."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from emulator import EmulatedDriver

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.cuda import DeviceArray, device
from baxterkit.cuda import collision as checks
from baxterkit.errors import InputError, ShapeError
from baxterkit.scene import Scene

ROWS = 2000


def there(x: object) -> DeviceArray:
    return DeviceArray.of(device(), np.asarray(x, dtype=np.float64))


def robot(backend: str, tool: str = "hand") -> Baxter:
    return Baxter(Arm("left", tool, backend=backend), Arm("right", tool, backend=backend))


def everything() -> World:
    """Obstacles of every kind."""
    rng = np.random.default_rng(3)
    world = World()
    world.add_box("box", (0.2, 0.3, 0.1), (0.8, 0.2, 0.1))
    world.add_sphere("sphere", 0.1, (0.7, -0.4, 0.5))
    world.add_capsule("capsule", 0.4, 0.05, (0.6, 0.6, 0.3))
    world.add_cylinder("cylinder", 0.3, 0.08, (0.9, -0.1, 0.2))
    world.add_plane("floor", (0.0, 0.1, 1.0), -0.6)
    world.add_points("cloud", rng.uniform([0.4, -0.9, 0.6], [1.2, 0.9, 0.9], (300, 3)), 0.02)
    return world


def held() -> World:
    world = everything()
    world.add_box("parcel", (0.1, 0.1, 0.1), (0.9, 0.0, 0.9))
    world.attach("parcel", "left", np.eye(4))
    return world


def configurations(n: int = ROWS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    lower, upper = Arm("left").limits.lower, Arm("left").limits.upper
    left, right = rng.uniform(lower, upper, (2, n, 7))
    return left, right, rng.uniform(-1.2, 1.2, n)


SCENES = {
    "alone": lambda b: robot(b).scene(),
    "with long fingers": lambda b: robot(b, "electric_extended").scene(opening=(0.3, 0.9)),
    "among obstacles": lambda b: robot(b, "vacuum").scene(everything(), margin=0.01),
    "with a parcel": lambda b: robot(b, "electric_standard").scene(held(), margin=0.03),
    "without the other arm": lambda b: robot(b).scene(without=(("left", "right"),)),
}


@pytest.mark.parametrize("name", SCENES)
def test_answers_are_those_of_the_processor(gpu: EmulatedDriver, name: str) -> None:
    here, on_gpu = SCENES[name]("native"), SCENES[name]("cuda")
    left, right, head = configurations()
    given = (there(left), there(right), there(head))
    hits = on_gpu.in_collision(*given).numpy()
    assert hits.dtype == bool
    assert 0 < hits.sum() < len(hits)
    gap = here.clearance(left, right, head)
    near = np.abs(gap - here.margin) < 1e-9
    np.testing.assert_array_equal((hits == here.in_collision(left, right, head)) | near, True)
    np.testing.assert_allclose(on_gpu.clearance(*given).numpy(), gap, rtol=0, atol=1e-12)
    expected, found = here.nearest(left, right, head), on_gpu.nearest(*given)
    np.testing.assert_allclose(found.clearance.numpy(), expected.clearance, rtol=0, atol=1e-12)
    same = (found.pair.numpy() == expected.pair).all(axis=-1)
    for field in ("points", "gradient"):
        ours, theirs = getattr(found, field).numpy(), getattr(expected, field)
        same &= np.isclose(ours, theirs, rtol=0, atol=1e-9).reshape(len(same), -1).all(axis=-1)
    assert same.mean() > 0.995  # elsewhere two pairs are equally near
    assert found.everything == expected.everything
    assert {"hits_write.float64", "nearest_write.float64"} <= {name for name, _ in gpu.launched}


@pytest.mark.parametrize("name", ["alone", "with a parcel"])
def test_configurations_that_find_no_place_in_a_list_are_checked_as_a_whole(
    gpu: EmulatedDriver, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = dict.fromkeys(("parts", "pairs", "items", "candidates", "open"), 1)
    monkeypatch.setattr(checks, "ROOM", {kind: checks.ROOM[kind] | few for kind in checks.ROOM})
    monkeypatch.setattr(checks, "BLOCK", {"hits": 128, "nearest": 192})  # and several blocks
    here, on_gpu = SCENES[name]("native"), SCENES[name]("cuda")
    left, right, head = configurations(500)
    given = (there(left), there(right), there(head))
    hits, expected = on_gpu.in_collision(*given).numpy(), here.in_collision(left, right, head)
    np.testing.assert_array_equal(hits, expected)
    found, nearest = on_gpu.nearest(*given), here.nearest(left, right, head)
    np.testing.assert_allclose(found.clearance.numpy(), nearest.clearance, rtol=0, atol=1e-12)
    same = (found.pair.numpy() == nearest.pair).all(axis=-1)
    assert same.mean() > 0.99


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batches(gpu: EmulatedDriver, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    left, right = rng.uniform(-1, 1, (2, *batch, 7))
    still = np.zeros(7)
    here, on_gpu = robot("native").scene(head=0.3), robot("cuda").scene(head=0.3)
    for q in ((left, right), (left, still), (still, right)):
        given = tuple(map(there, q))
        np.testing.assert_array_equal(on_gpu.clearance(*given).numpy(), here.clearance(*q))
        assert on_gpu.in_collision(*given).shape == batch
        assert on_gpu.nearest(*given).gradient.shape == (*batch, 14)
    out = there(np.full(batch, np.nan))
    assert on_gpu.clearance(there(left), there(right), out=out) is out
    np.testing.assert_array_equal(out.numpy(), here.clearance(left, right))


def test_what_is_not_finite_is_never_free(gpu: EmulatedDriver) -> None:
    left, right, head = (there(x) for x in configurations(3))
    scene = robot("cuda").scene()
    for place in (left, right, head):
        spoiled = place.numpy()
        spoiled[1] = np.nan
        given = [there(spoiled) if x is place else x for x in (left, right, head)]
        assert scene.in_collision(*given).numpy()[1]
        assert np.isnan(scene.clearance(*given).numpy()).tolist() == [False, True, False]


def test_no_pair_is_checked(gpu: EmulatedDriver) -> None:
    scene = robot("cuda").scene()
    bare = scene.replace(without=scene.checker.pairs)
    left, right, _ = (there(x) for x in configurations(4))
    found = bare.nearest(left, right)
    assert (found.clearance.numpy() == 1000.0).all()
    assert (found.pair.numpy() == -1).all()
    assert not found.gradient.numpy().any()
    assert not bare.in_collision(left, right).numpy().any()


def test_numpy_is_for_the_processor(gpu: EmulatedDriver) -> None:
    left, right, head = configurations(50)
    scene = robot("cuda").scene()
    np.testing.assert_array_equal(
        scene.clearance(left, right, head), robot("native").scene().clearance(left, right, head)
    )
    assert scene.checker.native is not None
    assert gpu.launched == []


def test_scenes_with_a_gpu_can_be_copied(gpu: EmulatedDriver) -> None:
    scene = robot("cuda").scene(everything())
    left, right, _ = (there(x) for x in configurations(20))
    expected = scene.clearance(left, right).numpy()
    again: Scene = pickle.loads(pickle.dumps(scene))
    np.testing.assert_array_equal(again.clearance(left, right).numpy(), expected)


def test_mistakes_are_one_sentence(gpu: EmulatedDriver) -> None:
    left, right, head = configurations(5)
    scene = robot("cuda").scene()
    with pytest.raises(InputError, match="q_left is on the GPU and q_right is not; move q_right"):
        scene.in_collision(there(left), right)
    with pytest.raises(InputError, match="q_left is float32; collision checks are of float64"):
        scene.clearance(DeviceArray.of(device(), left.astype(np.float32)), there(right))
    with pytest.raises(ShapeError, match=r"q_right must have 7 values .* got shape \(5, 6\)"):
        scene.clearance(there(left), there(right[:, :6]))
    with pytest.raises(ShapeError, match="must have one batch shape each, or none"):
        scene.clearance(there(left), there(right[:3]))
    with pytest.raises(InputError, match="head is not on the GPU; move it there, or pass one"):
        scene.clearance(there(left), there(right), head)
    with pytest.raises(ShapeError, match=r"out must have shape \(5,\), got \(4,\)"):
        scene.clearance(there(left), there(right), out=there(np.zeros(4)))
    with pytest.raises(InputError, match="q_left is on GPU 1, and this robot computes on GPU 0"):
        scene.clearance(DeviceArray.of(device(1), left), there(right))
    two = Baxter(Arm("left", backend="cuda"), Arm("right", backend="cuda:1"))
    with pytest.raises(InputError, match="compute on two GPUs"):
        two.scene().clearance(there(left), there(right))


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("turning", [False, True])
def test_edges_are_those_of_the_processor(
    gpu: EmulatedDriver, monkeypatch: pytest.MonkeyPatch, name: str, turning: bool
) -> None:
    monkeypatch.setattr(checks, "AT_A_TIME", 128)  # so that pieces wait on the stack
    monkeypatch.setattr(checks, "EDGES", 70)
    here, scene = (SCENES[name](backend) for backend in ("native", "cuda"))
    left, right, head = configurations(300)
    pan = head if turning else np.full(len(head), here.head)
    fine = ~here.in_collision(left, right, pan)
    start, pan = np.concatenate([left, right], axis=1)[fine][:100], pan[fine][:100]
    rng = np.random.default_rng(2)
    size = rng.choice([0.0, 0.02, 0.1, 0.4], (len(start), 1))
    end = start + size * rng.normal(size=start.shape)
    given = (there(pan),) if turning else ()
    found = scene.edge_free(there(start), there(end), *given).numpy()
    expected = np.asarray(here.edge_free(start, end, pan))
    assert 0.1 < expected.mean() < 0.95
    differ = found != expected  # only where links come about as near as 0.1 mm
    for i in np.flatnonzero(differ):
        q = start[i] + np.linspace(0.0, 1.0, 20_001)[:, None] * (end[i] - start[i])
        assert abs(here.clearance(q[:, :7], q[:, 7:], pan[i]).min() - here.margin) < 2e-4
    assert differ.mean() <= 0.02
    one = scene.edge_free(there(start[0]), there(end[0]), *(there(x[0]) for x in (pan,) * turning))
    assert one.numpy() == found[0]


def test_edges_that_are_no_edges(gpu: EmulatedDriver) -> None:
    scene = robot("cuda").scene()
    q = np.concatenate([Arm("left").configuration("untuck"), Arm("right").configuration("untuck")])
    odd = np.tile(q, (4, 1))
    odd[1, 3], odd[2, 3], odd[3, 3] = np.nan, 2e3, np.inf
    found = scene.edge_free(there(q), there(odd)).numpy()
    np.testing.assert_array_equal(found, [True, False, False, False])
    assert scene.edge_free(there(np.empty((0, 14))), there(q)).shape == (0,)
    with pytest.raises(InputError, match="q0 and q1 must both be on the GPU, q1 is not"):
        scene.edge_free(there(q), q)
    with pytest.raises(ShapeError, match=r"q1 must have 14 values on its last axis, got .*7"):
        scene.edge_free(there(q), there(q[:7]))
    with pytest.raises(ShapeError, match=r"q0, q1 and head must have one batch shape each"):
        scene.edge_free(there(odd), there(odd[:3]))
    with pytest.raises(InputError, match="head is not on the GPU"):
        scene.edge_free(there(odd), there(odd), np.zeros(4))

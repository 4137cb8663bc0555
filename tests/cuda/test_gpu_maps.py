"""Maps of the workspace and inverse kinematics among obstacles, on the emulated GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulator import EmulatedDriver
from tolerances import MAP_ON_A_GPU

from baxterkit import Arm, Baxter, workspace
from baxterkit.collision import World
from baxterkit.cuda import DeviceArray, device
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkStatus
from baxterkit.workspace import compute
from baxterkit.workspace.on_device import check_device
from baxterkit.workspace.settings import Question, make_settings

BOX = ((0.4, -0.2, 0.0), (1.0, 0.6, 0.6))


def there(x: object) -> DeviceArray:
    return DeviceArray.of(device(), np.asarray(x, dtype=np.float64))


def table() -> World:
    world = World()
    world.add_box("table", (0.6, 1.2, 0.1), (0.8, 0.0, 0.0))
    return world


def robot(backend: str) -> Baxter:
    return Baxter(Arm("left", backend=backend), Arm("right", backend=backend))


@pytest.mark.parametrize("level", ["reach", "body", "full"])
def test_a_chunk_has_the_processors_numbers(gpu: EmulatedDriver, level: str) -> None:
    scene = robot("native").scene(None if level == "reach" else table())
    settings = make_settings(scene, Question("both", 0.2, 6, level, BOX, chunk=4, samples=5))
    here, on_gpu = (compute.Job(settings, scene, where) for where in (None, "cuda"))
    for index in list(here.indices)[:2]:
        expected, found = here.chunk(index), on_gpu.chunk(index)
        assert expected.keys() == found.keys()
        for name, array in expected.items():
            if name in compute.QUALITIES:
                np.testing.assert_allclose(found[name], array, rtol=0, atol=MAP_ON_A_GPU)
            else:
                np.testing.assert_array_equal(found[name], array, err_msg=name)
    assert "quick_ik.float64" in {kernel for kernel, _ in gpu.launched}


def test_a_map_is_made(gpu: EmulatedDriver, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    question = Question("left", 0.3, 4, "reach", BOX)
    here = workspace.make_map(tmp_path / "here.zarr", question)
    made = workspace.make_map(tmp_path / "there.zarr", question, device="cuda")
    np.testing.assert_array_equal(made["status"], here["status"])


def test_what_a_gpu_does_not_answer(gpu: EmulatedDriver) -> None:
    scene = robot("native").scene()
    with pytest.raises(InputError, match="for maps of single arms"):
        check_device("cuda", make_settings(scene, Question("pair", 0.3, 4)), None)
    with pytest.raises(InputError, match="a cluster's workers compute on their processors"):
        check_device("cuda", make_settings(scene, Question("left", 0.3, 4)), "tcp://somewhere")


@pytest.mark.parametrize("side", ["left", "right"])
def test_targets_among_obstacles(gpu: EmulatedDriver, side: str) -> None:
    here, scene = (
        robot("native").scene(table(), margin=0.01),
        robot("cuda").scene(table(), margin=0.01),
    )
    rng = np.random.default_rng(4)
    arm = here.arm(side)
    T = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (300, 7)))
    T[::10, :3, 3] += 0.8
    found = scene.ik(side, there(T))
    q, status = found.q.numpy(), found.status.numpy()
    np.testing.assert_array_equal(status, here.ik(side, T).status)
    assert {IkStatus.SOLVED, IkStatus.COLLISION, IkStatus.OUT_OF_REACH} <= set(status)
    solved = status == IkStatus.SOLVED
    assert np.isnan(q[~solved]).all()
    assert np.abs(arm.fk(q[solved]) - T[solved]).max() < 1e-9
    other = here._untucked(side)
    sides = (q[solved], other) if side == "left" else (other, q[solved])
    assert not here.in_collision(*sides).any()
    assert found.settled_by_processor >= (status == IkStatus.COLLISION).sum()


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batches_of_targets(gpu: EmulatedDriver, batch: tuple[int, ...]) -> None:
    scene = robot("cuda").scene(table())
    rng = np.random.default_rng(5)
    arm = Arm("left")
    T = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (*batch, 7)))
    seed, other = (rng.uniform(-0.5, 0.5, (*batch, 7)) for _ in range(2))
    other[..., 1] -= 0.5
    found = scene.ik("left", there(T), there(other), there(seed))
    assert found.q.shape == (*batch, 7)
    expected = robot("native").scene(table()).ik("left", T, other, seed)
    np.testing.assert_array_equal(found.status.numpy(), np.asarray(expected.status))


def test_mistakes_are_one_sentence(gpu: EmulatedDriver) -> None:
    scene = robot("cuda").scene()
    T = there(np.tile(np.eye(4), (3, 1, 1)))
    with pytest.raises(InputError, match="leave of out, or pass NumPy"):
        scene.ik("left", T, of="left_hand_camera")
    with pytest.raises(InputError, match="one pan of the head; pass one angle"):
        scene.ik("left", T, head=np.zeros(3))
    with pytest.raises(ShapeError, match=r"other must be on the GPU, or one configuration \(7,\)"):
        scene.ik("left", T, np.zeros((3, 7)))
    with pytest.raises(ShapeError, match=r"other must have shape \(7,\) or \(3, 7\), got \(2, 7\)"):
        scene.ik("left", T, there(np.zeros((2, 7))))

"""Inverse kinematics on the emulated GPU: solved within the limits, or infeasible and why."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import EmulatedDriver

from baxterkit import Arm
from baxterkit.cuda import DeviceArray, device
from baxterkit.cuda import ik as cuda_ik
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkStatus

POSE_ERROR = 1e-9
"""Largest error of an answer [m, rad], as promised."""

NO_FARTHER = 1e-9
"""Of a squared distance from the seed [rad²]."""


def there(x: np.ndarray) -> DeviceArray:
    return DeviceArray.of(device(), np.asarray(x))


def reachable(arm: Arm, n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (n, 7)))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("tool", ["hand", "electric_extended"])
def test_reachable_targets_are_solved(gpu: EmulatedDriver, side: str, tool: str) -> None:
    arm = Arm(side, tool, backend="cuda")
    T = reachable(Arm(side, tool), 3000)
    found = arm.ik(there(T))
    q, status = found.q.numpy(), found.status.numpy()
    assert (status == IkStatus.SOLVED).all()
    assert ((q >= arm.limits.lower) & (q <= arm.limits.upper)).all()
    assert np.abs(Arm(side, tool).fk(q) - T).max() < POSE_ERROR
    assert found.position_error.numpy().max() < POSE_ERROR
    assert found.orientation_error.numpy().max() < POSE_ERROR
    assert found.settled_by_processor < 0.003 * len(T)


def test_most_answers_are_those_of_the_processor_to_the_bit(gpu: EmulatedDriver) -> None:
    T = reachable(Arm("left"), 2000)
    ours = Arm("left", backend="cuda").ik(there(T)).q.numpy()
    same = (ours == Arm("left").ik(T).q).all(axis=-1)
    assert same.mean() > 0.95  # elsewhere another solution of the same self-motion


def test_infeasible_targets_have_the_processors_reason(gpu: EmulatedDriver) -> None:
    arm, here = Arm("left", backend="cuda"), Arm("left")
    rng = np.random.default_rng(2)
    T = reachable(here, 60)
    T[:, :3, 3] += rng.normal(size=(60, 3)) * 0.5
    found, expected = arm.ik(there(T)), here.ik(T)
    np.testing.assert_array_equal(found.status.numpy(), expected.status)
    assert {IkStatus.SOLVED, IkStatus.OUT_OF_REACH, IkStatus.LIMITS} <= set(expected.status)
    unsolved = expected.status != IkStatus.SOLVED
    assert np.isnan(found.q.numpy()[unsolved]).all()


def looked_at(gpu: EmulatedDriver, arm: Arm, T: np.ndarray) -> tuple[np.ndarray, int]:
    """Statuses after the search for a proof alone (255: open), and how many it has left open."""
    n = len(T)
    code, count = np.full(n, 255, np.uint8), np.array([n, 0, 0, 0, 0], np.int32)
    lists = [np.arange(n, dtype=np.int32), np.empty(n, np.int32)]
    arrays = [np.ascontiguousarray(T), np.zeros(7), np.empty((n, 7)), np.empty(n), np.empty(n)]
    addresses = [x.ctypes.data for x in (*arrays, code, *lists)]
    targets = cuda_ik.Targets(*addresses, None, count.ctypes.data, None, None, n, 1)
    solver = arm._cuda_ik
    assert solver is not None
    gpu.launch(gpu.load("prove_ik.float64", 0), 1, 0, (targets, solver._arm))
    return code, int(count[1])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("on_limits", [False, True])
def test_nothing_feasible_is_proven_infeasible(
    gpu: EmulatedDriver, side: str, on_limits: bool
) -> None:
    here, rng = Arm(side), np.random.default_rng(6)
    lower, upper = here.limits.lower, here.limits.upper
    q = rng.uniform(lower, upper, (1500, 7))
    pick = rng.random(q.shape) * on_limits
    q = np.where(pick > 0.7, lower, np.where(pick > 0.4, upper, q))
    code, left = looked_at(gpu, Arm(side, backend="cuda"), here.fk(q))
    assert not (code == IkStatus.LIMITS).any()
    assert (code == IkStatus.SOLVED).sum() == len(q) - left
    assert on_limits or left < 0.2 * len(q)


def test_most_of_what_the_limits_forbid_is_proven(gpu: EmulatedDriver) -> None:
    here = Arm("left")
    T = reachable(here, 2000)
    T[:, :3, :3] = reachable(here, 2000, seed=9)[:, :3, :3]
    T = T[here.ik(T).status == IkStatus.LIMITS]
    code, left = looked_at(gpu, Arm("left", backend="cuda"), T)
    assert left < 0.02 * len(T)
    assert (code == IkStatus.LIMITS).sum() == len(T) - left


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
@pytest.mark.parametrize("own_seeds", [True, False])
def test_batches_and_seeds(gpu: EmulatedDriver, batch: tuple[int, ...], own_seeds: bool) -> None:
    arm, here = Arm("left", backend="cuda"), Arm("left")
    rng = np.random.default_rng(3)
    seed = rng.uniform(-1, 1, (*batch, 7) if own_seeds else (7,))
    T = here.fk(np.broadcast_to(here.configuration("neutral"), (*batch, 7)))
    found = arm.ik(there(T), there(seed))
    assert found.q.shape == (*batch, 7)
    assert found.status.shape == batch
    if T.size:
        assert np.abs(here.fk(found.q.numpy()) - T).max() < POSE_ERROR


def test_blocks_make_no_difference(gpu: EmulatedDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    arm, rng = Arm("left", backend="cuda"), np.random.default_rng(4)
    T = there(reachable(Arm("left"), 500))
    seed = there(rng.uniform(-1, 1, (500, 7)))
    whole = arm.ik(T, seed).q.numpy()
    monkeypatch.setattr(cuda_ik, "BLOCK", 64)
    np.testing.assert_array_equal(arm.ik(T, seed).q.numpy(), whole)


def test_other_objectives_are_the_processors(gpu: EmulatedDriver) -> None:
    T = reachable(Arm("left"), 20)
    seed = np.full(7, 0.1)
    found = Arm("left", backend="cuda").ik(there(T), there(seed), "limits")
    np.testing.assert_array_equal(found.q.numpy(), Arm("left").ik(T, seed, "limits").q)


@pytest.mark.parametrize("near", [False, True])
def test_nearest_solutions_are_as_near_as_the_processors(gpu: EmulatedDriver, near: bool) -> None:
    here, rng = Arm("left"), np.random.default_rng(7)
    lower, upper = here.limits.lower, here.limits.upper
    q = rng.uniform(lower, upper, (150, 7))
    T = here.fk(q)
    T[::15, :3, 3] += 0.5
    seed = q + 0.1 * rng.normal(size=q.shape) if near else rng.uniform(lower, upper, q.shape)
    found = Arm("left", backend="cuda").ik(there(T), there(seed), "nearest")
    expected = here.ik(T, seed, "nearest")
    np.testing.assert_array_equal(found.status.numpy(), expected.status)
    solved = expected.status == IkStatus.SOLVED
    ours, theirs = (((x - seed) ** 2).sum(axis=-1)[solved] for x in (found.q.numpy(), expected.q))
    assert (ours - theirs).max() < NO_FARTHER
    assert np.abs(here.fk(found.q.numpy()[solved]) - T[solved]).max() < POSE_ERROR
    assert ((found.q.numpy() >= lower) & (found.q.numpy() <= upper))[solved].all()
    assert 0 < found.settled_by_processor < 0.2 * len(T)


def test_a_short_piece_within_the_limits_is_not_passed_over(gpu: EmulatedDriver) -> None:
    """There w0 and w2 cross the gap between their limits within a milliradian of s0."""
    here = Arm("left")
    T = here.fk([-1.44109451, -1.08493941, 1.64990506, 1.7679397, 3.03, -0.15139781, 3.03])
    seed = [-0.80872716, 0.12080975, 1.85826118, 1.08170471, 2.99850121, 0.74303873, 1.56977257]
    found = Arm("left", backend="cuda").ik(there(T), there(np.array(seed)), "nearest")
    nearest = here.ik(T, seed, "nearest").q
    assert np.abs(found.q.numpy() - nearest).max() < 1e-4


@pytest.mark.parametrize(
    ("q", "seed"),
    [
        pytest.param(
            [-1.5729542, 1.04680837, -1.14021928, 0.19778155, 1.55236498, 1.30447144, -0.86935101],
            [1.55921003, -0.20648252, -2.38774913, 1.72304974, 0.56493921, 1.35568565, 1.29602217],
            id="next to a limit",
        ),
        pytest.param(
            [0.21353631, 0.90596674, 1.56511927, 1.41412484, -0.90966622, -1.08212216, -1.58342297],
            [-0.39562055, -2.06374538, 2.99745466, 0.68038198, -0.38747641, 1.7125716, -2.17919271],
            id="where psi turns back",
        ),
    ],
)
def test_the_nearest_is_found_exactly(
    gpu: EmulatedDriver, q: list[float], seed: list[float]
) -> None:
    """Little psi leads far along the self-motion there."""
    here = Arm("left")
    T = here.fk(q)
    found = Arm("left", backend="cuda").ik(there(T), there(np.array(seed)), "nearest").q.numpy()
    expected = here.ik(T, seed, "nearest").q
    ours, theirs = (((x - seed) ** 2).sum() for x in (found, expected))
    assert ours - theirs < NO_FARTHER


def test_degenerate_targets_are_not_missed(gpu: EmulatedDriver) -> None:
    """Stretched elbows, wrists and shoulders in line, joints on their limits."""
    here, rng = Arm("left"), np.random.default_rng(5)
    q = rng.uniform(here.limits.lower, here.limits.upper, (400, 7))
    q[:80, 5] = 0.0
    q[80:160, 1] = -np.pi / 2 + 1e-9
    q[160:240, 3] = here.limits.lower[3]
    q[240:320] = np.where(rng.random((80, 7)) < 0.5, here.limits.lower, here.limits.upper)
    q = np.clip(q, here.limits.lower, here.limits.upper)
    T = here.fk(q)
    found = Arm("left", backend="cuda").ik(there(T))
    assert (found.status.numpy() == IkStatus.SOLVED).all()
    assert np.abs(here.fk(found.q.numpy()) - T).max() < POSE_ERROR


def test_bad_targets_are_one_sentence(gpu: EmulatedDriver) -> None:
    arm = Arm("left", backend="cuda")
    T = reachable(Arm("left"), 4)
    with pytest.raises(ShapeError, match=r"T must have shape \(\.\.\., 4, 4\), got \(4, 3, 4\)"):
        arm.ik(there(T[:, :3]))
    with pytest.raises(InputError, match="T is float32; inverse kinematics is of float64"):
        arm.ik(there(T.astype(np.float32)))
    with pytest.raises(ShapeError, match=r"seed must have shape \(7,\) or \(4, 7\), got \(3, 7\)"):
        arm.ik(there(T), there(np.zeros((3, 7))))
    with pytest.raises(InputError, match="T is on the GPU and seed is not"):
        arm.ik(there(T), np.zeros(7))
    with pytest.raises(InputError, match="leave method, of, posture"):
        arm.ik(there(T), of="left_hand_camera")
    T[2, :3, :3] *= 1.01
    with pytest.raises(InputError, match="target 2 is not a rigid transform"):
        arm.ik(there(T))

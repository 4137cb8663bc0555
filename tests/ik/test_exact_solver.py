"""The exact solver: everything reachable is solved, exactly, within the limits, and repeatably."""

from __future__ import annotations

import ik_sets
import numpy as np
import pytest
from problems import SIDES, TOOLS, random_arms
from tolerances import IK_JOINT, IK_POSE

import baxterkit
from baxterkit import Arm, native, spatial
from baxterkit.ik import IkStatus, exact
from baxterkit.kinematics import forward_kinematics

needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")


def assert_solves(arm: Arm, T: np.ndarray, q: np.ndarray) -> None:
    """Within the limits, and at the target by the reference's forward kinematics."""
    assert np.isfinite(q).all()
    assert (q >= arm.limits.lower).all()
    assert (q <= arm.limits.upper).all()
    distance, angle = spatial.pose_error(forward_kinematics(arm.model, q), T)
    assert distance.max() <= IK_POSE
    assert angle.max() <= IK_POSE


@needs_native
@pytest.mark.parametrize("name", ik_sets.IK_SETS)
def test_reachable_targets_are_solved_within_the_limits(name: str) -> None:
    arm = Arm("left")
    T = ik_sets.poses(arm, ik_sets.IK_SETS[name](arm, 1000))
    result = arm.ik(T)
    assert result.solved.all(), np.flatnonzero(~result.solved)
    assert_solves(arm, T, result.q)
    assert result.position_error.max() <= IK_POSE
    assert result.orientation_error.max() <= IK_POSE


PASSED_BY = [
    [0.598, 0.728, -1.530, 2.573, -1.363, 2.089, -1.223],
    [-1.165, -1.857, -0.077, 0.175, 0.953, -1.307, -0.582],
    [1.664, 0.255, -0.057, 2.599, 1.366, 1.152, 2.417],
    [1.437, -2.127, 0.094, 0.663, -0.757, -1.355, -2.955],
    [1.513, -1.207, -3.020, 0.699, -2.201, 1.059, 0.509],
    [-0.052, -1.764, 0.098, 0.027, -2.289, 0.501, 1.979],
]
"""Configurations [rad] whose branches turn far with w0: estimates of their joints are far off."""


@needs_native
@pytest.mark.parametrize("side", SIDES)
def test_a_seed_that_solves_its_target_is_the_answer(side: str) -> None:
    arm = Arm(side)
    random = np.random.default_rng(3).uniform(arm.limits.lower, arm.limits.upper, (50_000, 7))
    q = np.concatenate([PASSED_BY, random])
    far = np.abs(arm.ik(arm.fk(q), seed=q).q - q).max(axis=-1)
    assert far.max() < 100 * IK_JOINT, np.flatnonzero(far >= 100 * IK_JOINT)
    for row in q[: len(PASSED_BY)]:
        assert np.abs(arm.ik(arm.fk(row), seed=row).q - row).max() < 100 * IK_JOINT


@needs_native
@pytest.mark.parametrize("name", ik_sets.IK_SETS)
def test_generating_solution_is_among_all_at_its_e0(name: str) -> None:
    arm = Arm("left")
    q = ik_sets.IK_SETS[name](arm, 1000)
    T = ik_sets.poses(arm, q)
    for limits in (True, False):
        found = arm.ik_all(T, q[:, 2], limits=limits)
        gap = np.abs(exact.wrap(found - q[:, None])).max(axis=-1)
        lost = ~(np.nan_to_num(gap, nan=9.0).min(axis=-1) < 100 * IK_JOINT)
        assert not lost.any(), np.flatnonzero(lost)
        real = ~np.isnan(found[..., 0])
        reached = arm.fk(found[real])
        assert np.abs(reached - np.broadcast_to(T[:, None], (*real.shape, 4, 4))[real]).max() < 1e-8
        assert (found[..., 2][real] == np.broadcast_to(q[:, 2:3], real.shape)[real]).all()


@needs_native
def test_no_solution_is_listed_twice() -> None:
    arm = Arm("left")
    q = np.concatenate([make(arm, 200) for make in ik_sets.IK_SETS.values()])
    found = arm.ik_all(ik_sets.poses(arm, q), q[:, 2], limits=False)
    gap = np.abs(exact.wrap(found[:, :, None] - found[:, None])).max(axis=-1)
    other = ~np.eye(found.shape[1], dtype=bool)
    assert np.nanmin(gap[:, other]) >= 0.99 * exact.SAME_SOLUTION


@needs_native
@pytest.mark.parametrize("name", ik_sets.IK_SETS)
def test_native_and_reference_find_the_same_solutions(name: str) -> None:
    arm = Arm("left")
    q = ik_sets.IK_SETS[name](arm, 15)
    e0 = np.where(np.arange(15) % 2 == 0, q[:, 2], ik_sets.uniform(arm, 15, name)[:, 2])
    T = ik_sets.poses(arm, q)
    hands = spatial.inverse(arm.model.T_base_s0) @ T
    for i, expected in enumerate(exact.solve_many(hands, e0, samples=96)):
        found = arm.ik_all(T[i], float(e0[i]), limits=False)
        assert ik_sets.same_sets(found, expected, 1e-5), (name, i, len(found), len(expected))


def test_reference_recovers_the_generating_solution() -> None:
    arm = Arm("left", backend="numpy")
    q = np.concatenate([make(arm, 12) for make in ik_sets.IK_SETS.values()])
    T = ik_sets.poses(arm, q)
    for found, generating in zip(exact.solve_many(_hands(arm, T), q[:, 2]), q, strict=True):
        gap = np.abs(exact.wrap(found - generating)).max(axis=-1)
        assert gap.min() < 100 * IK_JOINT
        assert len(found) % 2 == 0 or len(found) == 0 or gap.min() < 1e-3


def test_numpy_backend_solves_and_says_so() -> None:
    arm = Arm("right", tool="vacuum", backend="numpy")
    T = ik_sets.poses(arm, ik_sets.uniform(arm, 12))
    result = arm.ik(T)
    assert result.solved.all()
    assert_solves(arm, T, result.q)
    far = T[0].copy()
    far[0, 3] = 5.0
    assert arm.ik(far).status is IkStatus.OUT_OF_REACH


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("side", SIDES)
def test_mount_and_tool_are_taken_off(side: str, tool: str) -> None:
    arm = Arm(side, tool=tool)
    T = ik_sets.poses(arm, ik_sets.uniform(arm, 20))
    assert_solves(arm, T, arm.ik(T).raise_if_failed().q)


def test_any_mount_and_any_tool() -> None:
    for arm in random_arms(6):
        T = ik_sets.poses(arm, ik_sets.uniform(arm, 20))
        assert_solves(arm, T, arm.ik(T).raise_if_failed().q)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (2, 0)])
def test_batches_keep_their_shape(shape: tuple[int, ...]) -> None:
    arm = Arm("left")
    q = ik_sets.uniform(arm, int(np.prod(shape))).reshape(*shape, 7)
    T = np.asarray(arm.fk(q)).reshape(*shape, 4, 4)
    result = arm.ik(T)
    assert result.q.shape == (*shape, 7)
    assert np.shape(result.solved) == np.shape(result.position_error) == shape
    assert np.all(result.solved)
    assert arm.ik_all(T, 0.1).shape[:-2] == shape
    repr(result)


def test_seeds_broadcast_against_targets() -> None:
    arm = Arm("left")
    T = ik_sets.poses(arm, ik_sets.uniform(arm, 3))
    seeds = ik_sets.uniform(arm, 4, "seeds")
    result = arm.ik(T[:, None], seed=seeds)
    assert result.q.shape == (3, 4, 7)
    for i in range(3):
        for j in range(4):
            assert (result.q[i, j] == arm.ik(T[i], seed=seeds[j]).q).all()


@needs_native
@pytest.mark.parametrize("objective", ["quick", "nearest", "limits", "manipulability", "gravity"])
def test_answers_do_not_depend_on_batch_or_threads(objective: str) -> None:
    arm = Arm("left")
    q = np.concatenate([make(arm, 30) for make in ik_sets.IK_SETS.values()])
    T = ik_sets.poses(arm, np.concatenate([q, ik_sets.beyond(arm, 60)]))
    threads = baxterkit.backend_info()["threads"]
    assert isinstance(threads, int)
    answers = []
    try:
        for count in (1, 2, 5):
            baxterkit.set_threads(count)
            answers.append(arm.ik(T, objective=objective))
    finally:
        baxterkit.set_threads(threads)
    for other in answers[1:]:
        assert other.q.tobytes() == answers[0].q.tobytes()
        assert other.status.tobytes() == answers[0].status.tobytes()
    for i in range(0, len(T), 7):
        one = arm.ik(T[i], objective=objective)
        assert one.q.tobytes() == answers[0].q[i].tobytes()
        assert one.status == answers[0].status[i]


@needs_native
def test_quick_takes_the_branch_next_to_a_seed_that_solves() -> None:
    arm = Arm("left")
    q = ik_sets.uniform(arm, 500)
    found = arm.ik(ik_sets.poses(arm, q), seed=q).q
    assert np.abs(found - q).max() < 100 * IK_JOINT


def test_solutions_on_request_are_nearest_first() -> None:
    arm = Arm("left")
    q = ik_sets.uniform(arm, 6)
    result = arm.ik(ik_sets.poses(arm, q), seed=q, all_solutions=True)
    assert result.solutions is not None
    for i in range(6):
        row = result.solutions[i][~np.isnan(result.solutions[i][:, 0])]
        distance = np.linalg.norm(row - q[i], axis=-1)
        assert (np.diff(distance) >= 0.0).all()
        assert np.abs(row[0] - result.q[i]).max() < IK_JOINT
    one = arm.ik(arm.fk(q[0]), seed=q[0], all_solutions=True).solutions
    assert one is not None
    assert one.ndim == 2


def test_a_rotation_rounded_to_seven_digits_is_taken_for_the_nearest_one() -> None:
    arm = Arm("left")
    T = ik_sets.poses(arm, ik_sets.uniform(arm, 50))
    rounded = T.copy()
    rounded[:, :3, :3] = np.round(T[:, :3, :3], 7)
    result = arm.ik(rounded)
    assert result.solved.all()
    distance, angle = spatial.pose_error(arm.fk(result.q), T)
    assert distance.max() <= IK_POSE
    assert angle.max() < 2e-7


def _hands(arm: Arm, T: np.ndarray) -> np.ndarray:
    return spatial.inverse(arm.model.T_base_s0) @ T @ spatial.inverse(arm.model.T_hand_tip)

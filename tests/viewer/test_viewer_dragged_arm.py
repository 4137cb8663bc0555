from __future__ import annotations

import time

import numpy as np
import pytest
import tolerances
from numpy.testing import assert_array_equal

from baxterkit import Arm
from baxterkit.errors import InputError
from baxterkit.ik.track import MAX_STEP
from baxterkit.spatial import so3_exp
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.reach import HAND_STEP, pulled_in, toward
from baxterkit.viewer.state.session import Session

DT = 1.0 / 90.0


def settle(limb: DraggedArm, steps: int = 400) -> list[np.ndarray]:
    """Steps until it rests; the joint positions on the way."""
    way = [limb.q]
    for _ in range(steps):
        limb.examine()
        if not limb.moving:
            return way
        limb.step(DT)
        way.append(limb.q)
    raise AssertionError("it never comes to rest")


@pytest.mark.parametrize("side", ["left", "right"])
def test_hand_arrives_exactly_where_it_is_dragged(side: str) -> None:
    limb = DraggedArm(Arm(side))
    target = limb.T_base_tip.copy()
    target[:3, 3] += [0.08, -0.05, 0.1]
    target[:3, :3] = target[:3, :3] @ so3_exp([0.2, -0.1, 0.3])
    assert limb.drag(target) is not None
    way = settle(limb)
    assert len(way) > 5  # it went there, it did not jump
    tolerances.assert_close(limb.arm.fk(limb.q), target, tolerances.IK_POSE)
    assert limb.message == ""
    assert limb.arm.limits.contains(limb.q)


def test_joints_move_without_jumps_while_the_hand_is_dragged() -> None:
    limb = DraggedArm(Arm("left"))
    start = limb.T_base_tip
    for angle in np.linspace(0.0, 2.0 * np.pi, 80):
        target = start.copy()
        target[:3, 3] += [0.15 * np.sin(angle), 0.15 * (1.0 - np.cos(angle)), 0.0]
        limb.drag(target)
        for _ in range(4):
            before = limb.q
            limb.step(DT)
            assert np.abs(limb.q - before).max() < MAX_STEP
            assert limb.arm.limits.contains(limb.q)


def test_elbow_holds_still_while_no_limit_is_near() -> None:
    limb = DraggedArm(Arm("left"), Arm("left").configuration("neutral"))
    target = limb.T_base_tip.copy()
    target[:3, 3] += [-0.05, 0.0, 0.05]
    limb.drag(target)
    settle(limb)
    assert limb.q[2] == Arm("left").configuration("neutral")[2]


def test_hand_that_is_dragged_too_far_stops_at_arms_length_and_says_why() -> None:
    limb = DraggedArm(Arm("left"))
    target = limb.T_base_tip.copy()
    target[:3, 3] += [1.5, 0.5, 0.2]
    assert limb.drag(target) is None
    settle(limb)
    assert limb.message == "No joint angles reach the target, not even beyond the limits; move it."
    shoulder = limb.arm.model.T_base_s0[:3, 3]
    way = target[:3, 3] - shoulder
    reached = limb.T_base_tip[:3, 3] - shoulder
    assert np.linalg.norm(reached) > 0.6
    assert np.linalg.norm(np.cross(reached, way)) < 0.02 * np.linalg.norm(way)
    limb.release()
    assert limb.message == ""
    assert not limb.moving


def test_a_narrow_self_motion_that_the_quick_search_misses_is_found_by_examine() -> None:
    limb = DraggedArm(Arm("left"))
    rng = np.random.default_rng(5)
    lower, upper = limb.arm.limits.lower, limb.arm.limits.upper
    missed = 0
    for q in rng.uniform(lower, upper, (400, 7)):
        target = limb.arm.fk(q)  # solvable, since it was made from joint positions
        limb.set_joints(limb.arm.configuration("untuck"))
        if limb.drag(target) is not None:
            continue
        missed += 1
        settle(limb)
        tolerances.assert_close(limb.arm.fk(limb.q), target, tolerances.IK_POSE)
    assert missed > 0


def test_elbow_slides_while_the_hand_stays() -> None:
    limb = DraggedArm(Arm("right"))
    T = limb.T_base_tip
    elbow = limb.arm.link_poses(limb.q)[3, :3, 3]
    for e0 in np.linspace(limb.q[2], limb.q[2] + 0.6, 30):
        assert limb.slide_elbow(e0) == pytest.approx(e0, abs=1e-9)
        tolerances.assert_close(limb.arm.fk(limb.q), T, tolerances.IK_POSE)
    assert np.linalg.norm(limb.arm.link_poses(limb.q)[3, :3, 3] - elbow) > 0.05


def test_elbow_stops_where_its_branch_ends() -> None:
    limb = DraggedArm(Arm("left"))
    motion = limb.arm.self_motion(limb.T_base_tip)
    gaps = [np.abs(segment.q - limb.q).max(axis=-1).min() for segment in motion.feasible]
    own = motion.feasible[int(np.argmin(gaps))]
    e0 = limb.slide_elbow(3.0)
    assert e0 < 3.0
    assert e0 == pytest.approx(own.e0_range[1], abs=0.021)  # to one step of the walk
    assert limb.message == "The self-motion ends here: a limit, or the end of this branch."
    assert limb.arm.limits.contains(limb.q)


def test_joints_are_clipped_to_their_limits_unless_told_otherwise() -> None:
    limb = DraggedArm(Arm("left"))
    limb.set_joint(3, 99.0)
    assert limb.q[3] == limb.arm.limits.upper[3]
    beyond = limb.arm.limits.upper + 0.01
    limb.set_joints(beyond, clip=False)
    assert_array_equal(limb.q, beyond)


def test_a_named_configuration_is_reached_at_a_bounded_joint_speed() -> None:
    session = Session()
    session.go_to_configuration("tuck")
    fastest = 0.0
    while session.moving:
        before = {side: limb.q for side, limb in session.limbs.items()}
        session.step(DT)
        for side, limb in session.limbs.items():
            fastest = max(fastest, float(np.abs(limb.q - before[side]).max()) / DT)
    assert fastest < 2.6
    for limb in session.limbs.values():
        assert_array_equal(limb.q, limb.arm.configuration("tuck"))


@pytest.mark.parametrize(
    ("T", "message"),
    [
        (np.eye(3), "T must have shape (..., 4, 4), got (3, 3)"),
        (np.full((4, 4), np.nan), "T[0, 0] = nan; every value of T must be finite"),
        (np.tile(np.eye(4), (2, 1, 1)), "T must be one pose, shape (4, 4), got (2, 4, 4)"),
    ],
)
def test_a_bad_target_raises_and_changes_nothing(T: np.ndarray, message: str) -> None:
    limb = DraggedArm(Arm("left"))
    before = limb.q
    with pytest.raises(ValueError, match="T") as caught:
        limb.drag(T)
    assert str(caught.value) == message
    assert limb.q is before
    assert not limb.moving


def test_a_bad_joint_value_raises() -> None:
    limb = DraggedArm(Arm("left"))
    with pytest.raises(InputError, match=r"^value = nan; every value of value must be finite$"):
        limb.set_joint(0, float("nan"))
    with pytest.raises(InputError, match=r"^q must be one configuration of 7 values, got shape"):
        limb.set_joints(np.zeros((2, 7)))


def test_a_step_towards_a_pose_is_bounded_and_ends_on_it() -> None:
    arm = Arm("left")
    T = arm.fk(arm.configuration("neutral"))
    goal = T.copy()
    goal[:3, 3] += [0.0, 0.0, 1.0]
    step = toward(T, goal, 1.0)
    assert np.linalg.norm(step[:3, 3] - T[:3, 3]) == pytest.approx(HAND_STEP)
    goal[:3, 3] = T[:3, 3] + 5e-5
    assert toward(T, goal, 0.3) is goal


def test_nothing_on_the_way_to_the_shoulder_gives_none() -> None:
    arm = Arm("left")
    T = np.eye(4)
    T[:3, 3] = [0.0, 0.0, 50.0]
    assert pulled_in(arm, T) is None


@pytest.mark.acceptance  # of a quiet machine
@pytest.mark.timing
def test_gizmo_updates_of_both_arms_take_below_2_ms() -> None:
    """p95 of 600 updates with both hands on the move, a part of them out of reach."""
    session = Session()
    starts = {side: limb.T_base_tip for side, limb in session.limbs.items()}
    rng = np.random.default_rng(0)
    offsets = np.cumsum(rng.normal(scale=0.02, size=(600, 3)), axis=0)
    offsets -= np.linspace(0.0, 1.0, 600)[:, None] * offsets[-1]
    times = []
    for offset in offsets:
        targets = {side: T.copy() for side, T in starts.items()}
        for target in targets.values():
            target[:3, 3] += offset
        begin = time.thread_time()  # of this thread: other processes do not count
        for side, target in targets.items():
            session.limb(side).drag(target)
        session.step(DT)
        times.append(time.thread_time() - begin)
        session.examine()
    p95 = float(np.percentile(times, 95))
    assert p95 < 2e-3, f"p95 {1e3 * p95:.2f} ms"

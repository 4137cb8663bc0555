"""Inverse kinematics that keeps clear of the body and of the world."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from tolerances import IK_DEGENERATE, assert_close

from baxterkit import Arm, Baxter
from baxterkit.collision import LINKS, World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import IkError, IkStatus, Position

ROBOT = Baxter()
OTHER = ROBOT.right.configuration("untuck")
IN_TORSO = np.array([-1.09, 0.22, -0.28, 2.01, -0.05, 1.52, 1.94])
SWEEP = 400
"""Values of e0 of the sweep that an answer is compared with."""


def targets(n: int, name: str, arm: Arm = ROBOT.left) -> np.ndarray:
    """Poses within the limits, in front of the robot."""
    rng, found = problems.generator(name), np.empty((0, 4, 4))
    while len(found) < n:
        T = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (4 * n + 100, 7)))
        x, y, z = np.moveaxis(T[:, :3, 3], -1, 0)
        front = (x > 0.3) & (np.abs(y) < 0.8) & (z > -0.5) & (z < 0.8)
        found = np.concatenate([found, T[front]])
    return found[:n]


def sweep_finds(T: np.ndarray, world: World | None = None) -> bool:
    e0 = np.linspace(ROBOT.left.limits.lower[2], ROBOT.left.limits.upper[2], SWEEP)
    q = ROBOT.left.ik_all(T, e0).reshape(-1, 7)
    q = q[np.isfinite(q[:, 0])]
    return len(q) > 0 and not np.all(ROBOT.scene(world).in_collision(q, OTHER))


@pytest.mark.parametrize(
    "n", [250, pytest.param(100_000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
def test_it_solves_wherever_a_sweep_of_the_self_motion_does(n: int) -> None:
    T = targets(n, "free")
    found = ROBOT.ik("left", T, OTHER)
    solved = found.solved
    assert set(np.unique(found.status)) == {IkStatus.SOLVED, IkStatus.COLLISION}
    assert not np.any(ROBOT.in_collision(found.q[solved], OTHER))
    assert found.position_error[solved].max() < IK_DEGENERATE
    assert_close(ROBOT.left.fk(found.q[solved]), T[solved], IK_DEGENERATE)
    limits = ROBOT.left.limits
    assert ((found.q[solved] >= limits.lower) & (found.q[solved] <= limits.upper)).all()
    # The arm alone knows nothing of the body: some of its answers touch it.
    alone = ROBOT.in_collision(ROBOT.left.ik(T).q, OTHER)
    assert (alone & solved).sum() > n // 100
    for pose in T[~solved]:
        assert not sweep_finds(pose)


def test_where_the_body_forbids_all_it_names_the_pair() -> None:
    """The hand is to be in the torso."""
    q = IN_TORSO
    result = ROBOT.ik("left", ROBOT.left.fk(q), OTHER)
    assert result.status is IkStatus.COLLISION
    assert np.isnan(result.q).all()
    assert set(result.blocked_by) <= set(LINKS)
    assert "torso" in result.blocked_by
    with pytest.raises(IkError, match=r"COLLISION.*touches"):
        result.raise_if_failed()
    assert "touches" in repr(result)
    assert ROBOT.left.ik(ROBOT.left.fk(q)).solved


def test_every_status_has_a_code_of_its_own() -> None:
    names = IkStatus.__members__
    assert len({int(status) for status in names.values()}) == len(names)
    assert IkStatus.POSTURE is not IkStatus.COLLISION


@pytest.mark.slow
def test_numpy_and_the_kernels_say_the_same() -> None:
    plain = Baxter(Arm("left", backend="numpy"), Arm("right", backend="numpy"))
    T = np.stack([ROBOT.left.fk(IN_TORSO), *targets(30, "plain")])
    found = ROBOT.ik("left", T, OTHER)
    elsewhere = np.asarray(ROBOT.in_collision(ROBOT.left.ik(T).q, OTHER)) & found.solved
    some = np.concatenate([[0], np.nonzero(elsewhere)[0][:1]])
    assert len(some) == 2
    again = plain.ik("left", T[some], OTHER)
    assert again.status.tolist() == [IkStatus.COLLISION, IkStatus.SOLVED]
    assert again.blocked_by.tolist() == found.blocked_by[some].tolist()
    assert_close(again.q[1], found.q[some[1]], IK_DEGENERATE)


def test_other_statuses_are_those_of_the_arm() -> None:
    far = np.eye(4)
    far[:3, 3] = 3.0, 0.0, 0.0
    assert ROBOT.ik("left", far, OTHER).status is IkStatus.OUT_OF_REACH
    T = np.stack([far, *targets(20, "statuses")])
    found = ROBOT.ik("left", T, OTHER)
    assert found.status[0] == IkStatus.OUT_OF_REACH
    assert found[0].blocked_by is None


def test_one_target_is_answered_like_a_batch() -> None:
    T = targets(60, "batch").reshape(3, 20, 4, 4)
    found = ROBOT.ik("left", T, OTHER)
    assert found.q.shape == (3, 20, 7)
    assert (found.status == IkStatus.COLLISION).any()
    assert found.blocked_by.shape == (3, 20, 2)
    for index in np.ndindex(3, 20):
        single = ROBOT.ik("left", T[index], OTHER)
        assert single.status == found.status[index]
        np.testing.assert_array_equal(single.q, found.q[index])
        blocked = found[index].blocked_by
        assert (blocked is None) == (single.status is not IkStatus.COLLISION)
        assert blocked is None or tuple(blocked) == tuple(single.blocked_by)


def test_obstacles_are_avoided_or_named() -> None:
    T = targets(40, "obstacles")
    free = ROBOT.ik("left", T, OTHER)
    T = T[free.solved]
    q = free.q[free.solved]
    world = World()
    world.add_sphere("ball", 0.06, ROBOT.left.link_poses(q[0])[3, :3, 3])  # at the elbow
    again = ROBOT.scene(world).ik("left", T, OTHER)
    assert not np.any(ROBOT.scene(world).in_collision(again.q[again.solved], OTHER))
    assert not np.array_equal(again.q[0], q[0])
    for pose, status in zip(T, again.status, strict=True):
        assert status == IkStatus.SOLVED or not sweep_finds(pose, world)
    world.add_sphere("target", 0.1, T[1, :3, 3])
    blocked = ROBOT.scene(world).ik("left", T[1], OTHER)
    assert blocked.status is IkStatus.COLLISION
    assert "target" in blocked.blocked_by


def test_the_right_arm_and_a_frame_of_the_hand() -> None:
    left = ROBOT.left.configuration("untuck")
    T = targets(30, "right", ROBOT.right)
    found = ROBOT.scene(margin=0.01).ik("right", T, left, head=0.3)
    solved = found.solved
    assert solved.sum() > 15
    assert (ROBOT.clearance(left, found.q[solved], 0.3) >= 0.01).all()
    camera = ROBOT.ik("right", T[solved][0], left, of="right_hand_camera")
    if camera.solved:
        reached = ROBOT.right.fk(camera.q, of="right_hand_camera")
        assert_close(reached, T[solved][0], IK_DEGENERATE)


def test_bad_arguments_are_refused() -> None:
    T = np.eye(4)
    with pytest.raises(UnknownNameError, match="unknown arm 'middle'"):
        ROBOT.ik("middle", T, OTHER)
    with pytest.raises(InputError, match=r"ik in a scene takes poses"):
        ROBOT.ik("left", Position([0.5, 0.2, 0.3]), OTHER)
    T = targets(4, "bad")
    with pytest.raises(ShapeError, match="do not broadcast"):
        ROBOT.ik("left", T, np.zeros((3, 7)))
    with pytest.raises(InputError, match="nan"):
        ROBOT.ik("left", T, np.full(7, np.nan))

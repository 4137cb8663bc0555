"""Paths of one arm, configurations and paths of both, that keep clear of robot and world."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from tolerances import IK_DEGENERATE, assert_close

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import IkError, IkStatus
from baxterkit.model import Tool

GRIPPER = Tool("electric_extended_narrow", np.eye(4))
"""Its body, with the tip at the hand."""
ROBOT = Baxter(Arm("left", tool=GRIPPER), Arm("right", tool=GRIPPER))
OTHER = ROBOT.right.configuration("untuck")


def line(q: np.ndarray, way: tuple[float, float, float], n: int = 25) -> np.ndarray:
    """Poses of the left tip along a straight line, from joint positions on."""
    Ts = np.repeat(ROBOT.left.fk(q)[None], n, axis=0)
    Ts[:, :3, 3] += np.linspace(0.0, 1.0, n)[:, None] * np.array(way)
    return Ts


def lines(n: int) -> list[np.ndarray]:
    """Lines in front of the robot that the arm alone can follow."""
    rng, found = problems.generator("free lines"), []
    limits = ROBOT.left.limits
    while len(found) < n:
        q = rng.uniform(limits.lower, limits.upper)
        T = ROBOT.left.fk(q)
        if not (0.4 < T[0, 3] < 0.8 and -0.1 < T[1, 3] < 0.7 and 0.0 < T[2, 3] < 0.6):
            continue
        Ts = line(q, tuple(rng.uniform(-0.2, 0.2, 3)))
        if ROBOT.left.ik_path(Ts).solved:
            found.append(Ts)
    return found


def assert_truth(path: object, solved: np.ndarray) -> None:
    """That no path exists is said only where the pose of the break has no clear solution."""
    if "every" in path.reason:  # type: ignore[attr-defined]
        assert not solved.all()
    else:
        assert "this does not prove that no path exists" in path.reason  # type: ignore[attr-defined]


def test_paths_are_free_or_refused_with_pose_and_pair() -> None:
    avoided = refused = 0
    for Ts in lines(30):
        alone = ROBOT.left.ik_path(Ts)
        path = ROBOT.ik_path("left", Ts, OTHER)
        if path.solved:
            assert ROBOT.first_contact(path.q, OTHER) is None
            assert_close(ROBOT.left.fk(path.q), Ts, IK_DEGENERATE)
            assert path.largest_step <= 0.5
            avoided += ROBOT.first_contact(alone.q, OTHER) is not None
            continue
        refused += 1
        assert path.status is IkStatus.COLLISION
        assert path.blocked_by is not None
        assert path.reason.startswith(f"{path.blocked_by[0]} touches {path.blocked_by[1]} ")
        assert_truth(path, ROBOT.ik("left", Ts, OTHER).solved)
        assert np.isfinite(path.q[: path.broken_at]).all()
        assert np.isnan(path.q[path.broken_at :]).all()
        if path.broken_at:
            assert ROBOT.first_contact(path.q[: path.broken_at], OTHER) is None
    assert avoided >= 2
    assert refused >= 2


def test_a_ball_at_the_elbow_is_avoided() -> None:
    q = ROBOT.left.configuration("untuck")
    Ts = line(q, (0.1, 0.0, 0.05))
    before = ROBOT.ik_path("left", Ts, OTHER, seed=q)
    assert before.solved
    world = World()
    world.add_sphere("ball", 0.04, ROBOT.left.link_poses(before.q[12])[3, :3, 3])
    assert ROBOT.scene(world).first_contact(before.q, OTHER) is not None
    after = ROBOT.scene(world).ik_path("left", Ts, OTHER)
    assert after.solved
    assert ROBOT.scene(world).first_contact(after.q, OTHER) is None
    world.add_sphere("target", 0.1, Ts[20, :3, 3])
    blocked = ROBOT.scene(world).ik_path("left", Ts, OTHER)
    assert blocked.status is IkStatus.COLLISION
    assert "target" in blocked.blocked_by
    assert blocked.broken_at < 20
    with pytest.raises(IkError, match=r"breaks at pose \d+: .* touches target"):
        blocked.raise_if_failed()


def test_the_other_arm_may_move_too() -> None:
    Ts = line(ROBOT.left.configuration("untuck"), (0.1, 0.0, 0.05))
    others = OTHER + np.linspace(0.0, 0.2, len(Ts))[:, None]
    path = ROBOT.ik_path("left", Ts, others)
    assert path.solved
    assert ROBOT.first_contact(path.q, others) is None
    with pytest.raises(ShapeError, match="a row for each of 25 poses"):
        ROBOT.ik_path("left", Ts, others[:3])
    with pytest.raises(UnknownNameError, match="unknown arm 'middle'"):
        ROBOT.ik_path("middle", Ts, OTHER)


def pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses of both hands in front of the robot, near each other."""
    rng = problems.generator("free pairs")
    Ts = []
    for arm in (ROBOT.left, ROBOT.right):
        T = np.empty((0, 4, 4))
        while len(T) < n:
            some = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (20 * n, 7)))
            x, y, z = np.moveaxis(some[:, :3, 3], -1, 0)
            T = np.concatenate([T, some[(x > 0.45) & (np.abs(y) < 0.25) & (z > 0.0) & (z < 0.5)]])
        Ts.append(T[:n])
    return Ts[0], Ts[1]


def test_pairs_touch_nothing_or_name_what_does() -> None:
    left, right = pairs(60)
    plain = ROBOT.hands.ik(left, right)
    found = ROBOT.ik_pair(left, right)
    solved = found.solved
    assert 15 < solved.sum() < 55
    assert not np.any(ROBOT.in_collision(found.q_left[solved], found.q_right[solved]))
    assert_close(ROBOT.left.fk(found.q_left[solved]), left[solved], IK_DEGENERATE)
    assert_close(ROBOT.right.fk(found.q_right[solved]), right[solved], IK_DEGENERATE)
    touching = np.asarray(ROBOT.in_collision(plain.q_left, plain.q_right))
    assert (touching & solved).sum() > 5
    assert (found.status[~solved] == IkStatus.COLLISION).all()
    for i in range(0, 60, 7):
        one = ROBOT.ik_pair(left[i], right[i])
        assert one.solved == solved[i]
        np.testing.assert_array_equal(one.q_left, found.q_left[i])
    with pytest.raises(InputError, match="give the poses of both hands"):
        ROBOT.ik_pair(relative=np.eye(4))


def test_hands_at_one_place_are_refused() -> None:
    T = ROBOT.left.fk(ROBOT.left.configuration("untuck"))
    T[1, 3] = 0.0
    found = ROBOT.ik_pair(T, T)
    assert not found.solved
    assert found.status is IkStatus.COLLISION
    assert found.left.blocked_by is not None


def test_paths_of_both_arms_make_way() -> None:
    rng, tried, moved = problems.generator("free path pairs"), 0, 0
    left, right = pairs(40)
    for T_left, T_right in zip(left, right, strict=True):
        Ts = [np.repeat(T[None], 12, axis=0) for T in (T_left, T_right)]
        for T in Ts:
            T[:, :3, 3] += np.linspace(0.0, 1.0, 12)[:, None] * rng.uniform(-0.08, 0.08, 3)
        plain = ROBOT.hands.ik_path(*Ts)
        if not plain.solved:
            continue
        tried += 1
        found = ROBOT.ik_pair_path(*Ts)
        if not found.solved:
            assert found.status is IkStatus.COLLISION
            assert "touches" in found.reason
            assert_truth(found, ROBOT.ik_pair(*Ts).solved)
            if found.broken_at:
                end = found.broken_at
                assert ROBOT.first_contact(found.q_left[:end], found.q_right[:end]) is None
            continue
        assert ROBOT.first_contact(found.q_left, found.q_right) is None
        assert_close(ROBOT.left.fk(found.q_left), Ts[0], IK_DEGENERATE)
        assert_close(ROBOT.right.fk(found.q_right), Ts[1], IK_DEGENERATE)
        moved += ROBOT.first_contact(plain.q_left, plain.q_right) is not None
        if moved >= 3 and tried >= 8:
            break
    assert moved >= 2


def rising() -> tuple[np.ndarray, np.ndarray]:
    """Both hands from above, on lines outwards and up, mirrored."""
    s = np.linspace(0.0, 1.0, 15)
    left = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (15, 1, 1))
    left[:, :3, 3] = np.stack([0.6 + 0.0 * s, 0.25 + 0.1 * s, 0.1 + 0.1 * s], axis=-1)
    right = left.copy()
    right[:, 1, 3] *= -1.0
    return left, right


def test_both_arms_may_have_to_evade_the_body() -> None:
    robot = Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))
    Ts = rising()
    plain = robot.hands.ik_path(*Ts)  # both elbows touch the head
    for arm, q in ((robot.left, plain.q_left), (robot.right, plain.q_right)):
        both = (q, OTHER) if arm.side == "left" else (robot.left.configuration("untuck"), q)
        assert robot.first_contact(*both)[1] == (f"{arm.side}_e0", "head")
    found = robot.ik_pair_path(*Ts)
    assert found.solved
    assert robot.first_contact(found.q_left, found.q_right) is None
    assert_close(robot.left.fk(found.q_left), Ts[0], IK_DEGENERATE)
    assert_close(robot.right.fk(found.q_right), Ts[1], IK_DEGENERATE)


def test_a_break_tells_of_one_seed_and_of_a_start_that_touches() -> None:
    robot = Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))
    Ts, _ = rising()
    q = robot.left.ik_path(Ts).q[0]  # the elbow touches the head
    found = robot.ik_path("left", Ts, OTHER, seed=q)
    assert not found.solved
    assert found.broken_at == 0
    assert "from this seed alone; leave seed= out, or give another one" in found.reason
    assert robot.ik_path("left", Ts, OTHER, seed=robot.left.configuration("untuck")).solved

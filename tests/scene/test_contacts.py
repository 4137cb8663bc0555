"""Paths, trajectories and motions that would touch something are refused or avoided."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, identify
from baxterkit.collision import World
from baxterkit.control import Reference, ResolvedRate, State
from baxterkit.errors import InputError, NoAnswerError, ShapeError, UnknownNameError
from baxterkit.trajectory import ContactError, point_to_point

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
RIGHT = np.array([1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
"""The right arm, across the front."""
HIGH = np.array([-1.1, -0.8, 0.0, 0.3, 0.0, 0.0, 0.0])
LOW = np.array([-1.1, 0.4, 0.0, 0.3, 0.0, 0.0, 0.0])
"""Above and below it: the way between leads through it."""


def test_the_first_blocked_step_of_a_path_is_named() -> None:
    path = HIGH + np.linspace(0.0, 1.0, 11)[:, None] * (LOW - HIGH)
    found = ROBOT.first_contact(path, RIGHT)
    assert found is not None
    row, (first, second) = found
    assert 0 < row < 9
    assert first.startswith("left_")
    assert second.startswith("right_")
    free = ROBOT.edge_free(
        *(np.hstack([x, np.tile(RIGHT, (10, 1))]) for x in (path[:-1], path[1:]))
    )
    assert row == int(np.argmin(free))
    assert ROBOT.first_contact(path[:row], RIGHT) is None
    assert ROBOT.scene(without=(("left", "right"),)).first_contact(path, RIGHT) is None
    # Two rows that are free themselves, with the arm between them.
    assert ROBOT.first_contact(path[[0, -1]], RIGHT)[0] == 0
    with pytest.raises(ShapeError, match=r"a path is joint positions of shape \(n, 7\)"):
        ROBOT.first_contact(HIGH, RIGHT)
    with pytest.raises(ShapeError):
        ROBOT.first_contact(path, path[:3])


def test_a_trajectory_through_the_other_arm_is_refused() -> None:
    motion = point_to_point(ROBOT.left, HIGH, LOW)
    assert motion.check() is motion
    with pytest.raises(
        ContactError, match=r"at t = \d\.\d\d s left_\w+ touches right_\w+"
    ) as caught:
        motion.check(other=RIGHT, scene=ROBOT)
    assert 0.0 < caught.value.time < motion.duration
    assert isinstance(caught.value, NoAnswerError)
    assert motion.check(scene=ROBOT) is motion  # the right arm is untucked: out of the way
    world = World()
    world.add_sphere("ball", 0.1, ROBOT.left.fk(motion.sample(0.5 * motion.duration).q)[:3, 3])
    with pytest.raises(ContactError, match="touches ball"):
        motion.check(scene=ROBOT.scene(world))


def test_an_exciting_motion_of_a_robot_touches_nothing() -> None:
    right = ROBOT.right.configuration("untuck")
    seeds = range(20)
    blind = [identify.exciting_motion(ROBOT.left, 20.0, 50.0, part=0.95, seed=s).q for s in seeds]
    touching = [s for s in seeds if np.any(ROBOT.in_collision(blind[s], right))]
    assert touching
    motion = identify.exciting_motion(
        ROBOT.left, 20.0, 50.0, part=0.95, seed=touching[0], scene=ROBOT
    )
    assert not np.any(ROBOT.in_collision(motion.q, right))
    assert ROBOT.first_contact(motion.q, right) is None
    assert np.ptp(motion.q, axis=0).min() > 0.1
    inside = np.array([-1.09, 0.22, -0.28, 2.01, -0.05, 1.52, 1.94])  # its hand in the torso
    mirrored = inside * [-1, 1, -1, 1, -1, 1, -1]
    with pytest.raises(NoAnswerError, match="is free; move the other arm, or what"):
        identify.exciting_motion(ROBOT.left, 2.0, 20.0, scene=ROBOT, other=mirrored)


def test_repulsion_leads_away_and_only_when_near() -> None:
    rng = np.random.default_rng(5)
    limits = ROBOT.left.limits
    right = ROBOT.right.configuration("untuck")
    q = rng.uniform(limits.lower, limits.upper, (400, 7))
    gap = ROBOT.clearance(q, right)
    aside = ROBOT.repulsion("left", right, distance=0.05, speed=0.2)
    for row in q[gap > 0.05][:10]:
        assert_close(aside(row), np.zeros(7), 0.0)
    near = q[(gap > 0.002) & (gap < 0.04)][:20]
    grown = 0
    for row in near:
        velocity = aside(row)
        assert np.linalg.norm(velocity) <= 0.2 + 1e-12
        before = ROBOT.nearest(row, right)
        after = ROBOT.clearance(row + 1e-4 * velocity, right)
        grown += bool(after > before.clearance) or not np.abs(before.gradient[:7]).any()
    assert grown == len(near) >= 8
    with pytest.raises(UnknownNameError, match="unknown arm 'both'"):
        ROBOT.repulsion("both", right)
    with pytest.raises(InputError, match="distance = 0 must be positive"):
        ROBOT.repulsion("left", right, distance=0)


def test_resolved_rate_steps_aside_in_the_null_space() -> None:
    """The tip stays where it is while the elbow moves away from an obstacle."""
    arm, right = ROBOT.left, ROBOT.right.configuration("untuck")
    q = arm.configuration("untuck").copy()
    elbow = arm.link_poses(q)[3, :3, 3]
    world = World()
    world.add_sphere("ball", 0.05, elbow + np.array([0.0, 0.18, 0.0]))
    T = arm.fk(q)
    aside = ROBOT.scene(world).repulsion("left", right, distance=0.2, speed=0.5)
    law = ResolvedRate(arm, posture=0.0, aside=aside)
    before = ROBOT.scene(world).clearance(q, right)
    for _ in range(200):
        qd = law.joint_velocity(State(q, np.zeros(7)), Reference(q, T=T), 0.01)
        q = q + 0.01 * qd
    assert ROBOT.scene(world).clearance(q, right) > before + 0.01
    assert np.linalg.norm(arm.fk(q)[:3, 3] - T[:3, 3]) < 1e-3

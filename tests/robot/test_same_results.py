"""What a motion gives, and what an arm tells, is the same on both bodies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tolerances import SAME_MOTION

import baxterkit
from baxterkit.control import ComputedTorque
from baxterkit.robot import Followed, Robot
from baxterkit.ros.sent import Sent
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import min_jerk
from baxterkit.types import Array, JointVector

S0, E1 = np.eye(7)[0], np.eye(7)[3]
BODIES = ("twin", "link")


def made(kind: str, noise: float = 0.0) -> Robot:
    twin = Twin(noise=noise)
    return twin if kind == "twin" else baxterkit.connect(twin)


@pytest.fixture(params=BODIES)
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    with made(request.param) as body:
        yield body.enable()


def followed(kind: str, mode: str) -> Followed:
    with made(kind) as robot:
        limb = robot.enable().left
        motion = min_jerk(limb.arm, limb.q, limb.q + 0.1 * (S0 - E1), 0.8)
        if mode == "torque":
            arm = with_known_effects(limb.arm)
            return robot.follow(motion, ComputedTorque(arm, kp=8.0**2))["left"]
        return robot.follow(motion, mode=mode)["left"]


def at(done: Followed, columns: Array, t: Array) -> Array:
    return np.stack([np.interp(t, done.t, column) for column in columns.T], axis=-1)


@pytest.mark.parametrize(
    ("mode", "near"),
    [("velocity", 0.03), ("position", 0.02), ("raw position", 0.02), ("torque", 1.5)],
)
def test_a_result_has_the_commands_and_the_tip_on_both_bodies(mode: str, near: float) -> None:
    twin, link = (followed(kind, mode) for kind in BODIES)
    for done in (twin, link):
        assert done.command.shape == done.q.shape
        assert np.isfinite(done.command).all()
        assert not done.held.any()
        assert done.position is not None
        assert done.quaternion is not None
        assert done.reference.position is not None
        off = np.linalg.norm(done.position - done.reference.position, axis=1)
        assert off.max() < 2.0 * SAME_MOTION + 0.02
    t = link.t[link.t > 0.05]  # a sample is 10 ms
    assert np.abs(at(twin, twin.command, t) - at(link, link.command, t)).max() < near
    assert np.abs(at(twin, twin.position, t) - at(link, link.position, t)).max() < SAME_MOTION


def test_commands_are_in_force_until_they_time_out() -> None:
    sent = Sent()
    command, held = sent.at(np.array([0.0, 9.0]), 0.2)
    assert np.isnan(command).all()
    assert not held.any()  # it is not known
    sent.note(0.0, S0)
    sent.note(0.01, 2.0 * S0)
    sent.note(0.5, 3.0 * S0)
    command, held = sent.at(np.array([-0.1, 0.0, 0.005, 0.2, 0.3, 0.5, 0.8]), 0.2)
    np.testing.assert_array_equal(command[:, 0], [np.nan, 1.0, 1.0, 2.0, np.nan, 3.0, np.nan])
    assert held.tolist() == [False, False, False, False, True, False, True]


def test_an_arm_tells_what_it_published(robot: Robot) -> None:
    robot.left.command_velocity(0.2 * S0)
    robot.wait(0.15)
    one = robot.left.published
    for x in (one.q, one.qd, one.tau):
        assert x.shape == (7,)
    assert np.abs(one.q - robot.left.q).max() < 0.01
    assert np.abs(one.qd - robot.left.qd).max() < 0.05
    robot.wait(0.05)
    assert 0.03 < robot.left.published.t - one.t < 0.07


@pytest.mark.parametrize("kind", BODIES)
def test_the_tip_is_that_of_the_sensed_joints(kind: str) -> None:
    with made(kind, noise=20.0) as robot:
        limb = robot.left
        q, tip = limb.q, limb.tip
        np.testing.assert_array_equal(tip, limb.arm.fk(q))
        twin = robot if isinstance(robot, Twin) else robot.twin  # type: ignore[attr-defined]
        true = twin.left.true_tip
        np.testing.assert_array_equal(true, limb.arm.fk(twin.left.truth.q))
        assert np.abs(tip - true).max() > 0.0


def loop(robot: Robot, seconds: float) -> JointVector:
    """A torque loop of one's own: the arm stays, by complete torques."""
    limb = robot.left
    arm, start = with_known_effects(limb.arm), limb.q
    with limb.suppress_gravity():
        for _ in range(round(seconds / 0.01)):
            tau = arm.inverse_dynamics(limb.q, np.zeros(7), np.zeros(7))
            limb.command_torque(tau + 60.0 * (start - limb.q) * SOFT - 6.0 * limb.qd * SOFT)
            robot.wait(0.01)
    limb.hold()
    return limb.q - start


SOFT = np.array([1.0, 1.0, 0.5, 0.5, 0.1, 0.1, 0.05])


def test_a_torque_loop_moves_from_twin_to_robot(robot: Robot) -> None:
    assert np.abs(loop(robot, 1.0)).max() < 0.02


def test_compensation_is_back_after_a_torque_loop(robot: Robot) -> None:
    loop(robot, 0.2)
    robot.wait(0.5)
    limb = robot.left
    start = limb.q
    for _ in range(50):  # the robot bears the arm: what is sent is on top
        limb.command_torque(-4.0 * limb.qd * SOFT)
        robot.wait(0.01)
    assert np.abs(limb.q - start).max() < 0.02

"""The topic `inverse_dynamics_command`: raw positions with accelerations are followed closer."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit.messages import message_class
from baxterkit.ros import LocalGraph, TwinRobot, topics
from baxterkit.sim import Twin
from baxterkit.types import Array

Command = message_class("baxter_core_msgs/JointCommand")
Point = message_class("trajectory_msgs/JointTrajectoryPoint")
AMPLITUDE, OMEGA = 0.1, 6.0
"""Of a sine of the elbow [rad, rad/s]."""
LAG = 0.03
"""Of raw positions [s]: where the error without accelerations is least."""


def error(qdd_of: float, stops: float = 1e9) -> Array:
    """How far e1 is from the sine of before, at 100 Hz [rad]; accelerations times `qdd_of`."""
    graph = LocalGraph()
    with TwinRobot(Twin(rigid=True, start="neutral"), graph, enabled=True) as robot:
        node = graph.node("program")
        limb = robot.arms["left"].limb
        command = node.advertise(topics.limb("left", "command").name, Command)
        inverse = node.advertise(topics.limb("left", "inverse_dynamics").name, Point)
        start, names = limb.q.copy(), list(limb.arm.joint_names)
        found = []
        for k in range(200):
            t = 0.01 * k
            q, qdd = start.copy(), np.zeros(7)
            q[3] += AMPLITUDE * (1.0 - np.cos(OMEGA * t))
            qdd[3] = qdd_of * AMPLITUDE * OMEGA**2 * np.cos(OMEGA * t)
            if qdd_of and t < stops:
                inverse.publish(Point(accelerations=qdd))
            command.publish(Command(mode=4, names=names, command=q))
            graph.clock.sleep(0.01)
            wanted = start[3] + AMPLITUDE * (1.0 - np.cos(OMEGA * (t + 0.01 - LAG)))
            found.append(limb.truth.q[3] - wanted)
    return np.array(found)


def test_the_acceleration_is_fed_forward() -> None:
    without, with_it, wrong = (np.sqrt(np.mean(error(k)[50:] ** 2)) for k in (0.0, 1.0, -1.0))
    assert with_it < 0.5 * without < without < wrong


def test_it_ends_when_no_command_comes() -> None:
    plain, stopped = error(0.0), error(1.0, stops=0.5)
    assert np.abs(stopped - plain)[30:45].max() > 1e-3
    assert np.abs(stopped - plain)[150:].max() < 1e-3


@pytest.mark.parametrize("values", [[], [1.0] * 6, [np.nan] * 7])
def test_invalid_accelerations_are_ignored(values: list[float]) -> None:
    graph = LocalGraph()
    with TwinRobot(Twin(rigid=True), graph, enabled=True) as robot:
        node = graph.node("program")
        inverse = node.advertise(topics.limb("left", "inverse_dynamics").name, Point)
        inverse.publish(Point(accelerations=values))
        graph.clock.sleep(0.05)
        assert not robot.twin.left._loops.feed_forward.any()

"""Goals of the trajectory action that name a start, tolerances, or come twice."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from ros_masters import eventually

from baxterkit.messages import Message, message_class
from baxterkit.ros import OwnMaster, TwinRobot
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.robot.trajectory_action import ABORTED, PREEMPTED, SUCCEEDED
from baxterkit.sim import Twin

PREFIX = "control_msgs/FollowJointTrajectory"
Header = message_class("std_msgs/Header")
GoalID = message_class("actionlib_msgs/GoalID")
Path = message_class("trajectory_msgs/JointTrajectory")
Point = message_class("trajectory_msgs/JointTrajectoryPoint")
Tolerance = message_class("control_msgs/JointTolerance")
NAME = "/robot/limb/left/follow_joint_trajectory"
ANY = 3.0


class Arm:
    """The left arm's action, and its results."""

    def __init__(self, robot: TwinRobot, node: TcpNode) -> None:
        self.limb, self.known = robot.twin.left, robot.actions["left"]._known
        self.results: list[Message] = []
        node.subscribe(
            f"{NAME}/result",
            message_class(f"{PREFIX}ActionResult"),
            lambda message, _: self.results.append(message),
        )
        self._goals = node.advertise(f"{NAME}/goal", message_class(f"{PREFIX}ActionGoal"))
        self.cancels = node.advertise(f"{NAME}/cancel", GoalID)
        eventually(lambda: self._goals.subscribers and self.cancels.subscribers)
        eventually(lambda: robot.actions["left"]._result)

    def send(
        self,
        name: str,
        duration: float = 0.3,
        stamp: int = 0,
        turn: float = 0.0,
        **tolerances: float,
    ) -> None:
        """A goal that stays where the arm is, or turns the hand [rad]."""
        joints = self.limb.arm.joint_names
        there = self.limb.published.q + turn * np.eye(7)[6]
        points = [Point(positions=there, time_from_start=int(1e9 * duration))]
        given = {
            f"{word}_tolerance": [Tolerance(name=joint, position=value) for joint in joints]
            for word, value in {"path": ANY, **tolerances}.items()
        }
        goal = message_class(f"{PREFIX}Goal")(
            trajectory=Path(header=Header(stamp=stamp), joint_names=list(joints), points=points),
            **given,
        )
        whole = message_class(f"{PREFIX}ActionGoal")
        self._goals.publish(whole(goal_id=GoalID(id=name), goal=goal))

    def result(self, name: str) -> tuple[int, int, str]:
        """Status, error code and text of a goal, when it has ended."""

        def found() -> list[Message]:
            return [m for m in self.results if m.status.goal_id.id == name]

        eventually(found, 30.0)
        message = found()[-1]
        return message.status.status, message.result.error_code, message.status.text


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with (
        OwnMaster(0) as master,
        TwinRobot(Twin(start="neutral"), master.uri, enabled=True) as robot,
        TcpNode("moveit", master.uri) as node,
    ):
        yield Arm(robot, node)


def test_a_goal_starts_at_its_time(arm: Arm) -> None:
    start = time.time_ns() + 400_000_000
    arm.send("later", 0.1, start)
    assert arm.result("later")[0] == SUCCEEDED
    assert time.time_ns() >= start + 100_000_000
    arm.send("tomorrow", 0.1, time.time_ns() + 86_400 * 10**9)
    assert arm.result("tomorrow")[:2] == (ABORTED, -1)
    arm.send("soon", 0.1, time.time_ns() + 50 * 10**9)
    eventually(lambda: "soon" in arm.known)
    arm.cancels.publish(GoalID(id="soon"))
    assert arm.result("soon")[0] == PREEMPTED


def test_a_goal_that_comes_twice_is_one(arm: Arm) -> None:
    for _ in range(2):
        arm.send("twice", 1.0)
    assert arm.result("twice")[0] == SUCCEEDED
    arm.send("next", 0.1)
    assert arm.result("next")[0] == SUCCEEDED
    ends = [m.status.status for m in arm.results if m.status.goal_id.id == "twice"]
    assert ends == [SUCCEEDED]


def test_tolerances_at_the_goal_count(arm: Arm) -> None:
    arm.send("exact", 0.02, turn=2.5, goal=1e-3)  # no hand turns that fast
    status, code, text = arm.result("exact")
    assert (status, code) == (ABORTED, -5)
    assert text.startswith("off by")
    arm.send("rough", 0.1, goal=0.5)
    assert arm.result("rough")[0] == SUCCEEDED
    for word in ("path", "goal"):
        arm.send(f"no {word}", 0.1, **{word: float("nan")})
        assert arm.result(f"no {word}")[:2] == (ABORTED, -1)

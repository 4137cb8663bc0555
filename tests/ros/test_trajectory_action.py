"""The action `follow_joint_trajectory` of the twin, asked over the wire as MoveIt asks it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from ros_masters import eventually

from baxterkit.messages import Message, message_class
from baxterkit.ros import MasterError, OwnMaster, TwinRobot
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.graph.master import Caller
from baxterkit.ros.robot.trajectory_action import ABORTED, PREEMPTED, SUCCEEDED
from baxterkit.ros.settling import REST
from baxterkit.sim import Twin
from baxterkit.types import Array

PREFIX = "control_msgs/FollowJointTrajectory"
ActionGoal = message_class(f"{PREFIX}ActionGoal")
Goal = message_class(f"{PREFIX}Goal")
GoalID = message_class("actionlib_msgs/GoalID")
Path = message_class("trajectory_msgs/JointTrajectory")
Point = message_class("trajectory_msgs/JointTrajectoryPoint")
Tolerance = message_class("control_msgs/JointTolerance")
ANY = 3.0
"""Path tolerance [rad]: on a busy machine the twin skips time."""


class Client:
    """Sends goals to both arms, and keeps what comes back."""

    def __init__(self, node: TcpNode) -> None:
        self.results: dict[str, Message] = {}
        self.feedback: list[Message] = []
        self._goals, self._cancels = {}, {}
        for side in ("left", "right"):
            name = f"/robot/limb/{side}/follow_joint_trajectory"
            node.subscribe(f"{name}/result", message_class(f"{PREFIX}ActionResult"), self._keep)
            node.subscribe(
                f"{name}/feedback",
                message_class(f"{PREFIX}ActionFeedback"),
                lambda message, _: self.feedback.append(message),
            )
            self._goals[side] = node.advertise(f"{name}/goal", ActionGoal)
            self._cancels[side] = node.advertise(f"{name}/cancel", GoalID)
        ends = (*self._goals.values(), *self._cancels.values())
        eventually(lambda: all(end.subscribers for end in ends))

    def _keep(self, message: Message, _who: str) -> None:
        self.results[message.status.goal_id.id] = message

    def send(
        self, side: str, name: str, names: list[str], t: list[float], q: Array, tolerance: float
    ) -> None:
        points = [
            Point(positions=row, time_from_start=int(1e9 * at))
            for at, row in zip(t, q, strict=True)
        ]
        limits = [Tolerance(name=joint, position=tolerance) for joint in names]
        goal = Goal(trajectory=Path(joint_names=names, points=points), path_tolerance=limits)
        self._goals[side].publish(ActionGoal(goal_id=GoalID(id=name), goal=goal))

    def cancel(self, side: str, name: str) -> None:
        self._cancels[side].publish(GoalID(id=name))

    def result(self, name: str) -> tuple[int, int, str]:
        """Status, error code and text of a goal, when it has ended."""
        eventually(lambda: name in self.results, 20.0)
        message: Any = self.results[name]
        return message.status.status, message.result.error_code, message.status.text


@pytest.fixture(scope="module")
def robot() -> Iterator[TwinRobot]:
    with (
        OwnMaster(0) as master,
        TwinRobot(Twin(start="neutral"), master.uri, enabled=True) as robot,
    ):
        yield robot


@pytest.fixture(scope="module")
def client(robot: TwinRobot) -> Iterator[Client]:
    with TcpNode("moveit", robot.node.master.uri) as node:
        yield Client(node)


def test_a_second_robot_at_the_same_master_is_refused(robot: TwinRobot) -> None:
    uri = robot.node.master.uri
    with pytest.raises(MasterError, match=r"has a robot already \(/realtime_loop publishes"):
        TwinRobot(master=uri)
    with OwnMaster(0) as other:  # one that was killed has left its name behind
        dead = Caller(other.uri, "/realtime_loop")
        state = "baxter_core_msgs/AssemblyState"
        dead.call("registerPublisher", "/robot/state", state, "http://127.0.0.1:9/")
        TwinRobot(Twin(), other.uri).close()


def test_joints_in_any_order_and_a_point_at_zero(robot: TwinRobot, client: Client) -> None:
    limb = robot.twin.left
    order = [3, 6, 0, 5, 1, 4, 2]
    names = [limb.arm.joint_names[j] for j in order]
    start = limb.published.q.copy()
    goal = start + np.array([0.1, -0.05, 0.05, 0.0, 0.1, 0.05, -0.1])
    client.send("left", "any order", names, [0.0, 0.6], np.array([start, goal])[:, order], ANY)
    assert client.result("any order")[:2] == (SUCCEEDED, 0)
    assert np.abs(limb.published.q - goal).max() < 0.03
    assert client.feedback[-1].feedback.joint_names == list(limb.arm.joint_names)


@pytest.mark.parametrize(
    ("name", "change", "code", "words"),
    [
        ("unknown joint", lambda n, t, q: (["elbow", *n[1:]], t, q), -2, "not the joints of the"),
        ("backwards", lambda n, t, q: (n, [0.6, 0.5], q), -1, "increasing times"),
        ("beyond", lambda n, t, q: (n, t, q + 4.0), -1, "limit"),
        ("nothing", lambda n, t, q: (n, [], q[:0]), -1, "empty"),
        ("not finite", lambda n, t, q: (n, t, q * np.nan), -1, "finite"),
    ],
)
def test_a_wrong_goal_is_refused_with_its_reason(
    robot: TwinRobot, client: Client, name: str, change: Any, code: int, words: str
) -> None:
    limb = robot.twin.left
    q = np.tile(limb.published.q, (2, 1))
    client.send("left", name, *change(list(limb.arm.joint_names), [0.3, 0.6], q), ANY)
    status, number, text = client.result(name)
    assert (status, number) == (ABORTED, code)
    assert words in text


def test_one_arm_that_fails_does_not_stop_the_other(robot: TwinRobot, client: Client) -> None:
    twin = robot.twin
    goals = {limb.side: limb.published.q + 0.1 for limb in twin.limbs}
    for limb in twin.limbs:
        tolerance = ANY if limb.side == "left" else 1e-4
        client.send(
            limb.side, f"{limb.side} of two", list(limb.arm.joint_names), [0.8],
            goals[limb.side][None], tolerance,
        )  # fmt: skip
    status, code, text = client.result("right of two")
    assert (status, code) == (ABORTED, -4)
    assert "right_" in text
    assert client.result("left of two")[:2] == (SUCCEEDED, 0)
    assert np.abs(twin.left.published.q - goals["left"]).max() < 0.03


def test_a_cancelled_goal_ends_when_the_arm_is_at_rest(robot: TwinRobot, client: Client) -> None:
    """An arm goes on for a moment after a cancel; who plans from there must not be early."""
    limb = robot.twin.left
    names = list(limb.arm.joint_names)
    far = limb.published.q + np.array([-0.8, 0, 0, 0, 0, 0, 0])
    client.send("left", "cut short", names, [1.5], far[None], ANY)
    eventually(lambda: np.abs(limb.published.qd).max() > 0.4)
    client.cancel("left", "cut short")
    assert client.result("cut short")[:2] == (PREEMPTED, 0)
    with robot.lock:
        assert np.abs(limb.published.qd).max() < REST
        here = limb.published.q.copy()
    time.sleep(0.3)
    assert np.abs(limb.published.q - here).max() < 8e-3
    assert np.abs(here - far).max() > 0.1


def test_a_new_goal_takes_the_place_of_the_old_one(robot: TwinRobot, client: Client) -> None:
    limb = robot.twin.left
    names = list(limb.arm.joint_names)
    start = limb.published.q.copy()
    client.send("left", "old", names, [3.0], (start + 0.3)[None], ANY)
    time.sleep(0.2)
    client.send("left", "new", names, [0.8], start[None], ANY)
    assert client.result("old") == (PREEMPTED, 0, "replaced by a new goal")
    assert client.result("new")[:2] == (SUCCEEDED, 0)
    assert np.abs(limb.published.q - start).max() < 0.03

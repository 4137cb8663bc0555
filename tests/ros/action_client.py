"""A client of the twin's trajectory actions, as MoveIt is one, and the twin, on simulated time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from baxterkit.messages import Message, message_class
from baxterkit.ros import LocalGraph, TwinRobot
from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.sim import Twin
from baxterkit.types import Array

PREFIX = "control_msgs/FollowJointTrajectory"
ActionGoal = message_class(f"{PREFIX}ActionGoal")
Goal = message_class(f"{PREFIX}Goal")
GoalID = message_class("actionlib_msgs/GoalID")
Header = message_class("std_msgs/Header")
Path = message_class("trajectory_msgs/JointTrajectory")
Point = message_class("trajectory_msgs/JointTrajectoryPoint")
Tolerance = message_class("control_msgs/JointTolerance")
PATH_TOLERANCE = 0.02
"""Of the motions of the tests [rad]."""


class ActionClient:
    """Sends goals to both arms of a twin, and keeps what comes back."""

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.graph = LocalGraph()
        self.clock = self.graph.clock
        self.robot = TwinRobot(Twin(start="neutral"), self.graph, enabled=True, behaviour=behaviour)
        self.results: list[Message] = []
        self.feedback: list[Message] = []
        self._goals, self._cancels = {}, {}
        node = self.graph.node("moveit")
        for side in ("left", "right"):
            name = f"/robot/limb/{side}/follow_joint_trajectory"
            for word, kept in (("result", self.results), ("feedback", self.feedback)):
                kind = message_class(f"{PREFIX}Action{word.capitalize()}")
                node.subscribe(f"{name}/{word}", kind, lambda m, _, kept=kept: kept.append(m))
            self._goals[side] = node.advertise(f"{name}/goal", ActionGoal)
            self._cancels[side] = node.advertise(f"{name}/cancel", GoalID)
        self.clock.sleep(0.1)

    def close(self) -> None:
        self.robot.close()

    def send(
        self,
        name: str,
        t: Sequence[float],
        q: Array,
        *,
        side: str = "left",
        joints: Sequence[str] | None = None,
        stamp: int = 0,
        **tolerances: float,
    ) -> None:
        """A goal of points at times [s], with the tolerances `path` and `goal` [rad]."""
        names = list(getattr(self.robot.twin, side).arm.joint_names if joints is None else joints)
        points = [
            Point(positions=row, time_from_start=int(1e9 * at))
            for at, row in zip(t, np.atleast_2d(q), strict=True)
        ]
        given = {
            f"{word}_tolerance": [Tolerance(name=joint, position=value) for joint in names]
            for word, value in {"path": PATH_TOLERANCE, **tolerances}.items()
        }
        path = Path(header=Header(stamp=stamp), joint_names=names, points=points)
        goal = Goal(trajectory=path, **given)
        self._goals[side].publish(ActionGoal(goal_id=GoalID(id=name), goal=goal))

    def cancel(self, name: str, side: str = "left") -> None:
        self._cancels[side].publish(GoalID(id=name))

    def ends(self, name: str) -> list[Message]:
        """The results of a goal so far."""
        return [message for message in self.results if message.status.goal_id.id == name]

    def result(self, name: str) -> tuple[int, int, str]:
        """Status, error code and text of a goal, when it has ended."""
        self.until(lambda: self.ends(name))
        message: Any = self.ends(name)[-1]
        return message.status.status, message.result.error_code, message.status.text

    def until(self, what: Callable[[], object], timeout: float = 10.0) -> None:
        """Waits until `what()` is true."""
        end = self.clock.now() + timeout
        while not what():
            assert self.clock.now() < end, f"not within {timeout} s"
            self.clock.sleep(0.01)

"""The action `follow_joint_trajectory` of an arm, as Rethink's server has it.

Joints may come in any order, and a point at t = 0 is allowed. A goal that leaves its tolerance is
aborted, a new goal takes the place of the old one, and the other arm goes on. A cancelled goal is
reported as such when the arm has come to rest: its next goal then starts where it is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message, message_class
from baxterkit.robot.followed import ARRIVED
from baxterkit.ros import topics
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.robot.arm import TwinArm
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.robot.pace import Pace
from baxterkit.ros.settling import settling
from baxterkit.ros.topics import Topic
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

PREFIX = "control_msgs/FollowJointTrajectory"
Goal = message_class(f"{PREFIX}ActionGoal")
Result = message_class(f"{PREFIX}Result")
Feedback = message_class(f"{PREFIX}Feedback")
Status = message_class("actionlib_msgs/GoalStatus")
StatusArray = message_class("actionlib_msgs/GoalStatusArray")
GoalID = message_class("actionlib_msgs/GoalID")
Header = message_class("std_msgs/Header")
Point = message_class("trajectory_msgs/JointTrajectoryPoint")
PERIOD = 0.01
STATUS = 0.2
"""Period of the messages about all goals [s]."""
PATH_TOLERANCE = 0.35
"""Largest error along the path [rad], unless the goal says another."""
START_TOLERANCE = 0.2
"""The same of Rethink's position modes, by which a strict server judges the start [rad]."""
RIVAL = 2.0
"""Time for which another server that has spoken counts as there [s]; it speaks at 5 Hz."""
LATEST_START = 60.0
"""Longest time from a goal to its start [s]."""
MOST_KNOWN = 50
"""Goals whose status is kept."""
GOAL_TIME = 0.1
"""Time to arrive after the last point [s], unless the goal says another; 3 s on top of it ..."""
PATIENCE = 3.0
"""... since the arm settles, as long as no joint has a goal tolerance of its own."""
ACTIVE, PREEMPTED, SUCCEEDED, ABORTED, REJECTED = 1, 2, 3, 4, 5
OK, INVALID_GOAL, INVALID_JOINTS, PATH, GOAL = 0, -1, -2, -4, -5


class _Rejected(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class TrajectoryAction:
    """The action server of one arm.

    Args:
        node: The node that serves it.
        arm: The arm.
        assembly: The robot's state.
        pace: Of the twin.
        strict: Whether a trajectory must begin where the arm is.
    """

    def __init__(
        self, node: Node, arm: TwinArm, assembly: Assembly, pace: Pace, strict: bool = False
    ) -> None:
        self._limb, self._assembly, self._pace = arm.limb, assembly, pace
        self._clock, self._strict = node.clock, strict
        name = topics.ACTION.format(side=arm.limb.side)
        self._status_topic = f"{name}/status"
        self._rival, self._rival_heard = "", -1.0e9
        self._result = Outlet(node, Topic(f"{name}/result", message_class(f"{PREFIX}ActionResult")))
        self._feedback = Outlet(
            node, Topic(f"{name}/feedback", message_class(f"{PREFIX}ActionFeedback"))
        )
        self._statuses = Outlet(node, Topic(self._status_topic, StatusArray), latch=True)
        node.watch(self._status_topic, StatusArray, self._hear)
        node.subscribe(f"{name}/goal", Goal, lambda message, _: self._start(message))
        node.subscribe(f"{name}/cancel", GoalID, lambda message, _: self._cancel(message))
        self._known: dict[str, Message] = {}
        self._current: str | None = None
        self._closed = False
        self._table = threading.Lock()
        self._telling = self._clock.every(STATUS, self._publish_status, f"{name}/status")

    def close(self) -> None:
        """Ends the goal and says nothing more."""
        self._closed = True
        self._telling.close()

    @property
    def yields(self) -> bool:
        """Whether another node serves the action: then the twin takes no goal and says nothing."""
        return self._clock.now() - self._rival_heard < RIVAL

    def _hear(self, who: str) -> None:
        if who != self._rival:
            LOG.warning("%s serves %s: the twin leaves it to that node", who, self._status_topic)
        self._rival, self._rival_heard = who, self._clock.now()

    def _publish_status(self) -> None:
        # A client gives a goal up as lost if a server's status does not name it.
        if self.yields and self._current is None:
            return
        with self._table:
            entries = list(self._known.values())[-5:]
        self._statuses(header=Header(stamp=self._clock.stamp()), status_list=entries)

    def _start(self, message: Message) -> None:
        if self.yields:
            return
        identity = message.goal_id.id or f"goal-{self._clock.stamp()}"
        goal_id = GoalID(stamp=message.goal_id.stamp, id=identity)
        with self._table:
            if identity in self._known and self._known[identity].status == ACTIVE:
                return  # the same goal again
            self._current = identity
            while len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[identity] = Status(goal_id=goal_id, status=ACTIVE)
        self._clock.start(self._execute(identity, message.goal), identity)

    def _cancel(self, message: Message) -> None:
        with self._table:
            if message.id in ("", self._current):
                self._current = None

    def _finish(self, identity: str, status: int, code: int, text: str) -> None:
        with self._table:
            entry = self._known[identity]
            entry = self._known[identity] = Status(goal_id=entry.goal_id, status=status, text=text)
            if self._current == identity:
                self._current = None
        self._publish_status()
        self._result(
            header=Header(stamp=self._clock.stamp()),
            status=entry,
            result=Result(error_code=code, error_string=text),
        )

    def _execute(self, identity: str, goal: Message) -> Iterator[float]:
        try:
            yield from self._until_start(identity, goal.trajectory.header.stamp)
            motion = self._motion(goal)
            tolerance = self._tolerances(goal.path_tolerance, PATH_TOLERANCE)
            arrived = self._tolerances(goal.goal_tolerance, ARRIVED)
        except _Rejected as error:
            self._finish(identity, ABORTED, error.code, str(error))
            return
        started = self._clock.now()
        late = goal.goal_time_tolerance * 1e-9 or GOAL_TIME
        late += 0.0 if len(goal.goal_tolerance) else PATIENCE
        ends = motion.duration
        while True:
            t = self._clock.now() - started
            sample = motion.sample(min(t, ends))
            with self._pace:
                q = self._limb.published.q
                off = sample.q - q
                if self._closed or self._current != identity:
                    break
                if not self._assembly.enabled:
                    self._finish(identity, ABORTED, INVALID_GOAL, "the robot is disabled")
                    return
                if (np.abs(off) > tolerance).any():
                    j = int(np.argmax(np.abs(off) - tolerance))
                    self._limb.hold()
                    name = self._limb.arm.joint_names[j]
                    text = f"{name} is off by {off[j]:.3f} rad; {tolerance[j]:g} are allowed"
                    self._finish(identity, ABORTED, PATH, text)
                    return
                self._limb.command_position(sample.q, raw=True)
            self._show(identity, sample.q, q, t)
            if t >= ends and (np.abs(off) < arrived).all():
                self._finish(identity, SUCCEEDED, OK, "")
                return
            if t > ends + late:
                self._finish(identity, ABORTED, GOAL, f"off by {np.abs(off).max():.3f} rad")
                return
            yield self._clock.now() + PERIOD
        yield from self._let_go(identity)

    def _let_go(self, identity: str) -> Iterator[float]:
        """Ends a goal that was cancelled: the arm comes to rest first, unless a new goal has it."""
        with self._pace:
            replaced = self._current is not None
            if not replaced:
                self._limb.hold()
        if not replaced and not self._closed:
            yield from settling(self._clock, [self._limb])
        self._finish(identity, PREEMPTED, OK, "replaced by a new goal" if replaced else "cancelled")

    def _show(self, identity: str, wanted: Array, q: Array, t: float) -> None:
        if not self._feedback:
            return
        when = int(t * 1e9)
        self._feedback(
            header=Header(stamp=self._clock.stamp()),
            status=self._known[identity],
            feedback=Feedback(
                header=Header(stamp=self._clock.stamp()),
                joint_names=list(self._limb.arm.joint_names),
                desired=Point(positions=wanted, time_from_start=when),
                actual=Point(positions=q, time_from_start=when),
                error=Point(positions=wanted - q, time_from_start=when),
            ),
        )

    def _until_start(self, identity: str, stamp: int) -> Iterator[float]:
        """Waits for the time at which the trajectory shall start; the arms may have one in common.

        Raises:
            _Rejected: If it is more than a minute away.
        """
        if stamp - self._clock.stamp() > LATEST_START * 1e9:
            raise _Rejected(INVALID_GOAL, f"it starts in more than {LATEST_START:g} s")
        while self._clock.stamp() < stamp and self._current == identity and not self._closed:
            pause = min(max(1e-9 * (stamp - self._clock.stamp()), 0.0), PERIOD)
            yield self._clock.now() + pause

    def _tolerances(self, entries: list[Message], default: float) -> Array:
        """The tolerance of each joint [rad], shape (7,): 0 is the default, below 0 is any.

        Raises:
            _Rejected: If one is not finite.
        """
        names = self._limb.arm.joint_names
        tolerance = np.full(7, default)
        for entry in entries:
            if not np.isfinite(entry.position):
                raise _Rejected(INVALID_GOAL, f"the tolerance of {entry.name} is no number")
            if entry.name in names and entry.position:
                value = np.inf if entry.position < 0.0 else entry.position
                tolerance[names.index(entry.name)] = value
        return tolerance

    def _motion(self, goal: Message) -> Trajectory:
        """The motion of a goal from where the arm is."""
        arm = self._limb.arm
        given, points = list(goal.trajectory.joint_names), goal.trajectory.points
        if not points:
            raise _Rejected(INVALID_GOAL, "the trajectory is empty")
        if sorted(given) != sorted(arm.joint_names):
            wrong = sorted(set(given) ^ set(arm.joint_names))
            raise _Rejected(INVALID_JOINTS, f"not the joints of the {arm.side} arm: {wrong[0]}")
        order = [given.index(name) for name in arm.joint_names]
        t = np.array([point.time_from_start * 1e-9 for point in points])
        if any(len(point.positions) != 7 for point in points) or not (np.diff(t) > 0.0).all():
            raise _Rejected(INVALID_GOAL, "points need 7 positions each, and increasing times")
        q = np.array([point.positions[order] for point in points])
        start = self._limb.published.q
        if self._strict and len(q) > 1:
            self._check_start(q[0] - start, goal)
        if t[0] <= 0.0:
            t, q = t[1:], q[1:]
        if not len(t):
            t, q = np.array([0.1]), np.array([points[0].positions[order]])
        try:
            arm.limits.check(q)
            return Trajectory.from_points([0.0, *t], np.vstack([start, q]), limits=arm.limits)
        except BaxterkitError as error:
            raise _Rejected(INVALID_GOAL, str(error)) from error

    def _check_start(self, off: Array, goal: Message) -> None:
        """Rejects a trajectory that does not begin where the arm is."""
        tolerance = self._tolerances(goal.path_tolerance, START_TOLERANCE)
        if (np.abs(off) >= tolerance).any():
            j = int(np.argmax(np.abs(off) - tolerance))
            name = self._limb.arm.joint_names[j]
            raise _Rejected(
                PATH, f"{name} starts {off[j]:.3f} rad off; {tolerance[j]:g} are allowed"
            )

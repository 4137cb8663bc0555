"""`TwinRobot`: the twin in real time, as a robot on a ROS master."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

import numpy as np

from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.node import master_uri
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.messages import Message, message_class
from baxterkit.ros.robot.arm import Received, RobotArm
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.buttons import Buttons
from baxterkit.ros.robot.description import Description
from baxterkit.ros.robot.gripper import RobotGripper
from baxterkit.ros.robot.ik_service import IkService
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.robot.trajectory_action import TrajectoryAction
from baxterkit.sim.twin import Twin
from baxterkit.types import Array

__all__ = ["TwinRobot"]

PERIOD = 0.01
"""Period of the robot's states [s]."""
GRIPPER_EVERY = 0.026
"""Period of the grippers' joint states [s], left and right in turn: 38 Hz, from another node."""
BEHIND = 0.5
"""The twin skips time when it is behind the clock by more than this [s]."""
TELL_EVERY = 10.0
"""Time between two warnings of that [s]."""
FLIPPED = -1.6
"""s1 of a tucked arm is below this [rad]: within the field of collision avoidance."""
NEAR = 0.005
"""Links nearer than this [m] are within the field too."""
TF_EVERY = 5
"""Periods of the states between two messages of /tf."""
NOD = 0.4
"""Duration of a nod [s]."""
Header = message_class("std_msgs/Header")


class TwinRobot:
    """A robot for others' programs: the twin on the real robot's topics, in real time.

    Args:
        twin: The twin; a new one if None.
        master: Address of the master; ROS_MASTER_URI if None.
        enabled: Whether it is enabled from the start.
        on_command: Called with every joint command that arrives.

    Raises:
        MasterError: If the master does not answer, or has a robot already.
    """

    def __init__(
        self,
        twin: Twin | None = None,
        master: str | None = None,
        *,
        enabled: bool = False,
        on_command: Callable[[Received], None] | None = None,
    ) -> None:
        self.twin = Twin() if twin is None else twin
        _alone(master)
        self.assembly = Assembly(enabled=enabled)
        self.lock = threading.RLock()
        self._nodding = -1.0e9
        self.node = TcpNode("realtime_loop", master, exact=True)
        self.gripper_node = TcpNode("end_effector_publisher", master, exact=True)
        self._started = time.time_ns()
        note = on_command or (lambda _: None)
        self.arms = {
            limb.side: RobotArm(self.node, limb, self.assembly, self.lock, note)
            for limb in self.twin.limbs
        }
        self.grippers = {
            limb.side: RobotGripper(self.gripper_node, limb, self.lock) for limb in self.twin.limbs
        }
        self.actions = {
            side: TrajectoryAction(self.node, arm, self.assembly, self.lock)
            for side, arm in self.arms.items()
        }
        self._description = Description(self.node, self.twin.robot)
        self._ik = IkService(self.node, self.twin.robot, self.positions)
        self.buttons = Buttons(self.node)
        self._states = Outlet(self.node, topics.of_robot("joint_states"))
        self._references = Outlet(self.node, topics.of_robot("ref_joint_states"))
        self._state = Outlet(self.node, topics.of_robot("state"))
        self._head = Outlet(self.node, topics.of_robot("head"))
        self._fingers = Outlet(self.gripper_node, topics.of_robot("joint_states"))
        for word, act in (
            ("enable", lambda message: self.assembly.enable(message.data)),
            ("reset", lambda _: self.assembly.reset()),
            ("stop", lambda _: self.assembly.stop()),
            ("head_pan", self._pan),
            ("head_nod", self._nod),
            ("joint_state_rate", lambda _: None),
        ):
            name, kind = topics.of_robot(word)
            self.node.subscribe(name, kind, self._locked(act))
        self._update_field()
        self._stop = threading.Event()
        self.paused = threading.Event()
        """Set to freeze the robot: it says nothing and does nothing."""
        self._threads = [
            threading.Thread(target=loop, name=name, daemon=True)
            for name, loop in (("robot", self._run), ("grippers", self._run_grippers))
        ]
        for thread in self._threads:
            thread.start()

    def positions(self) -> tuple[Array, Array]:
        """Sensed positions of the left and the right arm [rad], shape (7,) each."""
        return self.twin.left.published.q, self.twin.right.published.q

    def close(self) -> None:
        """Stops, and unregisters everything."""
        self._stop.set()
        for action in self.actions.values():
            action.close()
        for thread in self._threads:
            thread.join(2.0)
        self.gripper_node.close()
        self.node.close()

    def __enter__(self) -> TwinRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        """Lets the twin keep pace with the clock, and publishes after each 10 ms."""
        due = time.monotonic() + PERIOD
        ticks = 0
        told, skipped = -TELL_EVERY, 0.0
        while not self._stop.is_set():
            pause = due - time.monotonic()
            if pause > 0.0:
                time.sleep(pause)
            elif pause < -BEHIND:
                skipped -= pause
                due = time.monotonic()
                if due > told + TELL_EVERY:
                    LOG.warning(
                        "the twin was %.1f s behind the clock, and has skipped them: this machine "
                        "is too slow, or busy", skipped,
                    )  # fmt: skip
                    told, skipped = due, 0.0
            due += PERIOD
            if self.paused.is_set():
                due = time.monotonic() + PERIOD
                continue
            ticks += 1
            with self.lock:
                for arm in self.arms.values():
                    arm.before_step()
                self.twin.step(round(PERIOD * 1000))
                if ticks % 10 == 0:
                    self._update_field()
            self._publish(ticks)

    def _run_grippers(self) -> None:
        turns = itertools.cycle(self.grippers.items())
        while not self._stop.wait(GRIPPER_EVERY):
            if self.paused.is_set():
                continue
            side, gripper = next(turns)
            gripper.step(2.0 * GRIPPER_EVERY)
            gripper.publish()
            if self._fingers:
                self._fingers(
                    header=Header(stamp=time.time_ns()),
                    name=[topics.GRIPPER_JOINTS[side]],
                    position=[gripper.finger],
                    velocity=[0.0],
                    effort=[0.0],
                )

    def _update_field(self) -> None:
        """Which arms are within the field of collision avoidance."""
        left, right = self.positions()
        if float(self.twin.robot.clearance(left, right, self.twin.head_pan)) < NEAR:
            self.assembly.near = set(SIDES)
        else:
            states = zip(SIDES, (left, right), strict=True)
            self.assembly.near = {side for side, q in states if q[1] <= FLIPPED}

    def _publish(self, ticks: int) -> None:
        stamp = time.time_ns()
        if self._states:
            self._states(**self._joint_state(stamp, reference=False))
        if self._references:
            self._references(**self._joint_state(stamp, reference=True))
        for arm in self.arms.values():
            arm.publish(stamp)
        if self._state:
            # A few fields only, so the message itself is passed on as they are.
            message = self.assembly.message()
            self._state(**{name: getattr(message, name) for name, _ in message._fields})
        if self._head:
            pan, goal = self.twin.head_pan, float(self.twin.data.ctrl[0])
            self._head(
                pan=pan,
                isTurning=abs(goal - pan) > 0.01,
                isNodding=time.monotonic() - self._nodding < NOD,
                isPanEnabled=True,
            )
        if ticks % TF_EVERY == 0:
            self._description.publish(*self.positions(), self.twin.head_pan, stamp)
        if ticks % 5 == 0:
            self.buttons.publish()

    def _joint_state(self, stamp: int, reference: bool) -> dict[str, object]:
        """The 17 joints, alphabetical."""
        values = dict.fromkeys(topics.ROBOT_JOINTS, (0.0, 0.0, 0.0))
        values["head_pan"] = (self.twin.head_pan, 0.0, 0.0)
        for limb in self.twin.limbs:
            state = limb.published
            columns = (
                (limb._loops.reference, limb._loops.reference_velocity, np.zeros(7))
                if reference
                else (state.q, state.qd, state.tau)
            )
            rows = zip(*(column.tolist() for column in columns), strict=True)
            values |= dict(zip(limb.arm.joint_names, rows, strict=True))
        q, qd, tau = zip(*values.values(), strict=True)
        return {
            "header": Header(stamp=stamp),
            "name": list(values),
            "position": q,
            "velocity": qd,
            "effort": tau,
        }

    def _locked(self, act: Callable[[Message], None]) -> Callable[[Message, str], None]:
        def callback(message: Message, _who: str) -> None:
            with self.lock:
                act(message)

        return callback

    def _pan(self, message: Message) -> None:
        if self.assembly.enabled and np.isfinite(message.target):
            head = self.twin.robot.head
            self.twin.pan_head(float(np.clip(message.target, head.lower, head.upper)))

    def _nod(self, message: Message) -> None:
        if self.assembly.enabled and message.data:
            self._nodding = time.monotonic()


def _alone(master: str | None) -> None:
    """Refuses a second robot at a master: their states would mix under one name."""
    there = Master(master_uri(master), "/twin")
    there.greet()
    for name in there.publishers(topics.of_robot("state").name):
        if there.alive(name):
            raise MasterError(
                f"{there.uri} has a robot already ({name} publishes /robot/state); end that, or "
                "take a master of your own, as by --master http://127.0.0.1:11312"
            )

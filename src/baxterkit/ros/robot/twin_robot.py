"""`TwinRobot`: the twin as a robot on a ROS master, in real time, or within one process."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator

from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.node import TcpNode, master_uri
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.robot.arm import Received, TwinArm
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.ros.robot.checkups import Checkup
from baxterkit.ros.robot.description import Description
from baxterkit.ros.robot.faults import Faults
from baxterkit.ros.robot.hands import end_effector
from baxterkit.ros.robot.head import Head
from baxterkit.ros.robot.ik_service import IkService
from baxterkit.ros.robot.io import Io
from baxterkit.ros.robot.joint_states import JointStates
from baxterkit.ros.robot.outlet import Outlet, listen, outlet
from baxterkit.ros.robot.outside import Outside
from baxterkit.ros.robot.pace import PERIOD, Pace
from baxterkit.ros.robot.parts import Parts
from baxterkit.ros.robot.screen import Screen
from baxterkit.ros.robot.sensing import HandSensors
from baxterkit.ros.robot.sonar import Sonar
from baxterkit.ros.robot.suction import SuctionCup
from baxterkit.ros.robot.trajectory_action import TrajectoryAction
from baxterkit.sim.twin import Twin
from baxterkit.types import Array

GRIPPER_EVERY = 0.026
"""Period of the grippers' joint states [s], left and right in turn: 38 Hz, from another node."""
BEHIND = 0.06
"""The twin skips time when it is behind the clock by more than this [s]."""
TELL_EVERY = 10.0
"""Time between two warnings of that [s]."""
FLIPPED = -1.6
"""s1 of a tucked arm is below this [rad]: within the field of collision avoidance; chosen here."""
NEAR = 0.005
"""Links nearer than this [m] are within the field too; chosen here."""
TF_EVERY = 5
"""Periods of the states between two messages of /tf."""
IO_EVERY = 5
"""Periods of the states between two of buttons, lamps and ranges: 20 Hz."""
SLOW_EVERY = 10
"""The same of the sonars, of parts and checkups: 10 Hz."""
SECOND = 100
Header = message_class("std_msgs/Header")


class TwinRobot:
    """A robot for others' programs: the twin on the real robot's topics, by the node's clock.

    Args:
        twin: The twin; a new one if None.
        master: Address of the master; ROS_MASTER_URI if None. Or a graph of this process.
        enabled: Whether it is enabled from the start.
        on_command: Called with every joint command that arrives.
        behaviour: Choices where robots, or programs for them, differ.

    Raises:
        MasterError: If the master does not answer, or has a robot already.
    """

    def __init__(
        self,
        twin: Twin | None = None,
        master: str | LocalGraph | None = None,
        *,
        enabled: bool = False,
        on_command: Callable[[Received], None] | None = None,
        behaviour: Behaviour | None = None,
    ) -> None:
        does = Behaviour() if behaviour is None else behaviour
        self.twin = Twin() if twin is None else twin
        _alone(master)
        self._faults = Faults(does.faults, master)
        self.own_node = _node("realtime_loop", master, self._faults.host)
        """The node without its faults."""
        fingers = _node("end_effector_publisher", master)
        self.clock = self.own_node.clock
        self.ended = threading.Event()
        """Set when somebody has ended one of its nodes, as by `rosnode kill`."""
        for node in (self.own_node, fingers):
            if isinstance(node, TcpNode):
                node.on_shutdown = self.ended.set
        self.node, self.gripper_node = self._faults.on(self.own_node), self._faults.on(fingers)
        self.assembly = Assembly(self.twin._power, self.clock, enables_tucked=does.enables_tucked)
        self.assembly.enabled = enabled
        self.lock = Pace(self.twin, self.clock)
        """Within `with robot.lock:` the twin is at the present, and nobody else's."""
        self.after_state: list[Callable[[int], None]] = []
        """Called with the stamp of every state [ns], the twin being at it."""
        note = on_command or (lambda _: None)
        self.arms = {
            limb.side: TwinArm(
                self.node, limb, self.assembly, self.lock, note, lambda: self.twin.contacts
            )
            for limb in self.twin.limbs
        }
        self.lock.before += [arm.before_step for arm in self.arms.values()]
        self.grippers = {
            limb.side: end_effector(self.gripper_node, limb, self.lock) for limb in self.twin.limbs
        }
        self.actions = {
            side: TrajectoryAction(self.node, arm, self.assembly, self.lock, does.strict_action)
            for side, arm in self.arms.items()
            if does.trajectory_action
        }
        self._description = Description(self.node, self.twin.robot)
        self._ik = IkService(self.node, self.twin.robot, self.positions)
        self.buttons = Io(self.node, self._known)
        """Buttons, lamps and wheels; `buttons.press("left_ok")` presses one."""
        self.screen = Screen(self.node, self.twin)
        self._sensors = {
            limb.side: HandSensors(self.node, self.twin, limb) for limb in self.twin.limbs
        }
        self._sonar = Sonar(self.node, self.twin)
        self._parts = Parts(self.node, self.assembly.message)
        self._checkups = [
            Checkup(self.node, side, name, self.assembly)
            for side in SIDES
            for name in ("Tare", "CalibrateArm")
        ]
        for side in SIDES:
            outlet(self.node, f"/robustcontroller/{side}/rc_plugins_loaded", latch=True)(data=True)
        listen(self.node, "/robot/set_motor_voltage_low", lambda _: None)
        self._outside = Outside(self.node, self.twin, self.lock, self.buttons, self.assembly)
        self.lock.before.append(self._outside.before_step)
        self._states = JointStates(self.node, self.twin, self.lock)
        self._head = Head(self.node, self.twin, self.assembly)
        self._state = Outlet(self.node, topics.of_robot("state"))
        self._fingers = Outlet(self.gripper_node, topics.of_robot("joint_states"))
        for word, act in (
            ("enable", lambda message: self.assembly.enable(message.data)),
            ("reset", lambda _: self.assembly.reset()),
            ("stop", lambda _: self.assembly.stop()),
            ("head_pan", self._head.pan),
            ("head_nod", self._head.nod),
            ("joint_state_rate", self._states.set_rate),
        ):
            name, kind = topics.of_robot(word)
            self.node.subscribe(name, kind, self._locked(act))
        self._update_field()
        self.paused = self.lock.paused
        """Set to freeze the robot: it says nothing and does nothing."""
        self._turns = itertools.cycle(self.grippers.items())
        self._tasks = [
            self.clock.start(self._run(), "robot"),
            self.clock.every(GRIPPER_EVERY, self._step_gripper, "grippers"),
        ]
        try:
            self._faults.start(self)
        except BaseException:
            self.close()
            raise

    def positions(self) -> tuple[Array, Array]:
        """Sensed positions of the left and the right arm [rad], shape (7,) each."""
        return self.twin.left.published.q, self.twin.right.published.q

    def close(self) -> None:
        """Stops, and unregisters everything."""
        self._faults.close()
        for work in (*self.actions.values(), *self._tasks):
            work.close()
        self.gripper_node.close()
        self.node.close()

    def __enter__(self) -> TwinRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> Iterator[float]:
        """Lets the twin keep pace with the clock, and publishes after each 10 ms."""
        pace, told, skipped = self.lock, -TELL_EVERY, 0.0
        pace.begin()
        for ticks in itertools.count(1):
            yield from self._states.between()
            yield pace.due
            now = self.clock.now()
            while self.paused.is_set():
                pace.skip(max(now - pace.due, 0.0) + PERIOD)
                yield pace.due
                now = self.clock.now()
            late = now - pace.due
            if late > BEHIND:
                skipped += late
                pace.skip(late)
                if now > told + TELL_EVERY:
                    LOG.warning(
                        "the twin was %.1f s behind the clock, and has skipped them: this machine "
                        "is too slow, or busy", skipped,
                    )  # fmt: skip
                    told, skipped = now, 0.0
            with pace:
                pace.to_next_state()
                for act in self.after_state:
                    act(pace.stamp)
                if ticks % 10 == 0:
                    self._update_field()
            self._publish(ticks)

    def _step_gripper(self) -> None:
        if self.paused.is_set():
            return
        side, gripper = next(self._turns)
        gripper.step()
        gripper.publish()
        if self._fingers and gripper.kind == "electric":
            with self.lock:
                stamp, finger = self.lock.stamp, gripper.finger
            self._fingers(
                header=Header(stamp=stamp),
                name=[topics.GRIPPER_JOINTS[side]],
                position=[finger],
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
        stamp = self.lock.stamp
        self._states.publish(ticks, stamp)
        for arm in self.arms.values():
            arm.publish(stamp)
        if self._state:
            # A few fields only, so the message itself is passed on as they are.
            message = self.assembly.message()
            self._state(**{name: getattr(message, name) for name, _ in message._fields})
        self._head.publish()
        if ticks % TF_EVERY == 0:
            self._description.publish(self._joint_positions(), stamp)
        self._publish_rest(ticks, stamp)

    def _publish_rest(self, ticks: int, stamp: int) -> None:
        """What comes less often than the states, and what senses the hands."""
        with self.lock:
            for sensors in self._sensors.values():
                sensors.publish_acceleration(stamp)
            if ticks % IO_EVERY == 0:
                for side, arm in self.arms.items():
                    arm.cuff = self.buttons.is_on(f"{side}_lower_cuff")
                self.buttons.publish(stamp)
                for sensors in self._sensors.values():
                    sensors.publish_range(stamp)
            if ticks % SLOW_EVERY == 0:
                self._sonar.publish(stamp)
                self._parts.publish()
                for checkup in self._checkups:
                    checkup.publish()
        if ticks % SECOND == 0:
            self._parts.diagnose(stamp)

    def _known(self) -> dict[str, float]:
        """Values of components that other parts of the robot know."""
        found: dict[str, float] = {"torso_safety_stop": float(self.assembly.button)}
        for side, sensors in self._sensors.items():
            found[f"{side}_hand_range"] = round(1000.0 * sensors.reading())
            gripper = self.grippers[side]
            if isinstance(gripper, SuctionCup):
                found[f"{side}_vacuum_sensor_analog"] = gripper.reading
                found[f"{side}_suck"], found[f"{side}_blow"] = gripper.sucking, gripper.blowing
        return found

    def _joint_positions(self) -> dict[str, float]:
        """Where every joint is, by name [rad, m]."""
        found = {"head_pan": self.twin.head_pan}
        for limb in self.twin.limbs:
            found |= dict(zip(limb.arm.joint_names, limb.published.q.tolist(), strict=True))
            found[topics.GRIPPER_JOINTS[limb.side]] = self.grippers[limb.side].finger
        return found

    def _locked(self, act: Callable[[Message], None]) -> Callable[[Message, str], None]:
        def callback(message: Message, _who: str) -> None:
            with self.lock:
                act(message)

        return callback


def _node(name: str, master: str | LocalGraph | None, host: str | None = None) -> Node:
    """A node of exactly that name, which gives `host` as its address, or its own."""
    if isinstance(master, LocalGraph):
        return master.node(name, exact=True)
    return TcpNode(name, master, exact=True, host=host)


def _alone(master: str | LocalGraph | None) -> None:
    """Refuses a second robot at a master: their states would mix under one name."""
    if isinstance(master, LocalGraph):
        if master.publishers(topics.of_robot("state").name):
            raise MasterError("this graph has a robot already; make another graph")
        return
    there = Master(master_uri(master), "/twin")
    there.greet()
    for name in there.publishers(topics.of_robot("state").name):
        if there.alive(name):
            raise MasterError(
                f"{there.uri} has a robot already ({name} publishes /robot/state); end that, or "
                "take a master of your own, as by --master http://127.0.0.1:11312"
            )

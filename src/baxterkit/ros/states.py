"""What the robot says of itself, from several publishers, merged by joint name.

`/robot/joint_states` has two publishers: one sends 17 joints at 100 Hz, the other one gripper joint
at about 38 Hz. A message counts for an arm only if it has all of its joints. Messages that are not
finite, repeated or older than the last one are dropped, and do not make a state look fresh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from baxterkit.clock import SYSTEM, Clock
from baxterkit.messages import Message
from baxterkit.model.names import SIDES, joint_names
from baxterkit.robot.head import STIRS
from baxterkit.ros import topics
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.node import Node
from baxterkit.ros.poses import pose_of
from baxterkit.types import Array, JointVector, Transform

RESTART = 1.0
"""A stamp that is older than the last one by more than this [s] is a robot that was restarted."""
SET_BACK, SET_BACK_STATES = 0.2, 10
"""A clock was set back by less if only older states have come for this time [s], this many."""
DRIFT = 2e-4
"""Difference of rate between the robot's clock and ours; crystals keep within half of it."""
GREATEST = 1e4
"""Values above this are no joint's position [rad], velocity [rad/s] or torque [N m]."""
MOST_NAMES = 256
"""Joints of one message; the robot tells of 17. A message with more is dropped."""
MOST_JOINTS = 64
"""Joints that are kept by name besides the robot's own, and the length of their names."""
MOST_SOURCES = 64
"""Nodes that are remembered as publishers."""
SOURCE = 1.0
"""A node that has sent nothing for this time [s] is no publisher any more."""
_OWN_JOINTS = frozenset((*topics.ROBOT_JOINTS, *topics.GRIPPER_JOINTS.values()))


@dataclass(frozen=True, slots=True, eq=False)
class ArmReading:
    """Joint states of one arm.

    Attributes:
        t: The robot's stamp [s].
        q: Positions [rad], shape (7,).
        qd: Velocities [rad/s], shape (7,).
        tau: Torques [N m], shape (7,).
        arrived: When it arrived, by `clock` [s].
        delay: By how much later than the fastest message it came [s].
        clock: The clock of its receiver.
    """

    t: float
    q: JointVector
    qd: JointVector
    tau: JointVector
    arrived: float
    delay: float
    clock: Clock = SYSTEM

    @property
    def age(self) -> float:
        """Time since the state was measured, as far as we can know [s]."""
        return self.clock.now() - self.arrived + self.delay


@dataclass(frozen=True, slots=True, eq=False)
class Torques:
    """The robot's own account of an arm's torques [N m], shape (7,) each."""

    actuator: JointVector
    gravity: JointVector
    hysteresis: JointVector
    crosstalk: JointVector


@dataclass
class _Source:
    """Nodes that publish something, with the time of their last message."""

    clock: Clock
    seen: dict[str, float] = field(default_factory=dict)

    def note(self, who: str) -> None:
        self.seen.pop(who, None)
        self.seen[who] = self.clock.now()  # the last one is the newest
        while len(self.seen) > MOST_SOURCES:
            self.seen.pop(next(iter(self.seen)), None)

    def now(self) -> tuple[str, ...]:
        limit = self.clock.now() - SOURCE
        return tuple(who for who, t in list(self.seen.items()) if t > limit)


class States:
    """Listens to the robot.

    Args:
        node: The node that subscribes.
    """

    def __init__(self, node: Node) -> None:
        self.clock = node.clock
        self._changed = self.clock.condition()
        self._arms: dict[str, ArmReading] = {}
        self.sources = {side: _Source(self.clock) for side in SIDES}
        self.state_sources = _Source(self.clock)
        self.assembly: Message | None = None
        self._assembly_at = -1.0e9
        self._skew: dict[str, float] = {}
        self._older: dict[str, tuple[float, float, int]] = {}
        self.joints: dict[str, float] = {}
        self.dropped = 0
        self.head = 0.0
        self.head_turns = False
        self.head_at = self.head_moved = -1.0e9
        """When the head was last heard, and when it was last seen to move [s]."""
        self._head_then = 0.0
        self._endpoints: dict[str, Message] = {}
        self._torques: dict[str, tuple[float, Torques]] = {}
        self.avoidance: dict[str, tuple[str, ...]] = dict.fromkeys(SIDES, ())
        self.grippers: dict[str, Message] = {}
        self.taps: list[Callable[[str, Message], None]] = []
        """Called with each message and its topic: recorders."""
        self._subscribe(node, topics.of_robot("joint_states"), self._on_joints)
        self._subscribe(node, topics.of_robot("state"), self._on_state)
        self._subscribe(node, topics.of_robot("head"), self._on_head)
        for side in SIDES:
            for word, act in (
                ("endpoint", self._endpoints),
                ("gripper_state", self.grippers),
            ):
                self._subscribe(node, topics.limb(side, word), _storing(act, side))
            self._subscribe(node, topics.limb(side, "torques"), self._on_torques(side))
            self._subscribe(node, topics.limb(side, "avoidance"), self._on_avoidance(side))

    def _subscribe(
        self, node: Node, topic: topics.Topic, act: Callable[[Message, str], None]
    ) -> None:
        def callback(message: Message, who: str) -> None:
            act(message, who)
            for tap in self.taps:
                tap(topic.name, message)

        node.subscribe(topic.name, topic.kind, callback)

    def arm(self, side: str) -> ArmReading | None:
        """The last state of an arm; None if there has been none."""
        return self._arms.get(side)

    def wait(self, what: Callable[[], bool], timeout: float, doing: str) -> None:
        """Waits until `what()` is true, and looks after every message.

        Raises:
            NoReplyError: If that is not so within `timeout` [s]; `doing` says what was waited for.
        """
        if not self._changed.wait_for(what, timeout):
            raise NoReplyError(f"{doing}: nothing within {timeout:g} s")

    def wait_for_robot(self, timeout: float) -> None:
        """Waits until both arms and the robot itself have told their states.

        Raises:
            NoReplyError: If that is not so within `timeout` [s]; says what is missing.
        """

        def missing() -> str:
            if not all(self.arm(side) for side in SIDES):
                return "/robot/joint_states has not told of both arms"
            return "" if self.assembly is not None else "/robot/state has not come"

        if not self._changed.wait_for(lambda: not missing(), timeout):
            raise NoReplyError(
                f"waiting for the robot's states: {missing()} within {timeout:g} s, by "
                f"{self.dropped} messages that cannot be used; is the robot on, and does this "
                "machine resolve the names of its nodes (/etc/hosts, ROS_IP)?"
            )

    @property
    def state_age(self) -> float:
        """Time since the last message of `/robot/state` [s]."""
        return self.clock.now() - self._assembly_at

    def endpoint(self, side: str) -> Transform | None:
        """The tip's pose in base as the robot computes it, shape (4, 4)."""
        message = self._endpoints.get(side)
        return None if message is None else pose_of(message.pose)

    def torques(self, side: str, oldest: float = np.inf) -> Torques | None:
        """The robot's own account of an arm's torques; None if it is older than `oldest` [s]."""
        arrived, torques = self._torques.get(side, (-np.inf, None))
        return torques if self.clock.now() - arrived <= oldest else None

    def _on_joints(self, message: Message, who: str) -> None:
        arrived = self.clock.now()
        names = tuple(message.name[: MOST_NAMES + 1])
        if len(names) != len(message.position) or len(names) > MOST_NAMES:
            self.dropped += 1
            return
        for name, value in zip(names, message.position.tolist(), strict=True):
            if name in self.joints or self._may_keep(name):
                self.joints[name] = value
        for side in SIDES:
            rows = arm_rows(names, side)
            if rows is None:
                continue
            self.sources[side].note(who)
            if len(message.velocity) != len(names):
                self.dropped += 1  # without velocities, nobody knows where the arm comes to rest
                continue
            values = [
                _picked(x, rows) for x in (message.position, message.velocity, message.effort)
            ]
            if not all(_sound(x) for x in values):
                self.dropped += 1
                continue
            self._accept(side, message.header.stamp * 1e-9, values, arrived)
        self._changed.notify()

    def _may_keep(self, name: str) -> bool:
        """Whether a joint that is new is kept: the robot's own are, of others a bounded number."""
        if name in _OWN_JOINTS:
            return True
        return len(name) <= MOST_JOINTS and len(self.joints) < len(_OWN_JOINTS) + MOST_JOINTS

    def _accept(self, side: str, stamp: float, values: list[Array], arrived: float) -> None:
        last = self._arms.get(side)
        older = last is not None and last.t - RESTART < stamp <= last.t
        if older and not self._was_set_back(side, stamp, arrived):
            self.dropped += 1
            return
        self._older.pop(side, None)
        skew = arrived - stamp
        least = skew
        if last is not None and stamp > last.t:
            least = min(skew, self._skew[side] + DRIFT * (arrived - last.arrived))
        self._skew[side] = least
        q, qd, tau = values
        self._arms[side] = ArmReading(stamp, q, qd, tau, arrived, skew - least, self.clock)

    def _was_set_back(self, side: str, stamp: float, arrived: float) -> bool:
        """Whether the robot's clock was set back: older stamps come, one after the other."""
        first, newest, count = self._older.get(side, (arrived, -np.inf, 0))
        if stamp <= newest:
            self._older.pop(side)
            return False
        self._older[side] = (first, stamp, count + 1)
        return arrived - first > SET_BACK and count >= SET_BACK_STATES

    def _on_state(self, message: Message, who: str) -> None:
        self.state_sources.note(who)
        self.assembly, self._assembly_at = message, self.clock.now()
        self._changed.notify()

    def _on_head(self, message: Message, _who: str) -> None:
        if abs(message.pan) <= GREATEST:
            self.head, self.head_turns = float(message.pan), bool(message.isTurning)
            self.head_at = self.clock.now()
            if abs(self.head - self._head_then) > STIRS:
                self._head_then, self.head_moved = self.head, self.head_at
        else:
            self.dropped += 1

    def _on_torques(self, side: str) -> Callable[[Message, str], None]:
        def store(message: Message, _who: str) -> None:
            rows = arm_rows(tuple(message.name), side)
            columns = [
                getattr(message, f"{word}_effort")
                for word in ("actual", "gravity_model", "hysteresis_model", "crosstalk_model")
            ]
            sound = rows is not None and all(len(x) == len(message.name) for x in columns)
            values = [_picked(x, rows) for x in columns] if sound and rows is not None else []
            if not values or not all(_sound(x) for x in values):
                self.dropped += 1
                return
            self._torques[side] = (self.clock.now(), Torques(*values))

        return store

    def _on_avoidance(self, side: str) -> Callable[[Message, str], None]:
        def store(message: Message, _who: str) -> None:
            self.avoidance[side] = tuple(message.collision_object[:MOST_NAMES])

        return store


def arm_rows(names: tuple[str, ...], side: str) -> list[int] | None:
    """Where the joints of an arm are among the names of a message; None if one is missing."""
    return _arm_rows(names, side) if len(names) <= MOST_NAMES else None


@lru_cache(maxsize=64)
def _arm_rows(names: tuple[str, ...], side: str) -> list[int] | None:
    known = {name: i for i, name in enumerate(names)}
    wanted = joint_names(side)
    return [known[name] for name in wanted] if all(name in known for name in wanted) else None


def _storing(table: dict[str, Message], side: str) -> Callable[[Message, str], None]:
    def store(message: Message, _who: str) -> None:
        table[side] = message

    return store


def _sound(values: Array) -> bool:
    """Whether all are finite, and of a size that joints have."""
    return bool(np.abs(values).max(initial=0.0) <= GREATEST)  # NaN is not


def _picked(values: Array, rows: list[int]) -> JointVector:
    """The values of an arm's joints; zeros where the message has none."""
    if len(values) <= max(rows):
        return np.zeros(len(rows))
    row: JointVector = values[rows]
    row.setflags(write=False)
    return row

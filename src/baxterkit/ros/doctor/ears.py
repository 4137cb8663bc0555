"""What the doctor hears: every topic that tells of the robot's health, and who else commands it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from baxterkit.clock import Clock
from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.errors import MessageError
from baxterkit.ros.node import Node, Subscriber
from baxterkit.ros.states import GREATEST, MOST_NAMES, arm_rows
from baxterkit.ros.topics import Topic
from baxterkit.types import Array

MOST = 100_000
"""Messages of one topic that are kept: more than a minute at 1000 Hz."""
CHECKUPS = ("CalibrateArm", "Tare")
DIGITAL = Topic("/robot/digital_io_states", message_class("baxter_core_msgs/DigitalIOStates"))
DIAGNOSTICS = Topic(
    "/diagnostics_toplevel_state", message_class("diagnostic_msgs/DiagnosticStatus")
)
RIVALS = {"command": "commands", "timeout": "timeout", "suppress_gravity": "gravity"}
"""Topics of an arm that only one program should send on -> what that is."""
SUPER = ("enable", "reset", "stop")
"""The same of the whole robot."""


@dataclass
class Heard:
    """What came on one topic.

    Attributes:
        arrived: When, by the clock [s].
        sources: Number of messages by the name of their publisher.
        last: The last message.
        true: How many messages had a value that counts, of topics that are yes or no.
    """

    arrived: list[float] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    last: Message | None = None
    true: int = 0

    def note(self, message: Message, who: str, now: float) -> None:
        """Takes a message."""
        if len(self.arrived) < MOST:
            self.arrived.append(now)
        self.sources[who] = self.sources.get(who, 0) + 1
        self.last = message

    @property
    def share(self) -> float:
        """Share of the messages with a value that counts."""
        return self.true / max(len(self.arrived), 1)


@dataclass
class JointsHeard(Heard):
    """What came on `/robot/joint_states`.

    Attributes:
        rows: Of the messages with arm joints: publisher, arrival [s], wall time of the arrival and
            stamp [ns].
        sides: Arms that were told of.
        without_velocity: Messages with arm joints and no velocities.
        not_finite: A joint whose value was no number of a joint's size.
        changed: Whether any value differed from that of the first message.
        q, qd, tau: Last values of each arm, shape (7,) each.
        fastest: Greatest speed of each arm [rad/s].
    """

    rows: list[tuple[str, float, int, int]] = field(default_factory=list)
    sides: set[str] = field(default_factory=set)
    without_velocity: int = 0
    not_finite: str = ""
    changed: bool = False
    first: tuple[Array, ...] | None = None
    q: dict[str, Array] = field(default_factory=dict)
    tau: dict[str, list[Array]] = field(default_factory=dict)
    fastest: dict[str, float] = field(default_factory=dict)

    def note_joints(self, message: Message, who: str, clock: Clock) -> None:
        """Takes a message."""
        now = clock.now()
        self.note(message, who, now)
        names = tuple(message.name)
        columns = (message.position, message.velocity, message.effort)
        if len(names) > MOST_NAMES or len(names) != len(message.position):
            return
        sides = {side: rows for side in SIDES if (rows := arm_rows(names, side)) is not None}
        if not sides:
            return
        if len(self.rows) < MOST:
            self.rows.append((who, now, clock.stamp(), int(message.header.stamp)))
        self.sides |= set(sides)
        if len(message.velocity) != len(names):
            self.without_velocity += 1
            return
        bad = np.abs(np.concatenate([message.position, message.velocity])) <= GREATEST
        if not bad.all():
            self.not_finite = self.not_finite or names[int(np.argmin(bad)) % len(names)]
            return
        self._compare(columns)
        for side, rows in sides.items():
            self.q[side] = message.position[rows]
            self.fastest[side] = max(
                self.fastest.get(side, 0.0), float(np.abs(message.velocity[rows]).max())
            )
            if len(message.effort) == len(names) and len(self.tau.setdefault(side, [])) < MOST:
                self.tau[side].append(message.effort[rows])

    def _compare(self, columns: tuple[Array, ...]) -> None:
        if self.first is None:
            self.first = tuple(np.array(column) for column in columns)
        elif not self.changed:
            pairs = zip(self.first, columns, strict=True)
            self.changed = not all(np.array_equal(one, other) for one, other in pairs)


class Ears:
    """Listens from its making on; `close` ends it.

    Args:
        node: Our node; it only subscribes.
        own: Names of nodes whose commands do not count: the caller's.
    """

    def __init__(self, node: Node, own: frozenset[str] = frozenset()) -> None:
        self._node, self._clock, self._own = node, node.clock, own
        self.joints = JointsHeard()
        self.topics: dict[str, Heard] = {}
        self.torques: dict[str, list[Array]] = {side: [] for side in SIDES}
        self.rivals: dict[str, dict[str, str]] = {}
        """What -> name of the node that sends it -> what it sends it to."""
        self.refused: dict[str, str] = {}
        """Topic that cannot be heard -> why."""
        self.subscribers: dict[str, Subscriber] = {}

    def listen(self) -> None:
        """Subscribes to everything.

        Raises:
            MasterError: If the master does not answer.
        """
        self._listen(
            topics.of_robot("joint_states"),
            lambda message, who: self.joints.note_joints(message, who, self._clock),
        )
        self._hear(topics.of_robot("state"))
        self._hear(DIAGNOSTICS)
        self._hear(DIGITAL)
        for side in SIDES:
            self._hear(topics.limb(side, "endpoint"))
            self._hear(topics.limb(side, "gripper_state"))
            self._hear(topics.limb(side, "detection"), lambda m: bool(m.collision_state))
            self._listen(topics.limb(side, "torques"), self._torques_of(side))
            for name in CHECKUPS:
                self._hear(checkup(side, name))
            self._hear(plugins(side))
            for word, what in RIVALS.items():
                self._watch(topics.limb(side, word), what, f"the {side} arm")
        for word in SUPER:
            self._watch(topics.of_robot(word), "enable", topics.of_robot(word).name)

    def heard(self, topic: Topic) -> Heard:
        """What came on a topic."""
        return self.topics.get(topic.name, Heard())

    def _hear(self, topic: Topic, counts: Callable[[Message], bool] | None = None) -> None:
        heard = self.topics[topic.name] = Heard()

        def note(message: Message, who: str) -> None:
            heard.note(message, who, self._clock.now())
            if counts is not None and counts(message):
                heard.true += 1

        self._listen(topic, note)

    def _torques_of(self, side: str) -> Callable[[Message, str], None]:
        def note(message: Message, _who: str) -> None:
            rows = arm_rows(tuple(message.name), side)
            if rows is not None and len(message.gravity_model_effort) > max(rows):
                self.torques[side].append(message.gravity_model_effort[rows])
                del self.torques[side][:-100]

        return note

    def _listen(self, topic: Topic, act: Callable[[Message, str], None]) -> None:
        try:
            self.subscribers[topic.name] = self._node.subscribe(topic.name, topic.kind, act)
        except MessageError as error:
            self.refused[topic.name] = str(error)

    def _watch(self, topic: Topic, what: str, whom: str) -> None:
        def note(who: str) -> None:
            seen = self.rivals.setdefault(what, {})
            if who not in self._own and len(seen) < MOST_NAMES:
                seen.setdefault(who, whom)

        self._node.watch(topic.name, topic.kind, note)


def checkup(side: str, name: str) -> Topic:
    """The topic on which a robot tells how its calibration or its tare went."""
    return Topic(
        f"/robustcontroller/{side}/{name}/status",
        message_class("baxter_core_msgs/RobustControllerStatus"),
    )


def plugins(side: str) -> Topic:
    """The topic on which a robot tells whether an arm's controllers are loaded."""
    return Topic(f"/robustcontroller/{side}/rc_plugins_loaded", message_class("std_msgs/Bool"))

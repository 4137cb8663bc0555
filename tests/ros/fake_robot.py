"""A robot without a network: states that a test sets, and commands that it can read."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.clock import Clock, SimulatedClock
from baxterkit.collision import World
from baxterkit.messages import Message, message_class
from baxterkit.ros import RefusedError, topics
from baxterkit.ros.gate import Gate
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.rules import MARGIN, Rules
from baxterkit.ros.states import States
from baxterkit.types import Array

Header = message_class("std_msgs/Header")
JointState = message_class("sensor_msgs/JointState")


class FakePublisher:
    def __init__(self, sent: list[tuple[str, Message]], topic: str) -> None:
        self._sent, self._topic = sent, topic
        self.subscribers = 1

    def publish(self, message: Message) -> None:
        message.encode()
        self._sent.append((self._topic, message))


class FakeNode:
    """A node whose messages a test makes, and whose publications it reads."""

    name, closed = "/fake", False

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = SimulatedClock() if clock is None else clock
        self.sent: list[tuple[str, Message]] = []
        self.watched: dict[str, Callable[[str], None]] = {}
        self.overheard: dict[str, Callable[[Message, str], None]] = {}
        self.callbacks: dict[str, Callable[[Message, str], None]] = {}
        self.state_publishers: tuple[str, ...] = ("/realtime_loop",)

    def advertise(self, topic: str, kind: type[Message], **_: Any) -> FakePublisher:
        return FakePublisher(self.sent, topic)

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> None:
        self.callbacks[topic] = callback

    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> None:
        self.watched[topic] = note

    def overhear(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> None:
        self.overheard[topic] = callback

    def parameter(self, name: str) -> None:
        return None

    def close(self) -> None:
        self.closed = True

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        return self.state_publishers


class FakeRobot:
    """Gate and states on a fake node; on simulated time unless a clock is given."""

    def __init__(
        self,
        rules: Rules | None = None,
        configuration: str = "neutral",
        clock: Clock | None = None,
        model: Baxter | None = None,
        world: World | None = None,
        margin: float = MARGIN,
    ) -> None:
        self.robot = Baxter() if model is None else model
        self.node = FakeNode(clock)
        self.clock = self.node.clock
        self.states = States(self.node)  # type: ignore[arg-type]
        scene = self.robot.scene(world, margin=margin)
        self.gate = Gate(self.node, self.states, scene, rules or Rules())  # type: ignore[arg-type]
        self.q = {
            side: getattr(self.robot, side).configuration(configuration).copy()
            for side in ("left", "right")
        }
        self.qd = {side: np.zeros(7) for side in ("left", "right")}
        self.assembly = Assembly(SimpleNamespace(enabled=True, stopped=False))  # type: ignore[arg-type]
        self.stamp = self.clock.stamp()
        self.tell()

    def among(self, world: World, margin: float = MARGIN) -> None:
        """The gate knows these obstacles, and keeps this margin."""
        self.gate.scene = self.gate.scene.replace(world=world, margin=margin)

    def tell(self, who: str = "/realtime_loop", later: float = 0.01) -> None:
        """The robot speaks, `later` seconds after the last time."""
        self.stamp += int(later * 1e9)
        values = dict.fromkeys(topics.ROBOT_JOINTS, (0.0, 0.0))
        for side in ("left", "right"):
            names = getattr(self.robot, side).joint_names
            values |= dict(zip(names, zip(self.q[side], self.qd[side], strict=True), strict=True))
        q, qd = (np.array(x) for x in zip(*values.values(), strict=True))
        message = JointState(
            header=Header(stamp=self.stamp), name=list(values), position=q, velocity=qd,
            effort=np.zeros(len(values)),
        )  # fmt: skip
        self.node.callbacks["/robot/joint_states"](message, who)
        self.node.callbacks["/robot/state"](self.assembly.message(), who)

    def commands(self) -> list[Message]:
        """The joint commands that were sent."""
        return [m for topic, m in self.node.sent if topic.endswith("/joint_command")]

    def reading(self, side: str) -> Array:
        state = self.states.arm(side)
        assert state is not None
        return state.q


def refused(robot: FakeRobot, reason: str, mode: str, values: object, side: str = "left") -> str:
    """What the gate says against a command that it refuses for a reason; nothing was sent."""
    before = len(robot.node.sent)
    with pytest.raises(RefusedError) as caught:
        robot.gate.joints(side, mode, values)  # type: ignore[arg-type]
    assert caught.value.reason == reason, str(caught.value)
    assert len(robot.node.sent) == before
    return str(caught.value)

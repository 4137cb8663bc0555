"""A topic of the robot; messages are made only if somebody listens."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.messages import Message, message_class
from baxterkit.ros.node import Node
from baxterkit.ros.robot.interfaces import interface
from baxterkit.ros.topics import Topic

Header = message_class("std_msgs/Header")
QUEUE = 100
"""Messages that wait for a slow listener: a second of states."""


class Outlet:
    """A topic that the robot publishes; true while it has listeners.

    Args:
        node: The node that publishes it.
        topic: The topic.
        latch: Whether late listeners get the last message.
    """

    def __init__(self, node: Node, topic: Topic, latch: bool = False) -> None:
        self._publisher = node.advertise(topic.name, topic.kind, latch=latch, queue=QUEUE)
        self._kind, self._latch = topic.kind, latch
        self._count = 0

    def __bool__(self) -> bool:
        return self._latch or self._publisher.subscribers > 0

    def __call__(self, **fields: object) -> None:
        """Publishes a message with these fields; `header.seq` counts, as publishers of ROS do."""
        header = fields.get("header")
        if isinstance(header, Header):
            self._count += 1
            header.seq = self._count & 0xFFFFFFFF  # type: ignore[attr-defined]
        self.send(self._kind(**fields))

    def send(self, message: Message) -> None:
        """Publishes a message that is made already."""
        self._publisher.publish(message)


def outlet(node: Node, name: str, latch: bool = False) -> Outlet:
    """A topic of the robot by its name, with the type that the table of interfaces has."""
    return Outlet(node, Topic(name, message_class(interface(name).kind)), latch)


def listen(node: Node, name: str, act: Callable[[Message], None]) -> None:
    """Listens to a topic of the robot by its name."""
    node.subscribe(name, message_class(interface(name).kind), lambda message, _: act(message))

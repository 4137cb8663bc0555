"""A topic of the robot; messages are made only if somebody listens."""

from __future__ import annotations

from baxterkit.messages import message_class
from baxterkit.ros.node import Node
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
        self._publisher.publish(self._kind(**fields))

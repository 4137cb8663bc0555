"""A topic of the robot; messages are made only if somebody listens."""

from __future__ import annotations

from baxterkit.ros.node import Node
from baxterkit.ros.topics import Topic

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

    def __bool__(self) -> bool:
        return self._latch or self._publisher.subscribers > 0

    def __call__(self, **fields: object) -> None:
        """Publishes a message with these fields."""
        self._publisher.publish(self._kind(**fields))

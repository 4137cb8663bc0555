"""A node of the twin with faults: messages are altered, held back or lost before they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from baxterkit.clock import Clock
from baxterkit.messages import Message, Service
from baxterkit.ros.graph.wire import XmlValue
from baxterkit.ros.node import Node, Publisher, Subscriber

Alter: TypeAlias = Callable[[Message], Iterable[Message]]
"""What becomes of a message: nothing, itself, another, several."""


class Tampering(NamedTuple):
    """What a fault does to the messages of a topic.

    Attributes:
        topic: Its name; one that ends in `*` stands for all that begin so.
        alter: Made anew for each topic, with the node's clock.
    """

    topic: str
    alter: Callable[[Clock], Alter]

    def fits(self, topic: str) -> bool:
        """Whether it is about a topic."""
        return topic == self.topic or (
            self.topic.endswith("*") and topic.startswith(self.topic[:-1])
        )


class TamperedNode(Node):
    """A node whose messages and parameters go wrong.

    Args:
        node: The sound node.
        tamperings: What happens to its messages.
        parameters: Values that are set in the place of its own; None: that one is not set.
        hidden: Topics that it does not publish.
        types: Topics that it publishes as another type, empty.
    """

    def __init__(
        self,
        node: Node,
        tamperings: Sequence[Tampering],
        parameters: dict[str, XmlValue],
        hidden: frozenset[str],
        types: dict[str, type[Message]],
    ) -> None:
        self._node, self._tamperings, self._parameters = node, tamperings, parameters
        self._hidden, self._types = hidden, types
        self.name, self.clock = node.name, node.clock

    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> Publisher:
        if topic in self._hidden:
            return _Nowhere()
        if topic in self._types:
            self._node.advertise(topic, self._types[topic], latch=latch, queue=queue)
            return _Nowhere()
        publisher: Publisher = self._node.advertise(topic, kind, latch=latch, queue=queue)
        for tampering in self._tamperings:
            if tampering.fits(topic):
                publisher = _Tampered(publisher, tampering.alter(self.clock))
        return publisher

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> Subscriber:
        return self._node.subscribe(topic, kind, callback)

    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> Subscriber:
        return self._node.watch(topic, kind, note)

    def overhear(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> Subscriber:
        return self._node.overhear(topic, kind, callback)

    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        self._node.serve(name, kind, answer)

    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        return self._node.call(name, kind, request, timeout)

    def parameter(self, name: str) -> XmlValue:
        return self._node.parameter(name)

    def set_parameter(self, name: str, value: XmlValue) -> None:
        value = self._parameters.get(name, value)
        if value is not None:
            self._node.set_parameter(name, value)

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        return self._node.publishers_of(topic)

    @property
    def closed(self) -> bool:
        return self._node.closed

    def close(self) -> None:
        self._node.close()


class _Tampered:
    def __init__(self, publisher: Publisher, alter: Alter) -> None:
        self._publisher, self._alter = publisher, alter

    @property
    def subscribers(self) -> int:
        return self._publisher.subscribers

    def publish(self, message: Message) -> None:
        for altered in self._alter(message):
            self._publisher.publish(altered)


class _Nowhere:
    subscribers = 0

    def publish(self, message: Message) -> None:
        """Loses it."""

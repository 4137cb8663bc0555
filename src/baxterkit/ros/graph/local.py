"""Nodes of one process: topics, services and parameters without a master and without sockets.

A message that is published is copied as the wire would have it, and delivered by the graph's clock
after a latency, to its subscribers in the order in which they subscribed. So a link and the twin
run in one thread on one simulated clock, and a run repeats bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.clock import NANO, SimulatedClock
from baxterkit.errors import InputError
from baxterkit.messages import Message, Service
from baxterkit.ros.errors import MessageError, NoReplyError
from baxterkit.ros.graph.wire import XmlValue
from baxterkit.ros.node import Node
from baxterkit.ros.waiting import seconds

LATENCY = 0.001
"""Time from publishing to delivery [s], unless told otherwise."""


class LocalGraph:
    """What a master knows, for nodes of one process.

    Args:
        clock: Delivers the messages; a new one if None.
        latency: Time from publishing a message to its delivery [s].
    """

    def __init__(self, clock: SimulatedClock | None = None, latency: float = LATENCY) -> None:
        self.clock = SimulatedClock() if clock is None else clock
        self.latency = latency
        self._topics: dict[str, _Topic] = {}
        self._services: dict[str, Callable[[Message], Message]] = {}
        self._parameters: dict[str, XmlValue] = {}
        self._nodes = 0

    @property
    def latency(self) -> float:
        """Time from publishing a message to its delivery [s]; may be set."""
        return self._latency * 1e-9

    @latency.setter
    def latency(self, latency: float) -> None:
        self._latency = round(seconds(latency, "latency") * NANO)

    def node(self, name: str, exact: bool = False) -> LocalNode:
        """A node of that name, with a number of its own unless `exact`."""
        self._nodes += 1
        return LocalNode(self, f"/{name}" if exact else f"/{name}_{self._nodes}")

    def publishers(self, topic: str) -> tuple[str, ...]:
        """Names of the nodes of this process that publish a topic."""
        known = self._topics.get(topic)
        return () if known is None else tuple(p.node.name for p in known.publishers)

    def _topic(self, name: str, kind: type[Message]) -> _Topic:
        topic = self._topics.setdefault(name, _Topic(name, kind))
        if topic.kind is not kind:
            raise MessageError(f"{name} carries {topic.kind.TYPE}, not {kind.TYPE}")
        return topic

    def __repr__(self) -> str:
        return f"<LocalGraph: {len(self._topics)} topics, {self.clock!r}>"


class _Topic:
    def __init__(self, name: str, kind: type[Message]) -> None:
        self.name, self.kind = name, kind
        self.publishers: list[LocalPublisher] = []
        self.subscribers: list[LocalSubscriber] = []


class LocalPublisher:
    """A topic that a node publishes."""

    def __init__(self, node: LocalNode, topic: _Topic, latch: bool) -> None:
        self.node, self._topic, self._latch = node, topic, latch
        self._graph, self._clock = node.graph, node.clock
        self._last: Message | None = None
        self._subscribers = topic.subscribers
        topic.publishers.append(self)

    @property
    def subscribers(self) -> int:
        """Number of subscribers."""
        return len(self._subscribers)

    def publish(self, message: Message) -> None:
        """Sends a message to all subscribers.

        Raises:
            MessageError: If it is of another type, or a value does not fit.
        """
        if type(message) is not self._topic.kind:
            raise MessageError(
                f"{self._topic.name} carries {self._topic.kind.TYPE}, not {message!r:.60}"
            )
        if self.node.closed:
            return
        message = message.sent()
        if self._latch:
            self._last = message
        for subscriber in self._subscribers:
            self.deliver(message, subscriber)

    def deliver(self, message: Message, subscriber: LocalSubscriber) -> None:
        """Hands a message to a subscriber, after the latency."""
        self._clock.call_after(self._graph._latency, subscriber.take, message, self.node.name)

    def close(self) -> None:
        """Publishes no more."""
        if self in self._topic.publishers:
            self._topic.publishers.remove(self)

    def greet(self, subscriber: LocalSubscriber) -> None:
        """A new subscriber gets the last message of a topic that latches."""
        if self._last is not None:
            self.deliver(self._last, subscriber)


class LocalSubscriber:
    """A topic that a node listens to."""

    def __init__(self, topic: _Topic, callback: Callable[[Message, str], None]) -> None:
        self._topic, self._callback = topic, callback
        self._open = True
        topic.subscribers.append(self)
        for publisher in topic.publishers:
            publisher.greet(self)

    @property
    def publishers(self) -> int:
        """Number of publishers."""
        return len(self._topic.publishers)

    def take(self, message: Message, who: str) -> None:
        """Gets a message."""
        if self._open:
            self._callback(message, who)

    def close(self) -> None:
        """Listens no more."""
        self._open = False
        if self in self._topic.subscribers:
            self._topic.subscribers.remove(self)


class LocalNode(Node):
    """A node of a graph in this process. Made by `LocalGraph.node`.

    No message is ever dropped, services answer at once, and what a callback raises reaches the one
    who waits by the clock.

    Args:
        graph: The graph.
        name: Its name.
    """

    def __init__(self, graph: LocalGraph, name: str) -> None:
        self.graph, self.name = graph, name
        self.clock: SimulatedClock = graph.clock
        self._open: list[LocalPublisher | LocalSubscriber] = []
        self._services: list[str] = []
        self._published: set[str] = set()
        self._closed = False

    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> LocalPublisher:
        self._need_open()
        if topic in self._published:
            raise InputError(f"{self.name} publishes {topic} already")
        self._published.add(topic)
        publisher = LocalPublisher(self, self.graph._topic(topic, kind), latch)
        self._open.append(publisher)
        return publisher

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> LocalSubscriber:
        self._need_open()
        subscriber = LocalSubscriber(self.graph._topic(topic, kind), callback)
        self._open.append(subscriber)
        return subscriber

    def watch(
        self, topic: str, kind: type[Message], note: Callable[[str], None]
    ) -> LocalSubscriber:
        return self.overhear(topic, kind, lambda _, who: note(who))

    def overhear(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> LocalSubscriber:
        def heard(message: Message, who: str) -> None:
            if who != self.name:
                callback(message, who)

        return self.subscribe(topic, kind, heard)

    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        self._need_open()
        self.graph._services[name] = answer
        self._services.append(name)

    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        seconds(timeout)
        answer = self.graph._services.get(name)
        if answer is None:
            raise NoReplyError(f"{name} has not answered within {timeout:g} s")
        return answer(request.sent()).sent()

    def parameter(self, name: str) -> XmlValue:
        return self.graph._parameters.get(name)

    def set_parameter(self, name: str, value: XmlValue) -> None:
        self.graph._parameters[name] = value

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        return self.graph.publishers(topic)

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True
        for item in self._open:
            item.close()
        for name in self._services:
            self.graph._services.pop(name, None)
        self._open.clear()
        self._services.clear()

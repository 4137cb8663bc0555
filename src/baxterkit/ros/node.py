"""What a node can do, over sockets (`graph.node`) or within one process (`graph.local`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol, Self

from baxterkit.clock import Clock
from baxterkit.messages import Message, Service
from baxterkit.ros.errors import RosError
from baxterkit.ros.graph.wire import XmlValue


class Publisher(Protocol):
    """A topic that we publish."""

    def publish(self, message: Message) -> None:
        """Sends a message to all subscribers."""

    @property
    def subscribers(self) -> int:
        """Number of connected subscribers."""


class Subscriber(Protocol):
    """A topic that we listen to."""

    @property
    def publishers(self) -> int:
        """Number of publishers that we are connected to."""

    def close(self) -> None:
        """Closes the connections."""


class Node(ABC):
    """A node of a ROS graph.

    Attributes:
        name: Its name.
        clock: What its programs wait and stamp by.
    """

    name: str
    clock: Clock

    @abstractmethod
    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> Publisher:
        """Publishes a topic; of what waits for a slow subscriber, `queue` messages are kept."""

    @abstractmethod
    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> Subscriber:
        """Listens to a topic: `callback(message, name of its publisher)`."""

    @abstractmethod
    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> Subscriber:
        """Listens to who else publishes on a topic: `note(name)` with each message of theirs."""

    @abstractmethod
    def overhear(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> Subscriber:
        """Listens to what other nodes publish on a topic: `callback(message, name of the node)`."""

    @abstractmethod
    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        """Answers a service."""

    @abstractmethod
    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        """Asks a service; waits for it to appear, up to `timeout` [s] in all.

        Raises:
            NoReplyError: If there is no such service, or no answer, in time.
        """

    @abstractmethod
    def parameter(self, name: str) -> XmlValue:
        """A parameter's value; None if it is not set."""

    @abstractmethod
    def set_parameter(self, name: str, value: XmlValue) -> None:
        """Sets a parameter."""

    @abstractmethod
    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Names of the nodes that publish a topic, this one among them."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether it was closed; in a process that was forked off, it is."""

    @abstractmethod
    def close(self) -> None:
        """Unregisters everything and closes all connections; may be called twice."""

    def _need_open(self) -> None:
        if self.closed:
            raise RosError(f"{self.name} was closed; make a new one")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Listener:
    """A node without its power to send; what it has, it has from that node."""

    def __init__(self, node: Node) -> None:
        self.name, self.clock = node.name, node.clock
        self.subscribe, self.parameter = node.subscribe, node.parameter
        self.publishers_of, self.close = node.publishers_of, node.close
        self._is_closed: Callable[[], bool] = lambda: node.closed

    @property
    def closed(self) -> bool:
        """Whether the node was closed."""
        return self._is_closed()

"""What a node can do, whichever backend it stands on."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, Protocol

from baxterkit.clock import Clock
from baxterkit.errors import UnknownNameError
from baxterkit.messages import Message, Service
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.graph.local import LocalGraph

BACKENDS = ("auto", "tcp", "rospy")


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


class Node(Protocol):
    """A node of a ROS graph."""

    name: str
    backend: str

    @property
    def clock(self) -> Clock:
        """What its programs wait and stamp by."""

    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> Publisher:
        """Publishes a topic."""

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> Subscriber:
        """Listens to a topic: `callback(message, name of its publisher)`."""

    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> Subscriber:
        """Listens to who else publishes on a topic: `note(name)` with each message of theirs."""

    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        """Answers a service."""

    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        """Asks a service."""

    def parameter(self, name: str) -> Any:
        """A parameter's value; None if it is not set."""

    def set_parameter(self, name: str, value: Any) -> None:
        """Sets a parameter."""

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Names of the nodes that publish a topic, as the master knows them."""

    @property
    def closed(self) -> bool:
        """Whether it was closed."""

    def close(self) -> None:
        """Unregisters everything and closes all connections."""


class Listener:
    """A node without its power to send; what it has, it has from that node."""

    def __init__(self, node: Node) -> None:
        self.backend, self.name, self.clock = node.backend, node.name, node.clock
        self.subscribe, self.parameter = node.subscribe, node.parameter
        self.publishers_of, self.close = node.publishers_of, node.close
        self._is_closed: Callable[[], bool] = lambda: node.closed

    @property
    def closed(self) -> bool:
        """Whether the node was closed."""
        return self._is_closed()


def open_node(name: str, master: str | LocalGraph | None = None, backend: str = "auto") -> Node:
    """A node of that name, with a suffix of its own.

    Args:
        name: Start of its name.
        master: Address of the master; ROS_MASTER_URI if None. Or a graph of this process.
        backend: "tcp" (ours), "rospy", or "auto": rospy where it can be imported. A graph of this
            process has its own.

    Raises:
        MasterError: If the master does not answer.
    """
    if backend not in BACKENDS:
        raise UnknownNameError("backend", backend, BACKENDS)
    if isinstance(master, LocalGraph):
        return master.node(name)
    if backend == "rospy" or (backend == "auto" and importlib.util.find_spec("rospy")):
        from baxterkit.ros.rospy_node import RospyNode

        return RospyNode(name, master)
    return TcpNode(name, master)

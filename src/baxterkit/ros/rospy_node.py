"""A node on rospy, where ROS is installed: our messages, and rospy carries their bytes."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from baxterkit.clock import SYSTEM
from baxterkit.errors import InputError
from baxterkit.messages import Message, Service
from baxterkit.ros.errors import NoReplyError, RosError
from baxterkit.ros.graph.master import Caller, Master
from baxterkit.ros.graph.node import master_uri
from baxterkit.ros.graph.watch import MasterWatch
from baxterkit.ros.waiting import seconds

Rospy: TypeAlias = Any
"""The module `rospy`, or an object of it: it has no types."""


def _rospy() -> Rospy:
    """The module.

    Raises:
        RosError: If it cannot be imported.
    """
    try:
        return importlib.import_module("rospy")
    except ImportError as error:
        raise RosError(
            "the backend 'rospy' needs ROS 1's rospy (Debian: python3-rospy, and its folder in a "
            ".pth file of the virtual environment); backend='tcp' needs nothing"
        ) from error


class _Publisher:
    def __init__(self, publisher: Rospy, kind: type[Message]) -> None:
        self._publisher, self._kind = publisher, kind
        self._wrap = _wrapped(kind)

    @property
    def subscribers(self) -> int:
        return int(self._publisher.get_num_connections())

    def publish(self, message: Message) -> None:
        # Encoded here, once: so a value that does not fit is told to the caller.
        import rospy

        try:
            self._publisher.publish(self._wrap(data=message.encode()))
        except rospy.ROSException as error:
            raise RosError(f"rospy does not publish: {error}") from error

    def close(self) -> None:
        self._publisher.unregister()


class _Subscriber:
    def __init__(self, subscriber: Rospy) -> None:
        self._subscriber = subscriber

    @property
    def publishers(self) -> int:
        return int(self._subscriber.get_num_connections())

    def close(self) -> None:
        self._subscriber.unregister()


class RospyNode:
    """A node on rospy. There is one in a process; several of these share it.

    Args:
        name: Start of its name; rospy makes it unique.
        master: Address of the master; ROS_MASTER_URI if None.

    Raises:
        RosError: If rospy cannot be imported.
        MasterError: If the master does not answer.
        InputError: If rospy already talks to another master.
    """

    backend = "rospy"
    clock = SYSTEM

    def __init__(self, name: str, master: str | None = None) -> None:
        rospy = _rospy()
        uri = master_uri(master)
        Master(uri, f"/{name}").greet()  # rospy would wait for a master for ever
        if rospy.core.is_initialized():
            own = Caller(str(rospy.get_node_uri()), f"/{name}")
            known = str(own.call("getMasterUri")).rstrip("/")
            if known != uri:
                raise InputError(
                    f"rospy talks to the master {known}, and knows one only; take that, or "
                    f"backend='tcp' for {uri}"
                )
        else:
            os.environ["ROS_MASTER_URI"] = uri
            rospy.init_node(name, anonymous=True, disable_signals=True)
        self._rospy = rospy
        self.name = str(rospy.get_name())
        self.master = Master(uri, self.name)
        self._open: list[Rospy] = []
        self._topics: dict[tuple[str, bool], str] = {}
        self._services: dict[str, Rospy] = {}
        self._closed = False
        self._process = os.getpid()
        self._watch = MasterWatch(self.master, self._register_again)

    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> _Publisher:
        """Publishes a topic."""
        self._need_open()
        publisher = _Publisher(
            self._rospy.Publisher(
                topic, _wrapped(kind), latch=latch, queue_size=queue, tcp_nodelay=True
            ),
            kind,
        )
        self._open.append(publisher)
        self._topics[topic, True] = kind.TYPE
        return publisher

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> _Subscriber:
        """Listens to a topic: `callback(message, name of its publisher)`."""
        self._need_open()

        def unwrap(message: Rospy) -> None:
            callback(message.inner, message._connection_header.get("callerid", ""))

        subscriber = _Subscriber(
            self._rospy.Subscriber(topic, _wrapped(kind), unwrap, tcp_nodelay=True)
        )
        self._open.append(subscriber)
        self._topics[topic, False] = kind.TYPE
        return subscriber

    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> _Subscriber:
        """Listens to who else publishes on a topic: `note(name)` with each message of theirs."""
        self._need_open()

        def heard(message: Rospy) -> None:
            who = str(message._connection_header.get("callerid", ""))
            if who != self.name:
                note(who)

        subscriber = _Subscriber(self._rospy.Subscriber(topic, self._rospy.AnyMsg, heard))
        self._open.append(subscriber)
        self._topics[topic, False] = kind.TYPE
        return subscriber

    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        """Answers a service."""
        self._need_open()
        wrapped = _wrapped_service(kind)

        def handle(request: Rospy) -> Rospy:
            return wrapped._response_class(answer(request.inner))

        self._services[name] = self._rospy.Service(name, wrapped, handle)

    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        """Asks a service; rospy's own call has no timeout, so it runs in a thread.

        Raises:
            NoReplyError: If there is no such service, or no answer, in time.
        """
        seconds(timeout)
        wrapped = _wrapped_service(kind)
        found: list[Rospy] = []

        def ask() -> None:
            try:
                self._rospy.wait_for_service(name, timeout)
                proxy = self._rospy.ServiceProxy(name, wrapped)
                found.append(proxy(wrapped._request_class(request)).inner)
            except Exception as error:
                found.append(error)

        thread = threading.Thread(target=ask, name=name, daemon=True)
        thread.start()
        thread.join(timeout)
        if not found or isinstance(found[0], self._rospy.ROSException):
            raise NoReplyError(f"{name} has not answered within {timeout:g} s")
        if isinstance(found[0], Exception):
            raise RosError(f"{name} failed: {found[0]}") from found[0]
        answer: Message = found[0]
        return answer

    def parameter(self, name: str) -> Rospy:
        """A parameter's value; None if it is not set."""
        return self.master.parameter(name)

    def set_parameter(self, name: str, value: Rospy) -> None:
        """Sets a parameter."""
        self.master.set_parameter(name, value)

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Names of the nodes that publish a topic, as the master knows them."""
        return self.master.publishers(topic)

    @property
    def closed(self) -> bool:
        """Whether it was closed, rospy was shut down, or this process was forked off."""
        forked = os.getpid() != self._process
        return self._closed or forked or bool(self._rospy.is_shutdown())

    def _need_open(self) -> None:
        if self.closed:
            raise RosError(f"{self.name} was closed; make a new one")

    def close(self) -> None:
        """Unregisters what this object has made; rospy itself goes on until the process ends."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        self._watch.close()
        for item in self._open:
            item.close()
        for service in self._services.values():
            service.shutdown("closed")

    def _register_again(self) -> None:
        """Tells a master that has been restarted of us; rospy itself does not notice."""
        uri = str(self._rospy.get_node_uri())
        for (topic, publishes), kind in self._topics.items():
            if publishes:
                self.master.call("registerPublisher", topic, kind, uri)
            else:
                sources = self.master.call("registerSubscriber", topic, kind, uri)
                if sources:
                    Caller(uri, "/master").call("publisherUpdate", topic, sources)
        for name, service in self._services.items():
            self.master.call("registerService", name, service.uri, uri)


_WRAPPED: dict[str, Rospy] = {}


def _wrapped(kind: type[Message], name: str = "") -> Rospy:
    """A class that rospy takes for a message, around one of ours."""
    name = name or kind.TYPE
    if name not in _WRAPPED:
        _WRAPPED[name] = _wrap(kind, name)
    return _WRAPPED[name]


def _wrap(kind: type[Message], name: str) -> Rospy:
    import genpy

    def init(
        self: Rospy, inner: Message | None = None, data: bytes | None = None, **_: object
    ) -> None:
        self.inner, self.data = inner, data

    def serialize(self: Rospy, buffer: Rospy) -> None:
        buffer.write(self.inner.encode() if self.data is None else self.data)

    def deserialize(self: Rospy, data: bytes) -> Rospy:
        self.inner = kind.decode(bytes(data))
        return self

    members = {
        "__slots__": ["inner", "data", "_connection_header"],
        "_slot_types": ["", ""],
        "_type": name,
        "_md5sum": getattr(kind, "MD5", "*"),
        "_full_text": getattr(kind, "TEXT", ""),
        "_has_header": False,
        "__init__": init,
        "serialize": serialize,
        "deserialize": deserialize,
        "__str__": lambda self: repr(self.inner),
    }
    return type(kind.__name__, (genpy.Message,), members)


@cache
def _wrapped_service(kind: Service) -> Rospy:
    """A class that rospy takes for a service."""
    members = {
        "_type": kind.name,
        "_md5sum": kind.md5,
        "_request_class": _wrapped(kind.Request, f"{kind.name}Request"),
        "_response_class": _wrapped(kind.Response, f"{kind.name}Response"),
    }
    return type(kind.name.partition("/")[2], (), members)

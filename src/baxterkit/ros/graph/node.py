"""`TcpNode`: a ROS 1 node without ROS."""

from __future__ import annotations

import atexit
import itertools
import os
import socket
import threading
import weakref
from collections.abc import Callable, Iterable
from urllib.parse import urlparse

from baxterkit.clock import SYSTEM, Clock
from baxterkit.errors import InputError
from baxterkit.messages import Message, Service
from baxterkit.ros.errors import MasterError, MessageError
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.publisher import TcpPublisher
from baxterkit.ros.graph.server import NodeServer, TcpServer
from baxterkit.ros.graph.service import TcpService, call_service
from baxterkit.ros.graph.subscriber import TcpSubscriber
from baxterkit.ros.graph.watch import MasterWatch
from baxterkit.ros.graph.wire import LOG, Header, XmlValue
from baxterkit.ros.node import Node
from baxterkit.ros.priority import preferred


def master_uri(master: str | None) -> str:
    """The master's address: as given, or ROS_MASTER_URI, or this machine's."""
    uri = master or os.environ.get("ROS_MASTER_URI") or "http://localhost:11311"
    if not isinstance(uri, str):
        raise InputError(f"master must be an address as http://robot.local:11311, got {uri!r}")
    return uri.rstrip("/")


class TcpNode(Node):
    """A node over sockets; callbacks are called from threads of ours.

    Args:
        name: Its name, without a slash; the process's number and one of its own are added: a master
            ends a node when another of the same name comes.
        master: Address of the master; ROS_MASTER_URI if None.
        host: Our own address, as the other machines see it; ROS_IP, ROS_HOSTNAME, or that of the
            interface towards the master, if None.
        exact: Whether to keep the name as it is.
        clock: What its programs wait and stamp by; its connections have the machine's.

    Raises:
        MasterError: If the master does not answer.
    """

    def __init__(
        self,
        name: str,
        master: str | None = None,
        *,
        host: str | None = None,
        exact: bool = False,
        clock: Clock = SYSTEM,
    ) -> None:
        if not name.replace("_", "").isalnum():
            raise InputError(f"name = {name!r}; a node's name has letters, digits and _ only")
        self.name = f"/{name}" if exact else f"/{name}_{os.getpid()}_{next(_NUMBERS)}"
        self.clock = clock
        self.master = Master(master_uri(master), self.name)
        self._publishers: dict[str, TcpPublisher] = {}
        self._subscribers: dict[str, list[TcpSubscriber]] = {}
        self._services: dict[str, TcpService] = {}
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._process = os.getpid()
        self.on_shutdown: Callable[[], None] = lambda: None
        """Called when another program has ended this node, as by `rosnode kill`."""
        self.master.greet()
        self._host = host or _own_host(self.master.uri)
        # Threads have the niceness of the one that starts them. Python lets one of ours run at a
        # time: one that had to wait for other programs while it runs would hold up all.
        with preferred():
            self._tcp = TcpServer(self._accept)
            self._server = NodeServer(
                {
                    "publisherUpdate": lambda _, topic, uris: self._update(topic, uris),
                    "requestTopic": lambda _, topic, protocols: self._offer(topic, protocols),
                    "getMasterUri": lambda *_: self.master.uri,
                    "getBusInfo": lambda *_: [],
                    "getBusStats": lambda *_: [[], [], []],
                    "getSubscriptions": lambda *_: self._subscriptions(),
                    "getPublications": lambda *_: self._publications(),
                    "paramUpdate": lambda *_: 0,
                    "shutdown": lambda caller, *_: self._shut_down(caller),
                }
            )
        self.uri = f"http://{self._host}:{self._server.port}/"
        self._rpc = f"rosrpc://{self._host}:{self._tcp.port}"
        with preferred():
            self._watch = MasterWatch(self.master, self._register_again)
        _OPEN.add(self)

    def advertise(
        self, topic: str, kind: type[Message], *, latch: bool = False, queue: int = 10
    ) -> TcpPublisher:
        self._need_open()
        with self._lock:
            if topic in self._publishers:
                raise InputError(f"{self.name} publishes {topic} already")
            publisher = TcpPublisher(topic, kind, self.name, latch, queue)
            self._publishers[topic] = publisher
            self.master.call("registerPublisher", topic, kind.TYPE, self.uri)
        return publisher

    def publisher(self, topic: str) -> TcpPublisher:
        """What this node publishes on a topic.

        Raises:
            KeyError: If it does not.
        """
        return self._publishers[topic]

    def unadvertise(self, topic: str) -> None:
        """Publishes a topic no more."""
        with self._lock:
            publisher = self._publishers.pop(topic)
            self.master.call("unregisterPublisher", topic, self.uri)
        publisher.close()

    def subscribe(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> TcpSubscriber:
        return self._subscribed(TcpSubscriber(topic, kind, callback, self.name))

    def _subscribed(self, subscriber: TcpSubscriber) -> TcpSubscriber:
        self._need_open()
        topic, kind = subscriber.topic, subscriber.kind
        with self._lock:
            self._subscribers.setdefault(topic, []).append(subscriber)
            subscriber.update(self.master.call("registerSubscriber", topic, kind.TYPE, self.uri))
        return subscriber

    def watch(self, topic: str, kind: type[Message], note: Callable[[str], None]) -> TcpSubscriber:
        return self._subscribed(
            TcpSubscriber(
                topic, kind, lambda _, who: note(who), self.name, decoded=False, without=self.uri
            )
        )

    def overhear(
        self, topic: str, kind: type[Message], callback: Callable[[Message, str], None]
    ) -> TcpSubscriber:
        return self._subscribed(TcpSubscriber(topic, kind, callback, self.name, without=self.uri))

    def serve(self, name: str, kind: Service, answer: Callable[[Message], Message]) -> None:
        self._need_open()
        with self._lock:
            self._services[name] = TcpService(name, kind, answer, self.name)
            self.master.call("registerService", name, self._rpc, self.uri)

    def call(self, name: str, kind: Service, request: Message, timeout: float = 5.0) -> Message:
        return call_service(self.master, self.name, name, kind, request, timeout)

    def parameter(self, name: str) -> XmlValue:
        return self.master.parameter(name)

    def set_parameter(self, name: str, value: XmlValue) -> None:
        self.master.set_parameter(name, value)

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        return self.master.publishers(topic)

    def close_data_port(self) -> None:
        """Takes no new subscribers, as if a firewall stood before this node."""
        self._tcp.close()

    def answer_after(self, pause: float) -> None:
        """Answers calls after a pause [s], as if the network were slow."""
        self._server.pause = pause

    @property
    def closed(self) -> bool:
        return self._closed.is_set() or os.getpid() != self._process

    def close(self) -> None:
        if self.closed:  # the topics and connections are those of the process that forked us off
            return
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
        self._watch.close()
        _OPEN.discard(self)
        self._unregister()
        for publisher in self._publishers.values():
            publisher.close()
        for subscribers in self._subscribers.values():
            for subscriber in subscribers:
                subscriber.close()
        self._tcp.close()
        self._server.close()

    def _shut_down(self, caller: str) -> int:
        LOG.warning("%s ends %s", caller, self.name)

        def end() -> None:
            self.on_shutdown()
            self.close()

        threading.Thread(target=end, name="shutdown").start()  # the caller gets its answer first
        return 0

    def _unregister(self) -> None:
        calls: list[tuple[str, ...]] = []
        calls += [("unregisterPublisher", topic, self.uri) for topic in self._publishers]
        calls += [("unregisterSubscriber", topic, self.uri) for topic in self._subscribers]
        calls += [("unregisterService", name, self._rpc) for name in self._services]
        for method, *args in calls:
            try:
                self.master.call(method, *args)
            except MasterError as error:
                LOG.warning("not unregistered: %s", error)
                return  # without a master there is nothing to undo

    def _accept(self, connection: socket.socket, header: Header) -> None:
        """A subscriber or a client of a service has connected."""
        if "service" in header:
            service = self._services.get(header["service"])
            if service is None:
                raise MessageError(f"{self.name} does not serve {header['service']:.100}")
            with connection:
                service.accept(connection, header)
            return
        publisher = self._publishers.get(header.get("topic", ""))
        if publisher is None:
            raise MessageError(f"{self.name} does not publish {header.get('topic', '')!r:.100}")
        publisher.accept(connection, header)

    def _update(self, topic: str, uris: Iterable[str]) -> int:
        with self._lock:  # after the master's answer, if that is under way: it may be older
            for subscriber in self._subscribers.get(topic, ()):
                subscriber.update(uris)
        return 0

    def _offer(self, topic: str, protocols: XmlValue) -> list[XmlValue]:
        if topic not in self._publishers:
            raise MessageError(f"{self.name} does not publish {topic}")
        if not any(protocol and protocol[0] == "TCPROS" for protocol in protocols):
            raise MessageError("only TCPROS is spoken here")
        return ["TCPROS", self._host, self._tcp.port]

    def _subscriptions(self) -> list[list[str]]:
        return [[topic, s[0].kind.TYPE] for topic, s in self._subscribers.items()]

    def _publications(self) -> list[list[str]]:
        return [[topic, p.kind.TYPE] for topic, p in self._publishers.items()]

    def _register_again(self) -> None:
        """Tells a master that has been restarted what we publish, listen to and serve."""
        with self._lock:
            for topic, publisher in self._publishers.items():
                self.master.call("registerPublisher", topic, publisher.kind.TYPE, self.uri)
            for topic, subscribers in self._subscribers.items():
                kind = subscribers[0].kind.TYPE
                uris = self.master.call("registerSubscriber", topic, kind, self.uri)
                if uris:  # the others may not have come back yet: keep their connections until then
                    self._update(topic, uris)
            for name in self._services:
                self.master.call("registerService", name, self._rpc, self.uri)


def open_node(name: str, master: str | LocalGraph | None = None) -> Node:
    """A node of that name, with a suffix of its own.

    Args:
        name: Start of its name.
        master: Address of the master; ROS_MASTER_URI if None. Or a graph of this process.

    Raises:
        MasterError: If the master does not answer.
    """
    return master.node(name) if isinstance(master, LocalGraph) else TcpNode(name, master)


def _own_host(uri: str) -> str:
    for variable in ("ROS_HOSTNAME", "ROS_IP"):
        if os.environ.get(variable):
            return os.environ[variable]
    parts = urlparse(uri)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((parts.hostname or "", parts.port or 11311))
            host: str = probe.getsockname()[0]
        except OSError as error:
            raise MasterError(f"{uri} cannot be resolved: {error}") from error
        return host


_OPEN: weakref.WeakSet[TcpNode] = weakref.WeakSet()
_NUMBERS = itertools.count(1)


@atexit.register
def _close_all() -> None:
    for node in list(_OPEN):
        node.close()

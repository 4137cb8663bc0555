"""A topic that we listen to: a thread for each publisher, which reconnects while there is one."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterable
from urllib.parse import urlparse

from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message
from baxterkit.ros.errors import ConnectionLost, MessageError
from baxterkit.ros.graph.master import Caller
from baxterkit.ros.graph.wire import LOG, Header, frames, read_header, write_header
from baxterkit.ros.node import Subscriber
from baxterkit.ros.priority import prefer

RETRY = 0.25
"""Pause before connecting to a publisher again [s]; it doubles with every failure ..."""
LONGEST_RETRY = 2.0
"""... up to this."""
HANDSHAKE = 5.0
"""Time for the exchange of headers [s]."""


class TcpSubscriber(Subscriber):
    """A topic that we listen to.

    Args:
        topic: Its name.
        kind: Class of its messages.
        callback: Called with each message and the name of its publisher, from a thread of ours.
        caller: Our node's name.
        decoded: Whether the callback wants the message; it gets an empty one otherwise.
        without: Address of a node that is not listened to.
    """

    def __init__(
        self,
        topic: str,
        kind: type[Message],
        callback: Callable[[Message, str], None],
        caller: str,
        *,
        decoded: bool = True,
        without: str = "",
    ) -> None:
        self.topic, self.kind = topic, kind
        self.decode = kind.decode if decoded else lambda _: kind()
        self._without = without
        self._callback, self._caller = callback, caller
        self._sources: dict[str, _Source] = {}
        self._lock = threading.Lock()
        self._closed = False

    @property
    def publishers(self) -> int:
        with self._lock:
            return sum(source.connected for source in self._sources.values())

    def update(self, uris: Iterable[str]) -> None:
        """The publishers are now these: connects to new ones, leaves those that are gone."""
        wanted = set(uris) - {self._without}
        with self._lock:
            if self._closed:
                return
            gone = [self._sources.pop(uri) for uri in [*self._sources] if uri not in wanted]
            for uri in wanted - set(self._sources):
                self._sources[uri] = _Source(self, uri)
        for source in gone:
            source.close()

    def close(self) -> None:
        with self._lock:
            self._closed, sources = True, list(self._sources.values())
            self._sources.clear()
        for source in sources:
            source.close()


class _Source:
    """One publisher of the topic."""

    def __init__(self, subscriber: TcpSubscriber, uri: str) -> None:
        self._subscriber, self._uri = subscriber, uri
        self._stop = threading.Event()
        self._connection: socket.socket | None = None
        self.connected = False
        threading.Thread(target=self._run, name=f"from {uri}", daemon=True).start()

    def close(self) -> None:
        self._stop.set()
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        prefer()  # a state that is heard late is worth little, and reading takes no time
        pause = RETRY
        while not self._stop.is_set():
            try:
                self._listen()
                pause = RETRY
            except (BaxterkitError, OSError, ValueError, TypeError) as error:
                if self._stop.is_set():
                    return
                pause = RETRY if self.connected else pause
                # A publisher that has ended is usual, and one that stays away is told of once.
                usual = isinstance(error, ConnectionLost) or pause > RETRY
                level = logging.INFO if usual else logging.WARNING
                LOG.log(level, "%s from %s: %s", self._subscriber.topic, self._uri, error)
            self.connected = False
            self._stop.wait(pause)
            pause = min(2.0 * pause, LONGEST_RETRY)

    def _listen(self) -> None:
        """Connects, and hands on messages until the connection ends."""
        topic, kind, caller = (
            self._subscriber.topic,
            self._subscriber.kind,
            self._subscriber._caller,
        )
        address = data_address(self._uri, topic, caller)
        with socket.create_connection(address, timeout=HANDSHAKE) as connection:
            self._connection = connection
            header = greet(connection, topic, kind, caller)
            connection.settimeout(None)
            self.connected = True
            self._receive(connection, header.get("callerid", self._uri))

    def _receive(self, connection: socket.socket, who: str) -> None:
        decode, callback = self._subscriber.decode, self._subscriber._callback
        for data in frames(connection):
            if self._stop.is_set():
                return
            message = decode(data)
            try:
                callback(message, who)
            except Exception:  # a callback's mistake must not end the connection
                LOG.exception("a callback of %s failed", self._subscriber.topic)


def data_address(uri: str, topic: str, caller: str) -> tuple[str, int]:
    """Where a publisher sends a topic from: host and port of TCPROS.

    Raises:
        MasterError: If it does not answer.
        MessageError: If it offers no TCPROS.
    """
    answer = Caller(uri, caller).call("requestTopic", topic, [["TCPROS"]])
    if not isinstance(answer, list) or len(answer) < 3 or answer[0] != "TCPROS":
        raise MessageError(f"the publisher offers {answer!r:.60}, not TCPROS")
    return str(answer[1]) or (urlparse(uri).hostname or ""), int(answer[2])


def greet(connection: socket.socket, topic: str, kind: type[Message], caller: str) -> Header:
    """Exchanges headers with a publisher; messages come from then on.

    Raises:
        MessageError: If it refuses, or sends another type.
    """
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    write_header(
        connection,
        {
            "callerid": caller,
            "md5sum": kind.MD5,
            "message_definition": kind.TEXT,
            "tcp_nodelay": "1",
            "topic": topic,
            "type": kind.TYPE,
        },
    )
    header = read_header(connection, HANDSHAKE)
    if "error" in header:
        raise MessageError(f"refused: {header['error']:.200}")
    if header.get("md5sum") not in ("*", kind.MD5):
        theirs = f"{header.get('type', '?'):.60} with md5 {header.get('md5sum')!r:.40}"
        raise MessageError(f"it sends {theirs}; {kind.TYPE} has md5 {kind.MD5}")
    return header

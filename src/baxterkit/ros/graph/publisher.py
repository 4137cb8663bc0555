"""A topic that we publish: a bounded queue and a thread for each subscriber."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque

from baxterkit.ros.errors import MessageError
from baxterkit.ros.graph.wire import LOG, Header, frame, write_header
from baxterkit.ros.messages import Message

__all__ = ["TcpPublisher"]


class TcpPublisher:
    """A topic that we publish.

    Args:
        topic: Its name.
        kind: Class of its messages.
        caller: Our node's name.
        latch: Whether a new subscriber gets the last message at once.
        queue: Messages that wait for a slow subscriber; older ones are dropped.
    """

    def __init__(
        self, topic: str, kind: type[Message], caller: str, latch: bool, queue: int
    ) -> None:
        self.topic, self.kind = topic, kind
        self._caller, self._latch, self._queue = caller, latch, queue
        self._last: bytes | None = None
        self._links: list[_Link] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def subscribers(self) -> int:
        """Number of connected subscribers."""
        with self._lock:
            return len(self._links)

    def publish(self, message: Message) -> None:
        """Sends a message to all subscribers; never waits for one.

        Raises:
            MessageError: If it is of another type, or a value does not fit.
        """
        if type(message) is not self.kind:
            raise MessageError(f"{self.topic} carries {self.kind.TYPE}, not {message!r:.60}")
        data = frame(message.encode())
        with self._lock:
            if self._closed:
                return
            self._last = data if self._latch else None
            for link in self._links:
                link.put(data)

    def accept(self, connection: socket.socket, header: Header) -> None:
        """Takes a subscriber; its header has been read.

        Raises:
            MessageError: If it expects another type.
        """
        wanted = header.get("md5sum", "")
        if wanted not in ("*", self.kind.MD5):
            text = (
                f"{self.topic} carries {self.kind.TYPE} with md5 {self.kind.MD5}; "
                f"{header.get('callerid', 'a subscriber')} expects md5 {wanted[:40]!r}"
            )
            write_header(connection, {"error": text})
            raise MessageError(text)
        write_header(
            connection,
            {
                "callerid": self._caller,
                "latching": str(int(self._latch)),
                "md5sum": self.kind.MD5,
                "message_definition": self.kind.TEXT,
                "topic": self.topic,
                "type": self.kind.TYPE,
            },
        )
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(None)
        link = _Link(connection, self._queue, header.get("callerid", ""), self._drop)
        with self._lock:
            if self._closed:
                link.close()
                return
            self._links.append(link)
            if self._last is not None:
                link.put(self._last)

    def close(self) -> None:
        """Sends what waits, for a moment, and closes the connections."""
        with self._lock:
            links, self._links, self._closed = self._links, [], True
        for link in links:
            link.drain()

    def _drop(self, link: _Link) -> None:
        with self._lock:
            if link in self._links:
                self._links.remove(link)


class _Link:
    """One subscriber: a queue, a thread that empties it, and one that notices the other's end."""

    def __init__(self, connection: socket.socket, most: int, who: str, drop: object) -> None:
        self._connection, self._drop = connection, drop
        self._waiting: deque[bytes] = deque(maxlen=most)
        self._changed = threading.Condition()
        self._open = True
        self._who = who
        for target in (self._send, self._watch):
            threading.Thread(target=target, name=f"to {who}", daemon=True).start()

    def put(self, data: bytes) -> None:
        with self._changed:
            self._waiting.append(data)
            self._changed.notify()

    def drain(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting or not self._open, timeout=0.2)
        self.close()

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify_all()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _send(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or not self._open)
                    if not self._open:
                        return
                    data = self._waiting[0]
                self._connection.sendall(data)
                with self._changed:
                    if self._waiting and self._waiting[0] is data:
                        self._waiting.popleft()
                    self._changed.notify_all()
        except OSError as error:
            if self._open:
                LOG.info("subscriber %s is gone: %s", self._who, error)
        finally:
            self._end()

    def _watch(self) -> None:
        """Subscribers send nothing; the end of their connection is all there is to read."""
        try:
            while self._connection.recv(1024):
                pass
        except OSError:
            pass
        self._end()

    def _end(self) -> None:
        self.close()
        assert callable(self._drop)
        self._drop(self)

"""A topic that we publish: to each subscriber at once, or through a bounded queue."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque

from baxterkit.messages import Message
from baxterkit.ros.errors import MessageError
from baxterkit.ros.graph.wire import LOG, Header, frame, write_header
from baxterkit.ros.node import Publisher

AT_ONCE: int | None = getattr(socket, "MSG_DONTWAIT", None)
"""Flag of a transmission that does not wait; systems without it let a thread wait."""


class TcpPublisher(Publisher):
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
    """One subscriber: messages go out at once from the thread that publishes them.

    What the connection does not take at once waits in a queue that a thread of its own empties;
    another thread notices the other side's end.
    """

    def __init__(self, connection: socket.socket, most: int, who: str, drop: object) -> None:
        self._connection, self._drop = connection, drop
        self._rest = b""  # of a message that the connection has taken a part of: never dropped
        self._waiting: deque[bytes] = deque(maxlen=most)
        self._sending = False
        self._changed = threading.Condition()
        self._open = True
        self._who = who
        for target in (self._send, self._watch):
            threading.Thread(target=target, name=f"to {who}", daemon=True).start()

    @property
    def _idle(self) -> bool:
        return not (self._rest or self._waiting or self._sending)

    def put(self, data: bytes) -> None:
        """Sends, or lets wait; never blocks."""
        with self._changed:
            if not self._idle:
                self._waiting.append(data)
                return
            try:
                sent = 0 if AT_ONCE is None else self._connection.send(data, AT_ONCE)
            except BlockingIOError:
                sent = 0
            except OSError:
                return  # the other side is gone: `_watch` notices that too, and ends the link
            if sent < len(data):
                self._rest = data[sent:]
                self._changed.notify_all()

    def drain(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._idle or not self._open, timeout=0.2)
        self.close()

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify_all()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _send(self) -> None:
        """Sends what waits."""
        try:
            while True:
                with self._changed:
                    self._sending = False
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: not self._idle or not self._open)
                    if not self._open:
                        return
                    data, self._rest = self._rest or self._waiting.popleft(), b""
                    self._sending = True
                self._connection.sendall(data)
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

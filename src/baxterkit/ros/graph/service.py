"""Services: one that we answer, and calls of others'."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import urlparse

from baxterkit.clock import SYSTEM, Deadline
from baxterkit.messages import Message, Service
from baxterkit.ros.errors import ConnectionLost, MessageError, NoReplyError, RosError
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.wire import (
    LOG,
    Header,
    exactly,
    frame,
    read_frame,
    read_header,
    write_header,
)
from baxterkit.ros.waiting import seconds

IDLE = 600.0
"""Time for which a client may keep a connection without asking [s]."""


class TcpService:
    """A service that we answer.

    Args:
        name: Its name.
        kind: Its type.
        answer: Makes the response of a request.
        caller: Our node's name.
    """

    def __init__(
        self, name: str, kind: Service, answer: Callable[[Message], Message], caller: str
    ) -> None:
        self.name, self.kind = name, kind
        self._answer, self._caller = answer, caller

    def accept(self, connection: socket.socket, header: Header) -> None:
        """Takes a client, and answers until it leaves; its header has been read.

        Raises:
            MessageError: If it expects another type, or sends something else.
        """
        wanted = header.get("md5sum", "")
        if wanted not in ("*", self.kind.md5):
            text = (
                f"{self.name} is a {self.kind.name} with md5 {self.kind.md5}, not {wanted[:40]!r}"
            )
            write_header(connection, {"error": text})
            raise MessageError(text)
        write_header(
            connection,
            {
                "callerid": self._caller,
                "md5sum": self.kind.md5,
                "request_type": f"{self.kind.name}Request",
                "response_type": f"{self.kind.name}Response",
                "type": self.kind.name,
            },
        )
        if header.get("probe") == "1":
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(IDLE)
        persistent = header.get("persistent", "0").lower() in ("1", "true")
        while True:
            try:
                data = read_frame(connection)
            except (ConnectionLost, TimeoutError):
                return
            request = self.kind.Request.decode(data)
            try:
                response = self._answer(request).encode()
                connection.sendall(b"\x01" + frame(response))
            except Exception as error:
                if isinstance(error, OSError) and not isinstance(error, RosError):
                    return
                LOG.warning("%s failed: %s", self.name, error, exc_info=True)
                connection.sendall(b"\x00" + frame(str(error).encode()))
            if not persistent:
                return


def call_service(
    master: Master, caller: str, name: str, kind: Service, request: Message, timeout: float
) -> Message:
    """Asks a service.

    Raises:
        NoReplyError: If there is no such service, or no answer, in time.
        RosError: If the service says that it failed.
    """
    end = Deadline(seconds(timeout))
    uri = _wait_for(master, name, end, timeout)
    parts = urlparse(uri)
    try:
        address = (parts.hostname or "", parts.port or 0)
        left = max(end.left, 0.01)
        with socket.create_connection(address, timeout=left) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            write_header(
                connection,
                {"callerid": caller, "md5sum": kind.md5, "service": name, "type": kind.name},
            )
            header = read_header(connection, max(end.left, 0.01))
            if "error" in header:
                raise MessageError(f"{name} refuses: {header['error']:.200}")
            connection.sendall(frame(request.encode()))
            ok = exactly(connection, 1, end) == b"\x01"
            data = read_frame(connection, until=end)
    except TimeoutError as error:
        raise NoReplyError(f"{name} has not answered within {timeout:g} s") from error
    except RosError:
        raise
    except (OSError, ValueError) as error:  # an address may be none
        raise ConnectionLost(f"{name} at {uri}: {error}") from error
    if not ok:
        raise RosError(f"{name} failed: {data.decode('utf-8', 'replace'):.300}")
    return kind.Response.decode(data)


def _wait_for(master: Master, name: str, end: Deadline, timeout: float) -> str:
    while True:
        try:
            return master.service(name)
        except RosError as error:
            if end.passed:
                raise NoReplyError(f"no service {name} within {timeout:g} s: {error}") from error
        SYSTEM.sleep(0.05)

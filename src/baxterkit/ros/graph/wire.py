"""Frames of TCPROS: a length of four bytes, then a header or a message.

A header is a frame of fields `name=value`, each with its length before it. Lengths are checked
before memory is taken. Reading ends at the socket's timeout, which every byte begins anew; where a
deadline is given, it ends there, however the bytes drip.
"""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from baxterkit.clock import Deadline
from baxterkit.ros.errors import ConnectionLost, MessageError

LOG = logging.getLogger("baxterkit.ros")
"""Refusals, lost connections, a master that is gone; silent unless the program sets up logging."""
LOG.addHandler(logging.NullHandler())
MOST_HEADER = 2**18
"""Longest header of a connection [bytes]; the longest definition of the robot has some 10,000."""
MOST_MESSAGE = 2**24
"""Longest message [bytes]; the robot's longest, its description, has some 100,000."""
BUFFER = 2**16
"""Bytes that are taken from a connection at a time."""
_LENGTH = struct.Struct("<I")

Header = dict[str, str]
XmlValue: TypeAlias = Any
"""What XML-RPC carries: numbers, texts, lists and dicts."""


def exactly(connection: socket.socket, size: int, until: Deadline | None = None) -> bytes:
    """That many bytes.

    Args:
        connection: Where they come from.
        size: How many.
        until: When they must all be there; the socket's own timeout if None.

    Raises:
        ConnectionLost: If the other side closes before.
        TimeoutError: If they are not there in time.
    """
    parts = []
    while size:
        if until is not None:
            left = until.left
            if left <= 0.0:
                raise TimeoutError("timed out")
            connection.settimeout(left)
        try:
            part = connection.recv(min(size, 2**16))
        except TimeoutError:
            raise
        except OSError as error:
            raise ConnectionLost(f"the connection broke: {error}") from error
        if not part:
            raise ConnectionLost("the other side closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def frame(data: bytes) -> bytes:
    """The bytes with their length before them."""
    return _LENGTH.pack(len(data)) + data


def read_frame(
    connection: socket.socket, most: int = MOST_MESSAGE, until: Deadline | None = None
) -> bytes:
    """The bytes of one frame; `until` as in `exactly`.

    Raises:
        MessageError: If it is longer than `most` bytes.
        ConnectionLost: If the other side closes before its end.
    """
    (size,) = _LENGTH.unpack(exactly(connection, 4, until))
    if size > most:
        raise MessageError(f"a frame of {size} bytes is refused; at most {most} are read")
    return exactly(connection, size, until)


def frames(connection: socket.socket, most: int = MOST_MESSAGE) -> Iterator[bytes]:
    """The bytes of one frame after the other; a short one costs one look at the socket.

    Raises:
        MessageError: If a frame is longer than `most` bytes.
        ConnectionLost: When the other side closes.
    """
    with connection.makefile("rb", BUFFER) as stream:
        while True:
            try:
                head = stream.read(4)
                (size,) = _LENGTH.unpack(head) if len(head) == 4 else (0,)
                if size > most:
                    raise MessageError(
                        f"a frame of {size} bytes is refused; at most {most} are read"
                    )
                data = stream.read(size)
            except OSError as error:
                raise ConnectionLost(f"the connection broke: {error}") from error
            if len(head) < 4 or len(data) < size:
                raise ConnectionLost("the other side closed the connection")
            yield data


def write_header(connection: socket.socket, fields: Mapping[str, str]) -> None:
    """Sends a header."""
    parts = [frame(f"{name}={value}".encode()) for name, value in fields.items()]
    connection.sendall(frame(b"".join(parts)))


def read_header(connection: socket.socket, timeout: float) -> Header:
    """The header that the other side sends, all of it within `timeout` [s].

    Raises:
        MessageError: If it is too long or malformed, or says that we are refused.
        TimeoutError: If it is not there in time.
    """
    data = read_frame(connection, MOST_HEADER, Deadline(timeout))
    fields: Header = {}
    at = 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        name, equals, value = data[at + 4 : end].partition(b"=")
        if end > len(data) or at + 4 > len(data) or not equals:
            raise MessageError("the header of a connection is malformed")
        try:
            fields[name.decode()] = value.decode()
        except UnicodeDecodeError as error:
            raise MessageError(f"the header of a connection is not UTF-8: {error}") from error
        at = end
    return fields

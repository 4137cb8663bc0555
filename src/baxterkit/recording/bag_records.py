"""The messages of a ROS 1 bag, record by record, from complete and damaged bags.

Layout of a bag: records of a header (fields `name=value`, each with its length before it) and data.
Chunks hold the messages, and the descriptions of the connections that they belong to; the index at
the end describes connections and chunks once more. The file is read from start to end, one chunk in
memory at a time, and every length is checked against the available bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator
from typing import BinaryIO, NamedTuple

from baxterkit import disk
from baxterkit.extras import load_extra

MAGIC = b"#ROSBAG V2.0\n"
_MESSAGE, _BAG, _INDEX, _CHUNK, _CHUNK_INFO, _CONNECTION = 2, 3, 4, 5, 6, 7
_SKIPPED = (_INDEX, _CHUNK_INFO)
MOST_HEADER = 2**20
"""Longest header of a record [bytes]; those of the robot's bags have about 100."""


class Damage(ValueError):
    """The bag is cut off or damaged."""


class Message(NamedTuple):
    """One message: its topic, type, the type's md5 and definition, time of storing [ns], bytes."""

    topic: str
    kind: str
    md5: str
    definition: str
    time: int
    data: bytes


class _Connection(NamedTuple):
    topic: str
    kind: str
    md5: str
    definition: str


def is_bag(data: bytes) -> bool:
    """Whether bytes start as those of a ROS 1 bag do."""
    return data.startswith(MAGIC)


def read_messages(
    file: BinaryIO, size: int, kinds: Container[str], *, strict: bool
) -> Iterator[Message]:
    """The messages of some types, in the order in which they were stored.

    Args:
        file: The bag, at its start.
        size: Its length [bytes].
        kinds: The types that are wanted, as "sensor_msgs/msg/JointState".
        strict: Raise on damage. If not, damaged chunks are left out, and reading ends at the first
            invalid record.

    Raises:
        Damage: If the bag is cut off or damaged, and `strict`.
        ValueError: If a chunk is too large to be unpacked.
    """
    connections: dict[int, _Connection] = {}
    whole = _Whole()
    at = len(MAGIC)
    file.seek(at)
    while at < size:
        record = _next_record(file, size - at)
        if record is None:
            if strict:
                raise Damage(f"no record starts at byte {at}")
            return
        header, length, used = record
        operation = _operation(header)
        if strict:
            whole.sees(at, operation, header)
        at += used + length
        if at > size and strict:
            raise Damage(f"a record ends beyond the file's {size} bytes")
        if operation in _SKIPPED or operation == _BAG:
            file.seek(at)
            continue
        if length > disk.limit_bytes():
            raise ValueError(disk.too_large(f"a record has {length} bytes", disk.limit_bytes()))
        body = file.read(length)
        try:
            if operation == _CHUNK:
                yield from _chunk(header, body, connections, kinds, strict)
            else:
                yield from _message(header, body, connections, kinds)
        except Damage:
            if strict:
                raise
    if strict:
        whole.check()


class _Whole:
    """Whether the index at the end of the file is there, and describes what was read."""

    def __init__(self) -> None:
        self.index, self.expected = 0, -1
        self.chunks = self.described = 0
        self.reached = False

    def sees(self, at: int, operation: int, header: dict[bytes, bytes]) -> None:
        if operation == _BAG and self.expected < 0:
            self.index = _number(header, b"index_pos", "<Q")
            self.expected = _number(header, b"chunk_count", "<I")
        self.reached |= at == self.index
        self.chunks += operation == _CHUNK
        self.described += operation == _CHUNK_INFO

    def check(self) -> None:
        if not self.reached or not self.chunks == self.described == self.expected:
            raise Damage("the index is missing or broken")


def _next_record(file: BinaryIO, left: int) -> tuple[dict[bytes, bytes], int, int] | None:
    """Header, length of the data, and bytes before the data; None if there is no record."""
    start = file.read(4)
    if len(start) < 4:
        return None
    (size,) = struct.unpack("<I", start)
    if not 0 < size <= min(MOST_HEADER, left - 8):
        return None
    data = file.read(size + 4)
    header = _fields(data[:size]) if len(data) == size + 4 else None
    if not header:
        return None
    (length,) = struct.unpack_from("<I", data, size)
    return header, length, 8 + size


def _chunk(
    header: dict[bytes, bytes],
    body: bytes,
    connections: dict[int, _Connection],
    kinds: Container[str],
    strict: bool,
) -> Iterator[Message]:
    """The messages of a chunk; a damaged one gives those before the damage."""
    data = _unpacked(header, body, strict)
    at, size = 0, len(data)
    while at < size:
        (length,) = struct.unpack_from("<I", data, at) if at + 4 <= size else (size,)
        end = at + 4 + length
        inner = _fields(data[at + 4 : end]) if end + 4 <= size else None
        if not inner:
            raise Damage("a record of a chunk is damaged")
        (length,) = struct.unpack_from("<I", data, end)
        at = end + 4 + length
        if at > size:
            raise Damage("a record of a chunk is cut off")
        yield from _message(inner, data[end + 4 : at], connections, kinds)


def _message(
    header: dict[bytes, bytes],
    body: bytes,
    connections: dict[int, _Connection],
    kinds: Container[str],
) -> Iterator[Message]:
    operation = _operation(header)
    if operation == _CONNECTION:
        about = _fields(body)
        if about is None:
            raise Damage("a connection is damaged")
        package, _, name = _text(about, b"type").rpartition("/")
        connections[_number(header, b"conn", "<I")] = _Connection(
            _text(header, b"topic"),
            f"{package}/msg/{name}",
            _text(about, b"md5sum"),
            _text(about, b"message_definition"),
        )
    elif operation == _MESSAGE:
        connection = connections.get(_number(header, b"conn", "<I"))
        if connection is None:
            raise Damage("a message belongs to no connection")
        if connection.kind in kinds:
            time = _number(header, b"time", "<Q")
            yield Message(*connection, (time & 0xFFFFFFFF) * 1_000_000_000 + (time >> 32), body)
    else:
        raise Damage(f"a record of kind {operation} has no place here")


def _fields(data: bytes) -> dict[bytes, bytes] | None:
    """The fields of a header; None if it is damaged."""
    fields: dict[bytes, bytes] = {}
    at, size = 0, len(data)
    while at < size:
        if at + 4 > size:
            return None
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        equals = data.find(b"=", at + 4, end)
        if end > size or equals < 0:
            return None
        fields[data[at + 4 : equals]] = data[equals + 1 : end]
        at = end
    return fields


def _operation(header: dict[bytes, bytes]) -> int:
    value = header.get(b"op", b"")
    return value[0] if len(value) == 1 else -1


def _number(header: dict[bytes, bytes], name: bytes, form: str) -> int:
    value = header.get(name, b"")
    if len(value) != struct.calcsize(form):
        raise Damage(f"a header has no {name.decode()}")
    return int.from_bytes(value, "little")


def _text(fields: dict[bytes, bytes], name: bytes) -> str:
    """A field as text; invalid bytes are replaced."""
    return fields.get(name, b"").decode("utf-8", "replace")


def _unpacked(header: dict[bytes, bytes], body: bytes, strict: bool) -> bytes:
    """The content of a chunk; if not `strict`, as far as it can be unpacked."""
    compression = _text(header, b"compression") or "none"
    if compression == "none":
        return body
    limit = disk.limit_bytes()
    try:
        if compression == "bz2":
            import bz2

            data = bz2.BZ2Decompressor().decompress(body, limit + 1)
        elif compression == "lz4":
            frame = load_extra("lz4.frame", feature="Reading bags", package="lz4", extra="data")
            data = frame.LZ4FrameDecompressor().decompress(body, limit + 1)
        else:
            raise Damage(f"a chunk is packed by {compression!r}")
    except (OSError, ValueError, RuntimeError, EOFError) as error:
        raise Damage(f"a chunk cannot be unpacked ({error})") from error
    if len(data) > limit:
        raise ValueError(disk.too_large("a chunk unpacks to more than that", limit))
    if strict and len(data) != _number(header, b"size", "<I"):
        raise Damage("a chunk unpacks to another size than it says")
    return bytes(data)

"""The messages of an MCAP file, record by record, from complete and damaged files.

Layout: a magic word, records (a byte that says which, a length of 8 bytes, content), the magic word
again. Chunks, which may be packed, hold the messages, and the schemas and channels that they belong
to; summary and index at the end are not needed. The file is read from start to end, one chunk in
memory at a time, and every length is checked against the available bytes. The package `mcap` is not
used to read: it unpacks chunks without a bound, and returns a message that is cut off as a whole
one.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Container, Iterator
from typing import BinaryIO, NamedTuple

from baxterkit import disk
from baxterkit.extras import load_extra
from baxterkit.messages.parsing import Field
from baxterkit.recording.bag_messages import DEFINITIONS, GRIPPER_STATE, definition
from baxterkit.recording.bag_records import Damage, Message
from baxterkit.recording.cdr import HEAD, cdr_to_ros1

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END, FOOTER = 3, 4, 5, 6, 12, 15, 2
LONGEST_METADATA = 2**20
"""Longest metadata that are read [bytes]."""
ENCODINGS = ("ros1", "cdr")


class _Channel(NamedTuple):
    topic: str
    encoding: str
    kind: str
    definition: str
    fields: tuple[Field, ...] | None


def read_mcap_messages(
    file: BinaryIO, size: int, kinds: Container[str], *, strict: bool
) -> Iterator[Message]:
    """The messages of some types, in the order in which they were stored, in ROS 1's layout.

    Args:
        file: The file, at its start.
        size: Its length [bytes].
        kinds: The types that are wanted, as "sensor_msgs/msg/JointState".
        strict: Raise on damage. If not, reading ends there.

    Raises:
        Damage: If the file is cut off or damaged, and `strict`.
        ValueError: If a chunk is too large to be unpacked.
    """
    state = _State(kinds)
    try:
        yield from _records(file, size, state)
    except Damage:
        if strict:
            raise


def _records(file: BinaryIO, size: int, state: _State) -> Iterator[Message]:
    at = len(MAGIC)
    file.seek(at)
    while True:
        head = file.read(9)
        if len(head) < 9:
            raise Damage("the file ends without a footer")
        operation, length = head[0], int.from_bytes(head[1:], "little")
        at += 9 + length
        if at > size:
            raise Damage(f"a record ends beyond the file's {size} bytes")
        if operation in (DATA_END, FOOTER):  # only summary and index follow
            return
        if operation not in (SCHEMA, CHANNEL, MESSAGE, CHUNK):
            file.seek(at)
            continue
        if length > disk.limit_bytes():
            raise ValueError(disk.too_large(f"a record has {length} bytes", disk.limit_bytes()))
        body = file.read(length)
        if operation == CHUNK:
            yield from _chunk(body, state)
        else:
            yield from state.take(operation, body)


def read_mcap_metadata(file: BinaryIO, size: int, name: str) -> dict[str, str]:
    """The texts of the metadata with a name; empty if there are none, or they are damaged."""
    at, found = len(MAGIC), dict[str, str]()
    while True:
        file.seek(at)
        head = file.read(9)
        length = int.from_bytes(head[1:], "little")
        at += 9 + length
        if len(head) < 9 or at > size or head[0] in (DATA_END, FOOTER):
            return found
        if head[0] == METADATA and length <= LONGEST_METADATA:
            try:
                fields = _Fields(file.read(length))
                if fields.text() == name:
                    pairs = _Fields(fields.block(4))
                    while pairs.rest:
                        key = pairs.text()
                        found[key] = pairs.text()
            except Damage:
                continue


def _chunk(body: bytes, state: _State) -> Iterator[Message]:
    fields = _Fields(body)
    fields.number(8), fields.number(8)
    size, crc = fields.number(8), fields.number(4)
    data = _unpacked(fields.text(), fields.block(8), size)
    if crc and zlib.crc32(data) != crc:
        raise Damage("a chunk has another checksum than it says")
    at = 0
    while at < len(data):
        end = at + 9 + int.from_bytes(data[at + 1 : at + 9], "little")
        if at + 9 > len(data) or end > len(data):
            raise Damage("a record of a chunk is cut off")
        yield from state.take(data[at], data[at + 9 : end])
        at = end


class _State:
    """Schemas and channels so far."""

    def __init__(self, kinds: Container[str]) -> None:
        self._kinds = kinds
        self._schemas: dict[int, tuple[str, str]] = {}
        self._channels: dict[int, _Channel] = {}

    def take(self, operation: int, body: bytes) -> Iterator[Message]:
        """A message, or what tells of messages to come; other records are passed over."""
        fields = _Fields(body)
        if operation == SCHEMA:
            number, name, _ = fields.number(2), fields.text(), fields.text()
            package, _, kind = name.replace("/msg/", "/").rpartition("/")
            text = fields.block(4).decode("utf-8", "replace")
            self._schemas[number] = (f"{package}/msg/{kind}", text)
        elif operation == CHANNEL:
            number, schema, topic = fields.number(2), fields.number(2), fields.text()
            kind, text = self._schemas.get(schema, ("", ""))
            own = definition(text, kind) if text.strip() else DEFINITIONS.get(kind)
            self._channels[number] = _Channel(topic, fields.text(), kind, text, own)
        elif operation == MESSAGE:
            channel = self._channels.get(fields.number(2))
            if channel is None:
                raise Damage("a message belongs to no channel")
            fields.number(4)
            time = fields.number(8)
            fields.number(8)
            if channel.kind in self._kinds and channel.encoding in ENCODINGS:
                yield _message(channel, time, fields.rest)


def _message(channel: _Channel, time: int, data: bytes) -> Message:
    if channel.encoding == "cdr" and channel.kind == GRIPPER_STATE:
        data = data[len(HEAD) :]
    elif channel.encoding == "cdr" and channel.fields is not None:
        data = cdr_to_ros1(data, channel.fields) or b""  # none: the decoder calls it damaged
    md5 = "" if channel.definition.strip() else "*"
    return Message(channel.topic, channel.kind, md5, channel.definition, time, data)


class _Fields:
    """Takes the fields of a record; `Damage` beyond their end."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    @property
    def rest(self) -> bytes:
        return self._body[self._at :]

    def number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def block(self, size: int) -> bytes:
        """Bytes with their length before them, which has `size` bytes."""
        return self._take(self.number(size))

    def text(self) -> str:
        return self.block(4).decode("utf-8", "replace")

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._body):
            raise Damage("a record is cut off")
        part = self._body[self._at : end]
        self._at = end
        return part


def _unpacked(compression: str, data: bytes, size: int) -> bytes:
    """The content of a chunk."""
    if not compression:
        return data
    limit = disk.limit_bytes()
    if size > limit:
        raise ValueError(disk.too_large(f"a chunk unpacks to {size} bytes", limit))
    feature = "Reading packed MCAP files"
    try:
        if compression == "lz4":
            frame = load_extra("lz4.frame", feature=feature, package="lz4", extra="data")
            found = frame.LZ4FrameDecompressor().decompress(data, size + 1)
        elif compression == "zstd":
            zstd = load_extra("zstandard", feature=feature, package="zstandard", extra="data")
            found = zstd.ZstdDecompressor().stream_reader(data).read(size + 1)
        else:
            raise Damage(f"a chunk is packed by {compression!r}")
    except (OSError, ValueError, RuntimeError, EOFError, struct.error) as error:
        raise Damage(f"a chunk cannot be unpacked ({error})") from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise Damage(f"a chunk cannot be unpacked ({error})") from error
    if len(found) != size:
        raise Damage("a chunk unpacks to another size than it says")
    return bytes(found)

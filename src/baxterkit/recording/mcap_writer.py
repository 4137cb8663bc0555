"""An MCAP file: messages in chunks, with the index by which viewers jump in time."""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from baxterkit.recording.mcap_records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    FOOTER,
    MAGIC,
    MESSAGE,
    SCHEMA,
)

__all__ = ["Channel", "write_mcap_file"]

HEADER, MESSAGE_INDEX, CHUNK_INDEX, STATISTICS = 1, 7, 8, 11
CHUNK_SIZE = 2**20
"""Bytes after which a chunk ends."""


class Channel(NamedTuple):
    """A topic: name, type, definition of the type, how definition and messages are written."""

    topic: str
    kind: str
    definition: str
    schema_encoding: str
    message_encoding: str


def write_mcap_file(
    file: BinaryIO, profile: str, messages: Iterable[tuple[Channel, int, bytes]]
) -> None:
    """Writes messages, each with its channel and its time [ns], in time.

    Args:
        file: The file, empty.
        profile: "ros1" or "ros2".
        messages: The messages.
    """
    _Writer(file).write(profile, messages)


class _Writer:
    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at = file, 0
        self._channels: dict[Channel, int] = {}
        self._counts: dict[int, int] = defaultdict(int)
        self._indices: list[bytes] = []
        self._first, self._last = 0, 0
        self._start_chunk()

    def write(self, profile: str, messages: Iterable[tuple[Channel, int, bytes]]) -> None:
        self._put(MAGIC)
        self._put(_record(HEADER, _text(profile) + _text("baxterkit")))
        for channel, time, data in messages:
            self._add(channel, time, data)
            if len(self._chunk) > CHUNK_SIZE:
                self._end_chunk()
        self._end_chunk()
        self._put(_record(DATA_END, struct.pack("<I", 0)))
        start = self._at
        for channel, number in self._channels.items():
            self._put(_schema(channel, number) + _channel(channel, number))
        self._put(_record(STATISTICS, self._statistics()))
        for index in self._indices:
            self._put(index)
        self._put(_record(FOOTER, struct.pack("<QQI", start, 0, 0)))
        self._put(MAGIC)

    def _add(self, channel: Channel, time: int, data: bytes) -> None:
        number = self._channels.get(channel)
        if number is None:
            number = self._channels[channel] = len(self._channels) + 1
            self._chunk += _schema(channel, number) + _channel(channel, number)
        self._times[number].append((time, len(self._chunk)))
        head = struct.pack("<HIQQ", number, self._counts[number] & 0xFFFFFFFF, time, time)
        self._chunk += _record(MESSAGE, head + data)
        self._first = time if not sum(self._counts.values()) else min(self._first, time)
        self._last = max(self._last, time)
        self._counts[number] += 1

    def _start_chunk(self) -> None:
        self._chunk = bytearray()
        self._times: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def _end_chunk(self) -> None:
        if not self._times:
            return
        data = bytes(self._chunk)
        times = [time for entries in self._times.values() for time, _ in entries]
        span = struct.pack("<QQ", min(times), max(times))
        size = struct.pack("<Q", len(data))
        head = span + size + struct.pack("<I", zlib.crc32(data)) + _text("")
        at = self._at
        self._put(_record(CHUNK, head + size + data))
        length, offsets, start = self._at - at, b"", self._at
        for number, entries in self._times.items():
            offsets += struct.pack("<HQ", number, self._at)
            rows = b"".join(struct.pack("<QQ", *entry) for entry in entries)
            self._put(_record(MESSAGE_INDEX, struct.pack("<H", number) + _counted(rows)))
        about = span + struct.pack("<QQ", at, length) + _counted(offsets)
        about += struct.pack("<Q", self._at - start) + _text("") + size + size
        self._indices.append(_record(CHUNK_INDEX, about))
        self._start_chunk()

    def _statistics(self) -> bytes:
        counts = b"".join(struct.pack("<HQ", *entry) for entry in self._counts.items())
        n = len(self._channels)
        head = struct.pack(
            "<QHIIIIQQ", sum(self._counts.values()), n, n, 0, 0, len(self._indices),
            self._first, self._last,
        )  # fmt: skip
        return head + _counted(counts)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)


def _schema(channel: Channel, number: int) -> bytes:
    head = struct.pack("<H", number) + _text(channel.kind) + _text(channel.schema_encoding)
    return _record(SCHEMA, head + _counted(channel.definition.encode()))


def _channel(channel: Channel, number: int) -> bytes:
    head = struct.pack("<HH", number, number) + _text(channel.topic)
    return _record(CHANNEL, head + _text(channel.message_encoding) + _counted(b""))


def _record(operation: int, body: bytes) -> bytes:
    return struct.pack("<BQ", operation, len(body)) + body


def _text(text: str) -> bytes:
    return _counted(text.encode())


def _counted(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data

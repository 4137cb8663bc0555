"""The robot's messages as ROS 2 writes them (CDR), to and from the layout of ROS 1.

In CDR each value is aligned to its own size, counted from the end of a head of four bytes; strings
end with a zero; a header has no sequence number. Only little-endian CDR occurs.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

from baxterkit.messages.parsing import Field
from baxterkit.recording.bag_messages import HEADER, flat_size
from baxterkit.types import Array

HEAD = b"\x00\x01\x00\x00"
"""Little-endian CDR."""
NANO = 1_000_000_000


def cdr_to_ros1(data: bytes, fields: Sequence[Field]) -> bytes | None:
    """A message of ROS 2 in the layout of ROS 1; None if it is damaged.

    Args:
        data: Its bytes.
        fields: Fields of its type, as in `bag_messages.DEFINITIONS`.
    """
    if data[:2] != HEAD[:2]:
        return None
    reader = _Reader(data[4:])
    out: list[bytes] = []
    try:
        for field in fields:
            if field.kind == HEADER:
                stamp = reader.take(8, 4)
                out += [b"\0\0\0\0", stamp, _counted(reader.text())]
            elif field.kind == "string":
                words = [reader.text() for _ in range(reader.count(4))]
                out += [struct.pack("<I", len(words)), *map(_counted, words)]
            elif field.array is not None:
                count = reader.count(8)
                out += [struct.pack("<I", count), reader.take(8 * count, 8) if count else b""]
            else:
                out.append(reader.take(8 * flat_size(field.kind), 8))
    except (struct.error, IndexError):
        return None
    return b"".join(out)


def to_cdr(stamp: int, frame: str, fields: Sequence[Field], values: Mapping[str, object]) -> bytes:
    """A message as ROS 2 writes it.

    Args:
        stamp: Time of its header [ns].
        frame: Frame of its header.
        fields: Fields of its type; those that `values` lacks are empty or zero.
        values: Field -> names, or numbers.
    """
    data = bytearray()

    def align(size: int) -> None:
        data.extend(bytes(-len(data) % size))

    def text(word: str) -> None:
        raw = word.encode() + b"\0"
        align(4)
        data.extend(struct.pack("<I", len(raw)) + raw)

    for field in fields:
        if field.kind == HEADER:
            align(4)
            data.extend(struct.pack("<iI", *divmod(stamp, NANO)))
            text(frame)
        elif field.kind == "string":
            words = values.get(field.name, ())
            assert isinstance(words, Sequence)
            align(4)
            data.extend(struct.pack("<I", len(words)))
            for word in words:
                text(str(word))
        else:
            size = flat_size(field.kind) if field.array is None else 0
            numbers = _numbers(values.get(field.name), size)
            if field.array is not None:
                align(4)
                data.extend(struct.pack("<I", len(numbers)))
            if len(numbers):
                align(8)
                data.extend(numbers.astype("<f8").tobytes())
    return HEAD + bytes(data)


def _numbers(value: object, count: int) -> Array:
    return np.zeros(count) if value is None else np.asarray(value, dtype=float)


def _counted(text: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text


class _Reader:
    """Takes values from bytes; `struct.error` beyond their end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, size: int, alignment: int) -> bytes:
        start = self._at + -self._at % alignment
        if start + size > len(self._data):
            raise struct.error("the message is cut off")
        self._at = start + size
        return self._data[start : self._at]

    def count(self, least: int) -> int:
        """A number of items, of which each takes at least so many bytes."""
        (count,) = struct.unpack("<I", self.take(4, 4))
        if count * least > len(self._data) - self._at + 8:
            raise struct.error("more items than bytes")
        return int(count)

    def text(self) -> bytes:
        size = self.count(1)
        return self.take(size, 1).removesuffix(b"\0")

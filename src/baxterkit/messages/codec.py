"""Values of the fields to bytes and back.

A reader takes the bytes and a place in them, and returns the value and the place after it. Lengths
are checked against the bytes that are there before anything is made of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from baxterkit.messages.errors import MessageError

Value: TypeAlias = Any
"""The value of a field: what its definition says, known at run time alone."""

Reader: TypeAlias = Callable[[bytes, int], tuple[Value, int]]
Writer: TypeAlias = Callable[[Value, list[bytes]], None]

NUMBERS = {
    "bool": "?", "int8": "b", "byte": "b", "uint8": "B", "char": "B", "int16": "h", "uint16": "H",
    "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
BYTES = ("uint8", "char")
_LENGTH = struct.Struct("<I")
NANO = 1_000_000_000


class Codec:
    """How a value is read and written.

    Attributes:
        read: From bytes.
        write: Appends bytes to a list.
        sent: The value as it would be read after it was written, without the bytes in between.
        default: Makes the value of a new message.
        least: Fewest bytes that a value takes.
    """

    def __init__(
        self,
        read: Reader,
        write: Writer,
        sent: Callable[[Value], Value],
        default: Callable[[], Value],
        least: int,
    ) -> None:
        self.read, self.write, self.sent = read, write, sent
        self.default, self.least = default, least


def need(data: bytes, at: int, size: int) -> None:
    """Raises if the bytes end before `at + size`."""
    if at + size > len(data):
        raise MessageError(f"the message ends after {len(data)} bytes, and needs {at + size}")


def builtin_codec(kind: str) -> Codec:
    """The codec of one value of a builtin type."""
    if kind == "string":
        return Codec(_read_string, _write_string, _sent_string, str, 4)
    if kind in ("time", "duration"):
        return _time_codec(signed=kind == "duration")
    form = struct.Struct("<" + NUMBERS[kind])
    size, unpack, pack = form.size, form.unpack_from, form.pack
    make = bool if kind == "bool" else float if kind.startswith("float") else int

    def read(data: bytes, at: int) -> tuple[Value, int]:
        need(data, at, size)
        return unpack(data, at)[0], at + size

    def packed(value: Value) -> bytes:
        try:
            return pack(make(value))
        except (struct.error, TypeError, ValueError, OverflowError) as error:
            raise MessageError(f"{value!r} is no {kind}: {error}") from error

    def write(value: Value, out: list[bytes]) -> None:
        out.append(packed(value))

    exact = make if kind in ("bool", "float64") else None  # every value fits, and stays

    def sent(value: Value) -> Value:
        return value if type(value) is exact else unpack(packed(value))[0]

    return Codec(read, write, sent, make, size)


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    need(data, at, 4)
    (size,) = _LENGTH.unpack_from(data, at)
    need(data, at + 4, size)
    try:
        return data[at + 4 : at + 4 + size].decode(), at + 4 + size
    except UnicodeDecodeError as error:
        raise MessageError(f"a string is not UTF-8: {error}") from error


def _write_string(value: Value, out: list[bytes]) -> None:
    data = value if isinstance(value, bytes) else str(value).encode()
    out.append(_LENGTH.pack(len(data)))
    out.append(data)


def _sent_string(value: Value) -> str:
    if type(value) is str and value.isascii():
        return value
    out: list[bytes] = []
    _write_string(value, out)
    return _read_string(b"".join(out), 0)[0]


def _time_codec(signed: bool) -> Codec:
    """Times and durations are whole nanoseconds."""
    form = struct.Struct("<ii" if signed else "<II")

    def read(data: bytes, at: int) -> tuple[int, int]:
        need(data, at, 8)
        seconds, nanoseconds = form.unpack_from(data, at)
        return seconds * NANO + nanoseconds, at + 8

    def packed(value: Value) -> bytes:
        try:
            return form.pack(*divmod(int(value), NANO))
        except (struct.error, TypeError, ValueError, OverflowError) as error:
            raise MessageError(f"{value!r} is no time in nanoseconds: {error}") from error

    def write(value: Value, out: list[bytes]) -> None:
        out.append(packed(value))

    def sent(value: Value) -> int:
        return read(packed(value), 0)[0]

    return Codec(read, write, sent, int, 8)


def number_list_codec(kind: str, count: int) -> Codec:
    """The codec of an array of numbers: a NumPy array, or bytes for uint8; `count` -1 for any."""
    dtype = np.dtype("<" + NUMBERS[kind])

    def read(data: bytes, at: int) -> tuple[Value, int]:
        n, at = _count(data, at, count)
        size = n * dtype.itemsize
        need(data, at, size)
        part = data[at : at + size]
        value = (
            part if kind in BYTES else np.frombuffer(part, dtype).astype(dtype.newbyteorder("="))
        )
        return value, at + size

    def write(value: Value, out: list[bytes]) -> None:
        try:
            data = value if isinstance(value, bytes) else np.asarray(value, dtype).ravel().tobytes()
        except (TypeError, ValueError, OverflowError) as error:
            raise MessageError(f"{value!r} is no array of {kind}: {error}") from error
        _write_count(len(data) // dtype.itemsize, count, out)
        out.append(data)

    native = dtype.newbyteorder("=")

    def sent(value: Value) -> Value:
        if kind in BYTES or isinstance(value, bytes):
            out: list[bytes] = []
            write(value, out)
            return read(b"".join(out), 0)[0]
        try:
            copy = np.array(value, native)
        except (TypeError, ValueError, OverflowError) as error:
            raise MessageError(f"{value!r} is no array of {kind}: {error}") from error
        if copy.ndim != 1:
            copy = copy.ravel()
        if count >= 0 and len(copy) != count:
            raise MessageError(f"an array must have {count} values, got {len(copy)}")
        return copy

    def default() -> Value:
        n = max(count, 0)
        return bytes(n) if kind in BYTES else np.zeros(n, dtype)

    return Codec(read, write, sent, default, 4 if count < 0 else count * dtype.itemsize)


def list_codec(one: Codec, count: int) -> Codec:
    """The codec of a list of strings, times or messages."""

    def read(data: bytes, at: int) -> tuple[list[Value], int]:
        n, at = _count(data, at, count)
        need(data, at, n * one.least)
        if one.least == 0 and n > len(data):
            raise MessageError(f"a list says that it has {n} entries of no bytes")
        values = []
        for _ in range(n):
            value, at = one.read(data, at)
            values.append(value)
        return values, at

    def write(values: Sequence[Value], out: list[bytes]) -> None:
        _write_count(len(values), count, out)
        for value in values:
            one.write(value, out)

    def sent(values: Sequence[Value]) -> list[Value]:
        if count >= 0 and len(values) != count:
            raise MessageError(f"an array must have {count} values, got {len(values)}")
        return [one.sent(value) for value in values]

    return Codec(
        read,
        write,
        sent,
        lambda: [one.default() for _ in range(max(count, 0))],
        4 if count < 0 else count * one.least,
    )


def _count(data: bytes, at: int, count: int) -> tuple[int, int]:
    if count >= 0:
        return count, at
    need(data, at, 4)
    return _LENGTH.unpack_from(data, at)[0], at + 4


def _write_count(n: int, count: int, out: list[bytes]) -> None:
    if count < 0:
        out.append(_LENGTH.pack(n))
    elif n != count:
        raise MessageError(f"an array must have {count} values, got {n}")

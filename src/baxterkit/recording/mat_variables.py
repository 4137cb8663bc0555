"""The variables of a MATLAB file of version 5 (7 without HDF5) or 4, read without SciPy.

SciPy's compiled reader trusts the tags of a file, and a wrong one can crash the process. Here every
length is checked against the available bytes. Layout, version 5: 128 bytes of header, then
elements, each a tag (type, length) and data, padded to 8 bytes; a variable is an element of
elements, packed by zlib or plain. Layout, version 4: 20 bytes of header a variable, name, data.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import InputError

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
            13: "u8"}  # fmt: skip
"""Type of an element -> its numbers."""
_TEXT = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_MATRIX, _PACKED = 14, 15
_KINDS = {1: "a cell array", 2: "a struct", 3: "an object", 5: "a sparse matrix"}
_CHAR, _FIRST_NUMERIC, _LAST_NUMERIC = 4, 6, 15
_COMPLEX = 0x0800
_VERSION_4 = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
MOST_AXES = 8
MOST_VARIABLES = 10_000


@dataclass(frozen=True)
class Other:
    """A variable other than a matrix of real numbers or text.

    Attributes:
        kind: Its kind, such as "a struct".
    """

    kind: str


Value = NDArray[np.generic] | str | Other


def read_variables(data: bytes) -> dict[str, Value]:
    """The variables of a file: matrices of real numbers, texts, and others.

    Args:
        data: The bytes of the file.

    Raises:
        ValueError: If the bytes are not such a file, or are damaged; says where. An InputError if
            they decompress to too many.
    """
    if len(data) >= 128 and data[126:128] in (b"IM", b"MI") and 0 not in data[:4]:
        order = "<" if data[126:128] == b"IM" else ">"
        found = _variables_5(data, order)
    else:
        found = _variables_4(data)
    variables: dict[str, Value] = {}
    for name, value in found:
        variables[name] = value
        if len(variables) > MOST_VARIABLES:
            raise ValueError(f"it holds more than {MOST_VARIABLES} variables")
    return variables


@dataclass(frozen=True)
class _Element:
    kind: int
    data: memoryview


def _elements(data: memoryview, order: str) -> Iterator[_Element]:
    """The elements that follow one another in some bytes."""
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise ValueError(f"an element is cut off at byte {at} of {len(data)}")
        kind, size = struct.unpack_from(f"{order}II", data, at)
        start, padded = at + 8, -(-size // 8) * 8
        if kind >> 16:  # a short one, which has its data in the tag
            kind, size, start, padded = kind & 0xFFFF, kind >> 16, at + 4, 4
        if kind == _PACKED:
            padded = size
        if size > padded or start + size > len(data):
            raise ValueError(
                f"an element of {size} bytes at byte {at} is longer than the {len(data)} there are"
            )
        yield _Element(kind, data[start : start + size])
        at = start + padded


def _variables_5(data: bytes, order: str) -> Iterator[tuple[str, Value]]:
    left = disk.limit_bytes()
    for element in _elements(memoryview(data)[128:], order):
        inner = element
        if element.kind == _PACKED:
            unpacked = _unpacked(element.data, left)
            left -= len(unpacked)
            inner = next(_elements(memoryview(unpacked), order), element)
        if inner.kind != _MATRIX:
            raise ValueError(f"an element of type {inner.kind} stands where a variable should")
        name, value = _variable_5(inner.data, order)
        if name:
            yield name, value


def _unpacked(data: memoryview, limit: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        unpacked = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(f"packed data is damaged ({error})") from error
    if len(unpacked) > limit:
        raise InputError(disk.too_large("it unpacks to more than that", disk.limit_bytes()))
    if not stream.eof:
        raise ValueError("packed data is cut off")
    return unpacked


def _variable_5(data: memoryview, order: str) -> tuple[str, Value]:
    parts = _elements(data, order)
    flags = _integers(next(parts, None), order, "u4")
    if len(flags) != 2:
        raise ValueError("a variable does not say what it is")
    kind, is_complex = flags[0] & 0xFF, bool(flags[0] & _COMPLEX)
    if kind > _LAST_NUMERIC:  # functions and new classes, whose layout is not public
        return "", Other("an object")
    shape = tuple(_integers(next(parts, None), order, "i4"))
    label = next(parts, None)
    if label is None or not 2 <= len(shape) <= MOST_AXES or min(shape) < 0:
        raise ValueError(f"a variable has no name, or the shape {shape}")
    name = bytes(label.data).decode("latin-1")
    if kind in _KINDS:
        return name, Other(_KINDS[kind])
    if is_complex:
        return name, Other("complex")
    values = next(parts, None)
    count = math.prod(shape)
    if values is None:
        if count:
            raise ValueError(f"{name} has no values")
        return name, "" if kind == _CHAR else np.zeros(shape)
    if kind == _CHAR:
        return name, _text(values, order)
    if values.kind not in _NUMBERS or not kind >= _FIRST_NUMERIC:
        raise ValueError(f"{name} holds values of an unknown type")
    number = np.dtype(f"{order}{_NUMBERS[values.kind]}")
    if len(values.data) != count * number.itemsize:
        raise ValueError(f"{name} has {len(values.data)} bytes for {count} numbers")
    return name, np.frombuffer(values.data, number).reshape(shape, order="F")


def _integers(element: _Element | None, order: str, number: str) -> list[int]:
    """The integers of a header element; empty if it is none."""
    if element is None or element.kind not in (5, 6) or len(element.data) % 4:
        return []
    if len(element.data) > 4 * MOST_AXES:
        raise ValueError(f"a variable has {len(element.data) // 4} axes")
    return [int(value) for value in np.frombuffer(element.data, f"{order}{number}")]


def _text(element: _Element, order: str) -> str:
    codec = _TEXT.get(element.kind, "latin-1")
    if codec in ("utf-16", "utf-32"):
        codec += "-le" if order == "<" else "-be"
    return bytes(element.data).decode(codec, "replace")


def _variables_4(data: bytes) -> Iterator[tuple[str, Value]]:
    at = 0
    order = "<" if int.from_bytes(data[:4], "little") < 5000 else ">"
    while at < len(data):
        if at + 20 > len(data):
            raise ValueError(f"a variable is cut off at byte {at} of {len(data)}")
        code, rows, columns, imaginary, length = struct.unpack_from(f"{order}IiiII", data, at)
        thousand, rest = divmod(code, 1000)
        number, what = _VERSION_4.get(rest // 10), rest % 10
        if thousand > 1 or number is None or what > 2 or min(rows, columns) < 0 or not length:
            raise ValueError(f"no variable starts at byte {at}")
        kind = np.dtype(f"{order}{number}")
        size = rows * columns * kind.itemsize
        start = at + 20 + length
        at = start + size * (2 if imaginary else 1)
        if at > len(data):
            raise ValueError(f"a variable of {size} bytes is longer than the file")
        name = data[start - length : start].split(b"\0")[0].decode("latin-1")
        values = np.frombuffer(data, kind, rows * columns, start).reshape(
            (rows, columns), order="F"
        )
        if what == 1:
            codes = np.clip(np.nan_to_num(values.T.ravel().astype(np.float64)), 0, 0x10FFFF)
            yield name, "".join(chr(int(value)) for value in codes)
        elif what == 2 or imaginary:
            yield name, Other("a sparse matrix" if what == 2 else "complex")
        else:
            yield name, values

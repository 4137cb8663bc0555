"""Damage: what happens to files on the way, and what a malicious mind does to them."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

WORDS = (
    b"nan", b"-inf", b"1e400", b"-1e308", b"1e-320", b"0", b"-0.0", b"9" * 400, b"9" * 5000,
    b"0x" + b"f" * 5000, b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"\r", b"\x85", b"\xe2\x80\xa8",
    b"\"", b"'", b"=", b"[", b"]", b"{}", b",", b";", b"\t", b"\n\n", b"#", b"%", b"<", b"&amp;",
    b"&x;", b"left_", b"right_", b"time", b"q", b"q_s0", b"[" * 3000, b"{\"a\":" * 3000,
    b"a." * 3000, b"\xef\xbb\xbf", b"true", b"None", b"\xc3\x28", b"1_0", b"1,5", b"[[left]]",
)  # fmt: skip
"""What text readers may stumble on."""
INTEGERS = (
    0,
    1,
    2,
    7,
    8,
    127,
    128,
    255,
    256,
    2**15,
    2**16 - 1,
    2**24,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63,
    2**64 - 1,
)


def mutated(rng: random.Random, seed: bytes, others: Sequence[bytes]) -> bytes:
    """A seed with one to four changes.

    Args:
        rng: Where chance comes from.
        seed: The bytes of a whole file.
        others: Files of the same kind, to cross it with.
    """
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        rng.choice(CHANGES)(rng, data, others)
        del data[2**22 :]
    return bytes(data)


def _place(rng: random.Random, data: bytearray) -> int:
    # Lengths and names stand at the start and at the end of most kinds of files.
    span = len(data)
    where = rng.random()
    if where < 0.3:
        span = min(span, 256)
    elif where < 0.4 and span > 256:
        return rng.randrange(span - 256, span)
    return rng.randrange(span) if span else 0


def _span(rng: random.Random, data: bytearray) -> slice:
    start = _place(rng, data)
    return slice(start, start + rng.choice((1, 2, 4, 8, 16, 64, 512, 4096)))


def _set_byte(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    if data:
        data[_place(rng, data)] = rng.choice((0, 1, 9, 14, 127, 128, 255, rng.randrange(256)))


def _flip_bit(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    if data:
        data[_place(rng, data)] ^= 1 << rng.randrange(8)


def _set_integer(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at, value = _place(rng, data), rng.choice(INTEGERS) + rng.choice((0, 0, 1, -1))
    form = rng.choice(("<H", "<I", "<Q", ">H", ">I", ">Q"))
    size = struct.calcsize(form)
    data[at : at + size] = struct.pack(form, value % 2 ** (8 * size))


def _insert_word(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at = _place(rng, data)
    data[at:at] = rng.choice(WORDS)


def _overwrite_word(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at, word = _place(rng, data), rng.choice(WORDS)
    data[at : at + len(word)] = word


def _replace_number(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Puts a word in the place of a run of digits."""
    start = _place(rng, data)
    while start < len(data) and not chr(data[start]).isdigit():
        start += 1
    end = start
    while end < len(data) and chr(data[end]) in "0123456789.e-+":
        end += 1
    data[start:end] = rng.choice(WORDS)


def _delete(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    del data[_span(rng, data)]


def _duplicate(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    part, at = data[_span(rng, data)], _place(rng, data)
    data[at:at] = part * rng.choice((1, 1, 2, 10, 100))


def _cut(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    del data[_place(rng, data) :]


def _cross(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = bytearray(rng.choice(others))
    data[_place(rng, data) :] = other[_place(rng, other) :]


def _noise(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    where = _span(rng, data)
    data[where] = rng.randbytes(len(data[where]))


def _swap_lines(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    data[:] = b"\n".join(lines)


CHANGES = (
    _set_byte, _flip_bit, _set_integer, _insert_word, _overwrite_word, _replace_number, _delete,
    _duplicate, _cut, _cross, _noise, _swap_lines,
)  # fmt: skip

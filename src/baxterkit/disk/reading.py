"""Reading untrusted files: regular files only, up to a size, also after decompression.

A pipe or a device might never end, and a compressed file of a kilobyte may hold gigabytes. Every
reader of this package gets its bytes from here.
"""

from __future__ import annotations

import errno
import io
import math
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from baxterkit.disk.paths import as_path
from baxterkit.disk.reasons import fail, fail_system
from baxterkit.errors import FileError, InputError

if TYPE_CHECKING:
    from gzip import GzipFile

AnyPath: TypeAlias = "str | os.PathLike[str]"

VARIABLE = "BAXTERKIT_MAX_FILE_MB"
"""Environment variable for the largest size of a file [MB of 2^20 bytes]."""
DEFAULT_MB = 256.0
"""Largest size of a file if the variable is not set [MB]."""
MOST_LINES = 4_000_000
"""Largest number of lines: eleven hours at 100 Hz. Each line takes more memory than its bytes."""
SEPARATOR = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
"""The first line of a CSV in which Excel is told what separates columns."""
UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a text in UTF-16."""
GZIP = b"\x1f\x8b"
_STEP = 2**20
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_OPEN |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def limit_bytes(at_least: int = 0) -> int:
    """Largest number of bytes that are read from one file, before and after decompression.

    Args:
        at_least: What may be read in any case, unless the environment variable is set.

    Raises:
        InputError: If the environment variable is not a positive number.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return max(int(DEFAULT_MB * 2**20), at_least)
    try:
        megabytes = float(text)
    except ValueError:
        megabytes = math.nan
    if not (math.isfinite(megabytes) and megabytes > 0.0):
        raise InputError(f"{VARIABLE}={text!r} must be a positive number of MB")
    return max(int(megabytes * 2**20), 1)


@contextmanager
def open_regular(path: AnyPath) -> Iterator[BinaryIO]:
    """Opens a regular file for reading; never blocks.

    Raises:
        FileError: If it is a folder, a pipe, a device or a socket, or cannot be opened;
            MissingFileError if it is not there.
    """
    # Opening a device may have effects, and opening a pipe may block: check before and after.
    as_path(path)
    try:
        _check_kind(path, os.stat(path))
        descriptor = os.open(path, _OPEN)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        fail_system(path, error)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(path, os.fstat(descriptor))
        yield file


def read_start(path: AnyPath, size: int) -> bytes:
    """The first `size` bytes of a file, or all of it if it is shorter."""
    with open_regular(path) as file:
        try:
            return file.read(size)
        except OSError as error:
            fail_system(path, error)


def read_bytes(path: AnyPath, most: int | None = None, advice: str = "") -> bytes:
    """All bytes of a file.

    Args:
        path: The file.
        most: Largest size [bytes]; `limit_bytes()` if None.
        advice: What the user can do about a larger file, if `most` is given.

    Raises:
        FileError: If it is not a regular file, is too large, or cannot be read.
    """
    limit = limit_bytes() if most is None else most
    with open_regular(path) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            data = b"" if size > limit else read_stream(file, limit)
        except OSError as error:
            fail_system(path, error)
    if max(size, len(data)) > limit:
        what = f"it has {_megabytes(max(size, len(data)))}"
        fail(path, too_large(what, limit, None if most is None else advice), errno.EFBIG)
    return data


def read_packed(path: AnyPath) -> bytes:
    """All bytes of a file, decompressed if it is gzipped.

    Raises:
        FileError: If it is not a regular file, it or its decompressed data is too large, or the
            gzip data is damaged.
    """
    data = read_bytes(path)
    if not data.startswith(GZIP):
        return data
    import gzip

    limit = limit_bytes()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = read_stream(file, limit)
    except (EOFError, OSError, zlib.error) as error:
        fail(path, f"the gzip data is cut off or damaged ({error}); copy the file again")
    if len(unpacked) > limit:
        what = f"its {_megabytes(len(data))} unpack to more than {_megabytes(limit)}"
        fail(path, too_large(what, limit), errno.EFBIG)
    return unpacked


def read_stream(stream: BinaryIO | GzipFile, limit: int) -> bytes:
    """The bytes of a stream, at most `limit` + 1, so that a longer stream can be recognised."""
    parts = []
    left = limit + 1
    while left > 0:
        part = stream.read(min(left, _STEP))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def read_text(path: AnyPath) -> str:
    """The text of a file, as `decoded` gives it."""
    return decoded(read_bytes(path), path)


def decoded(data: bytes, name: AnyPath) -> str:
    """Bytes as text (UTF-8), without a byte order mark.

    Args:
        data: The bytes.
        name: Their name in a message.

    Raises:
        FileError: If they are not text, or have more than `MOST_LINES` lines; names the line.
    """
    place, text = data.find(b"\0"), ""
    if place < 0:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = error.start
    if place >= 0:
        if data.startswith(UTF16):
            fail(name, "this text is in UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)")
        line = data.count(b"\n", 0, place) + 1
        fail(name, f"line {line}: this is not text (UTF-8)")
    if data.count(b"\n") + data.count(b"\r") > MOST_LINES:
        fail(name, f"it has more than {MOST_LINES} lines; split it", errno.EFBIG)
    return text


def lines_of(text: str) -> list[str]:
    """The lines of a text, split at line ends only, not at Unicode's other separators."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def too_large(what: str, limit: int, advice: str | None = None) -> str:
    """The message for more than `limit` bytes; by default it says how to raise the limit."""
    if advice is None:
        advice = f"set the environment variable {VARIABLE} to read larger files"
    return f"{what}, and at most {_megabytes(limit)} are read; {advice}"


def _check_kind(path: AnyPath, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        fail(path, "this is a folder; name one file in it", errno.EISDIR)
    for is_kind, name in _KINDS:
        if is_kind(status.st_mode):
            fail(path, f"this is {name}; only regular files are read", errno.ENXIO)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.3g} MB" if size < 100 * 2**20 else f"{size / 2**20:.0f} MB"

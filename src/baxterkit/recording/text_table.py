"""Tables of numbers in text files: header, rows, and which line each row came from."""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import RecordingError, shortened
from baxterkit.types import Array

__all__ = ["Problem", "TextTable", "parse_table", "read_bytes", "read_text"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|nan|inf)", re.IGNORECASE)


@dataclass(frozen=True)
class Problem:
    """Something wrong with one row: its number in the file, and what."""

    row: int
    text: str


@dataclass(frozen=True)
class TextTable:
    """Rows of numbers.

    Attributes:
        names: Names of the columns; empty if the file has no header.
        values: Numbers, shape (n, columns); NaN as written.
        lines: Line of each row, counted from 1, shape (n,).
        index: Place of each row among the data lines, broken ones counted too, shape (n,).
        problems: Lines that are no row.
        comments: Lines that start with #, without it.
    """

    names: tuple[str, ...]
    values: Array
    lines: NDArray[np.int64]
    index: NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    comments: tuple[str, ...] = field(default=())


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked if it is gzipped.

    Raises:
        RecordingError: If the packed data is damaged or cut off.
    """
    data = path.read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise RecordingError(
            f"the gzip data is cut off or damaged ({error}); copy the file again", str(path)
        ) from error


def read_text(path: Path) -> str:
    """The text of a file, unpacked if it is gzipped; a byte order mark is left out.

    Raises:
        RecordingError: If it is not text.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordingError("this is not text (UTF-8)", str(path), f"line {line}") from error


def parse_table(text: str, source: str) -> TextTable:
    """Rows of numbers with commas, semicolons, tabs or spaces between them.

    The first line that holds a word names the columns. Empty lines are skipped, and so are those
    that start with #, except that the last # line before the first row names the columns if it
    holds as many words as there are columns and no other header does.

    Args:
        text: The text.
        source: Name of the file, for messages.

    Returns:
        The table. Lines that are not numbers, one for each column, are among its problems.

    Raises:
        RecordingError: If there is no row at all.
    """
    lines = text.splitlines()
    comments = tuple(line.lstrip("# \t") for line in lines if line.startswith("#"))
    kept = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if not kept:
        raise RecordingError("the file holds no rows", source)
    separator = _separator(lines[kept[0]])
    names: tuple[str, ...] = ()
    first = _split(lines[kept[0]], separator)
    if not all(_NUMBER.fullmatch(word) or not word for word in first):
        names = tuple(word.strip('"') for word in first)
        kept = kept[1:]
        if not kept:
            raise RecordingError("the file has a header and no rows", source)
    width = len(names) or len(first)
    if not names and comments and len(_split(comments[-1], separator)) == width:
        names = tuple(_split(comments[-1], separator))
    lines_of = np.array(kept, dtype=np.int64) + 1
    values = _quick([lines[i] for i in kept], width, separator)
    if values is not None:
        index = np.arange(len(kept))
        return TextTable(names, values, lines_of, index, comments=comments)
    rows, good, problems = [], [], []
    for place, i in enumerate(kept):
        words = _split(lines[i], separator)
        wrong = [column for column, word in enumerate(words) if not _NUMBER.fullmatch(word)]
        if len(words) != width:
            problems.append(Problem(i + 1, f"{width} numbers expected, got {len(words)}"))
        elif wrong:
            column = names[wrong[0]] if names else f"column {wrong[0] + 1}"
            word = words[wrong[0]]
            what = f"{shortened(repr(word))} is not a number" if word else "the cell is empty"
            problems.append(Problem(i + 1, f"{column}: {what}"))
        else:
            rows.append([float(word) for word in words])
            good.append(place)
    values = np.array(rows, dtype=np.float64).reshape(-1, width)
    places = np.array(good, dtype=np.int64)
    return TextTable(names, values, lines_of[places], places, tuple(problems), comments)


def _separator(line: str) -> str | None:
    """What stands between the words of a line; None for spaces."""
    return next((mark for mark in (",", ";", "\t") if mark in line), None)


def _split(line: str, separator: str | None) -> list[str]:
    return [word.strip() for word in line.strip(" \r\n").split(separator)]


def _quick(rows: list[str], width: int, separator: str | None) -> Array | None:
    """All rows at once; None if some line is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = np.loadtxt(io.StringIO("\n".join(rows)), delimiter=separator, ndmin=2)
    except ValueError:
        return None
    return values if values.shape == (len(rows), width) else None

"""Tables of numbers in text files: header, rows, and which line each row came from."""

from __future__ import annotations

import re
import warnings
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import FileError, MissingFileError, RecordingError, shortened
from baxterkit.types import Array

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|nan|inf)", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
"""A number with a decimal comma."""
_QUOTED = re.compile(r'"[+-]?\d*,\d+')
"""The start of a quoted one."""
_SUMMARY = re.compile(
    r"mean|average|avg|std|std\.? ?dev|sum|total|count|min|max|median|\d+(\.\d+)?%", re.IGNORECASE
)
"""What stands in a row that sums up the others."""
COMMENT = ("#", "%")


@dataclass(frozen=True)
class Problem:
    """A fault of one row: its number in the file, and a message."""

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
        problems: Lines that are not valid rows.
        comments: Lines that start with #, without it.
    """

    names: tuple[str, ...]
    values: Array
    lines: NDArray[np.int64]
    index: NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    comments: tuple[str, ...] = field(default=())


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, decompressed if it is gzipped.

    Raises:
        RecordingError: If it is not a regular file, is too large, or the gzip data is damaged.
        MissingFileError: If there is no such file.
    """
    with naming(path):
        return disk.read_packed(path)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turns an error about a file into a RecordingError, except that the file is missing."""
    try:
        yield
    except MissingFileError:
        raise
    except FileError as error:
        row, colon, rest = str(error.strerror).partition(": ")
        if colon and row.startswith("line "):
            raise RecordingError(rest, str(path), row) from error
        raise RecordingError(str(error.strerror), str(path)) from error


def read_text(path: Path) -> str:
    """The text of a file, decompressed if it is gzipped, without a byte order mark.

    Raises:
        RecordingError: If it is not text.
    """
    with naming(path):
        return disk.decoded(disk.read_packed(path), path)


def parse_table(
    text: str, source: str, is_known: Callable[[str], bool] = lambda name: True
) -> TextTable:
    """Rows of numbers with commas, semicolons, tabs or spaces between them.

    The first line that holds a word names the columns. Empty lines are skipped, and so are those
    that start with # or %, except that the last such line before the first row names the columns if
    it holds as many words as there are columns and no other header does. Cells may be quoted, and
    lines may end with a separator. Between semicolons or tabs, a comma is a decimal point.

    Args:
        text: The text.
        source: Name of the file, for messages.
        is_known: Whether a column of that name is wanted; others may hold words (NaN then).

    Returns:
        The table. Lines that are not numbers, one for each column, are among its problems.

    Raises:
        RecordingError: If there is no row at all.
    """
    lines = disk.lines_of(text)
    comments = tuple(line.lstrip("#% \t") for line in lines if line.startswith(COMMENT))
    kept = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)]
    told = disk.SEPARATOR.fullmatch(lines[kept[0]]) if kept else None
    kept = kept[1:] if told else kept
    if not kept:
        raise RecordingError("the file holds no rows", source)
    separator = told[1] if told else _separator(lines[kept[0]])
    names: tuple[str, ...] = ()
    first = _split(lines[kept[0]], separator)
    if not all(_NUMBER.fullmatch(word) or not word for word in first):
        names = tuple(first)
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
    needed = [not names or is_known(names[column]) for column in range(width)]
    rows, good, problems = array("d"), [], []
    spoken: list[tuple[int, str, str]] = []
    for place, i in enumerate(kept):
        words = _split(lines[i], separator)
        numbers = [bool(_NUMBER.fullmatch(word)) for word in words]
        wrong = [c for c, ok in enumerate(numbers) if not ok and c < width and needed[c]]
        if len(words) != width:
            text = f"{width} numbers expected, got {len(words)}"
            if separator == "," and (len(words) == 2 * width or _QUOTED.search(lines[i])):
                text += "; decimal commas need semicolons between the columns"
            problems.append(Problem(i + 1, text))
        elif wrong:
            column = names[wrong[0]] if names else f"column {wrong[0] + 1}"
            word = words[wrong[0]]
            what = f"{shortened(repr(word))} is not a number" if word else "the cell is empty"
            problems.append(Problem(i + 1, f"{column}: {what}"))
        else:
            if names and not all(numbers):
                said = zip(names, words, numbers, strict=True)
                spoken += [(place, name, word) for name, word, ok in said if word and not ok]
            pairs = zip(words, numbers, strict=True)
            rows.extend(float(word) if ok else np.nan for word, ok in pairs)
            good.append(place)
    values = np.array(rows, dtype=np.float64).reshape(len(good), width)
    places = np.array(good, dtype=np.int64)
    sums = {place: summary_text(name, word) for place, name, word in summaries(spoken)}
    problems += [Problem(kept[place] + 1, text) for place, text in sums.items()]
    kept_rows = ~np.isin(places, list(sums))
    values, places = values[kept_rows], places[kept_rows]
    return TextTable(names, values, lines_of[places], places, tuple(problems), comments)


def summaries(words: Sequence[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Those of the words in a table that say that their row sums up the others ("mean").

    A word that stands in several rows of its column is a status, say.

    Args:
        words: The row, the column and the text of each cell with a word.
    """
    found = [word for word in words if _SUMMARY.fullmatch(word[2])]
    times = Counter((column, text.lower()) for _, column, text in found)
    return [word for word in found if times[word[1], word[2].lower()] == 1]


def summary_text(column: str, word: str) -> str:
    """What is said of such a row."""
    where = f" under {column}" if column else ""
    return f"{word!r}{where} says that this row sums up others, and is none of the robot's"


def _separator(line: str) -> str | None:
    """The separator of a line's words; None for spaces."""
    return next((mark for mark in (";", ",", "\t") if mark in line), None)


def _split(line: str, separator: str | None) -> list[str]:
    """The words of a line without spaces and quotes around them; an empty last one is dropped."""
    words = [word.strip().strip('"') for word in line.strip(" \r\n").split(separator)]
    if len(words) > 1 and not words[-1]:
        words.pop()
    if separator in (";", "\t"):
        words = [word.replace(",", ".") if _COMMA.fullmatch(word) else word for word in words]
    return words


def _quick(rows: list[str], width: int, separator: str | None) -> Array | None:
    """All rows at once; None if some line is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = np.loadtxt(rows, delimiter=separator, ndmin=2)
    except ValueError:
        return None
    return values if values.shape == (len(rows), width) else None

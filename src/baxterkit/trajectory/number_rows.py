"""Rows of numbers in a text file, with the names of their columns."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import FileError, InputError, MissingFileError, shortened
from baxterkit.types import Array

_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
"""A number with a decimal comma."""
_QUOTED = re.compile(r'"[+-]?\d*,\d+')
"""The start of a quoted one."""


class Rows(NamedTuple):
    """Rows of numbers of a file.

    Attributes:
        names: Names of the columns, without units; empty if the file names none.
        values: Numbers, shape (n, columns).
        lines: Line of each row in the file, counted from 1, shape (n,).
        headings: Names of the columns as written, with their units.
    """

    names: list[str]
    values: Array
    lines: NDArray[np.int64]
    headings: list[str]


def read_csv(path: Path) -> Rows:
    """The rows of a file of numbers; names are empty if the first row holds numbers.

    Commas, semicolons, tabs or spaces separate; empty lines and those that start with # are
    skipped. Cells may be quoted, and a unit in brackets may follow a name.

    Raises:
        InputError: If a row is not one number per column; names the line.
    """
    with naming():
        text = disk.read_text(path)
    headings: list[str] = []
    names: list[str] = []
    rows, numbers = array("d"), array("q")
    width = 0
    for number, line in enumerate(disk.lines_of(text), start=1):
        words = _with_points(line.replace('"', " ")).replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if not (names or rows) and disk.SEPARATOR.fullmatch(line):
            continue
        values = _numbers(words)
        if values is None:
            if names or rows:
                raise InputError(f"{path}, line {number}: {shortened(line)!r} is not numbers")
            headings = _headings(line)
            names = [re.split(r"[\[(]", name)[0].strip() for name in headings]
            continue
        if not all(map(math.isfinite, values)):
            raise InputError(f"{path}, line {number}: every number must be finite")
        width = len(names) or width or len(values)
        if len(values) != width:
            raise InputError(
                f"{path}, line {number}: {_miscounted(line, names, len(values), width)}"
            )
        rows.extend(values)
        numbers.append(number)
    if not rows:
        raise InputError(f"{path} holds no rows of numbers")
    values_of = np.array(rows).reshape(-1, width)
    return Rows(names, values_of, np.array(numbers), headings)


@contextmanager
def naming() -> Iterator[None]:
    """Turns an error about a file into InputError, except that the file is missing."""
    try:
        yield
    except MissingFileError:
        raise
    except FileError as error:
        raise InputError(str(error)) from error


def _headings(line: str) -> list[str]:
    """Names of columns, without quotes."""
    cells = re.split("[,;\t]", line.rstrip(",; \t")) if re.search("[,;\t]", line) else line.split()
    return [cell.strip().strip("\"'").strip() for cell in cells]


def _with_points(line: str) -> str:
    """A line with decimal points: between semicolons or tabs, a comma is one."""
    if "," not in line or not (";" in line or "\t" in line):
        return line
    cells = re.split("[;\t]", line)
    commas = any(_COMMA.fullmatch(cell.strip()) for cell in cells)
    return " ".join(cells).replace(",", ".") if commas else line


def _miscounted(line: str, names: Sequence[str], count: int, width: int) -> str:
    """Why a line has not one number for each column."""
    cells = re.split("[,;\t]", line.strip())
    empty = [i for i, cell in enumerate(cells) if not cell.strip()]
    if empty and len(cells) == width:
        name = shortened(names[empty[0]]) if names else f"column {empty[0] + 1}"
        return f"the cell of {name} is empty"
    is_comma = count == 2 * width or _QUOTED.search(line)
    commas = "; decimal commas need semicolons between the columns" if is_comma else ""
    return f"{width} numbers expected, got {count}{commas}"


def _numbers(words: Sequence[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None

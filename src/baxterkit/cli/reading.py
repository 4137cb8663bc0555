"""Joint angles from every source: words of the command line, files, standard input."""

from __future__ import annotations

import csv
import math
import os
import re
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from baxterkit import Arm, Baxter, disk
from baxterkit.checks.arrays import joint_array
from baxterkit.checks.named import choose_joints
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError, UnknownNameError, shortened
from baxterkit.model.names import JOINTS, SIDES, joint_names, other_side
from baxterkit.types import Array, JointVector

_PLAIN = re.compile(rf"\s*(?:(?:{'|'.join(SIDES)})_)?(?:{'|'.join(JOINTS)})\s*", re.IGNORECASE)
"""The name of a column that names a joint, and no quantity."""
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
"""A number with a decimal comma."""
BINARY = (".parquet", ".bag", ".mcap", ".mat")
"""Endings of recordings that are no text."""


@dataclass(frozen=True)
class JointInput:
    """Joint angles as the user gave them.

    Attributes:
        q: Joint positions [rad], shape (7,), or (n, 7) for a batch.
        is_batch: Whether they came as rows of a file or of standard input.
        other: Those of the other arm in the same rows [rad], shape (n, 7), if they were wanted and
            the rows name its joints.
        rates: Velocities "qd" and accelerations "qdd" in the same rows [rad], shape (n, 7) each,
            those of them that were wanted and that the rows name.
    """

    q: JointVector
    is_batch: bool
    other: JointVector | None = None
    rates: Mapping[str, JointVector] = field(default_factory=dict)


def read_joints(
    arm: Arm,
    words: Sequence[str],
    deg: bool,
    *,
    both: bool = False,
    rates: Sequence[str] = (),
) -> JointInput:
    """Joint angles from the words of the command line.

    Args:
        arm: The arm, for the names of configurations and joints.
        words: Seven numbers (spaces or commas between), the name of a configuration, a file of
            rows, or "-".
        deg: Whether numbers are in degrees.
        both: Whether rows that name the joints of both arms are taken for both.
        rates: Which of velocities, "qd", and accelerations, "qdd", are taken from rows with them.

    Returns:
        The angles [rad].

    Raises:
        InputError: If the words are none of these.
    """
    text = plain(" ".join(words)).strip()
    if text == "-":
        return _batch(text, arm.side, deg, both, rates)
    values = numbers(text)
    if values is not None:
        if len(values) != len(JOINTS):
            many = len(words) == len(JOINTS)
            commas = "; decimal points are needed, not commas" if many else ""
            raise InputError(
                f"7 joint angles are needed ({' '.join(JOINTS)}), got {len(values)}{commas}"
            )
        return JointInput((np.pi / 180.0 if deg else 1.0) * np.array(values), is_batch=False)
    if len(words) == 1 and ("." in text or "/" in text or os.path.exists(text)):
        return _batch(text, arm.side, deg, both, rates)
    if len(words) == 1:
        try:
            return JointInput(np.array(arm.configuration(text)), is_batch=False)
        except UnknownNameError as error:
            raise InputError(f"{error}; or give 7 numbers, a file, or - for stdin") from error
    wrong = next(word for word in text.replace(",", " ").split() if numbers(word) is None)
    # Numbers after a name are those of an option, of which it took the first.
    stray = len(words) > 1 and numbers(" ".join(words[1:])) is not None
    commas = "; put commas between the numbers of an option: 1,2,3" if stray else ""
    raise InputError(
        f"{wrong!r} is not a number; Q is 7 numbers, a configuration's name, a file, or -{commas}"
    )


def _batch(source: str, side: str, deg: bool, both: bool, rates: Sequence[str]) -> JointInput:
    """Rows of one arm, or of both where they are wanted and named."""
    rest = other_side(side)
    rows = _Rows.read(source, (side, rest) if both else (side,), ("q", *rates), deg)
    other = rows.of(rest) if both and rest in rows.sides("q") else None
    moving = {name: rows.of(side, name) for name in rates if {side, None} & rows.sides(name)}
    return JointInput(rows.of(side), True, other, moving)


def read_other(robot: Baxter, arm: Arm, text: str | None, deg: bool) -> JointVector | None:
    """The joint angles [rad] of the other arm by --other, shape (7,); None if it was not given."""
    rest = robot.arm(other_side(arm.side))
    return read_configuration(rest, text, "--other", deg)


def read_configuration(
    arm: Arm, text: str | None, name: str, deg: bool = False
) -> JointVector | None:
    """The joint angles [rad] of an option, shape (7,); None if it was not given.

    Raises:
        InputError: If the option, `name`, holds neither a configuration's name nor seven numbers.
    """
    if text is None:
        return None
    values = numbers(text)
    if values is None:
        wrong = [word for word in text.replace(",", " ").split() if numbers(word) is None]
        if wrong and "," in text:
            raise InputError(f"{name}: {wrong[0]!r} is not a number")
        try:
            return np.array(arm.configuration(text))
        except UnknownNameError as error:
            raise InputError(f"{name}: {error}; or give 7 numbers") from error
    if len(values) != len(JOINTS):
        order = " ".join(JOINTS)
        raise InputError(f"{name}: 7 joint angles are needed ({order}), got {len(values)}")
    return (np.pi / 180.0 if deg else 1.0) * np.array(values)


def read_rows(source: str, side: str, deg: bool = False, field: str = "q") -> JointVector:
    """Rows of joint values from a file or standard input; see `read_table`.

    Named columns are found by the joints' names (`s0`, `left_s0`, `q_left_s0 [rad]`), in any order,
    as in the robot's messages, recordings and trajectories; other columns (time, the other arm,
    gripper, a status) are ignored.

    Args:
        source: A path, or "-".
        side: The arm whose columns are wanted.
        deg: Whether they are in degrees.
        field: Which values of the joints: "q", "qd" or "qdd". Columns without a quantity in their
            names (`left_s0`) are taken for it where no other ones are.

    Returns:
        The values [rad], shape (n, 7), order s0 s1 e0 e1 w0 w1 w2.

    Raises:
        InputError: If a row is not numbers, one for each column; names the line.
    """
    return _Rows.read(source, (side,), ("q", field), deg).of(side, field)


@dataclass(frozen=True)
class _Rows:
    """Rows of joint values as they stand in a file.

    Attributes:
        place: Name of the file, for messages.
        header: Names of the columns.
        values: Numbers, shape (n, columns).
        factor: What makes radians of them.
    """

    place: str
    header: tuple[str, ...]
    values: Array
    factor: float

    @classmethod
    def read(cls, source: str, sides: Sequence[str], fields: Sequence[str], deg: bool) -> _Rows:
        """The rows of a file or of standard input, with these columns of these arms checked."""
        from baxterkit.recording.columns import check_angles, read_name

        def is_needed(name: str) -> bool:
            column = read_name(name)
            return column is not None and column.field in fields and column.side in (None, *sides)

        place = source_name(source)
        header, values, comments = _read(source, JOINTS, is_needed)
        if not len(values):
            raise InputError(f"{place} holds no joint angles")
        check_angles(header, "deg" if deg else "rad", place, comments)
        return cls(place, header, values, np.pi / 180.0 if deg else 1.0)

    def sides(self, field: str) -> set[str | None]:
        """The arms of which a quantity is named; None stands for columns that name no arm."""
        from baxterkit.recording.columns import read_name

        columns = (read_name(name) for name in self.header)
        return {x.side for x in columns if x is not None and x.field == field}

    def of(self, side: str, field: str = "q") -> JointVector:
        """The values of an arm [rad], shape (n, 7), order s0 s1 e0 e1 w0 w1 w2."""
        names = _joints_of(self.header, side, field)
        chosen = choose_joints(names, self.place, joint_names(side))
        columns = [names.index(name) for name in chosen]
        return self.factor * joint_array(self.values[:, columns], self.place)


def _joints_of(header: Sequence[str], side: str, field: str) -> list[str]:
    """The joint that each column holds this quantity of, as "left_s0"; else the column's name."""
    from baxterkit.recording.columns import read_name

    columns = [read_name(name) for name in header]
    plain = [bool(_PLAIN.fullmatch(name.partition("[")[0].partition("(")[0])) for name in header]
    told = any(
        column is not None and column.field == field and not is_plain
        for column, is_plain in zip(columns, plain, strict=True)
    )
    names = []
    for name, column, is_plain in zip(header, columns, plain, strict=True):
        if column is None or (column.field != field and not is_plain):
            names.append(name)
        elif is_plain and told:
            names.append(f"position {name}")
        else:
            names.append(f"{column.side or side}_{JOINTS[column.component]}")
    return names


def read_table(
    source: str, columns: Sequence[str], needed: Callable[[str], bool] | None = None
) -> tuple[tuple[str, ...], Array]:
    """Rows of numbers, commas, semicolons or spaces between them, from a file or standard input.

    A first line without any number names the columns. Empty lines and those that start with # are
    skipped. Cells may be quoted; between semicolons, a comma is a decimal point.

    Args:
        source: A path, or "-" for standard input.
        columns: Names of the columns if the first line has none.
        needed: Whether a column of this name must hold numbers; others may hold text, such as a
            status. Those named in `columns` must if None.

    Returns:
        The names of the columns, and the values, shape (n, columns); NaN for text.

    Raises:
        InputError: If the source is not text, or a row is not one finite number per column that is
            needed; names the line.
    """
    header, values, _ = _read(source, columns, needed)
    return header, values


def _read(
    source: str, columns: Sequence[str], needed: Callable[[str], bool] | None
) -> tuple[tuple[str, ...], Array, list[str]]:
    """A table as `read_table` reads it, and its comments, without their marks."""
    from baxterkit.recording.text_table import summaries, summary_text

    name = source_name(source)
    _need_text(source)
    text = disk.decoded(_standard_input(), name) if source == "-" else disk.read_text(source)
    comments: list[str] = []
    header, wanted = tuple(columns), columns.__contains__ if needed is None else needed
    rows, lines = array("d"), array("q")
    spoken: list[tuple[int, str, str]] = []
    is_first, separator = True, None
    for i, line in enumerate(disk.lines_of(text), start=1):
        if line.lstrip().startswith("#"):
            comments.append(line.lstrip("# \t"))
            continue
        if is_first and (told := disk.SEPARATOR.fullmatch(line)):
            separator = told[1]
            continue
        if is_first and separator is None:
            separator = ";" if ";" in line else "," if "," in line else None
        cells = _cells(line, separator)
        words = [word for cell in cells for word in cell.split()] if separator == "," else cells
        if not any(cells):
            continue
        if is_first and all(numbers(word) is None for word in words if word):
            header = tuple(cells)
        else:
            cells = cells if len(cells) == len(header) else [word for word in words if word]
            values = _row(cells, header, wanted, f"{name}, line {i}")
            said = zip(header, cells, values, strict=True)
            spoken += [(len(lines), head, x) for head, x, y in said if x and math.isnan(y)]
            rows.extend(values)
            lines.append(i)
        is_first = False
    for row, column, word in summaries(spoken):
        what = summary_text(column, word)
        raise InputError(f"{name}, line {lines[row]}: {what}; leave such rows out")
    return header, np.array(rows).reshape(-1, len(header)), comments


def _need_text(source: str) -> None:
    """Refuses files of recordings that are no text, and names the call that makes a CSV.

    Raises:
        InputError: If the name of the file says that it is one.
    """
    if source.lower().endswith(BINARY):
        call = f"recording.load({source!r}).save('rows.csv')"
        raise InputError(
            f"{source} is no CSV, and rows are read from CSV only; make one in Python: "
            f"from baxterkit import recording; {call}"
        )


def _cells(line: str, separator: str | None) -> list[str]:
    """The cells of a line without spaces and quotes around them; an empty last one is dropped.

    Args:
        line: The line.
        separator: What stands between cells; None: spaces. Where it is no comma, a comma is a
            decimal point, unless it separates cells after all.
    """
    if separator in (None, ",") or separator not in line:
        separator = "," if "," in line else None
    if '"' in line:
        cells = next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True))
        cells = [cell.strip() for cell in cells]
        cells = [cell for cell in cells if cell] if separator is None else cells
    else:
        cells = [cell.strip() for cell in line.split(separator)]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    if separator not in (None, ","):
        cells = [cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in cells]
    return cells


def _row(
    cells: Sequence[str], header: Sequence[str], needed: Callable[[str], bool], place: str
) -> list[float]:
    """The numbers of a row.

    Raises:
        InputError: If a needed one is missing or not finite; the message starts with `place`.
    """
    values = [_number(cell) for cell in cells]
    for name, cell, value in zip(header, cells, values, strict=False):
        if not needed(name) or (value is not None and math.isfinite(value)):
            continue
        if value is None and cell:
            raise InputError(f"{place}: {shortened(repr(cell))} is not a number")
        said = [word for word, number in zip(cells, values, strict=True) if word and number is None]
        reason = f" ({shortened(', '.join(said))})" if said else ""
        what = f"is {cell}" if cell else "is empty"
        raise InputError(f"{place}: {name} {what}{reason}; leave such rows out")
    if len(cells) != len(header):
        raise InputError(f"{place}: {len(header)} numbers expected, got {len(cells)}")
    return [math.nan if value is None else value for value in values]


def _number(cell: str) -> float | None:
    """The number in a cell; None if it is empty or text."""
    try:
        return float(plain(cell))
    except ValueError:
        return None


def _standard_input() -> bytes:
    """Standard input as bytes, since its encoding depends on the machine."""
    limit = disk.limit_bytes()
    data = disk.read_stream(sys.stdin.buffer, limit)
    if len(data) > limit:
        raise InputError(f"stdin: {disk.too_large('more than that came in', limit)}")
    return data


def source_name(source: str) -> str:
    """Name of a source of rows, for messages."""
    return "stdin" if source == "-" else source

"""Trajectories in files: .npz and .json hold the pieces, .csv samples and the pieces.

A .csv has the columns t [s], then q, qd, qdd of s0 ... w2 by name (`q_left_s0`, `qd_left_s0`,
`qdd_left_s0`; `q_s0` where the arm is not known), left before right of both arms, and columns whose
names hold the exact motion (`baxterkit.trajectory.pieces`). Without these, or where the samples
have been edited since, quintic pieces connect them. One with positions alone (`t` and `s0` ...
`w2`, or `left_s0` ..., as the robot's recorder writes) is read as a cubic spline through them.
Columns `left_gripper` and `right_gripper` are openings of the grippers, 0 (closed) to 100 (open).
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import warnings
import zipfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baxterkit import disk
from baxterkit.checks.units import FAR_ANGLE
from baxterkit.errors import (
    FileError,
    InputError,
    MissingFileError,
    ShapeError,
    UnitsWarning,
    shortened,
)
from baxterkit.model.baxter_data import load_baxter
from baxterkit.model.names import JOINTS, SIDES, check_side
from baxterkit.trajectory.checks import BOTH
from baxterkit.trajectory.grippers import GripperMotion, from_percent, gripper_columns
from baxterkit.trajectory.pieces import (
    FORMAT,
    LIMIT_FIELDS,
    content_of,
    from_content,
    piece_names,
    plain,
    read_pieces,
)
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

PACKED = (".npz", ".json")
ENDINGS = (*PACKED, ".csv")
BEYOND = 0.2
"""How far beyond their limits joints of a file are taken to be [rad], if they are in degrees."""
SLOW = 5.0
"""Samples of a smooth motion with a longer step [s] must have their time in another unit."""
CRAWL_STEP, CRAWL = 0.5, 4e-3
"""The same goes for samples this far apart [s] if no joint is faster than this [rad/s]."""
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
"""A number with a decimal comma."""
MOST_JSON = 32 * 2**20
"""Longest .json that is read [bytes]; it takes up to twenty times as much memory."""


def save(trajectory: Trajectory, path: str | Path, rate: float = 100.0) -> Path:
    """See `Trajectory.save`."""
    path = _known(path)
    if path.suffix == ".csv":
        samples = np.column_stack(trajectory.at_rate(rate))
        joints = trajectory.joint_names
        names = ["t", *(f"{part}_{joint}" for part in ("q", "qd", "qdd") for joint in joints)]
        hands, openings = gripper_columns(trajectory.grippers, samples[:, 0])
        rows = np.column_stack([samples, *openings])
        disk.write_text(path, table_text([*names, *hands], rows, trajectory))
        return path
    content = content_of(trajectory)
    if path.suffix == ".npz":
        with disk.replacing(path) as file:
            np.savez_compressed(file, **content)
    else:
        disk.write_text(path, json.dumps(plain(content)) + "\n")
    return path


def table_text(names: Sequence[str], samples: Array, motion: Trajectory) -> str:
    """A table of samples with names, and in its first line the motion that they are of."""
    held = piece_names(motion, samples)
    rows = np.pad(samples, ((0, 0), (0, len(held)))).tolist()
    lines = [",".join([*names, *held]), *(",".join(map(repr, row)) for row in rows), ""]
    return "\n".join(lines)


def load(path: str | Path, side: str | None, make: type[Trajectory]) -> Trajectory:
    """See `Trajectory.load`; `make` is that class.

    Raises:
        InputError: If the file is not a trajectory; says what is wrong with it.
    """
    path = _known(path)
    if path.suffix == ".csv":
        return _from_csv(path, side, make)
    with _naming():
        raw = (
            disk.read_bytes(path)
            if path.suffix == ".npz"
            else disk.read_bytes(path, MOST_JSON, "save longer trajectories as .npz")
        )
    try:
        content = _npz(raw) if path.suffix == ".npz" else json.loads(raw.decode())
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except Exception as error:  # a broken archive makes NumPy raise nearly anything
        reason = shortened(" ".join(str(error).split()), 200)
        raise InputError(f"{path} is not a {path.suffix[1:]} file: {reason}") from error
    if not isinstance(content, dict) or str(content.get("format")) != FORMAT:
        raise InputError(f"{path} does not hold a trajectory (no format {FORMAT!r})")
    try:
        return _of_side(from_content(content, path.stem, make), side)
    except (InputError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from error


def read_csv(path: Path) -> tuple[list[str], Array]:
    """Names and rows of a file of numbers; names are empty if the first row holds numbers.

    Commas, semicolons, tabs or spaces separate; empty lines and those that start with # are
    skipped. Names may be quoted, and a unit in brackets may follow them.

    Raises:
        InputError: If a row is not one number per column; names the line.
    """
    with _naming():
        text = disk.read_text(path)
    names: list[str] = []
    rows = array("d")
    width = 0
    for number, line in enumerate(disk.lines_of(text), start=1):
        words = _with_points(line).replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        values = _numbers(words)
        if values is None:
            if names or rows:
                raise InputError(f"{path}, line {number}: {shortened(line)!r} is not numbers")
            names = _names(line)
            continue
        if not all(map(math.isfinite, values)):
            raise InputError(f"{path}, line {number}: every number must be finite")
        width = len(names) or width or len(values)
        if len(values) != width:
            raise InputError(
                f"{path}, line {number}: {_miscounted(line, names, len(values), width)}"
            )
        rows.extend(values)
    if not rows:
        raise InputError(f"{path} holds no rows of numbers")
    return names, np.array(rows).reshape(-1, width)


def _from_csv(path: Path, side: str | None, make: type[Trajectory]) -> Trajectory:
    names, rows = read_csv(path)
    try:
        motion, rows = read_pieces(names, rows, path.stem, make)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    names = names[: rows.shape[1]]
    columns = {name.lower(): i for i, name in enumerate(names)}
    twice = next((name for i, name in enumerate(names) if columns[name.lower()] != i), None)
    if twice:
        raise InputError(f"{path} has two columns {twice}; rename one, or leave it out")
    time = next((columns[name] for name in ("t", "time") if name in columns), None)
    if time is None:
        raise InputError(f"{path} has no column t; its first line must name the columns")
    try:
        if motion is None:
            whose, prefixes = _whose_columns(columns, side)
            q = _values(columns, rows, prefixes)
            rates = [[f"{part}{word[1:]}" for word in prefixes] for part in ("qd", "qdd")]
            known = prefixes[0].startswith("q_") and all(
                _columns(columns, word) for words in rates for word in words
            )
            qd, qdd = (_values(columns, rows, words) if known else None for words in rates)
            _warn_of_units(path, rows[:, time], q)
            motion = make.from_points(rows[:, time], q, qd, qdd, name=path.stem, side=whose)
            motion = replace(motion, grippers=_grippers(columns, rows, motion.sides))
        return _of_side(motion, side)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _warn_of_units(path: Path, t: Array, q: Array) -> None:
    """Warns of positions that make sense as degrees alone, and of time in milliseconds, say.

    Rows of a smooth motion are not seconds apart.
    """
    joints = load_baxter().joints
    reach = np.array([max(-joint.lower, joint.upper) for joint in joints])
    size = np.abs(q.reshape(-1, len(JOINTS))).max(axis=0)
    worst = int(np.argmax(size))
    if size[worst] > FAR_ANGLE and (np.deg2rad(size) <= reach + BEYOND).all():
        warnings.warn(
            f"{path}: {JOINTS[worst]} reaches {size[worst]:g} rad: are these degrees? Angles must "
            "be in radians; recording.load(..., angles='deg').to_trajectory() reads degrees",
            UnitsWarning,
            stacklevel=2,
        )
    if len(t) < 20 or float(np.ptp(q, axis=0).max()) < 0.3:
        return
    step, turns = float(np.median(np.diff(t))), np.abs(np.diff(q, axis=0)).max(axis=1)
    is_smooth = step >= SLOW and float(np.median(turns)) < 0.05
    if not is_smooth and (step < CRAWL_STEP or float(turns.max()) > CRAWL * step):
        return
    unit = "milli" if step < 1e3 else "micro" if step < 1e6 else "nano"
    warnings.warn(
        f"{path}: rows of a smooth motion are {step:g} s apart: time seems to be in {unit}seconds; "
        "it must be in seconds",
        UnitsWarning,
        stacklevel=2,
    )


def _grippers(
    columns: Mapping[str, int], rows: Array, sides: Sequence[str]
) -> dict[str, GripperMotion]:
    """The grippers of the arms that move, by their columns [%], as the recorder has them."""
    time = next(columns[name] for name in ("t", "time") if name in columns)
    names = {side: f"{side}_gripper" for side in sides if f"{side}_gripper" in columns}
    return {
        side: from_percent(rows[:, time], rows[:, columns[name]], name)
        for side, name in names.items()
    }


def _of_side(motion: Trajectory, side: str | None) -> Trajectory:
    """The motion, which is of this arm from now on if it did not say."""
    return motion if side is None else replace(motion.of(side), side=side)


def _columns(columns: Mapping[str, int], prefix: str) -> list[int]:
    """Indices of the seven joints' columns; empty if one is missing."""
    found = [columns[prefix + joint] for joint in JOINTS if prefix + joint in columns]
    return found if len(found) == len(JOINTS) else []


def _values(columns: Mapping[str, int], rows: Array, prefixes: Sequence[str]) -> Array:
    """The joints' columns, by what their names begin with."""
    return rows[:, [column for word in prefixes for column in _columns(columns, word)]]


def _whose_columns(
    columns: Mapping[str, int], side: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """The arm, or both, that a table of samples is of, and what its columns' names begin with."""
    if side is not None:
        check_side(side)
    for start in ("q_", ""):
        whose = [arm for arm in SIDES if _columns(columns, f"{start}{arm}_")]
        if side in whose:
            return side, (f"{start}{side}_",)
        if _columns(columns, start):
            return None, (start,)
        if whose:
            _need_whole_arms(columns, start, whose)
            name = whose[0] if len(whose) == 1 else BOTH
            return name, tuple(f"{start}{arm}_" for arm in whose)
    starts = [f"{start}{arm}" for start in ("q_", "") for arm in ("", "left_", "right_")]
    most = max(starts, key=lambda start: sum(start + joint in columns for joint in JOINTS))
    missing = [most + joint for joint in JOINTS if most + joint not in columns]
    if len(missing) < len(JOINTS):
        raise InputError(_lacks(missing, columns))
    raise InputError(
        "it has no columns q_s0 ... q_w2, s0 ... w2, left_s0 ... or right_s0 ...; "
        f"it has {shortened(', '.join(columns))}"
    )


def _need_whole_arms(columns: Mapping[str, int], start: str, whose: Sequence[str]) -> None:
    """Refuses a table of one arm, and of the other one with a joint missing."""
    for arm in SIDES:
        prefix = f"{start}{arm}_"
        missing = [prefix + joint for joint in JOINTS if prefix + joint not in columns]
        if arm not in whose and len(missing) < len(JOINTS):
            raise InputError(
                f"{_lacks(missing, columns)}; side={whose[0]!r} reads the {whose[0]} arm alone"
            )


def _lacks(missing: Sequence[str], columns: Mapping[str, int]) -> str:
    several = "s" * (len(missing) > 1)
    have = shortened(", ".join(columns))
    return f"it lacks the column{several} {', '.join(missing)}; it has {have}"


def _npz(raw: bytes) -> dict[str, Any]:
    """The arrays of an archive that a trajectory has, unpacked up to the limit of all readers."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        limit = disk.limit_bytes()
        if sum(member.file_size for member in archive.infolist()) > limit:
            raise InputError(disk.too_large("it unpacks to more than that", limit))
    wanted = {"format", "name", "side", "knots", "coefficients", "joint_names"}
    wanted |= {f"{side}_gripper" for side in SIDES}
    wanted |= {f"limits_{name}" for name in LIMIT_FIELDS}
    with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files if name in wanted}


@contextmanager
def _naming() -> Iterator[None]:
    """Turns an error about a file into InputError, except that the file is missing."""
    try:
        yield
    except MissingFileError:
        raise
    except FileError as error:
        raise InputError(str(error)) from error


def _names(line: str) -> list[str]:
    """Names of columns, without quotes and units."""
    cells = re.split("[,;\t]", line.rstrip(",; \t")) if re.search("[,;\t]", line) else line.split()
    return [re.split(r"[\[(]", cell.strip().strip("\"'"))[0].strip() for cell in cells]


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
        return f"the cell of {names[empty[0]] if names else f'column {empty[0] + 1}'} is empty"
    commas = "; decimal commas need semicolons between the columns" if count == 2 * width else ""
    return f"{width} numbers expected, got {count}{commas}"


def _numbers(words: Sequence[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None


def _known(place: str | Path) -> Path:
    if not isinstance(place, str | os.PathLike):
        raise InputError(f"a trajectory's file is named by a text or a path, got {place!r}")
    path = Path(place)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a trajectory's file ends in {', '.join(ENDINGS)}")
    return path

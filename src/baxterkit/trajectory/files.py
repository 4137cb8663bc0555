"""Trajectories in files: .npz and .json hold the pieces (exact), .csv holds samples.

A .csv has the columns t [s], then q, qd, qdd of s0 ... w2 by name (`q_s0`, `qd_s0`, `qdd_s0`). One
with positions alone (`t` and `s0` ... `w2`, or `left_s0` ..., as the robot's recorder writes) is
read as a cubic spline through them.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import disk
from baxterkit.checks.arrays import joint_array
from baxterkit.errors import FileError, InputError, MissingFileError, ShapeError, shortened
from baxterkit.model.limits import Limits
from baxterkit.model.names import JOINTS, check_side
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

__all__ = ["load", "read_csv", "save"]

ENDINGS = (".npz", ".json", ".csv")
FORMAT = "baxterkit trajectory 1"
MOST_JSON = 32 * 2**20
"""Longest .json that is read [bytes]; it takes up to twenty times as much memory."""
_LIMIT_FIELDS = ("lower", "upper", "velocity", "effort")


def save(trajectory: Trajectory, path: str | Path, rate: float = 100.0) -> Path:
    """See `Trajectory.save`."""
    path = _known(Path(path))
    if path.suffix == ".csv":
        t, q, qd, qdd = trajectory.at_rate(rate)
        names = ["t", *(f"{part}_{joint}" for part in ("q", "qd", "qdd") for joint in JOINTS)]
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(names)
        writer.writerows(np.column_stack([t, q, qd, qdd]).tolist())
        disk.write_text(path, text.getvalue())
        return path
    content: dict[str, Any] = {
        "format": FORMAT,
        "name": trajectory.name,
        "knots": trajectory.knots,
        "coefficients": trajectory.coefficients,
    }
    limits = trajectory.limits
    if limits is not None:
        content |= {f"limits_{name}": getattr(limits, name) for name in _LIMIT_FIELDS}
        content["joint_names"] = list(limits.names)
    if path.suffix == ".npz":
        with disk.replacing(path) as file:
            np.savez_compressed(file, **content)
    else:
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in content.items()}
        disk.write_text(path, json.dumps(plain) + "\n")
    return path


def load(path: str | Path, side: str | None = None) -> Trajectory:
    """See `Trajectory.load`.

    Raises:
        InputError: If the file is not a trajectory; says what is wrong with it.
    """
    path = _known(Path(path))
    if path.suffix == ".csv":
        return _from_csv(path, side)
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
    missing = [key for key in ("knots", "coefficients") if key not in content]
    if missing:
        raise InputError(f"{path} has no {missing[0]}")
    name = str(content.get("name", path.stem))
    try:
        return Trajectory(content["knots"], content["coefficients"], _limits(content), name)
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
        words = line.replace(",", " ").replace(";", " ").split()
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
        width = expected = len(names) or width or len(values)
        if len(values) != expected:
            raise InputError(
                f"{path}, line {number}: {expected} numbers expected, got {len(values)}"
            )
        rows.extend(values)
    if not rows:
        raise InputError(f"{path} holds no rows of numbers")
    return names, np.array(rows).reshape(-1, width)


def _from_csv(path: Path, side: str | None) -> Trajectory:
    names, rows = read_csv(path)
    columns = {name.lower(): i for i, name in enumerate(names)}
    time = next((columns[name] for name in ("t", "time") if name in columns), None)
    if time is None:
        raise InputError(f"{path} has no column t; its first line must name the columns")
    q = rows[:, _columns(columns, "q_") or _plain_columns(path, names, side)]
    rates = [_columns(columns, part) for part in ("qd_", "qdd_")]
    qd, qdd = (rows[:, found] if all(rates) else None for found in rates)
    try:
        return Trajectory.from_points(rows[:, time], q, qd, qdd, name=path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _columns(columns: dict[str, int], prefix: str) -> list[int]:
    """Indices of the seven joints' columns; empty if one is missing."""
    found = [columns[prefix + joint] for joint in JOINTS if prefix + joint in columns]
    return found if len(found) == len(JOINTS) else []


def _plain_columns(path: Path, names: Sequence[str], side: str | None) -> list[int]:
    """Columns named after the joints."""
    columns = {name: i for i, name in enumerate(names)}
    prefixes = ("", "left_", "right_") if side is None else ("", f"{check_side(side)}_")
    found = [where for where in (_columns(columns, prefix) for prefix in prefixes) if where]
    if len(found) > 1:
        raise InputError(f'{path} holds both arms; say which: side="left" or side="right"')
    if found:
        return found[0]
    raise InputError(
        f"{path} has no columns q_s0 ... q_w2, s0 ... w2, left_s0 ... or right_s0 ...; "
        f"it has {shortened(', '.join(names))}"
    )


def _npz(raw: bytes) -> dict[str, Any]:
    """The arrays of an archive that a trajectory has, unpacked up to the limit of all readers."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        limit = disk.limit_bytes()
        if sum(member.file_size for member in archive.infolist()) > limit:
            raise InputError(disk.too_large("it unpacks to more than that", limit))
    wanted = {"format", "name", "knots", "coefficients", "joint_names"}
    wanted |= {f"limits_{name}" for name in _LIMIT_FIELDS}
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


def _limits(content: dict[str, Any]) -> Limits | None:
    """The limits that a file holds; None if it holds none."""
    if not all(f"limits_{name}" in content for name in _LIMIT_FIELDS):
        return None
    lower, upper, velocity, effort = values = [
        joint_array(content[f"limits_{name}"], f"limits_{name}") for name in _LIMIT_FIELDS
    ]
    names = content.get("joint_names", JOINTS)
    if np.shape(names) != (len(JOINTS),) or any(x.shape != (len(JOINTS),) for x in values):
        raise ShapeError("limits and joint_names must have shape (7,)")
    return Limits(lower, upper, velocity, effort, tuple(str(name) for name in names))


def _names(line: str) -> list[str]:
    """Names of columns, without quotes and units."""
    cells = re.split("[,;\t]", line.rstrip(",; \t")) if re.search("[,;\t]", line) else line.split()
    return [re.split(r"[\[(]", cell.strip().strip("\"'"))[0].strip() for cell in cells]


def _numbers(words: Sequence[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None


def _known(path: Path) -> Path:
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a trajectory's file ends in {', '.join(ENDINGS)}")
    return path

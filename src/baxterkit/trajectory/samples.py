"""Tables of samples: the motion that their columns hold, by name, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.column_units import PIECES, is_degrees, unit_of, without_unit, wrong_time
from baxterkit.checks.units import FAR_ANGLE, warn_at_caller
from baxterkit.errors import InputError, shortened
from baxterkit.model.baxter_data import load_baxter
from baxterkit.model.names import JOINTS, SIDES, check_side
from baxterkit.trajectory.agreement import (
    need_agreement,
    need_order,
    need_rest,
    need_rest_of_positions,
)
from baxterkit.trajectory.checks import AT_REST, BOTH
from baxterkit.trajectory.ends import RESTING
from baxterkit.trajectory.grippers import LATE, PERCENT, GripperMotion, from_percent
from baxterkit.trajectory.number_rows import Rows, read_csv
from baxterkit.trajectory.pieces import read_pieces
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

TIME = ("t", "time")
"""Names of the column of time [s]."""
BEYOND = 0.2
"""How far beyond their limits joints of a file are taken to be [rad], if they are in degrees."""
SLOW = 5.0
"""Samples of a smooth motion with a longer step [s] must have their time in another unit."""
CRAWL_STEP, CRAWL = 0.5, 4e-3
"""The same goes for samples this far apart [s] if no joint is faster than this [rad/s]."""
SAME = 1e-6
"""Samples differ from their pieces by rounding alone: by less than this [rad, rad/s, ...]."""
DENSE = 0.1
"""Rows that are closer than this [s] are samples of a motion; others may be waypoints."""
GAP, GAP_STEPS = 0.3, 10.0
"""Between samples a step longer than this [s], and than so many median ones, is a gap ..."""
AT_PLACE = 0.005
"""... unless the arm stays where it is meanwhile, within this [rad]."""
HOLE = 1.5
"""Rows are missing where a step of time is longer than this many median ones ..."""
ASTRAY = 1e-4
"""... and matter where the motion through the others leaves the one in the pieces by this [rad]."""
RESTORE = (
    "columns seem to be renamed: give them their names back, or remove the columns that start with "
    "pieces: to read the samples by the names that they have now"
)
"""What to do about samples that contradict their pieces."""


def read_samples(path: Path, side: str | None, make: type[Trajectory]) -> Trajectory:
    """The motion of a table: the one in its pieces, or one through its samples.

    Args:
        path: The file.
        side: The arm to take, "left" or "right"; None: what the columns say.
        make: The class of motions.

    Raises:
        InputError: If the table is no motion, its columns contradict the pieces or each other, or
            its samples begin or end at speed; names the line.
    """
    table = read_csv(path)
    try:
        motion, rows, edited = read_pieces(table.names, table.values, path.stem, make)
        table = table._replace(values=rows, names=table.names[: rows.shape[1]])
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    columns = {name.lower(): i for i, name in enumerate(table.names)}
    twice = next((name for i, name in enumerate(table.names) if columns[name.lower()] != i), None)
    if twice:
        raise InputError(f"{path} has two columns {twice}; rename one, or leave it out")
    try:
        _check_units(table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if not any(name in columns for name in TIME):
        raise InputError(f"{path} has no column t or time; its first line must name the columns")
    try:
        if motion is None or edited:
            through = _through(path, table, columns, side, make)
            if motion is None:
                _need_no_gap(table, columns, through)
            else:
                _need_no_hole(table, columns, motion, through)
            return of_side(through, side)
        whose = _need_pieces_fit(table, columns, motion)
        return of_side(of_side(motion, whose) if motion.side is None else motion, side)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def of_side(motion: Trajectory, side: str | None) -> Trajectory:
    """The motion, which is of this arm from now on if it did not say."""
    return motion if side is None else replace(motion.of(side), side=side)


def _through(
    path: Path, table: Rows, columns: Mapping[str, int], side: str | None, make: type[Trajectory]
) -> Trajectory:
    """The motion through the samples."""
    t, rows = table.values[:, _time(columns)], table.values
    need_order(t, table.lines)
    whose, prefixes = _whose_columns(columns, side)
    q = rows[:, _places(columns, prefixes)]
    rates = _rates(columns, prefixes)
    names = [table.names[i] for i in _places(columns, prefixes)]
    values = [rows[:, _places(columns, words)] for words in rates]
    given = values if len(values) == 2 else ()
    motion = make.from_points(t, q, *given, name=path.stem, side=whose)
    if values:
        qd, qdd = values if given else (values[0], np.zeros_like(q))
        need_agreement(t, q, qd, qdd, names, table.lines)
        moving = [table.names[i] for i in _places(columns, rates[0])]
        # Without accelerations they may be a sensor's, which is noisy.
        need_rest(qd, moving, table.lines, AT_REST if given else RESTING)
    _warn_of_units(path, t, q)
    if not given:
        need_rest_of_positions(motion, names, table.lines)
    return replace(motion, grippers=_grippers(columns, rows, motion.sides))


def _need_no_gap(table: Rows, columns: Mapping[str, int], motion: Trajectory) -> None:
    """Refuses samples of which some are missing: a curve through the others would be invented.

    Raises:
        InputError: If there are such; names the first ones.
    """
    t = table.values[:, _time(columns)]
    steps = np.diff(t)
    usual = float(np.median(steps)) if len(steps) else 0.0
    if usual > DENSE:
        return
    for i in np.flatnonzero(steps > max(GAP, GAP_STEPS * usual)).tolist():
        between = motion.sample(np.linspace(t[i], t[i + 1], 20) - t[0]).q
        if np.abs(between - between[0]).max() > AT_PLACE:
            raise InputError(
                f"rows are missing between the lines {table.lines[i]} and {table.lines[i + 1]}: "
                f"{steps[i]:.4g} s, where rows are {usual:.4g} s apart; what the arm did meanwhile "
                "is not known: take the rows before or after it"
            )


def _need_pieces_fit(table: Rows, columns: Mapping[str, int], motion: Trajectory) -> str | None:
    """The arm that the columns name; they are those of the motion in the pieces.

    Raises:
        InputError: If they are not, since they were renamed.
    """
    whose, prefixes = _whose_columns(columns, None)
    if whose != motion.side and (BOTH in (whose, motion.side) or None not in (whose, motion.side)):
        raise InputError(
            f"its columns are named for {_arms(whose)}, and its pieces are of "
            f"{_arms(motion.side)}; {RESTORE}"
        )
    t = table.values[:, _time(columns)]
    words = [prefixes, *_rates(columns, prefixes)]
    seen = {
        table.names[place]: x
        for part, values in zip(words, motion.sample(t - t[0]), strict=False)
        for place, x in zip(_places(columns, part), values.T, strict=True)
    }
    for name, x in seen.items():
        _need_same(name, table, x, x)
    for arm in motion.sides:
        name, gripper = f"{arm}_gripper", motion.grippers.get(arm)
        if name in columns:
            # An opening may come at the very time of a row.
            times = (t - t[0] - LATE, t - t[0] + LATE)
            told = (np.full(len(t), np.nan) if gripper is None else gripper.at(x) for x in times)
            _need_same(name, table, *(np.nan_to_num(PERCENT * x, nan=PERCENT) for x in told))
        elif gripper is not None:
            raise InputError(
                f"its pieces move the {arm} gripper, and no column is {name}; {RESTORE}"
            )
    return whose


def _need_no_hole(
    table: Rows, columns: Mapping[str, int], outdated: Trajectory, through: Trajectory
) -> None:
    """Refuses samples of which rows are missing, where they are those of the pieces around.

    Args:
        table: The table.
        columns: Places of its columns by name.
        outdated: The motion in its pieces.
        through: The one through its samples.

    Raises:
        InputError: If the motion through the samples is another one where rows are missing.
    """
    if outdated.side not in (None, through.side):
        if outdated.side != BOTH or through.side is None:
            return
        outdated = outdated.of(through.side)
    t = table.values[:, _time(columns)]
    steps = np.diff(t)
    _, prefixes = _whose_columns(columns, None if through.side == BOTH else through.side)
    q = table.values[:, _places(columns, prefixes)]
    meant = outdated.sample(t)[0]
    if q.shape != meant.shape:
        return
    same = np.abs(q - meant).max(axis=1) <= SAME
    for i in np.flatnonzero((steps > HOLE * np.median(steps)) & same[:-1] & same[1:]):
        times = np.linspace(t[i], t[i + 1], 50)
        off = float(np.abs(through.sample(times - t[0])[0] - outdated.sample(times)[0]).max())
        if off > ASTRAY:
            raise InputError(
                f"line {table.lines[i + 1]}: the rows between {t[i]:g} and {t[i + 1]:g} s are "
                f"missing, and the motion through the rest is up to {off:.2g} rad off there by its "
                f"pieces; copy the file again, or remove the columns that start with {PIECES} to "
                "read the rows that there are"
            )


def _need_same(name: str, table: Rows, *meant: Array) -> None:
    """Refuses a column whose values are none of `meant`, those of the pieces, shape (n,) each."""
    x = table.values[:, [word.lower() for word in table.names].index(name.lower())]
    off = np.min([np.abs(x - y) / (1.0 + np.abs(y)) for y in meant], axis=0)
    if off.max() > SAME:
        row = int(np.argmax(off > SAME))
        raise InputError(
            f"{name} is {x[row]:.6g} in line {table.lines[row]}, and {meant[0][row]:.6g} by its "
            f"pieces; {RESTORE}"
        )


def _arms(side: str | None) -> str:
    return (
        "an arm without a name"
        if side is None
        else "both arms"
        if side == BOTH
        else f"the {side} arm"
    )


def _check_units(table: Rows) -> None:
    """Refuses columns whose names say another unit than the radian and the second."""
    for heading in table.headings[: len(table.names)]:
        name = without_unit(heading)
        wrong = wrong_time(heading)
        if wrong and (name in TIME or name.rpartition("_")[0] in TIME):
            raise InputError(wrong)
        if name.rpartition("_")[2] in JOINTS and is_degrees(unit_of(heading)):
            raise InputError(
                f"the column {heading} is in degrees; recording.load(..., angles='deg')"
                ".to_trajectory() reads degrees"
            )


def _warn_of_units(path: Path, t: Array, q: Array) -> None:
    """Warns of positions that make sense as degrees alone, and of time in milliseconds, say.

    Rows of a smooth motion are not seconds apart.
    """
    joints = load_baxter().joints
    reach = np.array([max(-joint.lower, joint.upper) for joint in joints])
    size = np.abs(q.reshape(-1, len(JOINTS))).max(axis=0)
    worst = int(np.argmax(size))
    if size[worst] > FAR_ANGLE and (np.deg2rad(size) <= reach + BEYOND).all():
        warn_at_caller(
            f"{path}: {JOINTS[worst]} reaches {size[worst]:g} rad: are these degrees? Angles must "
            "be in radians; recording.load(..., angles='deg').to_trajectory() reads degrees",
        )
    if len(t) < 20 or float(np.ptp(q, axis=0).max()) < 0.3:
        return
    step, turns = float(np.median(np.diff(t))), np.abs(np.diff(q, axis=0)).max(axis=1)
    is_smooth = step >= SLOW and float(np.median(turns)) < 0.05
    if not is_smooth and (step < CRAWL_STEP or float(turns.max()) > CRAWL * step):
        return
    unit = "milli" if step < 1e3 else "micro" if step < 1e6 else "nano"
    warn_at_caller(
        f"{path}: rows of a smooth motion are {step:g} s apart: time seems to be in {unit}seconds; "
        "it must be in seconds",
    )


def _grippers(
    columns: Mapping[str, int], rows: Array, sides: Sequence[str]
) -> dict[str, GripperMotion]:
    """The grippers of the arms that move, by their columns [%], as the recorder has them."""
    names = {side: f"{side}_gripper" for side in sides if f"{side}_gripper" in columns}
    return {
        side: from_percent(rows[:, _time(columns)], rows[:, columns[name]], name)
        for side, name in names.items()
    }


def _columns(columns: Mapping[str, int], prefix: str) -> list[int]:
    """Indices of the seven joints' columns; empty if one is missing."""
    found = [columns[prefix + joint] for joint in JOINTS if prefix + joint in columns]
    return found if len(found) == len(JOINTS) else []


def _places(columns: Mapping[str, int], prefixes: Sequence[str]) -> list[int]:
    """Indices of the joints' columns, by what their names begin with."""
    return [column for word in prefixes for column in _columns(columns, word)]


def _rates(columns: Mapping[str, int], prefixes: Sequence[str]) -> list[list[str]]:
    """What names of velocities begin with, and of accelerations, as far as all joints have them."""
    found: list[list[str]] = []
    for part in ("qd", "qdd"):
        words = [f"{part}_{word.removeprefix('q_')}" for word in prefixes]
        if not all(_columns(columns, word) for word in words):
            break
        found.append(words)
    return found


def _time(columns: Mapping[str, int]) -> int:
    """Index of the column of time."""
    return next(columns[name] for name in TIME if name in columns)


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

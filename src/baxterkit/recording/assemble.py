"""From a reader's output to a `Recording`: broken rows, units and time are checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import RecordingError, shortened
from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS
from baxterkit.poses import NO_ROTATION
from baxterkit.recording.columns import GRIPPER, column_names
from baxterkit.recording.doubts import (
    DISAGREES,
    doubts,
    position_doubts,
    speed_doubts,
    velocity_doubts,
)
from baxterkit.recording.grips import BEYOND
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.recording import Recording
from baxterkit.recording.signals import correlation_step
from baxterkit.recording.text_table import Problem
from baxterkit.types import Array

FAR = 2.0 * np.pi
"""No joint of the robot turns this far [rad]: a larger angle is in degrees, or broken."""
LIKE_TURN = 0.3
"""A step that differs from full turns by less than this [rad] is one of them, or none."""
FEW = 2
"""Joints that may be in degrees alone: a file in degrees shows it in more of them."""
BOUNDS: dict[str, tuple[str, float | Array]] = {
    "q": ("rad", FAR),
    "qd": ("rad/s", 1e3),
    "qdd": ("rad/s²", 1e6),
    "position": ("m", 10.0),
    "twist": ("m/s or rad/s", 1e3),
    "wrench": ("N or N m", 1e4),
    "jacobian": ("m/rad or 1", 10.0),
}
"""Bounds of plausible values; degrees per second pass, since other checks recognise them."""
TORQUE_FACTOR = 3.0
"""Sensed torques beyond this many times a joint's limit are broken."""
SLOW = 5.0
"""A smooth motion recorded with a longer step [s] must have its time in another unit."""
CRAWL_STEP, CRAWL = 0.5, 4e-3
"""One with a longer step [s] may have it too, if no joint is faster than this [rad/s]."""
STILL = 0.3
"""An arm hardly moves if no joint's positions differ by more than this [rad]."""
DISAGREE = 0.1
"""Natural logarithm of the ratio of two steps of time, beyond which they are noted."""
FASTEST = 1100.0
"""Baxter closes its loops at 1000 Hz: no program sees rows at a higher rate [Hz]."""
_DEGREE = np.pi / 180.0
RATIOS = (
    (1e3, "time seems to be in milliseconds; divide it by 1000"),
    (1e6, "time seems to be in microseconds; divide it by 1e6"),
    (1e9, "time seems to be in nanoseconds; divide it by 1e9"),
    (_DEGREE, "positions seem to be in degrees and velocities in radians per second"),
    (1.0 / _DEGREE, "positions seem to be in radians and velocities in degrees per second"),
)
"""The step of the rows over the one that positions and velocities imply, and its cause."""


def assemble(raw: Raw, options: Options) -> Recording:
    """Checks and completes a reader's output.

    Raises:
        RecordingError: If rows are broken (and are not to be dropped), if units are wrong, if no
            row is left, or if there is no time base and none can be estimated.
    """
    have = shortened(", ".join(raw.names))
    if "q" not in raw.fields:
        raise RecordingError(
            "no joint positions: columns must be named left_s0 ... left_w2 or q_s0 ... q_w2, "
            "or be the 21 columns q qd tau" + (f"; it has {have}" if have else ""),
            raw.source,
        )
    if not len(raw.rows):
        _report(raw, np.zeros(0, dtype=bool), options)
    if options.angles == "deg":
        for name in ("q", "qd", "qdd"):
            if name in raw.fields:
                raw.fields[name] = raw.fields[name] * _DEGREE
    _check_gripper(raw)
    finite = _finite_rows(raw)
    _check_turns(raw, finite, options)
    _check_degrees(raw, finite)
    good = finite & _plausible_rows(raw, finite)
    if "t" in raw.fields:
        good &= _increasing_rows(raw, good)
    _report(raw, good, options)
    fields = {name: values[good] for name, values in raw.fields.items()}
    if "t" in fields:
        _check_rates(raw, fields)
        t = fields.pop("t")
        _note_rate(raw, t, options)
    else:
        order = np.flatnonzero(good) if raw.index is None else raw.index[good]
        t = _time_base(raw, fields, order, options)
    found = doubts(fields["q"], t if raw.is_motion else None, raw.rows[good], raw.word)
    moving = raw.is_motion and "qd" in fields and not any(DISAGREES in x for x in raw.notes)
    contradictions = velocity_doubts(t, fields["q"], fields["qd"]) if moving else ()
    too_fast = speed_doubts(fields.get("qd"), raw.rows[good], raw.word)
    astray = position_doubts(fields["q"], fields.get("position"), raw.side, options.angles)
    for note in (*found, *too_fast, *contradictions, *astray):
        # A recording that was saved holds the note of its first reading, with the rows of then.
        if not any(old.startswith(" ".join(note.split()[:2])) for old in raw.notes):
            raw.notes.append(note)
    return Recording(
        t=t,
        **fields,
        side=raw.side,
        source=raw.source,
        notes=tuple(raw.notes),
        cutoff=raw.cutoff,
    )


def _check_gripper(raw: Raw) -> None:
    """Leaves out what a gripper cannot have said: it is a reason to leave out no row of the arm."""
    for name in GRIPPER:
        values = raw.fields.get(name)
        if values is None:
            continue
        wrong = ~((values >= -BEYOND) & (values <= 1.0 + BEYOND))
        if wrong.any():
            row = int(np.argmax(wrong))
            raw.notes.append(
                f"the gripper is left out: its {name} is {values[row]:g} in {raw.word} "
                f"{raw.rows[row]}, and must be from 0 to 1 (0 to 100 %)"
            )
            for each in GRIPPER:
                raw.fields.pop(each, None)
            return
        raw.fields[name] = np.clip(values, 0.0, 1.0)


def _finite_rows(raw: Raw) -> NDArray[np.bool_]:
    """Rows without NaN and infinity; the others become problems."""
    good = np.ones(len(raw.rows), dtype=bool)
    for name, values in raw.fields.items():
        flat = values.reshape(len(values), -1)
        broken = ~np.isfinite(flat)
        for i in np.flatnonzero(broken.any(axis=1) & good):
            column = int(np.argmax(broken[i]))
            label = "time" if name == "t" else column_names(name)[column]
            raw.problems.append(Problem(int(raw.rows[i]), f"{label} is {flat[i, column]}"))
        good &= ~broken.any(axis=1)
    return good


def _check_turns(raw: Raw, finite: NDArray[np.bool_], options: Options) -> None:
    """Raises if a joint jumps by a full turn, and goes farther than any joint for that alone.

    A jump by 2 pi is one of radians: in degrees it would be 360.

    Raises:
        RecordingError: If it does, unless a few such rows may be dropped.
    """
    q = raw.fields["q"][finite]
    far = np.abs(q) > FAR
    columns = np.flatnonzero(far.any(axis=0))
    few_rows = far.any(axis=1).mean() < 0.2 if len(q) else True
    if not len(columns) or len(columns) > FEW or (few_rows and options.bad_rows == "drop"):
        return
    steps = np.diff(q[:, columns], axis=0)
    turns = np.round(steps / FAR)
    if not turns.any(axis=0).all() or (np.abs(steps - turns * FAR) > LIKE_TURN).any():
        return
    joint, x = load_baxter().joints[columns[0]], q[:, columns[0]]
    i = int(np.flatnonzero(turns[:, 0])[0])
    raise RecordingError(
        f"{joint.name} jumps by a full turn, from {x[i]:.3f} to {x[i + 1]:.3f} rad, and no joint "
        f"turns that far: it was wrapped or unwrapped (the jump shows that it is in radians); "
        f"bring it into {joint.lower:.3f} to {joint.upper:.3f} rad by adding or taking off 2 pi",
        raw.source,
        f"{raw.word} {raw.rows[np.flatnonzero(finite)[i + 1]]}",
    )


def _check_degrees(raw: Raw, finite: NDArray[np.bool_]) -> None:
    """Raises if the angles of the whole file are plausible as degrees and not as radians."""
    q = raw.fields["q"][finite]
    far = np.abs(q) > FAR
    # A few wild values in radians are broken rows; degrees show in a good part of them.
    if not len(q) or far.any(axis=1).mean() < 0.2:
        return
    joints = load_baxter().joints
    reach = np.array([max(-joint.lower, joint.upper) for joint in joints]) + 0.2
    inside = (np.abs(q * _DEGREE) <= reach).all(axis=1)
    if inside.mean() < 0.9:
        return
    i, j = np.argwhere(far)[0]
    row = raw.rows[np.flatnonzero(finite)[i]]
    columns = [JOINTS[k] for k in np.flatnonzero(far.any(axis=0))]
    few = len(columns) <= FEW
    raise RecordingError(
        f"{JOINTS[j]} = {q[i, j]:g} cannot be radians, and all angles make sense as degrees; "
        "read it with load(..., angles='deg')"
        + (
            f", unless {' '.join(columns)} alone is in degrees, or a full turn too far: then "
            "convert that"
            if few
            else ""
        ),
        raw.source,
        f"{raw.word} {row}",
    )


def _plausible_rows(raw: Raw, finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows with plausible values; the others become problems."""
    good = np.ones(len(raw.rows), dtype=bool)
    effort = TORQUE_FACTOR * np.array([joint.effort for joint in load_baxter().joints])
    bounds = {**BOUNDS, "tau": ("N m", effort)}
    for name, (unit, bound) in bounds.items():
        if name not in raw.fields:
            continue
        flat = raw.fields[name].reshape(len(good), -1)
        wild = np.abs(np.where(finite[:, None], flat, 0.0)) > bound
        for i in np.flatnonzero(wild.any(axis=1) & good):
            j = int(np.argmax(wild[i]))
            limit = float(np.broadcast_to(bound, flat.shape[1])[j])
            text = f"{column_names(name)[j]} = {flat[i, j]:g} {unit} is beyond ±{limit:.3g} {unit}"
            raw.problems.append(Problem(int(raw.rows[i]), text))
        good &= ~wild.any(axis=1)
    quaternion = raw.fields.get("quaternion")
    if quaternion is not None:
        length = np.linalg.norm(np.where(finite[:, None], quaternion, 0.5), axis=1)
        for i in np.flatnonzero((np.abs(length - 1.0) > NO_ROTATION) & good):
            text = f"the quaternion has length {length[i]:.3g}, not 1"
            raw.problems.append(Problem(int(raw.rows[i]), text))
        good &= np.abs(length - 1.0) <= NO_ROTATION
    return good


def _increasing_rows(raw: Raw, good: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows later than all good ones before them; the others become problems."""
    t = np.where(good, raw.fields["t"], -np.inf)
    before = np.concatenate([[-np.inf], np.maximum.accumulate(t)[:-1]])
    late = good & ~(t > before)
    for i in np.flatnonzero(late):
        text = f"time {t[i]:.9g} s is not after {before[i]:.9g} s, the time before it"
        raw.problems.append(Problem(int(raw.rows[i]), text))
    return ~late


def _report(raw: Raw, good: NDArray[np.bool_], options: Options) -> None:
    """Raises on the first problem, or notes the dropped rows."""
    if not good.any() and raw.problems:
        first = min(raw.problems, key=lambda problem: problem.row)
        raise RecordingError(
            f"no good row is left; the first problem: {first.text}",
            raw.source,
            f"{raw.word} {first.row}",
        )
    if not raw.problems:
        return
    problems = sorted(raw.problems, key=lambda problem: problem.row)
    count, kept = len(problems), int(good.sum())
    if options.bad_rows == "raise":
        rows = "1 broken row" if count == 1 else f"{count:,} broken rows"
        raise RecordingError(
            f"{problems[0].text} ({rows} in all); load(..., bad_rows='drop') keeps the other "
            f"{kept:,}",
            raw.source,
            f"{raw.word} {problems[0].row}",
        )
    raw.notes += [f"dropped {raw.word} {problem.row}: {problem.text}" for problem in problems[:20]]
    if count > 20:
        raw.notes.append(f"dropped {count - 20:,} more rows")


def _check_rates(raw: Raw, fields: Mapping[str, Array]) -> None:
    """Raises if time, positions and velocities contradict each other because of wrong units."""
    t, q, qd = fields["t"], fields["q"], fields.get("qd")
    if len(t) < 20:
        return
    median = float(np.median(np.diff(t)))
    step, error = (np.nan, np.nan) if qd is None else correlation_step(q, qd)
    if step > 10.0 * error and step > 0.0:
        _check_ratio(raw, median, step, "the file's times")
    elif qd is None or float(np.ptp(q, axis=0).max()) < STILL:
        _check_speed(raw, median, q)


def _check_ratio(raw: Raw, given: float, implied: float, whose: str) -> None:
    """Raises if rows are apart by another time than velocities imply, by the factor of a unit.

    Another factor is noted.

    Args:
        raw: The reader's output.
        given: Time between rows [s].
        implied: The one that makes positions and velocities agree [s].
        whose: Where the given one is from: "the file's times", say.

    Raises:
        RecordingError: If the factor is that of degrees, or of milliseconds and their like.
    """
    ratio = given / implied
    for factor, text in RATIOS:
        if abs(np.log(ratio / factor)) < 0.15:
            raise RecordingError(f"{DISAGREES}: {text}", raw.source)
    if abs(np.log(ratio)) > DISAGREE:
        raw.notes.append(
            f"{DISAGREES}: rows are {given:.4g} s apart by {whose}, "
            f"and {implied:.4g} s by positions and velocities"
        )


def _check_speed(raw: Raw, step: float, q: Array) -> None:
    """Raises if a smooth motion takes so long that its time must be in another unit.

    Args:
        raw: The reader's output.
        step: Median time between rows [s].
        q: Joint positions [rad], shape (n, 7).
    """
    is_smooth = float(np.median(np.abs(np.diff(q, axis=0)).max(axis=1))) < 0.05
    if float(np.ptp(q, axis=0).max()) < STILL:
        if step > CRAWL_STEP:
            raw.notes.append(
                f"rows are {step:g} s apart, and the arm hardly moves: is time in milliseconds?"
            )
        return
    if step < SLOW or not is_smooth:
        speed = float(np.abs(np.diff(q, axis=0)).max()) / step
        if step > CRAWL_STEP and speed < CRAWL:
            raw.notes.append(
                f"rows are {step:g} s apart, and no joint turns faster than {speed:.2g} rad/s: is "
                "time in milliseconds?"
            )
        return
    unit = "milli" if step < 1e3 else "micro" if step < 1e6 else "nano"
    raise RecordingError(
        f"rows of a smooth motion are {step:g} s apart: time seems to be in {unit}seconds; it must "
        "be in seconds",
        raw.source,
    )


def _note_rate(raw: Raw, t: Array, options: Options) -> None:
    """Notes a rate that was given, and is not that of the file's times."""
    if options.rate is None or len(t) < 2:
        return
    rate = 1.0 / float(np.median(np.diff(t)))
    if abs(rate / options.rate - 1.0) > 0.01:
        raw.notes.append(
            f"the file has times, at {rate:.4g} Hz; the rate of {options.rate:g} Hz that was given "
            "does not count"
        )


def _time_base(
    raw: Raw, fields: Mapping[str, Array], order: NDArray[np.int64], options: Options
) -> Array:
    """Time of the rows where the file has none: from `rate`, or from the velocities.

    Raises:
        RecordingError: If there is neither, or they contradict each other by the factor of a unit.
    """
    step = error = float("nan")
    if raw.is_motion and "qd" in fields and len(order) > 20:
        step, error = correlation_step(fields["q"], fields["qd"], order)
    if options.rate is not None:
        if step > 10.0 * error and step > 0.0:
            _check_ratio(raw, 1.0 / options.rate, step, "the rate that was given")
        return order / options.rate
    if not raw.is_motion:
        raw.notes.append("configurations without time: rows are numbered as if 1 s apart")
        return order.astype(np.float64)
    if 0.0 < step < 10.0 and error < 0.05 * step:
        if step * FASTEST < 1.0:
            raise RecordingError(
                f"there is no time column, and positions and velocities agree at {1.0 / step:.4g} "
                f"Hz, above {FASTEST:g} Hz, the robot's own rate: {RATIOS[-1][1]}; convert the "
                "velocities, or say the rate if it is true: load(..., rate=...)",
                raw.source,
            )
        raw.notes.append(
            f"no time column: {step:.6f} ± {error:.6f} s a row, from positions and velocities"
        )
        return np.asarray(order * step, dtype=np.float64)
    raise RecordingError("there is no time column; say the rate: load(..., rate=100)", raw.source)

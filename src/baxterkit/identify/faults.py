"""Faults of recordings: stuck or saturated sensors, positions and clocks that jump, strangers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.errors import InputError
from baxterkit.identify.preparation import FitRows
from baxterkit.model.library import baxter_arm
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.types import Array, JointVector

STUCK = 1.0
"""A torque that is the same to the last digit for this long [s] while the arm moves is stuck."""
SATURATED = 0.25
"""The same at the greatest or least value of the recording."""
MOVING = 0.05
"""The arm moves if a joint travels farther than this [rad] in that time."""
STRANGE = 3.0
"""Residuals this many times those of a fit to the same rows alone: another robot or load. Twelve
recordings of one arm have 1.4 at most, in pairs too; half of the friction changed has 6."""
NEARLY = 0.7
"""A recording with less than this share of the greatest such ratio suffers from another one."""
LONG = 4.0
"""Shorter parts are not judged [s]."""
QUIETEST = 1e-3
"""Least residual of a fit [N m]."""
OFF = 4.0
"""The zero of a recording is another one if it is this many standard deviations off."""
FASTER = (0.7, 1.4)
"""Recorded velocities over the rate of change of positions: beyond these the clock is wrong."""
LEAP = 0.1
"""Positions leap if they change by this much [rad] more than the greatest speed allows."""


def check_signals(recording: Recording) -> None:
    """Refuses a recording with faulty signals.

    Raises:
        InputError: If a torque is stuck or saturated, or a position leaps (names joint and row), or
            velocities and positions tell of different clocks.
    """
    faults = signal_faults(recording)
    if faults:
        raise InputError("; ".join(faults))


def signal_faults(recording: Recording) -> list[str]:
    """Faults of a recording, each with its joint, its row and its file; none if all is well."""
    name = f" of {recording.source}" if recording.source else ""
    faults = []
    for j, joint in enumerate(JOINTS):
        leap = _leap(recording, j)
        if leap is not None:
            size = recording.q[leap, j] - recording.q[leap - 1, j]
            faults.append(
                f"{joint} leaps by {size:.2f} rad at row {leap}{name}: are rows of two recordings "
                "or two robots mixed?"
            )
    faults += _wrong_rate(recording)
    if recording.tau is None:
        return faults
    for j, joint in enumerate(JOINTS):
        found = _constant(recording, recording.tau[:, j])
        if found is not None:
            first, last = found
            faults.append(
                f"the torque of {joint} stays at {recording.tau[first, j]:g} N m from row {first} "
                f"to {last}{name} while the arm moves: is its sensor stuck or saturated?"
            )
    return faults


def clock_jumps(recording: Recording) -> list[str]:
    """Gaps of the time, each with its row; filters do not reach across them."""
    name = recording.source or "the recording"
    return [
        f"the clock of {name} jumps by {recording.t[run.start] - recording.t[run.start - 1]:.3g} s "
        f"at row {run.start}"
        for run in recording.segments[1:]
    ]


def strangers(
    motion: FitRows,
    rest: JointVector,
    alone: JointVector,
    parts: Sequence[slice],
    recordings: Sequence[Recording],
) -> list[str]:
    """Recordings, or parts of them, that one model of all fits far worse than a model of their own.

    Another robot, another payload, or a gripper that was taken off: named with the joint, and the
    row where the difference is greatest. The zero of the sensors may differ; see `other_zeros`.

    Args:
        motion: The rows of all recordings.
        rest: Residuals of the fit to all of them [N m], shape (n, 7).
        alone: Residuals of each part by a fit to that part alone [N m], shape (n, 7).
        parts: Stretches of rows.
        recordings: The recordings.
    """
    found: dict[int, tuple[float, str]] = {}
    for part in parts:
        if (part.stop - part.start) * motion.step < LONG:
            continue
        centred = rest[part] - np.median(rest[part], axis=0)
        size, own = _size(centred), _size(alone[part] - np.median(alone[part], axis=0))
        ratio = size / np.maximum(own, QUIETEST)
        j, k = int(np.argmax(ratio)), int(motion.recording[part.start])
        if ratio[j] > max(STRANGE, found.get(k, (0.0, ""))[0]):
            rows = motion.places[k]
            first = part.start - int(np.searchsorted(motion.recording, k))
            worst = rows[first + int(np.argmax(np.abs(centred[:, j])))]
            last = rows[first + part.stop - part.start - 1]
            found[k] = (
                float(ratio[j]),
                f"the torques of {JOINTS[j]} in {_name(recordings[k], k)} (rows {rows[first]} to "
                f"{last}) do not belong to the rest (residual {size[j]:.2g} N m with it, "
                f"{own[j]:.2g} alone; most at row {worst}): another robot, another payload, or a "
                "gripper taken off?",
            )
    most = max((ratio for ratio, _ in found.values()), default=0.0)
    return [text for ratio, text in found.values() if ratio > NEARLY * most]


def other_zeros(
    motion: FitRows, predicted: JointVector, noise: JointVector, recordings: Sequence[Recording]
) -> list[str]:
    """Recordings whose torque sensors have another zero than the others'.

    Args:
        motion: The rows of all recordings.
        predicted: Torques that the fit gives [N m], shape (n, 7).
        noise: Standard deviation of the residuals of each joint [N m], shape (7,).
        recordings: The recordings.
    """
    rest = [(motion.tau - predicted)[motion.split(k)] for k in range(len(recordings))]
    level = np.stack([np.median(one, axis=0) for one in rest])
    found = []
    for k, recording in enumerate(recordings if len(recordings) > 1 else ()):
        apart = level[k] - np.median(np.delete(level, k, axis=0), axis=0)
        j = int(np.argmax(np.abs(apart) / noise))
        if abs(apart[j]) > OFF * noise[j]:
            found.append(
                f"the zero of {JOINTS[j]} in {_name(recording, k)} is {apart[j]:+.2g} N m off that "
                "of the other recordings: was it recorded on another day? Fit one day's, and "
                "find the zero of another with identify.offsets"
            )
    return found


def _name(recording: Recording, number: int) -> str:
    return recording.source or f"recording {number}"


def _size(rest: JointVector) -> JointVector:
    """Size of residuals, of which up to half may be contact [N m], shape (7,)."""
    size: JointVector = np.sqrt(np.median(rest**2, axis=0))
    return size


def _constant(recording: Recording, tau: Array) -> tuple[int, int] | None:
    """First and last row of the longest stretch in which a torque is stuck; None if there is none.

    A torque that never changes at all is left to those who fit it.
    """
    if len(tau) < 3 or np.ptp(tau) == 0.0:
        return None
    edges = np.flatnonzero(np.diff(tau)) + 1
    starts = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [len(tau)]]) - 1
    lasts = recording.t[ends] - recording.t[starts]
    extreme = (tau[starts] == tau.max()) | (tau[starts] == tau.min())
    suspect = np.flatnonzero(lasts >= np.where(extreme, SATURATED, STUCK))
    for k in suspect[np.argsort(-lasts[suspect])]:
        first, last = int(starts[k]), int(ends[k])
        if np.ptp(recording.q[first : last + 1], axis=0).max() > MOVING:
            return first, last
    return None


def _wrong_rate(recording: Recording) -> list[str]:
    """Velocities that are not the rate of change of the positions, by a factor."""
    if recording.qd is None or len(recording) < 20:
        return []
    inner = np.diff(recording.t) <= 2.0 * np.median(np.diff(recording.t))  # no gap between the rows
    change, step = np.diff(recording.q, axis=0)[inner], np.diff(recording.t)[inner, None]
    mean = 0.5 * (recording.qd[1:] + recording.qd[:-1])[inner] * step
    power, both = float(np.sum(change**2)), float(np.sum(change * mean))
    moves = float(np.sqrt(np.sum(mean**2))) * np.sqrt(power)
    if moves == 0.0 or both < 0.8 * moves or FASTER[0] <= both / power <= FASTER[1]:
        return []
    return [
        f"the velocities of {recording.source or 'the recording'} are {both / power:.2g} times the "
        f"rate of change of its positions: is its rate ({recording.rate:.4g} Hz) wrong?"
    ]


def _leap(recording: Recording, joint: int) -> int | None:
    """The first row whose position cannot be reached from the row before; None if there is none."""
    if len(recording) < 2:
        return None
    fastest = float(baxter_arm("left").limits.velocity[joint])
    step = np.abs(np.diff(recording.q[:, joint]))
    beyond = np.flatnonzero(step > 2.0 * fastest * np.diff(recording.t) + LEAP)
    return int(beyond[0]) + 1 if beyond.size else None

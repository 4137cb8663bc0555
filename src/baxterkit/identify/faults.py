"""Faults of recordings: stuck or saturated sensors, positions and clocks that jump, strangers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from baxterkit.errors import InputError
from baxterkit.identify.preparation import FitRows
from baxterkit.model.library import baxter_arm
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording, signals
from baxterkit.recording.doubts import is_doubt
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
UNEQUAL = 0.03
"""More than this share off, it is probably wrong; Baxter's velocities are 1 to 2 % too small."""
UNSURE = 0.01
"""Standard error of that share, above which positions and velocities tell nothing of the clock."""
LEAP = 0.1
"""Positions leap if they change by this much [rad] more than the greatest speed allows."""


def check_signals(recording: Recording) -> None:
    """Refuses a recording with faulty signals.

    Raises:
        InputError: If a torque is stuck or saturated, or a position stays or leaps (names joint and
            row), or velocities and positions tell of different clocks.
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
    faults += [*_stuck_positions(recording, name), *_wrong_rate(recording)]
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


def clock_doubts(recording: Recording) -> list[str]:
    """Gaps of the time, each with its row (filters do not reach across them), and a wrong rate."""
    name = recording.source or "the recording"
    jumps = [
        f"the clock of {name} jumps by {recording.t[run.start] - recording.t[run.start - 1]:.3g} s "
        f"at row {run.start}"
        for run in recording.segments[1:]
    ]
    ratio = _faster(recording)
    if ratio is None or abs(ratio - 1.0) <= UNEQUAL or not FASTER[0] <= ratio <= FASTER[1]:
        return jumps
    return [
        *jumps,
        f"the velocities of {name} are {ratio:.3f} times the rate of change of its positions: is "
        f"its rate {recording.rate * ratio:.4g} Hz, not {recording.rate:.4g}?",
    ]


def noted(recordings: Sequence[Recording], velocities: bool = True) -> list[str]:
    """What the recordings' notes say against their own data.

    Args:
        recordings: The recordings.
        velocities: Whether those count that are about velocities alone.
    """
    return [
        f"{one.source or 'a recording'}: {note}"
        for one in recordings
        for note in one.notes
        if is_doubt(note) and (velocities or not re.search("^velocities | turns too fast", note))
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
        # Of three or more, most are right; of two nobody can tell.
        usual = level if len(level) > 2 else np.delete(level, k, axis=0)
        apart = level[k] - np.median(usual, axis=0)
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
    for first, last in _plateaus(tau):
        extreme = tau[first] in (tau.max(), tau.min())
        lasts = recording.t[last] - recording.t[first]
        if lasts < (SATURATED if extreme else STUCK):
            continue
        if np.ptp(recording.q[first : last + 1], axis=0).max() > MOVING:
            return first, last
    return None


def _stuck_positions(recording: Recording, name: str) -> list[str]:
    """Positions that stay while the velocity tells of a motion, each with its rows."""
    if recording.qd is None:
        return []
    faults = []
    for j, joint in enumerate(JOINTS):
        stays = [
            (first + run.start, last + run.start)
            for run in recording.segments
            for first, last in _plateaus(recording.q[run, j])
        ]
        for first, last in stays:
            t, qd = recording.t[first : last + 1], recording.qd[first : last + 1, j]
            turned = np.abs(0.5 * (qd[1:] + qd[:-1]) @ np.diff(t))
            if t[-1] - t[0] >= SATURATED and turned > MOVING:
                faults.append(
                    f"the position of {joint} stays at {recording.q[first, j]:g} rad from row "
                    f"{first} to {last}{name} while its velocity turns it by {turned:.2f} rad: is "
                    "its sensor stuck?"
                )
                break
    return faults


def _plateaus(x: Array) -> list[tuple[int, int]]:
    """First and last row of each stretch in which a value stays the same, the longest first."""
    edges = np.flatnonzero(np.diff(x)) + 1
    starts = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [len(x)]]) - 1
    longest = np.argsort(starts - ends, kind="stable")
    return [(int(starts[k]), int(ends[k])) for k in longest if ends[k] > starts[k]]


def _wrong_rate(recording: Recording) -> list[str]:
    """Velocities that are not the rate of change of the positions, by a factor."""
    ratio = _faster(recording)
    if ratio is None or FASTER[0] <= ratio <= FASTER[1]:
        return []
    return [
        f"the velocities of {recording.source or 'the recording'} are {ratio:.2g} times the "
        f"rate of change of its positions: is its rate ({recording.rate:.4g} Hz) wrong?"
    ]


def _faster(recording: Recording) -> float | None:
    """Velocities over the rate of change of positions; None if they do not belong together."""
    if recording.qd is None or len(recording) < 20:
        return None
    run = max(recording.segments, key=lambda one: one.stop - one.start)
    step, error = signals.correlation_step(recording.q[run], recording.qd[run])
    if not (step > 0.0 and error < UNSURE * step):
        return None
    return float(np.median(np.diff(recording.t[run]))) / step


def _leap(recording: Recording, joint: int) -> int | None:
    """The first row whose position cannot be reached from the row before; None if there is none."""
    if len(recording) < 2:
        return None
    fastest = float(baxter_arm("left").limits.velocity[joint])
    step = np.abs(np.diff(recording.q[:, joint]))
    beyond = np.flatnonzero(step > 2.0 * fastest * np.diff(recording.t) + LEAP)
    return int(beyond[0]) + 1 if beyond.size else None

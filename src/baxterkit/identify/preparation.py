"""Preparation of recordings for identification: alignment, filters, derivatives, thinning."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.instances import need
from baxterkit.errors import InputError
from baxterkit.recording import Recording, signals
from baxterkit.types import Array, JointVector

EDGE = 0.5
"""Time left out at both ends of every stretch without gaps [s]: filters are inaccurate there."""
SHORTEST = 1e-3
"""Width of derivatives [s], met by the fewest rows that a derivative takes: five."""
SHARPER = 3.0
"""Cut-off of the sharper motion, as a multiple of the filter's ..."""
HIGHEST = 0.4
"""... and at most this share of the rate."""
UNKNOWN_SIDE = (
    "the recordings do not say which arm they are of; load them with side='left' or 'right'"
)


@dataclass(frozen=True)
class FitRows:
    """Rows of all recordings, one after another.

    Attributes:
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        qdd: Joint accelerations [rad/s²], shape (n, 7).
        tau: Sensed torques [N m], shape (n, 7).
        recording: Number of the recording that a row comes from, shape (n,).
        runs: Stretches of rows that follow each other in time.
        step: Time between rows within a stretch [s].
        motions: The filtered recordings that the rows are taken from.
        sharper: The same, filtered less.
        places: Which rows of them, one array for each recording.
    """

    q: JointVector
    qd: JointVector
    qdd: JointVector
    tau: JointVector
    recording: NDArray[np.intp]
    runs: tuple[slice, ...]
    step: float
    motions: tuple[Recording, ...]
    sharper: tuple[Recording, ...]
    places: tuple[NDArray[np.intp], ...]

    def __len__(self) -> int:
        return len(self.q)

    def taken(self, along: Callable[[Recording], Array]) -> Array:
        """A quantity along each motion, at the rows, shape (n, ...)."""
        parts = [along(one)[rows] for one, rows in zip(self.motions, self.places, strict=True)]
        return np.concatenate(parts)

    def filtered(self, along: Callable[[Recording], Array], sharper: bool = False) -> Array:
        """The same, filtered as each motion was; of the sharper motions if wanted."""
        sources = self.sharper if sharper else self.motions
        parts = [
            signals.low_pass(source.t, along(source), motion.cutoff)[rows]
            for source, motion, rows in zip(sources, self.motions, self.places, strict=True)
        ]
        return np.concatenate(parts)

    def torque_rates(self) -> tuple[JointVector, JointVector]:
        """First and second derivative of the sensed torques [N m/s, N m/s²], shape (n, 7)."""
        both = self.taken(lambda one: np.concatenate(rates(one.t, one.required("tau")), axis=1))
        return both[:, :7], both[:, 7:]

    def split(self, number: int) -> slice:
        """The rows of one recording."""
        rows = np.flatnonzero(self.recording == number)
        return slice(int(rows[0]), int(rows[-1]) + 1) if rows.size else slice(0, 0)


def as_list(recordings: Recording | Iterable[Recording]) -> list[Recording]:
    """One recording or several, as a list.

    Raises:
        InputError: If something else is given.
    """
    if isinstance(recordings, Recording):
        return [recordings]
    chosen = list(recordings) if isinstance(recordings, Iterable) else [recordings]
    for one in chosen:
        need(one, Recording, "recordings", "recording.load reads files")
    return chosen


def side_of(recordings: Iterable[Recording], side: str | None = None) -> str | None:
    """The one arm that recordings are of, or `side`; None if neither tells.

    Raises:
        InputError: If they are of both arms.
    """
    sides = ({recording.side for recording in recordings} | {side}) - {None}
    if len(sides) > 1:
        raise InputError(
            "the recordings are of both arms; identify one at a time: load them with side='left' "
            "or 'right'"
        )
    return next(iter(sides), None)


def check_arm(arm: Arm, recordings: Recording | Iterable[Recording]) -> None:
    """Refuses recordings of the other arm.

    Raises:
        InputError: If one of them says that it is of the other arm.
    """
    need_arm(arm)
    chosen = as_list(recordings)
    its = next((one.side for one in chosen if one.side not in (None, arm.side)), None)
    if its is not None:
        which = "recording is" if len(chosen) == 1 else "recordings are"
        raise InputError(f"the {which} of the {its} arm, the model is of the {arm.side} one")


def inside(recording: Recording) -> NDArray[np.bool_]:
    """Rows away from the ends of every stretch without gaps, shape (n,)."""
    rows = np.zeros(len(recording), dtype=bool)
    for run in recording.segments:
        t = recording.t[run]
        rows[run] = (t >= t[0] + EDGE) & (t <= t[-1] - EDGE)
    return rows


def velocity_delay(recording: Recording, hz: float = 5.0) -> float:
    """Lag of the recorded velocities behind the positions [s]; 0 if it cannot be determined.

    Baxter's joint states carry velocities that are about one sample old.
    """
    if recording.qd is None:
        return 0.0
    return signals.velocity_lag(recording.t, recording.q, recording.qd, hz)


def smooth_motion(recording: Recording, hz: float = 5.0, delay: float | None = None) -> Recording:
    """The recording with aligned velocities, filtered, and with accelerations.

    Args:
        recording: A recording with positions; velocities come from them if there are none.
        hz: Cut-off of the zero-phase low-pass [Hz].
        delay: Lag of the velocities [s]; found by `velocity_delay` if None.

    Returns:
        A recording with `q`, `qd`, `qdd` and, if recorded, `tau`.
    """
    lag = velocity_delay(recording, hz) if delay is None else delay
    kept = dataclasses.replace(
        recording,
        qdd=None,
        position=None,
        quaternion=None,
        twist=None,
        wrench=None,
        jacobian=None,
    )
    if kept.qd is not None and lag > 0.0:
        kept = dataclasses.replace(kept, qd=signals.advanced(kept.t, kept.qd, lag))
    smooth = kept.filtered(hz)
    qd = _derivative(smooth.t, smooth.q) if smooth.qd is None else smooth.qd
    return dataclasses.replace(smooth, qd=qd, qdd=_derivative(smooth.t, qd))


def prepare(recordings: Sequence[Recording], hz: float = 5.0) -> FitRows:
    """Rows of several recordings for identification, thinned to the bandwidth of the filter.

    Raises:
        InputError: If there is no recording, or one without torques, or one too short.
    """
    if not recordings:
        raise InputError("identification needs at least one recording with torques")
    parts: list[tuple[Array, ...]] = []
    numbers: list[NDArray[np.intp]] = []
    motions: list[Recording] = []
    sharper: list[Recording] = []
    places: list[NDArray[np.intp]] = []
    runs: list[slice] = []
    count = 0
    step = 0.0
    for number, recording in enumerate(recordings):
        name = recording.source or f"recording {number}"
        if recording.tau is None:
            raise InputError(f"{name} holds no torques (tau); it has {', '.join(recording.fields)}")
        delay = velocity_delay(recording, hz)
        smooth = smooth_motion(recording, hz, delay)
        sharp = max(hz, min(SHARPER * hz, HIGHEST * recording.rate))
        sharper.append(smooth_motion(recording, sharp, delay))
        stride = max(1, int(recording.rate / (4.0 * hz)))
        step = stride / recording.rate
        assert smooth.qd is not None
        assert smooth.qdd is not None
        assert smooth.tau is not None
        before = count
        kept = inside(smooth)
        taken: list[NDArray[np.intp]] = []
        for run in smooth.segments:
            rows = np.flatnonzero(kept[run])[::stride] + run.start
            if rows.size < 3:
                continue
            parts.append(tuple(x[rows] for x in (smooth.q, smooth.qd, smooth.qdd, smooth.tau)))
            taken.append(rows)
            numbers.append(np.full(rows.size, number, dtype=np.intp))
            runs.append(slice(count, count + rows.size))
            count += rows.size
        if count == before:
            raise InputError(
                f"{name} has no stretch longer than {2 * EDGE:g} s without a gap; "
                f"it lasts {recording.duration:.3g} s"
            )
        motions.append(smooth)
        places.append(np.concatenate(taken))
    q, qd, qdd, tau = (np.concatenate(x) for x in zip(*parts, strict=True))
    return FitRows(
        q,
        qd,
        qdd,
        tau,
        np.concatenate(numbers),
        tuple(runs),
        step,
        tuple(motions),
        tuple(sharper),
        tuple(places),
    )


def rates(t: Array, x: Array) -> tuple[Array, Array]:
    """First and second derivative of a filtered signal."""
    first = _derivative(t, x)
    return first, _derivative(t, first)


def _derivative(t: Array, x: Array) -> Array:
    """Rate of change of a filtered signal: a cubic through five rows around each."""
    return signals.derivative(t, x, window=SHORTEST)

"""The zero of the torque sensors, from a few seconds of any motion or of a standing arm.

What the sensors show beyond the model is fitted (`day_fit`) by

    zero + change of friction + what friction remembers from before the recording
         + load of the day: a moment of mass at the hand

with a prior on all but the zero, so that a motion which does not tell them apart leaves friction
and load as the model has them. Rows that do not fit (contact) get no weight. Residuals are
correlated in time, so the standard error counts independent stretches of time rather than rows. A
joint that stands still tells only an interval: friction holds anything within its size.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.dynamics.tare import HEAVIEST, Tare
from baxterkit.errors import InputError, ResultError
from baxterkit.identify.day_fit import NOISE, JointFit, friction_changes, load_of_the_day
from baxterkit.identify.faults import check_signals, clock_doubts, noted
from baxterkit.identify.preparation import check_arm, smooth_motion
from baxterkit.identify.scores import friction_along, predict
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.model import ArmModel
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.types import Array, JointVector

EDGE = 0.25
"""Time left out at both ends [s], a tenth of the recording at most: filters err there."""
SHORTEST = 0.5
"""Shortest recording [s]."""
MISFIT = 4.0
"""Residuals of this many times `NOISE` are a sign of contact, or of another robot."""
FACTORS = (0.3, 3.0)
"""Friction of the day is at least and at most this share of the model's."""
STEP = 1e-3
"""Step of differences by the load [kg m]."""
NORMAL_95 = 1.96


@dataclass(frozen=True, eq=False)
class Offsets:
    """Result of `identify.offsets`: arrays have shape (7,), order s0 s1 e0 e1 w0 w1 w2.

    Attributes:
        tau: Zero of the torque sensors beyond the given arm's [N m].
        standard_error: Of `tau` [N m].
        low: Lower end of the interval that holds the zero [N m]: 95 %, and with all that friction
            may hold where a joint stood still.
        high: Its upper end [N m].
        friction: Friction of the day as a multiple of the given arm's; 1 where the motion does not
            tell.
        moment: Load of the day: moment of mass at the hand beyond the given arm's [kg m], axes of
            the last link, shape (3,); 0 where the motion does not tell.
        still: Whether the joint stood still.
        arm: The arm that predicts with them.
        advice: What the data cannot tell, and remedies; empty if it tells all.
        doubts: Those of `advice` with which they are not saved: joints whose torques the model does
            not explain with any zero.
        seconds: Length of the recording [s].
        source: Its name.
    """

    tau: JointVector
    standard_error: JointVector
    low: JointVector
    high: JointVector
    friction: JointVector
    moment: Array
    still: Array
    arm: Arm
    advice: tuple[str, ...]
    seconds: float
    source: str
    doubts: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[JointVector, JointVector]:
        """`low` and `high`."""
        return self.low, self.high

    def save(self, path: str | Path, date: str | None = None, *, accept: bool = False) -> Path:
        """Keeps the tare in a robot file, beside the model of this arm, which stays as it is.

        Args:
            path: A robot file with the model that the offsets belong to.
            date: The day of the recording, as in "2026-11-16"; today if None.
            accept: Whether to write it in spite of `doubts`.

        Returns:
            The path.

        Raises:
            ModelError: If the file does not hold this arm.
            ResultError: If there are doubts that are not accepted; nothing is written then.
        """
        from baxterkit import robot_file

        if self.doubts and not accept:
            raise ResultError("; ".join(self.doubts), self)
        kept, today = robot_file.read(path, self.arm.side), self.arm.effects
        before = kept.effects
        assert today is not None
        tare = Tare(
            tau=today.bias - (0.0 if before is None else before.bias),
            standard_error=self.standard_error,
            friction=np.ones(7)
            if before is None
            else _ratio(today.coulomb + today.viscous, before.coulomb + before.viscous),
            moment=_moment(self.arm.model) - _moment(kept.model),
            date=datetime.date.today().isoformat() if date is None else date,
            source=Path(self.source).name,
        )
        return robot_file.write_tare(path, self.arm.side, tare)

    def __str__(self) -> str:
        head = "".join(f"{name:>9}" for name in JOINTS)
        rows = {
            "zero [N m]": self.tau,
            "± [N m]": NORMAL_95 * self.standard_error,
            "from [N m]": self.low,
            "to [N m]": self.high,
            "friction": self.friction,
        }
        lines = [f"{self.arm.side} arm: {self.seconds:.1f} s", f"  {'':12}{head}"]
        lines += [f"  {name:12}" + "".join(f"{x:9.3f}" for x in row) for name, row in rows.items()]
        x, y, z = 1e3 * self.moment
        lines.append(f"  load of the day [g m]: {x:.1f} {y:.1f} {z:.1f}")
        return "\n".join(lines + [f"  note: {text}" for text in self.advice])


@unwarned()
@on_one_thread
def offsets(arm: Arm, recording: Recording, *, hz: float = 5.0) -> Offsets:
    """The zero of each torque sensor, relative to the model of an arm.

    Args:
        arm: The identified arm, as of `identify.dynamics` or `Arm.from_file`.
        recording: A few seconds of any motion that touches nothing, with `q` and `tau`, and `qd` if
            possible; raw. Of a standing arm the zero is known to within its friction.
        hz: Cut-off of the zero-phase low-pass [Hz].

    Returns:
        The zeros with standard errors, and `.arm`, which predicts with them; `.advice` names joints
        whose zero the data does not tell.

    Raises:
        InputError: If there are no torques, the recording is shorter than half a second, a sensor
            is stuck (names joint and row), or it is of the other arm.
    """
    check_arm(arm, recording)
    recording.required("tau")
    if recording.duration < SHORTEST:
        raise InputError(
            f"{recording.duration:.3g} s are too short to find the zero of torque sensors; record "
            f"{SHORTEST:g} s or more"
        )
    check_signals(recording)
    smooth = smooth_motion(recording, hz)
    assert smooth.qd is not None
    assert smooth.tau is not None
    edge = min(EDGE, 0.1 * recording.duration)
    inner = (smooth.t >= smooth.t[0] + edge) & (smooth.t <= smooth.t[-1] - edge)
    rest = (smooth.tau - predict(arm, smooth))[inner]
    friction, before, held = (x[inner] for x in _friction(arm, smooth))
    still = np.ptp(smooth.q, axis=0) < _distance(arm)
    before = np.where(still, held, before)
    ones, load = np.ones(len(rest)), _load_columns(arm, smooth)[inner]
    fits = [
        JointFit(
            smooth.t[inner],
            np.stack([ones, before[:, j], friction[:, j]], axis=1),
            load[:, j],
            rest[:, j],
            float(NOISE[j]),
        )
        for j in range(7)
    ]
    factor = np.clip(1.0 + friction_changes(fits, still), *FACTORS)
    moment, covariance = load_of_the_day(fits, factor - 1.0)
    moment = np.clip(moment, -HEAVIEST, HEAVIEST)
    tau = np.array([fit.zero(k - 1.0, moment) for fit, k in zip(fits, factor, strict=True)])
    error = np.array(
        [np.sqrt(fit.standard_error**2 + fit.per_load @ covariance @ fit.per_load) for fit in fits]
    )
    hold = np.where(still, held.max(axis=0), 0.0)
    half = NORMAL_95 * error + hold
    first = int(np.argmax(inner))
    doubts = tuple(_misfits(fits, first))
    advice = (*_unknown(still, hold), *doubts, *clock_doubts(recording), *noted([recording]))
    today = Tare(tau, error, factor, moment)
    return Offsets(
        tau=tau,
        standard_error=np.hypot(error, hold / np.sqrt(3.0)),
        low=tau - half,
        high=tau + half,
        friction=today.friction,
        moment=moment,
        still=still,
        arm=_changed(arm, today),
        advice=advice,
        seconds=recording.duration,
        source=recording.source,
        doubts=doubts,
    )


def _friction(arm: Arm, motion: Recording) -> tuple[JointVector, JointVector, JointVector]:
    """Friction along the motion, what a state before the start adds, and what friction holds.

    Each [N m], shape (n, 7). The state before the start counts as 1 and fades with the travel.
    """
    effects, q = arm.effects, motion.q
    if effects is None:
        zeros = np.zeros_like(q)
        return zeros, zeros, zeros
    friction = friction_along(effects, motion)
    memory = effects.hysteresis
    if memory is None:
        return friction, np.zeros_like(q), np.broadcast_to(effects.coulomb, q.shape)
    travel = np.concatenate([np.zeros((1, 7)), np.cumsum(np.abs(np.diff(q, axis=0)), axis=0)])
    remembered = np.maximum(memory.torque + memory.slope * q, 0.0)
    return friction, remembered * np.exp(-travel / memory.distance), remembered + memory.coulomb


def _load_columns(arm: Arm, motion: Recording) -> Array:
    """Torques of a load of 1 kg m at the hand along each axis of the last link, shape (n, 7, 3)."""
    rigid = arm.with_effects(None)
    qd, qdd = motion.required("qd"), motion.required("qdd")
    columns = []
    for axis in np.eye(3):
        up, down = (
            _changed(rigid, Tare(np.zeros(7), moment=sign * STEP * axis)).inverse_dynamics(
                motion.q, qd, qdd
            )
            for sign in (1.0, -1.0)
        )
        columns.append((up - down) / (2.0 * STEP))
    return np.stack(columns, axis=-1)


def _changed(arm: Arm, day: Tare) -> Arm:
    """The arm of the day."""
    effects = day.applied(arm.effects)
    return Arm.from_model(day.carried(arm.model), arm.backend, effects)


def _moment(model: ArmModel) -> Array:
    """Moment of mass of the last link [kg m], shape (3,)."""
    last = model.inertials[-1]
    return last.mass * last.com


def _distance(arm: Arm) -> JointVector:
    """Travel below which a joint stands still [rad], shape (7,)."""
    memory = None if arm.effects is None else arm.effects.hysteresis
    distance: JointVector = (
        np.full(7, 0.01) if memory is None else np.maximum(memory.distance, 0.01)
    )
    return distance


def _ratio(after: JointVector, before: JointVector) -> JointVector:
    """`after` as a multiple of `before`; 1 where that is zero."""
    ratio: JointVector = np.where(before > 0.0, after / np.where(before > 0.0, before, 1.0), 1.0)
    return ratio


def _unknown(still: Array, hold: JointVector) -> list[str]:
    return [
        f"{name} stood still: its zero is known to ±{most:.2g} N m, which friction may hold; "
        "move it a little both ways"
        for name, stands, most in zip(JOINTS, still, hold, strict=True)
        if stands
    ]


def _misfits(fits: Sequence[JointFit], first: int) -> list[str]:
    return [
        f"the torques of {name} do not fit (residual {fit.spread:.2g} N m, most at row "
        f"{first + fit.worst}): was the arm touched, or does it carry something else than the "
        "model?"
        for name, fit, noise in zip(JOINTS, fits, NOISE, strict=True)
        if fit.spread > MISFIT * noise
    ]

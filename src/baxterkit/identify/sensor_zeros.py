"""The zero of the torque sensors, from a few seconds of any motion or of a standing arm.

What the sensors show beyond the model is fitted, joint by joint, by

    zero + change of friction + what friction remembers from before the recording,

with a prior on the last two, so that a motion which does not tell them apart leaves friction as the
model has it. Rows that do not fit (contact) get no weight. Residuals are correlated in time, so the
standard error counts independent stretches of time rather than rows. A joint that stands still
tells only an interval: friction holds anything within its size.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.dynamics.tare import Tare
from baxterkit.errors import InputError
from baxterkit.identify.faults import check_signals
from baxterkit.identify.preparation import smooth_motion
from baxterkit.identify.scores import friction_along, predict
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.types import Array, JointVector

NOISE = np.array([0.17, 0.2, 0.11, 0.08, 0.025, 0.013, 0.013])
"""Standard deviation of what a good model leaves unexplained [N m], on recordings of a real arm."""
FRICTION = 0.2
"""Standard deviation of friction from day to day, as a share of the model's: of all joints ..."""
OWN = 0.06
"""... and of each beside that."""
WARMED = np.array([True, False, True, True, True, True, True])
"""Joints whose friction changes with the day; that of s1 is mostly its springs'."""
BEFORE = 0.6
"""Standard deviation of friction's state at the start: anything from -1 to 1 is as likely."""
CORRELATION = 1.0
"""Model errors within this time [s] count as one where friction is weighed against its prior."""
EDGE = 0.25
"""Time left out at both ends [s], a tenth of the recording at most: filters err there."""
SHORTEST = 0.5
"""Shortest recording [s]."""
REJECTED = 4.0
"""Residuals of this many standard deviations have no weight."""
MISFIT = 4.0
"""Residuals of this many times `NOISE` are a sign of contact, or of another robot."""
FACTORS = (0.3, 3.0)
"""Friction of the day is at least and at most this share of the model's."""
SHORT = 0.15
"""Shortest correlation time of model errors [s]."""
LEAST = 0.7
"""Model errors are at least this share of `NOISE`, and last twice as long: seconds of one motion
show less of them than there are."""
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
        still: Whether the joint stood still.
        arm: The arm that predicts with them.
        advice: What the data cannot tell, and remedies; empty if it tells all.
        seconds: Length of the recording [s].
        source: Its name.
    """

    tau: JointVector
    standard_error: JointVector
    low: JointVector
    high: JointVector
    friction: JointVector
    still: Array
    arm: Arm
    advice: tuple[str, ...]
    seconds: float
    source: str

    @property
    def interval(self) -> tuple[JointVector, JointVector]:
        """`low` and `high`."""
        return self.low, self.high

    def save(self, path: str | Path, date: str | None = None) -> None:
        """Keeps the tare in a robot file, beside the model of this arm, which stays as it is.

        Args:
            path: A robot file with the model that the offsets belong to.
            date: The day of the recording, as in "2026-11-16"; today if None.

        Raises:
            ModelError: If the file does not hold this arm.
        """
        from baxterkit import robot_file

        before, today = robot_file.read(path, self.arm.side).effects, self.arm.effects
        assert today is not None
        tare = Tare(
            tau=today.bias - (0.0 if before is None else before.bias),
            standard_error=self.standard_error,
            friction=np.ones(7)
            if before is None
            else _ratio(today.coulomb + today.viscous, before.coulomb + before.viscous),
            date=datetime.date.today().isoformat() if date is None else date,
            source=Path(self.source).name,
        )
        robot_file.write_tare(path, self.arm.side, tare)

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
    if recording.side is not None and recording.side != arm.side:
        raise InputError(
            f"the recording is of the {recording.side} arm, the model is of the {arm.side} one"
        )
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
    ones = np.ones(len(rest))
    fits = [
        _JointFit(
            smooth.t[inner],
            np.stack([ones, before[:, j], friction[:, j]], axis=1),
            rest[:, j],
            float(NOISE[j]),
        )
        for j in range(7)
    ]
    factor = np.clip(1.0 + _changes(fits, still), *FACTORS)
    tau = np.array([fit.zero(k - 1.0) for fit, k in zip(fits, factor, strict=True)])
    error = np.array([fit.standard_error for fit in fits])
    hold = np.where(still, held.max(axis=0), 0.0)
    half = NORMAL_95 * error + hold
    advice = (*_unknown(still, hold), *_misfits([fit.spread for fit in fits]))
    today = Tare(tau, error, factor)
    return Offsets(
        tau=tau,
        standard_error=np.hypot(error, hold / np.sqrt(3.0)),
        low=tau - half,
        high=tau + half,
        friction=today.friction,
        still=still,
        arm=arm.with_effects(today.applied(arm.effects)),
        advice=advice,
        seconds=recording.duration,
        source=recording.source,
    )


class _JointFit:
    """Zero, state before the start and change of friction of one joint, robustly.

    The change of friction has a data-only estimate, `change`, of information `sureness`; given its
    value, `zero` is that of the sensor.
    """

    def __init__(self, t: Array, columns: Array, rest: Array, noise: float) -> None:
        step = float(np.median(np.diff(t)))
        count = step / (CORRELATION * noise**2)
        prior = np.diag([0.0, BEFORE**-2.0, 0.0])
        shrinking = prior + np.diag([0.0, 0.0, FRICTION**-2.0])
        middle = float(np.median(rest))
        spread = max(1.4826 * float(np.median(np.abs(rest - middle))), noise)
        weights = _weights((rest - middle) / spread)
        for _ in range(5):
            data, right = (
                count * (columns.T * weights) @ columns,
                count * columns.T @ (weights * rest),
            )
            left = rest - columns @ np.linalg.solve(data + shrinking, right)
            spread = max(1.4826 * float(np.median(np.abs(left))), 0.3 * noise)
            weights = _weights(left / spread)
        self.spread = float(np.sqrt(np.mean(left[weights > 0.0] ** 2)))
        self._information, self._right = data + prior, right
        pair = slice(0, 2)
        cross = np.linalg.solve(self._information[pair, pair], self._information[pair, 2])
        self.sureness = float(self._information[2, 2] - cross @ self._information[pair, 2])
        told = float(right[2] - cross @ right[pair])
        self.change = told / self.sureness if self.sureness > 1e-9 else 0.0
        # The covariance for noise of `noise` with CORRELATION, scaled to what the residuals show.
        shown = self.spread**2 * 2.0 * _correlation_time(left, step)
        floor = (LEAST * noise) ** 2 * 4.0 * SHORT
        scale = max(shown, floor) / (CORRELATION * noise**2)
        covariance = np.linalg.inv(data + shrinking)
        self.standard_error = float(np.sqrt(scale * covariance[0, 0]))

    def zero(self, change: float) -> float:
        """The zero if friction is changed by this share of the model's [N m]."""
        pair = slice(0, 2)
        right = self._right[pair] - change * self._information[pair, 2]
        return float(np.linalg.solve(self._information[pair, pair], right)[0])


def _changes(fits: list[_JointFit], still: Array) -> JointVector:
    """Changes of friction as shares of the model's: one of all joints, and a smaller one of each.

    Friction falls as the arm gets warm, all of it; the springs' friction at s1 does not.
    """
    change = np.array([fit.change for fit in fits])
    sure = np.array([fit.sureness for fit in fits])
    sure = np.where(still | ~WARMED, 0.0, sure)
    weight = sure / (1.0 + sure * OWN**2)  # 1 / (OWN² + 1 / sure)
    common = float(weight @ change / (weight.sum() + FRICTION**-2.0))
    changes: JointVector = (sure * change + common * OWN**-2.0) / (sure + OWN**-2.0)
    return np.where(still | ~WARMED, 0.0, changes)


def _weights(scaled: Array) -> Array:
    """Tukey's weights of residuals in standard deviations."""
    weights: Array = np.maximum(0.0, 1.0 - (scaled / REJECTED) ** 2) ** 2
    return weights


def _correlation_time(left: Array, step: float) -> float:
    """Integral of the autocorrelation up to its first zero [s], at least `SHORT`."""
    x = left - left.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(x))))
    power = np.abs(np.fft.rfft(x, size)) ** 2
    correlation = np.fft.irfft(power, size)[: len(x) // 2 + 1]
    if correlation[0] <= 0.0:
        return SHORT
    correlation = correlation / correlation[0]
    below = np.flatnonzero(correlation <= 0.0)
    stop = int(below[0]) if below.size else len(correlation)
    return max(float(correlation[:stop].sum() - 0.5) * step, SHORT)


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


def _misfits(spread: Sequence[float]) -> list[str]:
    return [
        f"the torques of {name} do not fit (residual {left:.2g} N m): was the arm touched, or does "
        "it carry something else than the model?"
        for name, left, noise in zip(JOINTS, spread, NOISE, strict=True)
        if left > MISFIT * noise
    ]

"""External torques from motion and sensed torques, without accelerations: the momentum observer.

The momentum p = M qd of the rigid arm changes by

    dp/dt = tau + Cᵀ qd - G + tau_ext,

where tau are the torques of the motors (sensed torques less joint effects). With everything else
known, the remainder is tau_ext = Jᵀ w, the torque of the environment. It is averaged over each step
and passed through a first-order low-pass filter with the given gain, exactly for any step up to
`GAP` (De Luca and Mattone 2003, in discrete time). No acceleration is needed, so noise is not
differentiated beyond that filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.arrays import finite_array, joint_array, joint_row
from baxterkit.dynamics.contact import Contact, DetectorSettings, detect_contacts
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError, ShapeError
from baxterkit.types import Array, Jacobian, JointMatrix, JointVector

GAIN = 20.0
"""Default gain of the observer [1/s]: it follows a change within 1 / gain, 50 ms."""
GAP = 0.25
"""Longer steps are gaps [s]: the torques in between are unknown, so the estimate is kept."""
QUIET = np.array([0.5, 0.5, 0.5, 0.5, 0.12, 0.12, 0.12])
"""External torques below these [N m] may be a drift of the sensors' zero; above, a contact."""
CALM = 1.0
"""After a contact the zero is not adapted for this long [s]."""
SETTLING = 0.5
"""Time over which torques are averaged to tell a contact from the noise of a moving arm [s]."""
LOUD = 4.0
"""A single torque of this many times `QUIET` is a contact at once."""
RANK_TOLERANCE = 1e-3
"""Singular values of J below this share of the largest count as zero: wrenches along them are not
observable."""


class DynamicArm(Protocol):
    """The methods of an arm that are needed; `baxterkit.Arm` has them."""

    effects: JointEffects | None

    def dynamics_terms(
        self, q: ArrayLike, qd: ArrayLike
    ) -> tuple[JointMatrix, JointMatrix, JointVector]:
        """M, C and G."""

    def jacobian(self, q: ArrayLike) -> Jacobian:
        """J of the tip, base axes."""


class MomentumObserver:
    """Estimates external torques while the arm moves.

    Args:
        arm: The arm, with its tool, payload and joint effects: what it does not know shows up as
            external torque.
        gain: Bandwidth of the estimate [1/s].
        adapt: Time in which the observer follows a drift of the torque sensors' zero [s], such as
            60; None if it does not. During a contact, and for a second after it, the zero stays.
            Start from a tared arm (`identify.offsets`): a zero that is far off looks like a
            contact.
    """

    def __init__(self, arm: DynamicArm, gain: float = GAIN, adapt: float | None = None) -> None:
        self.arm = arm
        self.gain = _positive_gain(gain)
        if adapt is not None and not (np.isfinite(adapt) and adapt >= 1.0):
            raise InputError(f"adapt must be 1 s or more, or None, got {adapt:g}")
        self.adapt = adapt
        self.reset()

    def reset(self) -> None:
        """Forgets everything: the next update is the first."""
        self._offset = np.zeros(7)
        self._calm = 0.0
        self._slow = np.zeros(7)
        self._torque = np.zeros(7)
        self._last: tuple[JointVector, JointVector, JointVector] | None = None
        self._memory = np.zeros(7)

    @property
    def torque(self) -> JointVector:
        """The last estimate [N m], shape (7,)."""
        return self._torque.copy()

    @property
    def offset(self) -> JointVector:
        """Drift of the sensors' zero that was found and taken off [N m], shape (7,)."""
        return self._offset.copy()

    def update(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, dt: float) -> JointVector:
        """Takes the next measurement.

        Args:
            q: Joint positions [rad], shape (7,).
            qd: Joint velocities [rad/s], shape (7,).
            tau: Sensed joint torques [N m], shape (7,).
            dt: Time since the last update [s]; not used by the first one. After more than 0.25 s
                the estimate is kept, and continues from here.

        Returns:
            External torques [N m], shape (7,); zeros after the first update.
        """
        names = _names_of(self.arm)
        q, qd, tau = (joint_row(x, k, names=names) for x, k in ((q, "q"), (qd, "qd"), (tau, "tau")))
        if self._last is not None and not (np.isfinite(dt) and dt > 0.0):
            raise InputError(f"dt must be positive, got {dt:g} s")
        M, C, G = self.arm.dynamics_terms(q, qd)
        momentum = M @ qd
        drive = tau - self._offset - self._effects(q, qd) + qd @ C - G
        if self._last is not None and dt <= GAP:
            momentum_before, drive_before, _ = self._last
            mean = (momentum - momentum_before) / dt - 0.5 * (drive + drive_before)
            self._torque = mean + np.exp(-self.gain * dt) * (self._torque - mean)
            if self.adapt is not None:
                self._follow_drift(dt)
        self._last = momentum, drive, q
        return self._torque.copy()

    def _follow_drift(self, dt: float) -> None:
        """Moves the zero towards small torques, while nothing is touched."""
        assert self.adapt is not None
        self._slow = self._torque + np.exp(-dt / SETTLING) * (self._slow - self._torque)
        quiet = np.abs(self._slow) < QUIET
        quiet &= np.abs(self._torque) < LOUD * QUIET
        self._calm = self._calm + dt if quiet.all() else 0.0
        if self._calm > CALM:
            # An offset of the sensors acts on the motor's torque: the environment's, negated.
            small = np.clip(self._torque, -QUIET, QUIET)  # a contact that begins pulls little
            self._offset = self._offset - (dt / self.adapt) * small

    def _effects(self, q: JointVector, qd: JointVector) -> JointVector:
        effects = self.arm.effects
        if effects is None:
            return np.zeros(7)
        if effects.hysteresis is not None and self._last is not None:
            self._memory = effects.hysteresis.advance(self._memory, q - self._last[2])
        return effects.torque_at(q, qd, self._memory)


def estimate_external_torque(
    arm: DynamicArm, recording: object, *, gain: float = GAIN
) -> ExternalTorque:
    """External torques over a whole recording.

    Args:
        arm: The arm, with its tool, payload and joint effects: what it does not know shows up as
            external torque.
        recording: Anything with the fields `t` [s], shape (n,), and `q`, `qd`, `tau` [rad, rad/s,
            N m], shape (n, 7), as a `Recording` has them; or these four in a tuple.
        gain: Bandwidth of the estimate [1/s]. Over gaps (steps of more than 0.25 s) the estimate
            is kept.

    Returns:
        The estimate; its methods give the wrench at the tip, and contacts.

    Raises:
        InputError: If something is missing, times do not increase or are too far apart, or the
            recording is of the other arm.
    """
    gain = _positive_gain(gain)
    t, q, qd, tau = _fields(recording)
    _require_same_side(arm, recording)
    M, C, G = arm.dynamics_terms(q, qd)
    momentum = np.einsum("nij,nj->ni", M, qd)
    effects = arm.effects
    motor = tau if effects is None else tau - effects.torque_along(q, qd)
    drive = motor + np.einsum("nji,nj->ni", C, qd) - G
    dt = np.diff(t)
    if not (dt <= GAP).any():
        raise InputError(
            f"the rows are {np.median(dt):g} s apart; external torques need {GAP:g} s or less"
        )
    mean = np.diff(momentum, axis=0) / dt[:, None] - 0.5 * (drive[1:] + drive[:-1])
    torque = np.zeros_like(q)
    keep = np.where(dt <= GAP, np.exp(-gain * dt), 1.0)
    fresh = (1.0 - keep)[:, None] * mean
    for k, part in enumerate(keep.tolist()):
        torque[k + 1] = part * torque[k] + fresh[k]
    return ExternalTorque(t, q, torque, arm)


@dataclass(frozen=True, eq=False)
class ExternalTorque:
    """External torques over time.

    Attributes:
        t: Times [s], shape (n,).
        q: Joint positions [rad], shape (n, 7).
        torque: Torques of the environment on the joints [N m], shape (n, 7).
        arm: The arm that it was estimated with.
    """

    t: Array
    q: JointVector
    torque: JointVector
    arm: DynamicArm

    def tip_wrench(self) -> TipWrench:
        """The wrench at the tip that explains the torques best; see `tip_wrench`."""
        return tip_wrench(self.arm, self.q, self.torque)

    def contacts(self, **settings: Unpack[DetectorSettings]) -> list[Contact]:
        """Contacts of the recording.

        Args:
            settings: Those of `ContactDetector`: `on`, `off`, `floor`, `duration`, `memory`,
                `settle`.
        """
        return detect_contacts(self.t, self.torque, **settings)

    def __repr__(self) -> str:
        most = ", ".join(f"{x:.2f}" for x in np.abs(self.torque).max(axis=0))
        return f"ExternalTorque({len(self.t)} rows, largest [N m]: {most})"


@dataclass(frozen=True, eq=False)
class TipWrench:
    """The wrench at the tip behind external torques.

    Attributes:
        wrench: [f; m] on the tip in base axes [N, N m], shape (*batch, 6).
        unexplained: Torques that no wrench at the tip gives [N m], shape (*batch, 7): the contact
            is elsewhere, or the model is wrong.
        condition: Condition number of J, shape (*batch): the largest factor from relative torque
            errors to relative wrench errors.
        weakest: Unit direction [f; m] to which the torques are least sensitive, shape (*batch, 6).
        rank: Number of observable directions, shape (*batch); below 6, the wrench is zero along the
            others, whatever acts there.
    """

    wrench: Array
    unexplained: JointVector
    condition: Array
    weakest: Array
    rank: NDArray[np.int64]


def tip_wrench(arm: DynamicArm, q: ArrayLike, torque: ArrayLike) -> TipWrench:
    """The wrench at the tip that explains external torques best (least squares in Jᵀ w = torque).

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        torque: External torques [N m], shape (*batch, 7).

    Returns:
        The wrench, with its residual and its conditioning.
    """
    names = _names_of(arm)
    q, torque = joint_array(q, "q", names=names), joint_array(torque, "torque", names=names)
    if q.shape != torque.shape:
        raise ShapeError(f"q and torque must have equal shapes, got {q.shape} and {torque.shape}")
    U, S, Vt = np.linalg.svd(arm.jacobian(q), full_matrices=False)
    seen = RANK_TOLERANCE * S[..., :1] < S
    parts = np.einsum("...ij,...j->...i", Vt, torque)
    scaled = np.where(seen, parts / np.where(seen, S, 1.0), 0.0)
    wrench = np.einsum("...ij,...j->...i", U, scaled)
    explained = np.einsum("...ji,...j->...i", Vt, np.where(seen, parts, 0.0))
    with np.errstate(divide="ignore"):
        condition = S[..., 0] / S[..., -1]
    return TipWrench(wrench, torque - explained, condition, U[..., -1], seen.sum(axis=-1))


def _names_of(arm: DynamicArm) -> Sequence[str] | None:
    """The joints' names, for named values; None: those of either arm."""
    return getattr(arm, "joint_names", None)


def _fields(recording: object) -> tuple[Array, JointVector, JointVector, JointVector]:
    names = ("t", "q", "qd", "tau")
    if isinstance(recording, tuple | list):
        if len(recording) != 4:
            raise InputError(f"a tuple of t, q, qd and tau is needed, got {len(recording)} values")
        values = dict(zip(names, recording, strict=True))
    else:
        values = {name: getattr(recording, name, None) for name in names}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise InputError(
            f"external torques need t, q, qd and tau; the recording has no {missing[0]}"
        )
    t = finite_array(values["t"], "t")
    q, qd, tau = (joint_array(values[name], name) for name in names[1:])
    for name, array in (("q", q), ("qd", qd), ("tau", tau)):
        if t.ndim != 1 or array.shape != (len(t), 7):
            raise ShapeError(
                f"t must have shape (n,) and {name} (n, 7), got {t.shape} and {array.shape}"
            )
    if len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise InputError("t must increase, and have at least two times")
    return t, q, qd, tau


def _require_same_side(arm: DynamicArm, recording: object) -> None:
    mine, its = getattr(arm, "side", None), getattr(recording, "side", None)
    if mine is not None and its is not None and mine != its:
        raise InputError(f"the recording is of the {its} arm, the model is of the {mine} one")


def _positive_gain(gain: float) -> float:
    if not (np.isfinite(gain) and gain > 0.0):
        raise InputError(f"gain must be positive, got {gain:g}")
    return float(gain)

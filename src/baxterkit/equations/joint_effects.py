"""Joint effects (springs, friction, bias), which add to the rigid arm's torques, as expressions.

    torque_i = bias + Σ_k (spring_sin_k sin(k q) + spring_cos_k cos(k q))
               + viscous qd + coulomb qd / sqrt(qd² + speed²)

Sines and cosines of multiples of q come from those of q, which the programs have anyway. The
numbers are those of `JointEffects`. Its hysteresis needs the history of the motion, which an
equation does not have: as in `Arm.inverse_dynamics`, dry and viscous friction take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from baxterkit.equations.vectors import Scalar
from baxterkit.model.model import ArmModel
from baxterkit.types import Array

ROWS = ("bias", "viscous", "coulomb", "speed")
"""Seven numbers each, before the rows of the springs."""


class Effects(Protocol):
    """The interface of `JointEffects` for this layer; arrays of shape (7,), springs (7, k)."""

    @property
    def bias(self) -> Array:
        """Constant torques [N m]."""

    @property
    def viscous(self) -> Array:
        """Viscous friction [N m s/rad]."""

    @property
    def coulomb(self) -> Array:
        """Dry friction [N m]."""

    @property
    def speed(self) -> Array:
        """Speeds of dry friction [rad/s]."""

    @property
    def spring_sin(self) -> Array:
        """Coefficients of sin(k q) [N m]."""

    @property
    def spring_cos(self) -> Array:
        """Coefficients of cos(k q) [N m]."""

    @property
    def hysteresis(self) -> object | None:
        """Friction with a memory, which no equation here has."""


class ArmWithEffects(Protocol):
    """The interface of the facade `Arm` for this layer."""

    @property
    def model(self) -> ArmModel:
        """The rigid arm."""

    @property
    def effects(self) -> Effects | None:
        """Its joint effects."""


@dataclass(frozen=True)
class EffectScalars:
    """The effects of all joints, as numbers or any other scalars.

    Attributes:
        bias: Constant torques [N m].
        viscous: Viscous friction [N m s/rad].
        coulomb: Dry friction [N m].
        speed: Speeds of dry friction [rad/s].
        spring_sin: Coefficients of sin(q), sin(2 q), ... [N m], by joint.
        spring_cos: Coefficients of cos(q), cos(2 q), ... [N m], by joint.
    """

    bias: Sequence[Scalar]
    viscous: Sequence[Scalar]
    coulomb: Sequence[Scalar]
    speed: Sequence[Scalar]
    spring_sin: Sequence[Sequence[Scalar]]
    spring_cos: Sequence[Sequence[Scalar]]

    @classmethod
    def from_rows(cls, flat: Sequence[Scalar], dof: int = 7) -> EffectScalars:
        """From the rows that `flat_numbers` gives."""
        rows = [flat[i : i + dof] for i in range(0, len(flat), dof)]
        series = rows[len(ROWS) :]
        half = len(series) // 2
        sines, cosines = (
            [[row[i] for row in part] for i in range(dof)]
            for part in (series[:half], series[half:])
        )
        bias, viscous, coulomb, speed = rows[: len(ROWS)]
        return cls(bias, viscous, coulomb, speed, sines, cosines)

    def torques(
        self,
        s: Sequence[Scalar],
        c: Sequence[Scalar],
        qd: Sequence[Scalar],
        root: Callable[[Scalar], Scalar],
    ) -> list[Scalar]:
        """The torques [N m], from sines and cosines of q and from velocities.

        Args:
            s: Sines of the joint angles.
            c: Cosines of the joint angles.
            qd: Joint velocities [rad/s].
            root: The square root of these scalars.
        """
        torques = []
        for i, v in enumerate(qd):
            total = self.bias[i] + self.viscous[i] * v
            total = total + self.coulomb[i] * (v / self._smooth_speed(i, v, root))
            waves = _multiples(s[i], c[i], len(self.spring_sin[i]))
            for a, b, (sk, ck) in zip(self.spring_sin[i], self.spring_cos[i], waves, strict=True):
                total = total + a * sk + b * ck
            torques.append(total)
        return torques

    def slopes(
        self,
        s: Sequence[Scalar],
        c: Sequence[Scalar],
        qd: Sequence[Scalar],
        root: Callable[[Scalar], Scalar],
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Derivatives of each joint's torque by its own q [N m/rad] and qd [N m s/rad]."""
        by_q, by_qd = [], []
        for i, v in enumerate(qd):
            slope = 0.0
            waves = _multiples(s[i], c[i], len(self.spring_sin[i]))
            pairs = zip(self.spring_sin[i], self.spring_cos[i], waves, strict=True)
            for k, (a, b, (sk, ck)) in enumerate(pairs, start=1):
                slope = slope + float(k) * (a * ck - b * sk)
            by_q.append(slope)
            r, w = self._smooth_speed(i, v, root), self.speed[i]
            by_qd.append(self.viscous[i] + self.coulomb[i] * (w * w / (r * r * r)))
        return by_q, by_qd

    def _smooth_speed(self, i: int, v: Scalar, root: Callable[[Scalar], Scalar]) -> Scalar:
        return root(v * v + self.speed[i] * self.speed[i])


def flat_numbers(effects: Effects | None) -> list[float] | None:
    """Rows of 7: bias, viscous, coulomb, speed, then the springs' sines and cosines.

    Returns:
        7 (4 + 2 k) numbers for springs of k terms; None if the joints add no torque.
    """
    if effects is None:
        return None
    torques = (effects.bias, effects.viscous, effects.coulomb)
    if not any(x.any() for x in (*torques, effects.spring_sin, effects.spring_cos)):
        return None
    rows = [*torques, effects.speed, *effects.spring_sin.T, *effects.spring_cos.T]
    return [float(x) for row in rows for x in row]


def model_and_effects(arm: ArmModel | ArmWithEffects) -> tuple[ArmModel, Effects | None]:
    """The two parts of an arm; a model alone has no effects."""
    return (arm, None) if isinstance(arm, ArmModel) else (arm.model, arm.effects)


def _multiples(s: Scalar, c: Scalar, count: int) -> list[tuple[Scalar, Scalar]]:
    """Sine and cosine of q, 2 q, … count q."""
    waves = [(s, c)][:count]
    while len(waves) < count:
        sk, ck = waves[-1]
        waves.append((sk * c + ck * s, ck * c - sk * s))
    return waves

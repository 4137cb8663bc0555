"""Joint effects as data: springs, friction and bias, which add to the torques of the rigid arm.

    tau_sensed = M qdd + C qd + G - J' w + effects.torque(q, qd)

Every term is smooth in q and qd, also at zero speed, so inverse dynamics, controllers and
simulation can use and differentiate the same numbers.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import native
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.results import check_broadcast, deliver
from baxterkit.dynamics.friction import Hysteresis, dry_friction
from baxterkit.dynamics.sensing import Sensing
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import Frozen
from baxterkit.types import Array, JointVector, frozen

__all__ = ["EffectFields", "Hysteresis", "JointEffects", "Sensing"]

DEFAULT_SPEED = 0.05
"""Dry friction reaches 71 % of its full value at this speed [rad/s] where none is given."""

KERNEL_HARMONICS = 4
"""The kernels take springs of up to this many terms; more are left to NumPy."""

_VECTORS = ("bias", "coulomb", "viscous", "speed", "stiffness")
_SERIES = ("spring_sin", "spring_cos")


class EffectFields(TypedDict, total=False):
    """The fields of `JointEffects` as callers may give them: lists or arrays."""

    bias: ArrayLike
    coulomb: ArrayLike
    viscous: ArrayLike
    speed: ArrayLike
    spring_sin: ArrayLike
    spring_cos: ArrayLike
    stiffness: ArrayLike
    hysteresis: Hysteresis | None
    sensing: Sensing | None


@dataclass(frozen=True, eq=False)
class JointEffects(Frozen):
    """Torques of the joints that add to those of the rigid arm; omitted parts are zero.

    With k = 1, 2, ... counting the columns of the springs,

        torque = bias + Σ_k (spring_sin_k sin(k q) + spring_cos_k cos(k q))
                 + viscous qd + coulomb qd / sqrt(qd² + speed²)

    Baxter's springs are at s1; the same terms describe cables at other joints.

    Attributes:
        bias: Constant torque [N m], shape (7,).
        coulomb: Dry friction [N m], shape (7,).
        viscous: Viscous friction [N m s/rad], shape (7,).
        speed: Speed [rad/s] at which dry friction has 71 % of its value, shape (7,).
        spring_sin: Springs [N m], coefficients of sin(k q), shape (7, k).
        spring_cos: Springs [N m], coefficients of cos(k q), shape (7, k).
        stiffness: Stiffness of the series-elastic element [N m/rad], shape (7,); infinite: none.
        hysteresis: Friction with a memory, which replaces `coulomb` and `viscous` where the history
            of the positions is known (`torque_along`, `torque_at`); None: none.
        sensing: Cross-talk and lag of the torque sensors, for `identify.predict`; None: none.
    """

    bias: JointVector = None  # type: ignore[assignment]
    coulomb: JointVector = None  # type: ignore[assignment]
    viscous: JointVector = None  # type: ignore[assignment]
    speed: JointVector = None  # type: ignore[assignment]
    spring_sin: Array = None  # type: ignore[assignment]
    spring_cos: Array = None  # type: ignore[assignment]
    stiffness: JointVector = None  # type: ignore[assignment]
    hysteresis: Hysteresis | None = None
    sensing: Sensing | None = None

    def __post_init__(self) -> None:
        given = [np.shape(getattr(self, name)) for name in (*_VECTORS, *_SERIES)]
        dof = next((shape[0] for shape in given if shape), 7)
        for name in _VECTORS:
            default = {"speed": DEFAULT_SPEED, "stiffness": np.inf}.get(name, 0.0)
            object.__setattr__(self, name, self._vector(name, dof, default))
        terms = max((shape[1] for shape in given if len(shape) == 2), default=0)
        for name in _SERIES:
            object.__setattr__(self, name, self._series(name, dof, terms))
        self._check_positive("speed", "friction needs a speed above zero to be smooth")
        self._check_positive("stiffness", "leave it infinite for a stiff joint")
        for name in ("coulomb", "viscous"):
            self._check_not_negative(name)
        if self.hysteresis is not None and self.hysteresis.dof != dof:
            raise ShapeError(f"hysteresis is of {self.hysteresis.dof} joints, not of {dof}")

    @property
    def dof(self) -> int:
        """Number of joints with parameters here."""
        return int(self.bias.size)

    def torque(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> JointVector:
        """Torques that the joints add to those of the rigid arm.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7).

        Returns:
            Torques [N m], shape (*batch, 7).
        """
        if self._kernels is None:
            return self.reference_torque(q, qd, out=out)
        return self._kernels.joint_effects(q, qd, out=out)

    def reference_torque(
        self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
    ) -> JointVector:
        """`torque` in NumPy: the reference for the kernel."""
        q, qd = self._arguments(q, qd)
        return deliver(self.spring_torque(q) + self.friction_torque(qd) + self.bias, out)

    def torque_along(
        self, q: ArrayLike, qd: ArrayLike, *, start: ArrayLike | None = None
    ) -> JointVector:
        """The same along a motion, with its history: `hysteresis` is included.

        Args:
            q: Joint positions one after another [rad], shape (n, 7).
            qd: Joint velocities [rad/s], shape (n, 7).
            start: State of the hysteresis at the first row, shape (7,); zeros if None.

        Returns:
            Torques [N m], shape (n, 7); those of `torque` if there is no hysteresis.
        """
        q, qd = self._arguments(q, qd)
        if self.hysteresis is None:
            return self.torque(q, qd)
        return self.torque_at(q, qd, self.hysteresis.states(q, start))

    def torque_at(self, q: ArrayLike, qd: ArrayLike, state: ArrayLike) -> JointVector:
        """The same at given states of the hysteresis, for loops that keep these states.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            state: States, as `hysteresis.advance(state, q - q_before)` gives them, (*batch, 7).

        Returns:
            Torques [N m], shape (*batch, 7).
        """
        if self.hysteresis is None:
            return self.torque(q, qd)
        q, qd = self._arguments(q, qd)
        z = joint_array(state, "state", self.dof)
        check_broadcast(("q", "qd", "state"), (q, qd, z))
        friction = self.hysteresis.friction_torque(q, qd, z, self.speed)
        return self.spring_torque(q) + friction + self.bias

    def spring_torque(self, q: ArrayLike) -> JointVector:
        """The springs' part [N m], shape (*batch, 7)."""
        angles = joint_array(q, "q", self.dof)
        tau = np.zeros_like(angles)
        for k, (a, b) in enumerate(zip(self.spring_sin.T, self.spring_cos.T, strict=True), start=1):
            tau += a * np.sin(k * angles) + b * np.cos(k * angles)
        return tau

    def friction_torque(self, qd: ArrayLike) -> JointVector:
        """The part of dry and viscous friction [N m], shape (*batch, 7)."""
        v = joint_array(qd, "qd", self.dof)
        return self.viscous * v + dry_friction(v, self.coulomb, self.speed)

    def derivatives(self, q: ArrayLike, qd: ArrayLike) -> tuple[JointVector, JointVector]:
        """Derivatives of the torque of each joint by its own position and velocity.

        Returns:
            ∂tau/∂q [N m/rad] and ∂tau/∂qd [N m s/rad], shape (*batch, 7) each: the diagonals; a
            joint's effects do not depend on other joints.
        """
        if self._kernels is not None:
            both = self._kernels.joint_effects_slopes(q, qd)
            return both[..., 0, :], both[..., 1, :]
        return self.reference_derivatives(q, qd)

    def reference_derivatives(self, q: ArrayLike, qd: ArrayLike) -> tuple[JointVector, JointVector]:
        """`derivatives` in NumPy."""
        q, qd = self._arguments(q, qd)
        by_q = np.zeros_like(q)
        for k, (a, b) in enumerate(zip(self.spring_sin.T, self.spring_cos.T, strict=True), start=1):
            by_q += k * (a * np.cos(k * q) - b * np.sin(k * q))
        by_qd = self.viscous + self.coulomb * self.speed**2 / np.hypot(qd, self.speed) ** 3
        shape = np.broadcast_shapes(q.shape, qd.shape)
        return np.broadcast_to(by_q, shape), np.broadcast_to(by_qd, shape)

    def deflection(self, tau: ArrayLike) -> JointVector:
        """Deflection [rad] of the series-elastic elements under torques [N m], (*batch, 7)."""
        return joint_array(tau, "tau", self.dof) / self.stiffness

    def replace(self, **changes: Unpack[EffectFields]) -> JointEffects:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def kernel_numbers(self) -> Array | None:
        """The effects as the native kernels take them; None if these cannot represent them.

        Bias, viscous, dry friction, squared speeds, then sines and cosines of the springs.
        """
        terms = self.spring_sin.shape[1]
        if self.dof != 7 or terms > KERNEL_HARMONICS:
            return None
        series = [
            np.pad(x, ((0, 0), (0, KERNEL_HARMONICS - terms))).T
            for x in (self.spring_sin, self.spring_cos)
        ]
        rows = [self.bias, self.viscous, self.coulomb, self.speed**2, *series]
        return np.ascontiguousarray(np.vstack(rows))

    @cached_property
    def _kernels(self) -> native.EffectEvaluator | None:
        """The compiled evaluator; None if there is no extension, or more terms than it takes."""
        numbers = self.kernel_numbers()
        return None if numbers is None else native.effect_evaluator(numbers)

    def _arguments(self, q: ArrayLike, qd: ArrayLike) -> tuple[JointVector, JointVector]:
        arrays = joint_array(q, "q", self.dof), joint_array(qd, "qd", self.dof)
        check_broadcast(("q", "qd"), arrays)
        return arrays

    def _vector(self, name: str, dof: int, default: float) -> Array:
        value = getattr(self, name)
        if value is None:
            return frozen(np.full(dof, default))
        if name == "stiffness":
            finite_array(np.where(np.isposinf(np.asarray(value, dtype=float)), 1.0, value), name)
            array = np.asarray(value, dtype=np.float64)
        else:
            array = finite_array(value, name)
        if array.shape != (dof,):
            raise ShapeError(f"{name} must have shape ({dof},), got {array.shape}")
        return frozen(array)

    def _series(self, name: str, dof: int, terms: int) -> Array:
        value = getattr(self, name)
        array = np.zeros((dof, terms)) if value is None else finite_array(value, name)
        if array.ndim != 2 or array.shape[0] != dof:
            raise ShapeError(f"{name} must have shape ({dof}, terms), got {array.shape}")
        return frozen(np.pad(array, ((0, 0), (0, terms - array.shape[1]))))

    def _check_positive(self, name: str, advice: str) -> None:
        values = getattr(self, name)
        if not (values > 0.0).all():
            joint = int(np.argmin(values))
            raise InputError(f"{name}[{joint}] = {values[joint]:g} must be above zero; {advice}")

    def _check_not_negative(self, name: str) -> None:
        values = getattr(self, name)
        if (values < 0.0).any():
            joint = int(np.argmin(values))
            raise InputError(
                f"{name}[{joint}] = {values[joint]:g} is negative; friction never drives a joint"
            )

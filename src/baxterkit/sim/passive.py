"""Springs and friction of one arm, or of both in one array, for a step of the twin.

Springs give torques; friction gives a damping coefficient, which the step treats implicitly;
friction with memory keeps its state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.dynamics.friction import friction_coefficient
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError
from baxterkit.types import Array

_REST = np.zeros(7)


class Springs:
    """Springs and bias, which depend on position alone: the torques of the effects at rest.

    Args:
        effects: Of one arm or more, one after another.
    """

    def __init__(self, effects: Sequence[JointEffects]) -> None:
        self._parts = [(e.torque, slice(7 * i, 7 * i + 7)) for i, e in enumerate(effects)]

    def __call__(self, q: Array) -> Array:
        """Torques [N m] at positions [rad], shape (n,); a new array."""
        tau = np.empty_like(q)
        try:
            for torque, rows in self._parts:
                torque(q[rows], _REST, out=tau[rows])
        except InputError:  # not finite: the twin reports divergence itself
            tau.fill(np.nan)
        return tau


class Friction:
    """Dry and viscous friction as a coefficient: friction = coefficient(qd) qd.

    Args:
        effects: Of one arm or more, one after another.
        more: Viscous friction on top [N m s/rad], shape (n,).
        memory: Whether friction with a memory is computed elsewhere, and this is the rest.
    """

    def __init__(self, effects: Sequence[JointEffects], more: Array, memory: bool = False) -> None:
        parts = [e.hysteresis if memory and e.hysteresis is not None else e for e in effects]
        self.coulomb = np.concatenate([part.coulomb for part in parts])
        self.speed = np.concatenate([e.speed for e in effects])
        self.viscous = np.concatenate([part.viscous for part in parts]) + more

    def coefficient(self, qd: Array) -> Array:
        """[N m s/rad], at velocities [rad/s], shape (n,); a new array."""
        return friction_coefficient(qd, self.coulomb, self.viscous, self.speed)


class Memory:
    """Friction with a memory (`JointEffects.hysteresis`), with its state.

    Args:
        effects: Of one arm or more, one after another; one of them at least has it.
        state: Its state, -1 to 1, shape (n,); changed as joints move.
    """

    def __init__(self, effects: Sequence[JointEffects], state: Array) -> None:
        known = [e.hysteresis for e in effects]
        self.at_zero = np.concatenate([np.zeros(7) if h is None else h.torque for h in known])
        self.slope = np.concatenate([np.zeros(7) if h is None else h.slope for h in known])
        self.per_distance = np.concatenate(
            [np.ones(7) if h is None else 1.0 / h.distance for h in known]
        )
        self._state = state

    def advance(self, travel: Array) -> None:
        """Takes a further travel of the joints [rad], shape (n,)."""
        towards = np.sign(travel)
        away = self._state - towards
        self._state[:] = towards + away * np.exp(-np.abs(travel) * self.per_distance)

    def torque(self, q: Array) -> Array:
        """Its torque now [N m], shape (n,), at positions [rad], shape (n,)."""
        return np.maximum(self.at_zero + self.slope * q, 0.0) * self._state

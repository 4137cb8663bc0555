"""Springs and friction of many joints, computed with few array operations.

The same numbers as `JointEffects.torque`, without its checks: these run every millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.types import Array

__all__ = ["Friction", "Memory", "Springs"]


class Springs:
    """What depends on position alone: springs and bias.

    Args:
        effects: Of one arm or more, one after another.
    """

    def __init__(self, effects: Sequence[JointEffects]) -> None:
        terms = max(e.spring_sin.shape[1] for e in effects)
        sin = _rows([e.spring_sin for e in effects], terms)
        cos = _rows([e.spring_cos for e in effects], terms)
        # a sin(k q) + b cos(k q) as one sine.
        self._size = np.hypot(sin, cos)
        self._phase = np.arctan2(cos, sin)
        self._order = np.arange(1.0, terms + 1.0)[:, None]
        self._bias = np.concatenate([e.bias for e in effects])
        self._terms = terms if self._size.any() else 0

    def __call__(self, q: Array) -> Array:
        """Torques [Nm] at positions [rad], shape (n,); a new array."""
        if self._terms == 0:
            return self._bias.copy()
        if self._terms == 1:
            tau: Array = np.sin(q + self._phase[0])
            tau *= self._size[0]
        else:
            tau = (np.sin(self._order * q + self._phase) * self._size).sum(axis=0)
        tau += self._bias
        return tau


class Friction:
    """Dry and viscous friction as a coefficient: friction = coefficient(qd) qd.

    Args:
        effects: Of one arm or more, one after another.
        more: Viscous friction on top [Nm s/rad], shape (n,).
        memory: Whether friction with a memory is counted elsewhere, and this is what is beside it.
    """

    def __init__(self, effects: Sequence[JointEffects], more: Array, memory: bool = False) -> None:
        parts = [e.hysteresis if memory and e.hysteresis is not None else e for e in effects]
        self._coulomb = np.concatenate([part.coulomb for part in parts])
        self._speed2 = np.concatenate([e.speed for e in effects]) ** 2
        self._viscous = np.concatenate([part.viscous for part in parts]) + more

    def coefficient(self, qd: Array) -> Array:
        """[Nm s/rad], at velocities [rad/s], shape (n,); a new array."""
        c: Array = qd * qd
        c += self._speed2
        np.sqrt(c, c)
        np.divide(self._coulomb, c, c)
        c += self._viscous
        return c


class Memory:
    """Friction with a memory (`JointEffects.hysteresis`), carried along step by step.

    Args:
        effects: Of one arm or more, one after another; one of them at least has it.
    """

    def __init__(self, effects: Sequence[JointEffects]) -> None:
        known = [e.hysteresis for e in effects]
        self._torque = np.concatenate([np.zeros(7) if h is None else h.torque for h in known])
        self._slope = np.concatenate([np.zeros(7) if h is None else h.slope for h in known])
        self._per_distance = np.concatenate(
            [np.ones(7) if h is None else 1.0 / h.distance for h in known]
        )
        self.state: Array = np.zeros_like(self._torque)

    def advance(self, travel: Array) -> None:
        """Takes a further travel of the joints [rad], shape (n,)."""
        towards = np.sign(travel)
        self.state = towards + (self.state - towards) * np.exp(-np.abs(travel) * self._per_distance)

    def torque(self, q: Array) -> Array:
        """Its torque now [Nm], shape (n,), at positions [rad], shape (n,)."""
        tau: Array = np.maximum(self._torque + self._slope * q, 0.0) * self.state
        return tau


def _rows(series: Sequence[Array], terms: int) -> Array:
    """Coefficients of springs, one row for each term, shape (terms, n)."""
    padded = [np.pad(part, ((0, 0), (0, terms - part.shape[1]))) for part in series]
    return np.ascontiguousarray(np.concatenate(padded).T)

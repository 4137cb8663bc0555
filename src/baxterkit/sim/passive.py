"""Springs and friction of many joints, computed with few array operations.

The same numbers as `JointEffects.torque`, without its checks: these run every millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.types import Array

__all__ = ["Friction", "Springs"]


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
    """

    def __init__(self, effects: Sequence[JointEffects], more: Array) -> None:
        self._coulomb = np.concatenate([e.coulomb for e in effects])
        self._speed2 = np.concatenate([e.speed for e in effects]) ** 2
        self._viscous = np.concatenate([e.viscous for e in effects]) + more

    def coefficient(self, qd: Array) -> Array:
        """[Nm s/rad], at velocities [rad/s], shape (n,); a new array."""
        c: Array = qd * qd
        c += self._speed2
        np.sqrt(c, c)
        np.divide(self._coulomb, c, c)
        c += self._viscous
        return c


def _rows(series: Sequence[Array], terms: int) -> Array:
    """Coefficients of springs, one row for each term, shape (terms, n)."""
    padded = [np.pad(part, ((0, 0), (0, terms - part.shape[1]))) for part in series]
    return np.ascontiguousarray(np.concatenate(padded).T)

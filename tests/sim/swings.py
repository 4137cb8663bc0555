"""A motion of all joints that shows every parameter of an arm, from rest to rest."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import Arm
from baxterkit.types import Array

CENTRE = (0.0, -0.4, 0.0, 1.1, 0.0, 0.6, 0.0)
REACH = (0.75, 0.7, 1.2, 0.9, 1.4, 1.0, 1.6)
"""Largest distance from the centre [rad]; the arm touches nothing, the other one untucked."""
RATES = (0.05, 0.11, 0.23)
"""Frequencies of the sines [Hz], a little different at each joint."""
RAMP = 2.0
"""Time in which the motion grows and fades [s]."""


class Swings:
    """Sums of sines around a centre, growing from rest and fading to rest there.

    Args:
        arm: The arm.
        duration: Duration [s].
    """

    def __init__(self, arm: Arm, duration: float) -> None:
        self.duration = duration
        sign = np.array([1.0 if arm.side == "left" else -1.0, 1, 1, 1, 1, 1, 1])
        self.centre = sign * np.array(CENTRE)
        self._t = np.linspace(0.0, duration, round(1000 * duration) + 1)
        t, joint = self._t[:, None], np.arange(7)
        sines = sum(np.sin(2.0 * np.pi * f * (1.0 + 0.03 * joint) * t + joint) for f in RATES)
        share = np.clip(np.minimum(t, duration - t) / RAMP, 0.0, 1.0)
        share = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
        q = self.centre + share * np.array(REACH) / len(RATES) * sines
        qd = np.gradient(q, self._t, axis=0)
        self._rows = (q, qd, np.gradient(qd, self._t, axis=0))

    def sample(self, t: ArrayLike) -> SimpleNamespace:
        """Positions, velocities and accelerations at times [s]."""
        at = np.clip(t, 0.0, self.duration)
        q, qd, qdd = (self._at(at, x) for x in self._rows)
        return SimpleNamespace(q=q, qd=qd, qdd=qdd)

    def _at(self, t: Array, x: Array) -> Array:
        return np.stack([np.interp(t, self._t, column) for column in x.T], axis=-1)

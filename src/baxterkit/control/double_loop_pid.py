"""The double-loop PID with which Smith et al. collected their data (eqs. 13 and 14)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController, cut
from baxterkit.control.dynamics import gravity_of
from baxterkit.control.signals import Gravity, Reference
from baxterkit.types import Array

OUTER_KP = 10.0
"""Outer Kp [1/s]: half the bandwidth of the slowest inner loop."""

OUTER_KD = 0.2
"""Outer Kd [1]."""

INNER_KP = (50.0, 50.0, 15.0, 15.0, 0.8, 0.8, 0.15)
"""Inner Kp [N m s/rad]: bandwidths of 15 to 40 rad/s with the inertias of the working
configuration; more turns the noise of sensed velocities into torques."""

INNER_KI = (250.0, 250.0, 75.0, 75.0, 4.0, 4.0, 1.5)
"""Inner Ki [N m/rad]: an integral time of a fifth of a second, a tenth at w2, where dry friction
dominates."""


class DoubleLoopPid(TorqueController):
    """A PD position loop that commands a PI velocity loop.

        e = q_r - q,         qd_c = Kp e + Kd ė               (13)
        ε̇ = qd_c - qd,       tau = Kp' ε̇ + Ki' ∫ ε̇ dt         (14)

    No model is needed: the integral finds the torque that holds the arm. It stops growing while a
    joint's torque is at its limit. As eq. 13 has no velocity of its own, the arm follows a steady
    motion with the lag qd_r / Kp; `feedforward` removes it.

    Args:
        gravity: An `Arm` or a callable `gravity(q) -> tau` whose torques are added; None as in the
            paper, where the robot itself compensates gravity.
        outer_kp: Kp of eq. 13 [1/s], one or seven.
        outer_kd: Kd of eq. 13 [1], one or seven.
        inner_kp: Kp' of eq. 14 [N m s/rad], one or seven.
        inner_ki: Ki' of eq. 14 [N m/rad], one or seven.
        feedforward: Add the reference's velocity to qd_c; the paper does not.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        gravity: Arm | Gravity | None = None,
        outer_kp: ArrayLike = OUTER_KP,
        outer_kd: ArrayLike = OUTER_KD,
        inner_kp: ArrayLike = INNER_KP,
        inner_ki: ArrayLike = INNER_KI,
        feedforward: bool = False,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(gravity, effort)
        self._gravity = None if gravity is None else gravity_of(gravity)
        self.outer_kp = one_or_each(outer_kp, "outer_kp")
        self.outer_kd = one_or_each(outer_kd, "outer_kd")
        self.inner_kp = one_or_each(inner_kp, "inner_kp")
        self.inner_ki = one_or_each(inner_ki, "inner_ki")
        self.feedforward = feedforward
        self.reset()

    @property
    def integral(self) -> Array:
        """∫ ε̇ dt, the integral of the inner loop's error [rad], shape (7,)."""
        return self._integral.copy()

    def reset(self) -> None:
        """Clears the integral."""
        self._integral = np.zeros(7)
        self._step = self._dt = np.zeros(7)

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        error = self.outer_kp * (r.q - q)
        error += self.outer_kd * (r.qd - qd)
        error -= qd
        if self.feedforward:
            error += r.qd
        if dt != self._dt[0]:  # NumPy multiplies faster by an array than by a scalar
            self._dt = np.full(7, dt)
        self._step = self._dt * error
        tau: Array = self.inner_ki * (self._integral + self._step)
        tau += self.inner_kp * error
        if self._gravity is not None:
            tau += self._gravity(q)
        return tau

    def _remember(self, wanted: Array, tau: Array) -> None:
        if cut(wanted, tau):  # anti-windup: no step that drives a saturated joint further
            self._step = np.where((wanted - tau) * self._step > 0.0, 0.0, self._step)
        self._integral += self._step

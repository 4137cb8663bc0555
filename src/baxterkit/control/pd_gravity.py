"""PD control with gravity compensation."""

from __future__ import annotations

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import gravity_of
from baxterkit.control.signals import Gravity, Reference
from baxterkit.types import Array

STIFFNESS = (200.0, 200.0, 100.0, 100.0, 20.0, 20.0, 10.0)
"""Kp [N m/rad]: a quarter radian of error asks for the effort limit at s0, less at the wrist."""

DAMPING = (30.0, 30.0, 10.0, 10.0, 1.0, 1.0, 0.2)
"""Kd [N m s/rad], near critical with the inertia that each joint moves in mid-range."""


class PdGravity(TorqueController):
    """A spring and a damper to the reference, on top of gravity.

        tau = G(q) + Kp (q_r - q) + Kd (qd_r - qd)

    At rest the only equilibrium is the reference, from everywhere (Takegaki and Arimoto). In
    motion it lags, as nothing accounts for inertia.

    Args:
        model: An `Arm`, or a callable `gravity(q) -> tau`.
        kp: Kp [N m/rad], one or seven.
        kd: Kd [N m s/rad], one or seven.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | Gravity,
        kp: ArrayLike = STIFFNESS,
        kd: ArrayLike = DAMPING,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        self._gravity = gravity_of(model)
        self.kp = one_or_each(kp, "kp")
        self.kd = one_or_each(kd, "kd")

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        return self._gravity(q) + self.kp * (r.q - q) + self.kd * (r.qd - qd)

"""Computed torque: the model's torques for the reference acceleration and a correction."""

from __future__ import annotations

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import tracking_dynamics_of
from baxterkit.control.signals import InverseDynamics, Reference, gains
from baxterkit.types import Array

__all__ = ["ComputedTorque"]

BANDWIDTH = 20.0
"""Natural frequency of the error [rad/s]: 1/5 of the s1 spring's lowest resonance and below."""


class ComputedTorque(TorqueController):
    """Inverse dynamics in the loop: each joint's error becomes a second-order system.

        tau = M(q) (qdd_r + Kd (qd_r - qd) + Kp (q_r - q)) + C(q, qd) qd + G(q)

    With the true model the error obeys ë + Kd ė + Kp e = 0 whatever the motion. Effects of the
    arm's joints (springs, friction, bias) are compensated if the arm carries them, friction at the
    reference velocity.

    Args:
        model: An `Arm`, or a callable `inverse_dynamics(q, qd, qdd) -> tau`.
        kp: Kp [1/s²], one or seven.
        kd: Kd [1/s], one or seven; critical damping, 2 √kp, if None.
        effort: Greatest torques [Nm]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | InverseDynamics,
        kp: ArrayLike = BANDWIDTH**2,
        kd: ArrayLike | None = None,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        self._dynamics = tracking_dynamics_of(model)
        self.kp = gains(kp, "kp")
        self.kd = gains(2.0 * self.kp**0.5 if kd is None else kd, "kd")

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        qdd = r.qdd + self.kd * (r.qd - qd) + self.kp * (r.q - q)
        return self._dynamics(q, qd, qdd, r.qd)

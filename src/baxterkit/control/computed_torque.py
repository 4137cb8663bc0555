"""Computed torque: the model's torques for the reference acceleration and a correction."""

from __future__ import annotations

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import tracking_dynamics_of
from baxterkit.control.signals import InverseDynamics, Reference
from baxterkit.types import Array

BANDWIDTH = 20.0
"""Natural frequency of the error [rad/s]: a tenth of the joints' torque loops and flexures."""

ARMATURE = (0.05, 0.05, 0.03, 0.03, 0.006, 0.006, 0.006)
"""Inertia that the feedback adds to that of the links [kg m²]: the hand alone has 0.0006 about w2,
too little for the feedback to overcome the residual friction there."""


class ComputedTorque(TorqueController):
    """Inverse dynamics in the loop: each joint's error becomes a second-order system.

        v = Kd (qd_r - qd) + Kp (q_r - q)
        tau = M(q) (qdd_r + v) + C(q, qd) qd + G(q) + A v

    With the true model and A = 0 the error obeys ë + Kd ė + Kp e = 0 whatever the motion; the
    armature A stiffens joints whose links have very little inertia. Joint effects (springs,
    friction, bias) are compensated if the arm has them, friction at the reference velocity.

    Args:
        model: An `Arm`, or a callable `inverse_dynamics(q, qd, qdd) -> tau`.
        kp: Kp [1/s²], one or seven.
        kd: Kd [1/s], one or seven; critical damping, 2 √kp, if None.
        armature: A [kg m²], one or seven.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | InverseDynamics,
        kp: ArrayLike = BANDWIDTH**2,
        kd: ArrayLike | None = None,
        armature: ArrayLike = ARMATURE,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        self._dynamics = tracking_dynamics_of(model)
        self.kp = one_or_each(kp, "kp")
        self.kd = one_or_each(2.0 * self.kp**0.5 if kd is None else kd, "kd")
        self.armature = one_or_each(armature, "armature")

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        v = self.kd * (r.qd - qd) + self.kp * (r.q - q)
        return self._dynamics(q, qd, r.qdd + v, r.qd) + self.armature * v

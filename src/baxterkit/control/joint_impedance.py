"""Joint impedance: the arm yields like springs and dampers at its joints."""

from __future__ import annotations

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import passive_dynamics_of
from baxterkit.control.signals import InverseDynamics, Reference
from baxterkit.types import Array

STIFFNESS = (100.0, 100.0, 60.0, 60.0, 15.0, 15.0, 5.0)
"""K [N m/rad]: soft enough to push by hand, s0 gives way by 0.1 rad under 10 N m."""

DAMPING = (25.0, 25.0, 10.0, 10.0, 1.0, 1.0, 0.1)
"""D [N m s/rad], near critical with the inertia that each joint moves in mid-range."""


class JointImpedance(TorqueController):
    """Springs and dampers around a motion, with the arm's own inertia.

        tau = M(q) qdd_r + C(q, qd) qd_r + G(q) + K (q_r - q) + D (qd_r - qd)

    In contact the arm obeys M ë + (C + D) ė + K e = -tau_contact. The energy ½ ė'Mė + ½ e'Ke falls
    by ė'Dė and by the work done on the contact: the arm is passive whatever it touches, and without
    contact it follows the motion with no error.

    Args:
        model: An `Arm`, or a callable `inverse_dynamics(q, qd, qdd) -> tau` of a rigid arm.
        stiffness: K [N m/rad], one or seven.
        damping: D [N m s/rad], one or seven.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | InverseDynamics,
        stiffness: ArrayLike = STIFFNESS,
        damping: ArrayLike = DAMPING,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        self._dynamics = passive_dynamics_of(model)
        self.stiffness = one_or_each(stiffness, "stiffness")
        self.damping = one_or_each(damping, "damping")

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        spring = self.stiffness * (r.q - q) + self.damping * (r.qd - qd)
        return self._dynamics(q, qd, r.qd, r.qdd) + spring

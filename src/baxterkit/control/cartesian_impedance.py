"""Cartesian impedance: the tip yields like a spring, the elbow like a softer one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import passive_dynamics_of
from baxterkit.control.rotations import pose_difference, spring_moment
from baxterkit.control.signals import Reference, gains, pose_row
from baxterkit.types import Array

__all__ = ["CartesianImpedance"]

STIFFNESS = (400.0, 400.0, 400.0, 20.0, 20.0, 20.0)
"""K [N/m, Nm/rad]: 10 N move the tip by 25 mm, 1 Nm turns it by 3 degrees."""

DAMPING_RATIO = 1.0
"""Each joint is damped critically for the stiffness and the inertia that it feels."""

NULL_STIFFNESS = 30.0
"""Stiffness of the elbow's posture [Nm/rad]."""


class CartesianImpedance(TorqueController):
    """A spring from the tip to its reference pose, with a posture in the null space.

        tau = M qdd_r + C qd_r + G + J' K ΔX + D(q) (qd_r - qd) + M n n'Kₙ(q_r - q) / n'M n

    ΔX is the distance and the rotation vector to the reference pose. D is diagonal: joint i gets
    2 ζ √(kᵢ mᵢ) with kᵢ of J'KJ and mᵢ of M, so the arm is well damped in every posture and with
    every payload. n spans the null space of J, and its torque M n accelerates the elbow and not
    the tip. With Kₙ = 0 the arm is passive whatever it touches.

    Args:
        arm: The arm; its kinematics are needed, so a callable does not serve.
        stiffness: K [N/m, Nm/rad] along and about base axes, shape (6,).
        damping_ratio: ζ.
        null_stiffness: Kₙ [Nm/rad], one or seven; pulls to the reference's `q`.
        effort: Greatest torques [Nm]; the arm's if None.

    The reference's `T` is the pose of the tip; that of its `q` if it has none.
    """

    def __init__(
        self,
        arm: Arm,
        stiffness: ArrayLike = STIFFNESS,
        damping_ratio: float = DAMPING_RATIO,
        null_stiffness: ArrayLike = NULL_STIFFNESS,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(arm, effort)
        self._arm = arm
        self._dynamics = passive_dynamics_of(arm)
        self.stiffness = gains(stiffness, "stiffness", 6)
        self.damping_ratio = float(gains(damping_ratio, "damping_ratio", 1)[0])
        self.null_stiffness = gains(null_stiffness, "null_stiffness")
        self._fk, self._jacobian = arm.fk, arm.jacobian
        self._inertia, self._null_vector = arm.inertia, arm.null_vector
        x, y, z, a, b, c = self.stiffness.tolist()
        self._along, self._about = (x, y, z), (a, b, c)
        self._quadruple = 4.0 * self.damping_ratio**2 * self.stiffness

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        T_wanted = self._fk(r.q) if r.T is None else pose_row(r.T)
        (x, y, z), phi = pose_difference(self._fk(q), T_wanted)
        kx, ky, kz = self._along
        force = np.array((kx * x, ky * y, kz * z, *spring_moment(phi, self._about)))
        J, M, n = self._jacobian(q), self._inertia(q), self._null_vector(q)
        damping = np.sqrt(self._quadruple.dot(J * J) * M.diagonal())
        tau: Array = self._dynamics(q, qd, r.qd, r.qdd) + force.dot(J) + damping * (r.qd - qd)
        Mn = M.dot(n)
        inertia = n.dot(Mn)
        if inertia > 0.0:  # zero in a singular posture, where the null space is not a line
            tau += (n.dot(self.null_stiffness * (r.q - q)) / inertia) * Mn
        return tau

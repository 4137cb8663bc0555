"""From tip velocity to joint velocity: pseudo-inverse, damping, null space (Kumar eqs. 4, 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from baxterkit.kinematics.jacobian import jacobian
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointVector, Twist

RANK_TOLERANCE = 1e-12
"""Singular values below this part of the largest count as zero."""


def pseudoinverse(J: Array, damping: Any = 0.0) -> Array:
    """Moore-Penrose inverse of J, or the damped one Jᵀ(J Jᵀ + λ² 1)⁻¹.

    Args:
        J: Jacobians, shape (*batch, 6, n).
        damping: λ, shape (*batch) or one number; zero for the exact pseudo-inverse.

    Returns:
        J⁺, shape (*batch, n, 6).
    """
    U, values, Vt = np.linalg.svd(J, full_matrices=False)
    damping = np.asarray(damping)[..., None]
    zero = (values <= RANK_TOLERANCE * values[..., :1]) & (damping == 0.0)
    squares = np.where(zero, 1.0, values**2 + damping**2)
    gains = np.where(zero, 0.0, values / squares)
    inverse: Array = np.swapaxes(Vt, -1, -2) @ (gains[..., None] * np.swapaxes(U, -1, -2))
    return inverse


def nullspace(model: ArmModel, q: JointVector) -> JointMatrix:
    """Projector onto the joint velocities that leave the tip where it is: 1 - J⁺ J.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        N, shape (*batch, n, n), symmetric, N N = N.
    """
    J = jacobian(model, q)
    N: JointMatrix = np.eye(model.dof) - pseudoinverse(J) @ J
    return N


def joint_velocity(
    model: ArmModel,
    q: JointVector,
    twist: Twist,
    qd_null: JointVector | None = None,
    damping: Any = 0.0,
) -> JointVector:
    """Joint velocities for a tip velocity: J⁺ V + (1 - J⁺ J) qd_null (Kumar eq. 5).

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        twist: V = [v; w] in base axes [m/s, rad/s], shape (*batch, 6).
        qd_null: Wished joint velocities [rad/s], met as far as V allows, shape (*batch, n).
        damping: λ of the damped pseudo-inverse.

    Returns:
        qd [rad/s], shape (*batch, n).
    """
    J = jacobian(model, q)
    wish = np.zeros(model.dof) if qd_null is None else np.asarray(qd_null)
    missing = np.asarray(twist)[..., None] - J @ wish[..., None]
    qd: JointVector = wish + (pseudoinverse(J, damping) @ missing)[..., 0]
    return qd

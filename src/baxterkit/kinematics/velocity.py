"""From tip velocity to joint velocity: pseudo-inverse, damping, null space (Kumar eqs. 4, 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.kinematics.jacobians import jacobian
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointVector, Twist

RANK_TOLERANCE = 1e-12
"""Singular values below this part of the largest count as zero."""


def pseudoinverse(J: Array, damping: ArrayLike = 0.0) -> Array:
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
    across = _row_space(jacobian(model, q))
    return np.eye(model.dof) - np.swapaxes(across, -1, -2) @ across


def joint_velocity(
    model: ArmModel,
    q: JointVector,
    twist: Twist,
    qd_null: JointVector | None = None,
    damping: ArrayLike = 0.0,
) -> JointVector:
    """Joint velocities for a tip velocity: J⁺ V + (1 - J⁺ J) qd_null (Kumar eq. 5).

    Damping acts on V alone: `qd_null` is projected by the exact null space, so that it never moves
    the tip. (Projected by the damped inverse, it would, by λ²/(σ² + λ²) of its part along each
    singular value σ.)

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        twist: V = [v; w] in base axes [m/s, rad/s], shape (*batch, 6).
        qd_null: Preferred joint velocities [rad/s]; their part that leaves the tip at rest counts,
            shape (*batch, n).
        damping: λ of the damped pseudo-inverse; with λ > 0 the tip follows V only approximately.

    Returns:
        qd [rad/s], shape (*batch, n).
    """
    J = jacobian(model, q)
    qd: JointVector = (pseudoinverse(J, damping) @ np.asarray(twist)[..., None])[..., 0]
    if qd_null is not None:
        wish, across = np.asarray(qd_null), _row_space(J)
        moving = np.swapaxes(across, -1, -2) @ (across @ wish[..., None])
        qd = qd + wish - moving[..., 0]
    return qd


def _row_space(J: Array) -> Array:
    """Orthonormal basis of the row space of J, as rows; zero rows where J loses rank.

    Taken from the singular vectors, since J⁺ J would lose digits near singularities.
    """
    _, values, Vt = np.linalg.svd(J, full_matrices=False)
    return np.where((values > RANK_TOLERANCE * values[..., :1])[..., None], Vt, 0.0)

"""Manipulability, condition number, and the direction of the self-motion."""

from __future__ import annotations

import numpy as np

from baxterkit.errors import InputError
from baxterkit.kinematics.jacobians import jacobian
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector


def manipulability(model: ArmModel, q: JointVector) -> Array:
    """Yoshikawa's index √det(J Jᵀ), zero at a singularity.

    Computed as the product of the singular values of J, which stays accurate near a singularity,
    where rounding dominates det(J Jᵀ).

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        Index [m³/rad³ for six rows], shape (*batch).
    """
    index: Array = np.prod(_singular_values(model, q), axis=-1)
    return index


def condition_number(model: ArmModel, q: JointVector) -> Array:
    """Largest over smallest singular value of J, shape (*batch); inf at a singularity.

    Linear rows of J count in m/rad and angular rows in rad/rad. `q` [rad] has shape (*batch, n).
    """
    values = _singular_values(model, q)
    with np.errstate(divide="ignore"):
        return values[..., 0] / values[..., -1]


def smallest_singular_value(model: ArmModel, q: JointVector) -> Array:
    """Smallest singular value of J, shape (*batch): the least gain from joint to tip speed."""
    return _singular_values(model, q)[..., -1]


def null_vector(model: ArmModel, q: JointVector) -> JointVector:
    """Direction of the self-motion of a 7-joint arm: signed minors of J.

    n_i = (-1)^i det(J without column i), i from 0, so J n = 0 and |n| is the manipulability. Unlike
    a unit vector it is a smooth function of q, also through singularities, where it vanishes.

    Args:
        model: An arm with seven joints.
        q: Joint positions [rad], shape (*batch, 7).

    Returns:
        n, shape (*batch, 7).

    Raises:
        InputError: If the arm has another number of joints.
    """
    if model.dof != 7:
        raise InputError(
            f"the null vector is defined for arms with 7 joints; this one has {model.dof}"
        )
    J = jacobian(model, q)
    minors = [np.linalg.det(np.delete(J, i, axis=-1)) for i in range(model.dof)]
    signs = (-1.0) ** np.arange(model.dof)
    n: JointVector = np.stack(minors, axis=-1) * signs
    return n


def _singular_values(model: ArmModel, q: JointVector) -> Array:
    """Singular values of J, largest first, shape (*batch, 6)."""
    return np.asarray(np.linalg.svd(jacobian(model, q), compute_uv=False), dtype=np.float64)

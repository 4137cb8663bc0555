"""Regressors: torques are linear in the links' parameters, `tau = Y(q, qd, qdd) @ parameters`."""

from __future__ import annotations

import numpy as np

from baxterkit.dynamics.bodies import Bodies, bodies, cross_wrench, momentum
from baxterkit.dynamics.newton_euler import outward
from baxterkit.equations.base_parameters import link_parameters_of_base
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector


def regressor(model: ArmModel, q: JointVector, qd: JointVector, qdd: JointVector) -> Array:
    """Regressor of all link parameters (`base_parameters.link_parameters`).

    Args:
        model: The arm; its inertias have no effect.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].

    Returns:
        Y, shape (*batch, n, 10 n); the units of column k are N m per unit of parameter k.
    """
    arm = bodies(model, q)
    motion, rate = outward(arm, np.asarray(qd), np.asarray(qdd), model.gravity)
    m, h, S = _unit_moments(arm)
    motion, rate = motion[..., None, :], rate[..., None, :]
    wrench = momentum(m, h, S, rate) + cross_wrench(motion, momentum(m, h, S, motion))
    Y: Array = np.einsum("...ik,...bpk->...ibp", arm.screws, wrench)
    n = model.dof
    carries = np.arange(n) >= np.arange(n)[:, None]  # joint i moves link b >= i only
    Y = Y * carries[:, :, None]
    return Y.reshape(*Y.shape[:-3], n, 10 * n)


def base_regressor(model: ArmModel, q: JointVector, qd: JointVector, qdd: JointVector) -> Array:
    """Regressor of the base parameters [1/s²], shape (*batch, n, 7 n - 4)."""
    return regressor(model, q, qd, qdd) @ link_parameters_of_base(model)


def _unit_moments(arm: Bodies) -> tuple[Array, Array, Array]:
    """Moments about the mount's origin of links with one unit parameter each.

    Shapes (10,), (*batch, n, 10, 3) and (*batch, n, 10, 3, 3).
    """
    m = np.zeros(10)
    m[0] = 1.0
    first = np.zeros((10, 3))
    first[1:4] = np.eye(3)
    second = np.zeros((10, 3, 3))
    for k, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        inertia = np.zeros((3, 3))
        inertia[i, j] = inertia[j, i] = 1.0
        second[k] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    R, p = arm.R[..., None, :, :], arm.p[..., None, :]
    turned = np.einsum("...ij,kj->...ki", arm.R, first)
    h = turned + m[:, None] * p
    S = R @ second @ np.swapaxes(R, -1, -2)
    S = S + turned[..., :, None] * p[..., None, :] + p[..., :, None] * h[..., None, :]
    return m, h, S

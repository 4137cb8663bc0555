"""Forward dynamics, energies and task-space inertia."""

from __future__ import annotations

from typing import cast

import numpy as np

from baxterkit.dynamics.bodies import bodies, momentum, six
from baxterkit.dynamics.newton_euler import bias, inertia, tip_torques
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector, Twist


def forward_dynamics(
    model: ArmModel,
    q: JointVector,
    qd: JointVector,
    tau: JointVector,
    wrench: Twist | None = None,
) -> JointVector:
    """Accelerations under given torques: qdd of `M qdd = tau + J' w - C qd - G`.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s].
        tau: Joint torques [N m].
        wrench: Force [N] and moment [N m] exerted on the tip, base axes, shape (*batch, 6).

    Returns:
        qdd [rad/s²], shape (*batch, n).
    """
    rest = np.asarray(tau) - bias(model, q, qd)
    if wrench is not None:
        rest = rest + tip_torques(bodies(model, q), np.asarray(wrench))
    return cast(JointVector, np.linalg.solve(inertia(model, q), rest[..., None])[..., 0])


def kinetic_energy(model: ArmModel, q: JointVector, qd: JointVector) -> Array:
    """Kinetic energy [J], shape (*batch)."""
    arm = bodies(model, q)
    motion = np.cumsum(arm.screws * np.asarray(qd)[..., None], axis=-2)
    energy: Array = 0.5 * np.einsum(
        "...nk,...nk->...", motion, momentum(arm.m, arm.h, arm.S, motion)
    )
    return energy


def potential_energy(model: ArmModel, q: JointVector) -> Array:
    """Potential energy in gravity [J], zero with all mass at the base's origin, shape (*batch)."""
    arm = bodies(model, q)
    at_mount = float(arm.m.sum() * (model.T_base_s0[:3, 3] @ model.gravity))
    energy: Array = -(arm.h.sum(axis=-2) @ model.gravity) - at_mount
    return energy


def tip_jacobian(model: ArmModel, q: JointVector) -> Array:
    """Jacobian of the tip [v; w] in base axes, shape (*batch, 6, n)."""
    arm = bodies(model, q)
    w = arm.screws[..., 3:]
    v = arm.screws[..., :3] + np.cross(w, arm.tip[..., None, :])
    return np.swapaxes(six(v, w), -1, -2)


def task_inertia(model: ArmModel, q: JointVector) -> Array:
    """Inertia felt by a wrench on the tip, `(J M⁻¹ J')⁻¹`, base axes, shape (*batch, 6, 6).

    Rows and columns: force [kg, kg m] first. In a singular configuration the tip cannot be
    accelerated in some direction; the pseudo-inverse gives those directions no inertia, where it
    would be infinite.
    """
    return task_inertia_of(tip_jacobian(model, q), inertia(model, q))


def task_inertia_of(J: Array, M: Array) -> Array:
    """`(J M⁻¹ J')⁻¹` of a Jacobian (*batch, 6, n) and an inertia matrix (*batch, n, n)."""
    mobility = J @ np.linalg.solve(M, np.swapaxes(J, -1, -2))
    mobility = 0.5 * (mobility + np.swapaxes(mobility, -1, -2))
    return cast(Array, np.linalg.pinv(mobility, rcond=1e-12, hermitian=True))

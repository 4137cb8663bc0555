"""First derivatives of inverse and forward dynamics by positions and velocities.

`∂tau/∂qd = 2 C`, since torques are quadratic in qd with symmetric Christoffel symbols. For the
positions, a point r of what joint j moves has the derivative `phi_j(r)`, the velocity under unit
rate of joint j, and its acceleration the derivative `(d²/dt²) phi_j`. With screws `S_j`, their
rates, composite inertia `I`, composite force `F` and the form `B` of the Coriolis matrix, all
about the mount's origin,

    ∂tau_i/∂q_j = S_i · (I_j Sdd_j + 2 B_j Sd_j + S_j ×* F_j)      i ≤ j
    ∂tau_i/∂q_j = Sdd_j · I_i S_i + 2 Sd_j · B_i' S_i               i > j

Reference: docs/dynamics.md.
"""

from __future__ import annotations

import numpy as np

from baxterkit.dynamics import forward
from baxterkit.dynamics.bodies import (
    Bodies,
    bodies,
    composite,
    cross_motion,
    cross_wrench,
    momentum,
    outer_sum,
    powers,
    six,
)
from baxterkit.dynamics.newton_euler import (
    composite_rates,
    coriolis,
    inertia,
    inertial_wrenches,
    outward,
    spun,
    spun_transposed,
)
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointVector, Twist


def inverse_dynamics_derivatives(
    model: ArmModel,
    q: JointVector,
    qd: JointVector,
    qdd: JointVector,
    wrench: Twist | None = None,
) -> tuple[JointMatrix, JointMatrix]:
    """Derivatives of the torques tau(q, qd, qdd); by qdd it is the inertia matrix.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].
        wrench: Force [N] and moment [N m] exerted on the tip, base axes, held constant,
            shape (*batch, 6).

    Returns:
        ∂tau/∂q [N m/rad] and ∂tau/∂qd [N m s/rad], shape (*batch, n, n) each; row i is tau_i.
    """
    arm = bodies(model, q)
    qd, qdd = np.asarray(qd), np.asarray(qdd)
    motion, rate = outward(arm, qd, qdd, model.gravity)
    S = arm.screws
    Sd = cross_motion(motion, S)
    Sdd = cross_motion(rate, S) + cross_motion(motion, Sd)
    moments = composite(arm)
    P, V = composite_rates(arm, motion)
    F = outer_sum(inertial_wrenches(arm, motion, rate), -2)
    upper = powers(S, momentum(*moments, Sdd) + 2 * spun(P, V, Sd) + cross_wrench(S, F))
    lower = powers(momentum(*moments, S), Sdd) + 2 * powers(spun_transposed(P, V, S), Sd)
    by_q = np.triu(upper) + np.tril(lower, -1)
    if wrench is not None:
        by_q = by_q - _tip_torque_derivative(arm, np.asarray(wrench))
    # No wrench and no acceleration enters here; broadcast to the full batch all the same.
    by_qd = np.broadcast_to(2.0 * coriolis(model, q, qd), by_q.shape)
    return by_q, by_qd.copy()


def forward_dynamics_derivatives(
    model: ArmModel,
    q: JointVector,
    qd: JointVector,
    tau: JointVector,
    wrench: Twist | None = None,
) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
    """Derivatives of the accelerations qdd(q, qd, tau).

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s].
        tau: Joint torques [N m].
        wrench: Force [N] and moment [N m] exerted on the tip, base axes, shape (*batch, 6).

    Returns:
        ∂qdd/∂q [1/s²], ∂qdd/∂qd [1/s] and ∂qdd/∂tau [1/(kg m²)], shape (*batch, n, n) each.
    """
    qdd = forward.forward_dynamics(model, q, qd, tau, wrench)
    by_q, by_qd = inverse_dynamics_derivatives(model, q, qd, qdd, wrench)
    inverse = np.linalg.inv(inertia(model, q))
    return -inverse @ by_q, -inverse @ by_qd, np.broadcast_to(inverse, by_q.shape).copy()


def _tip_torque_derivative(arm: Bodies, wrench: Array) -> Array:
    """Derivative of J' w by q for a constant wrench on the tip, (*batch, n, n)."""
    S, force = arm.screws, wrench[..., :3]
    about_mount = six(force, wrench[..., 3:] + np.cross(arm.tip, force))
    # Joint j < i carries the axis of joint i along, and every joint carries the tip.
    carried = cross_motion(S[..., None, :, :], S[..., :, None, :])
    axes = np.tril(np.einsum("...ijk,...k->...ij", carried, about_mount), -1)
    tip = S[..., :3] + np.cross(S[..., 3:], arm.tip[..., None, :])
    moved: Array = axes + powers(S[..., 3:], np.cross(tip, force[..., None, :]))
    return moved

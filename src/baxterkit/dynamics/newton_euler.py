"""Newton-Euler inverse dynamics, and the terms of the equations of motion, in plain NumPy.

    tau = M(q) qdd + C(q, qd) qd + G(q) - J(q)' w

with the wrench w exerted on the tip. These functions are the reference for the generated kernels.
They work for any serial arm of revolute joints; tool, payload, mount and gravity are those of the
model. Joint quantities have shape (*batch, n) and broadcast against each other.

Reference: docs/dynamics.md.
"""

from __future__ import annotations

import numpy as np

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
    times,
    trace,
)
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointVector, Twist


def inverse_dynamics(
    model: ArmModel,
    q: JointVector,
    qd: JointVector,
    qdd: JointVector,
    wrench: Twist | None = None,
) -> JointVector:
    """Torques of a motion, by the recursive Newton-Euler method.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].
        wrench: Force [N] and moment [N m] exerted on the tip, at the tip in base axes,
            shape (*batch, 6).

    Returns:
        tau [N m], shape (*batch, n).
    """
    arm = bodies(model, q)
    motion, rate = outward(arm, np.asarray(qd), np.asarray(qdd), model.gravity)
    force = outer_sum(inertial_wrenches(arm, motion, rate), -2)
    tau: JointVector = np.einsum("...nk,...nk->...n", arm.screws, force)
    return tau if wrench is None else tau - tip_torques(arm, np.asarray(wrench))


def outward(arm: Bodies, qd: Array, qdd: Array, gravity: Array) -> tuple[Array, Array]:
    """Motions of the links and their rates, (*batch, n, 6); the mount accelerates by -gravity."""
    motion = np.cumsum(arm.screws * qd[..., None], axis=-2)
    own = arm.screws * qdd[..., None] + cross_motion(motion, arm.screws) * qd[..., None]
    mount = np.concatenate([-gravity, np.zeros(3)])
    return motion, np.cumsum(own, axis=-2) + mount


def inertial_wrenches(arm: Bodies, motion: Array, rate: Array) -> Array:
    """Wrench that each link needs for its own motion, (*batch, n, 6)."""
    return momentum(arm.m, arm.h, arm.S, rate) + cross_wrench(
        motion, momentum(arm.m, arm.h, arm.S, motion)
    )


def tip_torques(arm: Bodies, wrench: Array) -> Array:
    """J' w, the torques that a wrench on the tip exerts on the joints, (*batch, n)."""
    moment = wrench[..., 3:] + np.cross(arm.tip, wrench[..., :3])
    return times(arm.screws, six(wrench[..., :3], moment))


def inertia(model: ArmModel, q: JointVector) -> JointMatrix:
    """Inertia matrix M [kg m²], shape (*batch, n, n), from composite bodies."""
    arm = bodies(model, q)
    return symmetric_from_upper(powers(arm.screws, momentum(*composite(arm), arm.screws)))


def coriolis(model: ArmModel, q: JointVector, qd: JointVector) -> JointMatrix:
    """Coriolis matrix C [kg m²/s] of the Christoffel symbols, shape (*batch, n, n).

    `C qd` are the Coriolis and centrifugal torques, and `Mdot - 2 C` is skew.
    """
    arm = bodies(model, q)
    qd = np.asarray(qd)
    motion = np.cumsum(arm.screws * qd[..., None], axis=-2)
    screw_rates = cross_motion(motion, arm.screws)
    m, h, S = composite(arm)
    P, V = composite_rates(arm, motion)
    # Column j above the diagonal: the wrench of (d/dt)(velocity per unit rate of joint j).
    wrench = momentum(m, h, S, screw_rates) + spun(P, V, arm.screws)
    upper = powers(arm.screws, wrench)
    lower = powers(momentum(m, h, S, arm.screws), screw_rates) + powers(
        spun_transposed(P, V, arm.screws), arm.screws
    )
    return np.triu(upper) + np.tril(lower, -1)


def gravity(model: ArmModel, q: JointVector) -> JointVector:
    """Gravity torques G [N m], shape (*batch, n)."""
    arm = bodies(model, q)
    m, h, _ = composite(arm)
    wrench = six(m[..., None] * model.gravity, np.cross(h, model.gravity))
    torques: JointVector = -np.einsum("...nk,...nk->...n", arm.screws, wrench)
    return torques


def bias(model: ArmModel, q: JointVector, qd: JointVector) -> JointVector:
    """Torques at zero acceleration, C qd + G [N m], shape (*batch, n)."""
    return inverse_dynamics(model, q, qd, np.zeros(model.dof))


def composite_rates(arm: Bodies, motion: Array) -> tuple[Array, Array]:
    """∫ v dm (*batch, n, 3) and ∫ v r' dm (*batch, n, 3, 3) of what each joint moves.

    `motion` may also be rates of motion; then v stands for accelerations, apart from the part
    that is quadratic in the velocities.
    """
    v, w = motion[..., :3], motion[..., 3:]
    P = arm.m[..., None] * v + np.cross(w, arm.h)
    V = v[..., :, None] * arm.h[..., None, :] + _cross_columns(w, arm.S)
    return outer_sum(P, -2), outer_sum(V, -3)


def spun(P: Array, V: Array, motion: Array) -> Array:
    """Wrench of the field w × v(r), w the angular part of `motion`, ∫ v dm = P, ∫ v r' dm = V."""
    w = motion[..., 3:]
    moment = trace(V)[..., None] * w - times(V, w)
    return six(np.cross(w, P), moment)


def spun_transposed(P: Array, V: Array, motion: Array) -> Array:
    """The same bilinear form with its arguments exchanged."""
    v, w = motion[..., :3], motion[..., 3:]
    moment = trace(V)[..., None] * w - times(np.swapaxes(V, -1, -2), w) + np.cross(P, v)
    return six(np.zeros(3), moment)


def symmetric_from_upper(A: Array) -> Array:
    """Symmetric matrix with the upper triangle of A."""
    upper = np.triu(A)
    return upper + np.swapaxes(np.triu(A, 1), -1, -2)


def _cross_columns(w: Array, S: Array) -> Array:
    """w~ S."""
    return np.cross(w[..., None, :], np.swapaxes(S, -1, -2)).swapaxes(-1, -2)

"""Differential kinematics of the tip: Jacobians, twist, and J̇ q̇."""

from __future__ import annotations

import numpy as np

from baxterkit.kinematics.forward import link_poses
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, Jacobian, JointVector, Twist


def jacobian(model: ArmModel, q: JointVector) -> Jacobian:
    """Geometric Jacobian of the tip: V = J(q) qd, V = [v; w] at the tip origin in base axes.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        J, shape (*batch, 6, n); linear rows [m/rad], angular rows [1].
    """
    axes, levers = _axes_and_levers(model, q)
    columns = [
        np.concatenate([_cross(axis, lever), axis], axis=-1)
        if joint.kind == "revolute"
        else np.concatenate([axis, np.zeros_like(axis)], axis=-1)
        for joint, axis, lever in zip(model.joints, axes, levers, strict=True)
    ]
    return np.stack(columns, axis=-1)


def body_jacobian(model: ArmModel, q: JointVector) -> Jacobian:
    """The same Jacobian in the axes of the tip.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        J_body, shape (*batch, 6, n); V_tip = J_body(q) qd, linear rows first.
    """
    J = jacobian(model, q)
    R_tip_base = np.swapaxes(link_poses(model, q)[..., -1, :3, :3], -1, -2)
    return np.concatenate([R_tip_base @ J[..., :3, :], R_tip_base @ J[..., 3:, :]], axis=-2)


def twist(model: ArmModel, q: JointVector, qd: JointVector) -> Twist:
    """Tip velocity J(q) qd.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s], shape (*batch, n).

    Returns:
        [v; w] at the tip origin in base axes [m/s, rad/s], shape (*batch, 6).
    """
    return (jacobian(model, q) @ np.asarray(qd)[..., None])[..., 0]


def bias_acceleration(model: ArmModel, q: JointVector, qd: JointVector) -> Twist:
    """J̇ q̇: the tip's acceleration when all joint accelerations are zero.

    Angular and linear accelerations are carried outwards from joint to joint: a step r on a link
    that turns at rate w adds alpha x r + w x (w x r).

    Args:
        model: The arm; all joints revolute or prismatic.
        q: Joint positions [rad], shape (*batch, n).
        qd: Joint velocities [rad/s], shape (*batch, n).

    Returns:
        [a; alpha] in base axes [m/s², rad/s²], shape (*batch, 6).
    """
    q, qd = np.broadcast_arrays(q, qd)
    axes, levers = _axes_and_levers(model, q)
    rate = np.zeros((*q.shape[:-1], 3), dtype=np.result_type(q, qd))
    angular, linear = rate, rate
    previous = None
    for i, joint in enumerate(model.joints):
        if previous is not None:
            linear = linear + _accelerate(angular, rate, previous - levers[i])
        turn = axes[i] * qd[..., i, None]
        if joint.kind == "revolute":
            angular = angular + _cross(rate, turn)
            rate = rate + turn
        else:
            linear = linear + 2.0 * _cross(rate, turn)
        previous = levers[i]
    assert previous is not None
    linear = linear + _accelerate(angular, rate, previous)
    return np.concatenate([linear, angular], axis=-1)


def _axes_and_levers(model: ArmModel, q: JointVector) -> tuple[list[Array], list[Array]]:
    """Every joint's axis, and the tip as seen from the joint's origin, both in base axes."""
    poses = link_poses(model, q)
    tip = poses[..., -1, :3, 3]
    axes, levers = [], []
    for i, joint in enumerate(model.joints):
        axes.append(poses[..., i, :3, :3] @ joint.axis)
        levers.append(tip - poses[..., i, :3, 3])
    return axes, levers


def _accelerate(angular: Array, rate: Array, step: Array) -> Array:
    return _cross(angular, step) + _cross(rate, _cross(rate, step))


def _cross(a: Array, b: Array) -> Array:
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )

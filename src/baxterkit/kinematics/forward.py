"""Forward kinematics: poses of the links and of the tip."""

from __future__ import annotations

import numpy as np

from baxterkit.model.model import ArmModel, Joint
from baxterkit.types import Array, JointVector, Transform


def forward_kinematics(model: ArmModel, q: JointVector) -> Transform:
    """Pose of the tip in base.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        T_base_tip, shape (*batch, 4, 4).
    """
    T = link_poses(model, q)[..., -1, :, :]
    return T


def link_poses(model: ArmModel, q: JointVector) -> Transform:
    """Poses of every link frame, then of the tip, in base.

    Args:
        model: The arm.
        q: Joint positions [rad], shape (*batch, n).

    Returns:
        Ts_base_link, shape (*batch, n + 1, 4, 4); the last one is the tip.
    """
    q = np.asarray(q)
    T = np.broadcast_to(model.T_base_s0, (*q.shape[:-1], 4, 4))
    poses = []
    for i, joint in enumerate(model.joints):
        T = T @ joint.T_parent_joint @ joint_motion(joint, q[..., i])
        poses.append(T)
    poses.append(T @ model.T_last_tip)
    return np.stack(poses, axis=-3)


def joint_motion(joint: Joint, q: Array) -> Transform:
    """Transform of one joint moved by q [rad or m], shape (*batch, 4, 4).

    Rotation by Rodrigues' formula; q may be complex.
    """
    x, y, z = joint.axis
    T = np.zeros((*q.shape, 4, 4), dtype=np.result_type(q, np.float64))
    T[..., 3, 3] = 1.0
    if joint.kind == "prismatic":
        T[..., :3, :3] = np.eye(3)
        T[..., :3, 3] = q[..., None] * joint.axis
        return T
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, cosine = np.sin(q)[..., None, None], np.cos(q)[..., None, None]
    along = np.outer(joint.axis, joint.axis)
    T[..., :3, :3] = along + cosine * (np.eye(3) - along) + sine * cross
    return T

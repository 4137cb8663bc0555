"""What the numbers of an action mean: commands to the joints, as the robot takes them.

Every action is from -1 to 1. Each kind becomes a joint command of one of the robot's modes, which
the safety gate then allows or refuses.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import UnknownNameError
from baxterkit.types import Array, frozen

KINDS = ("position", "velocity", "torque", "tip")
MODES = {"position": "position", "velocity": "velocity", "torque": "torque", "tip": "velocity"}
"""The robot's command mode of each kind."""
STEP = 0.2
"""Farthest that a position action is from the measured positions [rad]."""
SPEED = 0.5
"""Greatest velocity action, as a share of the velocity limits."""
EFFORT: Array = frozen([5.0, 8.0, 4.0, 4.0, 0.8, 0.8, 0.4])
"""Greatest torque action [N m], on top of gravity compensation: chosen here, enough to move each
joint briskly; more would be refused at most configurations, as too fast within 50 ms."""
TIP_SPEED, TIP_TURN = 0.3, 1.0
"""Greatest speed of the tip [m/s, rad/s], along and about the axes of base."""
DAMPING = 0.05
"""Of the inverse Jacobian near singular configurations."""


def check_kind(kind: str) -> str:
    """The kind of action; raises UnknownNameError if there is no such kind."""
    if kind not in KINDS:
        raise UnknownNameError("action", kind, KINDS)
    return kind


def width(kind: str) -> int:
    """Numbers of an arm's action, without its gripper's."""
    return 6 if kind == "tip" else 7


def command(kind: str, arm: Arm, action: Array, q: Array) -> Array:
    """The joint command of actions, shape (n, 7) [rad, rad/s or N m].

    Args:
        kind: "position", "velocity", "torque" or "tip".
        arm: The arm.
        action: From -1 to 1, shape (n, 7); (n, 6) for the tip.
        q: Measured positions [rad], shape (n, 7).
    """
    limits = arm.limits
    if kind == "position":
        return np.clip(q + STEP * action, limits.lower, limits.upper)
    if kind == "velocity":
        return SPEED * limits.velocity * action
    if kind == "torque":
        return EFFORT * action
    twist = action * np.repeat([TIP_SPEED, TIP_TURN], 3)
    qd = arm.joint_velocity(q, twist, damping=DAMPING, warn_below=0.0)
    share = (np.abs(qd) / limits.velocity).max(axis=-1, keepdims=True)
    slowed: Array = qd / np.maximum(share, 1.0)
    return slowed

"""Where an arm would come to rest if we fell silent now: the way that the safety gate checks.

After a velocity or torque command the robot goes on for its command timeout, then brakes.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.computed_torque import ARMATURE
from baxterkit.ros.states import ArmReading
from baxterkit.types import Array, JointVector, frozen

__all__ = ["BRAKING", "after_torque", "after_velocity", "ahead"]

BRAKING: JointVector = frozen([3.0, 3.0, 3.0, 3.0, 8.0, 8.0, 8.0])
"""Deceleration that a braking arm reaches at least [rad/s²]: half of what the twin takes; chosen
here."""
STEPS = 5
"""Points of the braking motion that are checked."""
STEP = 0.01
"""Step of the prediction under torques [s]."""
LATEST = 0.2
"""Greatest age of a state for which the motion since is made up for [s]."""
FRICTION: JointVector = frozen([0.12, 0.37, 0.2, 0.05, 0.05, 0.025, 0.035])
"""Dry friction that a moving joint has at least [N m]: half of the twin's nominal friction."""


def after_velocity(q: JointVector, qd: JointVector, command: JointVector, timeout: float) -> Array:
    """Positions from now to rest if `command` is the last one.

    Args:
        q: Measured positions [rad], shape (7,).
        qd: Measured velocities [rad/s], shape (7,).
        command: Commanded velocities [rad/s], shape (7,).
        timeout: Time for which the robot obeys it [s].

    Returns:
        Positions [rad], shape (n, 7), the first one is `q`.
    """
    # It speeds up at once, but slows down no faster than it brakes: meanwhile it covers the way of
    # the old velocity's excess.
    forward = np.sign(qd)
    back = forward * command < 0.0
    slower = np.where(back, np.abs(qd), np.maximum(forward * (qd - command), 0.0))
    excess = forward * slower * slower / (2.0 * BRAKING)
    turned = q + timeout * command + np.where(back, 0.0, excess)
    first = [q, q + excess] if back.any() else [q]
    return np.vstack([*first, turned, _braked(turned, command)])


def ahead(reading: ArmReading, command: JointVector | None) -> JointVector:
    """Where an arm is now, shape (7,) [rad]: it has moved on since it was measured.

    Args:
        reading: Its last state.
        command: The velocities that it was last told [rad/s]; None if it was told none.
    """
    qd = reading.qd
    if command is not None:
        qd = np.where(np.abs(command) > np.abs(qd), command, qd)
    moved: JointVector = reading.q + min(max(reading.age, 0.0), LATEST) * qd
    return moved


def after_torque(
    arm: Arm, q: JointVector, qd: JointVector, tau: JointVector, offset: Array, timeout: float
) -> tuple[Array, Array]:
    """Positions from now to rest if the torques last for `timeout` and the arm then brakes.

    Args:
        arm: The arm, rigid.
        q: Measured positions [rad], shape (7,).
        qd: Measured velocities [rad/s], shape (7,).
        tau: Commanded torques that accelerate the arm [N m], shape (7,): gravity compensation
            included.
        offset: Torques that the rigid model lacks, as springs [N m], shape (7,).
        timeout: Time for which the robot obeys [s].

    Returns:
        Positions [rad], shape (n, 7), and the velocities under the torques [rad/s], shape (m, 7).
    """
    way, fast = [q], []
    for _ in range(max(round(timeout / STEP), 1)):
        M = arm.inertia(q)
        M[range(7), range(7)] += ARMATURE
        bias = arm.inverse_dynamics(q, qd, np.zeros(7))
        qd = qd + STEP * np.linalg.solve(M, tau - offset - bias)
        slower = STEP * FRICTION / M.diagonal()
        qd = np.sign(qd) * np.maximum(np.abs(qd) - slower, 0.0)
        q = q + STEP * qd
        way.append(q)
        fast.append(qd)
    return np.vstack([*way, _braked(q, qd)]), np.array(fast)


def _braked(q: JointVector, qd: JointVector) -> Array:
    """Positions while every joint brakes to rest on its own, shape (STEPS, 7)."""
    t = (np.abs(qd) / BRAKING).max() * np.linspace(0.0, 1.0, STEPS + 1)[1:, None]
    t = np.minimum(t, np.abs(qd) / BRAKING)
    result: Array = q + qd * t - 0.5 * np.sign(qd) * BRAKING * t * t
    return result

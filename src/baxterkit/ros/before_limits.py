"""Velocities that slow down before a joint limit, so that the gate lets a motion go on.

The gate refuses a velocity from which the arm would not come to rest within its limits, were it the
last one. A motion that ends at a limit, or is led along one, comes nearer than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.model.limits import Limits
from baxterkit.ros import prediction
from baxterkit.ros.states import ArmReading
from baxterkit.types import Array, JointVector, frozen

ROOM = 5e-4
"""Distance from the limits that is kept [rad]: positions are measured with noise."""
LATER = 0.01
"""Time by which the gate may look later than this [s]."""
SHARES: Array = frozen(np.linspace(1.0, 0.0, 65))
"""Shares of a velocity that are tried."""


def eased(
    reading: ArmReading,
    told: JointVector | None,
    command: JointVector,
    limits: Limits,
    timeout: float,
) -> JointVector:
    """The command, slower in the joints that would not come to rest within their limits [rad/s].

    Args:
        reading: The arm's last state.
        told: The velocities sent before [rad/s]; None if there were none.
        command: The velocities wanted [rad/s], shape (7,).
        limits: The arm's limits.
        timeout: Time for which the robot obeys a command [s].
    """
    q = prediction.ahead(reading, told)
    qd = prediction.speeds(reading.age, prediction.loud(reading.qd), told)

    def beyond(commands: Array) -> NDArray[np.bool_]:
        """Whether joints come to rest beyond their limits; those that move inwards do not."""
        here = np.broadcast_to(q, commands.shape)
        motion = prediction.after_velocity(here, qd, commands, timeout + LATER)
        high, low = motion.max(axis=(0, -2)), motion.min(axis=(0, -2))
        outside: NDArray[np.bool_] = np.where(
            commands > 0.0,
            high > limits.upper - ROOM,
            (commands < 0.0) & (low < limits.lower + ROOM),
        )
        return outside

    if not beyond(command).any():
        return command
    inside = ~beyond(SHARES[:, None] * command)
    found: JointVector = SHARES[np.argmax(inside, axis=0)] * command
    return found

"""What is sent to follow a motion without a controller, through the robot's own interfaces.

In position mode Baxter lags a moving command by 0.4 s times its speed. So motions are fed forward:

- "velocity": the wanted velocity, plus the position error times a gain;
- "position": the wanted position, plus 0.4 s times the wanted velocity;
- "raw position": the wanted position a little ahead.

Without feed-forward the motion is sent as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.signals import CourseSample
from baxterkit.model.limits import Limits
from baxterkit.robot.errors import RefusedError
from baxterkit.types import JointVector

LAG = 0.4
"""Lag of position commands [s]: the arm is behind by this times its speed, on a real robot."""
GAIN = 4.0
"""Velocity for an error of position [1/s]."""
AHEAD = {"velocity": 0.02, "position": 0.0, "raw position": 0.02}
"""Delay from a state to the effect of the command that answers it [s]."""
Command: TypeAlias = Callable[[Limits, CourseSample, CourseSample, JointVector, bool], JointVector]
"""Of (limits, wanted when `q` was measured, wanted when the command acts, q, feed forward)."""


def _velocity(
    limits: Limits, wanted: CourseSample, ahead: CourseSample, q: JointVector, feed_forward: bool
) -> JointVector:
    if not feed_forward:
        return ahead.qd
    return np.clip(ahead.qd + GAIN * (wanted.q - q), -limits.velocity, limits.velocity)


def _position(
    limits: Limits, wanted: CourseSample, ahead: CourseSample, q: JointVector, feed_forward: bool
) -> JointVector:
    if not feed_forward:
        return ahead.q
    return np.clip(ahead.q + LAG * ahead.qd, limits.lower, limits.upper)


COMMANDS: Mapping[str, Command] = {
    "velocity": _velocity,
    "position": _position,
    "raw position": lambda limits, wanted, ahead, q, feed_forward: ahead.q,
}
"""By mode, the command."""
MODES = tuple(COMMANDS)


def off_the_motion(
    arm: Arm, wanted: CourseSample, q: JointVector, t: float, tolerance: float, lags: bool
) -> tuple[float, RefusedError | None]:
    """How far the arm is off the motion, as a share of the tolerance; and the refusal above 1.

    Args:
        arm: The arm.
        wanted: Where it should be.
        q: Where it is [rad], shape (7,).
        t: Time along the motion [s].
        tolerance: Largest error of a joint [rad].
        lags: Whether the lag of position commands is expected.
    """
    error = wanted.q - (LAG if lags else 0.0) * wanted.qd - q
    j = int(np.argmax(np.abs(error)))
    share = float(abs(error[j])) / tolerance
    if share <= 1.0:
        return share, None
    return share, RefusedError(
        "jump",
        f"{arm.joint_names[j]} is {error[j]:.3f} rad off the motion at {t:.2f} s; "
        f"{tolerance:g} are allowed",
    )

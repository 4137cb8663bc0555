"""How the head turns, on both bodies: what it may be told, and when it is there."""

from __future__ import annotations

from baxterkit.checks.numbers import scalar, share
from baxterkit.errors import InputError
from baxterkit.model.head import HeadModel
from baxterkit.robot.errors import OverdueError, RefusedError

FASTEST = 2.0
"""Speed of a twin's head that is told the speed 1 [rad/s]; chosen here."""
THERE = 0.01
"""A head is there when it is this near [rad] ..."""
NEAR = 0.14
"""... or this near [rad], as the robot's own programs ask for, ..."""
RESTS = 0.5
"""... and has not moved for this time [s]."""
STIRS = 0.01
"""A head that has turned by this [rad] was moving."""


def head_goal(head: HeadModel, pan: float, speed: float) -> tuple[float, float]:
    """Pan angle [rad] and speed, a share of the greatest, that a head may be told.

    Raises:
        RefusedError: If the angle is outside the head's limits.
        InputError: If it is not finite, or the speed is not above 0 and at most 1.
    """
    goal, ratio = scalar(pan, "pan"), share(speed, "speed")
    try:
        head.check(goal)
    except InputError as error:
        raise RefusedError("position", str(error)) from error
    return min(max(goal, head.lower), head.upper), ratio


def is_there(pan: float, goal: float, rested: float) -> bool:
    """Whether a head that has not moved for a time [s] is where it was told to turn [rad]."""
    off = abs(pan - goal)
    return off <= THERE or (off <= NEAR and rested >= RESTS)


def not_there(pan: float, goal: float, timeout: float) -> OverdueError:
    """The error for a head that is not there in time."""
    return OverdueError(f"the head is at {pan:.2f} rad, not at {goal:.2f} rad, after {timeout:g} s")

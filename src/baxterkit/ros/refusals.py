"""Refusals of the safety gate, in words: what was wrong, the value, what is allowed, the remedy."""

from __future__ import annotations

import numpy as np

from baxterkit.checks.numbers import scalar
from baxterkit.collision.nearest import Nearest
from baxterkit.collision.world import World
from baxterkit.errors import BaxterkitError
from baxterkit.model.names import joint_names
from baxterkit.robot.errors import RefusedError
from baxterkit.types import Array

DIGITS = 3
"""Decimals of a value, if they show how it differs from its limit."""


def refusal(reason: str, message: str) -> RefusedError:
    """The error for a command that is not sent."""
    return RefusedError(reason, f"not sent: {message}")


def number(value: float, name: str) -> float:
    """A finite number; refuses anything else."""
    try:
        return scalar(value, name)
    except BaxterkitError as error:
        raise refusal("not finite", str(error)) from error


def head_speed(speed: float) -> float:
    """A share of the head's greatest speed, 0 to 1; refuses anything else."""
    speed = number(speed, "speed")
    if not 0.0 <= speed <= 1.0:
        raise refusal("velocity", f"speed of the head = {speed}; it must be from 0 to 1")
    return speed


def within(side: str, row: Array, reason: str, what: str, low: Array, high: Array) -> None:
    """Refuses values of the joints, shape (7,), of which one is not between two others."""
    bad = ~((row >= low) & (row <= high))
    if bad.any():
        j = int(np.argmax(bad))
        text = _outside(float(row[j]), float(low[j]), float(high[j]))
        raise refusal(reason, f"{what}: {joint_names(side)[j]} = {text}")


def contact(pair: Nearest, margin: float) -> str:
    """What is wrong with a motion on which two links come too near."""
    gap, keep = 1e3 * float(pair.clearance), 1e3 * margin
    names = f"{pair.names[0]} and {pair.names[1]}"
    if margin < 0.0:  # a hand takes one of them, or has left it
        return f"{names} would come {-gap:.1f} mm inside each other; at most {-keep:g} mm are right"
    if gap >= keep:  # not decided: nothing touches there, but near it something may
        return (
            f"{names} would come within {gap:.1f} mm, and it is not certain that the robot keeps "
            f"{keep:g} mm: its joints move at speeds of their own; go slower, or in smaller steps"
        )
    inside = f", {-gap:.1f} mm inside each other" if gap <= -0.05 else ""
    return f"{names} would come within {max(gap, 0.0):.1f} mm{inside}; {keep:g} mm are to be kept"


def grip_advice(pair: Nearest | None, side: str, world: World) -> str:
    """What to do if fingers would close on an obstacle."""
    if pair is None or f"{side}_fingers" not in pair.names:
        return ""
    obstacles = [name for name in pair.names if name in world]
    return f"; to grip it, set Rules(graspable=({obstacles[0]!r},))" if obstacles else ""


def _outside(value: float, low: float, high: float) -> str:
    """That a value is outside a range, with digits enough to show it."""
    limit = low if value < low else high
    digits = DIGITS
    while digits < 16 and f"{value:.{digits}f}" == f"{limit:.{digits}f}":
        digits += 1
    digits += digits > DIGITS
    if np.isfinite([low, high]).all():
        return f"{value:.{digits}f} is outside {low:.{digits}f} to {high:.{digits}f}"
    return f"{value:.{digits}f} is {'below' if value < low else 'above'} {limit:.{digits}f}"


def raw_step(side: str, row: Array, low: Array, high: Array, velocity: Array) -> None:
    """Refuses a raw position command [rad] that is not between `low` and `high`, shape (7,) each.

    Raises:
        RefusedError: Names the first joint at fault, and its velocity limit [rad/s].
    """
    bad = (row < low - 1e-12) | (row > high + 1e-12)
    if bad.any():
        j = int(np.argmax(bad))
        raise refusal(
            "velocity",
            f"raw step [rad]: {joint_names(side)[j]} = {row[j]:.4f}; "
            f"{low[j]:.4f} to {high[j]:.4f} are allowed now: raw commands go no faster than "
            f"{velocity[j]:g} rad/s, and speed up gradually; send smaller steps, "
            "evenly in time, or the mode 'position'",
        )

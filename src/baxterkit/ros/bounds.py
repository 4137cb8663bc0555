"""Between which numbers a command must stay, and what it leads to: of one arm, or of a batch.

Least and greatest values, as arrays of the shape of the commands, (*batch, 7).
"""

from __future__ import annotations

import numpy as np

from baxterkit.model.limits import LIMIT_TOLERANCE, Limits
from baxterkit.types import Array

NOISE = 0.002
"""A position at an end stop may be measured beyond it by this [rad]."""


def of_position(limits: Limits, q: Array) -> tuple[Array, Array]:
    """Of position commands [rad], at positions q.

    To stay is allowed where an end stop is measured beyond its limit, and to move inwards.
    """
    low = np.minimum(limits.lower, np.maximum(q, limits.lower - NOISE)) - LIMIT_TOLERANCE
    high = np.maximum(limits.upper, np.minimum(q, limits.upper + NOISE)) + LIMIT_TOLERANCE
    return low, high


def of_velocity(limits: Limits) -> Array:
    """Greatest size of velocity commands [rad/s]."""
    return limits.velocity + 1e-9


def at_rest_after_velocity(limits: Limits, row: Array) -> tuple[Array, Array]:
    """Of the positions at rest after velocity commands [rad].

    Joints that are told to stay or to move inwards may.
    """
    low = np.where(row < 0.0, limits.lower - LIMIT_TOLERANCE, -np.inf)
    high = np.where(row > 0.0, limits.upper + LIMIT_TOLERANCE, np.inf)
    return low, high


def under_torques(limits: Limits, qd: Array, last: Array) -> Array:
    """Greatest speeds under torques [rad/s], of arms that move at qd and come to the speeds `last`.

    A joint that is too fast, and slows down, may.
    """
    return np.maximum(limits.velocity, np.where(np.abs(last) < np.abs(qd), np.abs(qd), 0.0))


def at_rest_after_torques(limits: Limits, q: Array, qd: Array, last: Array) -> tuple[Array, Array]:
    """Of the positions at rest after torques [rad], of arms as in `under_torques`.

    Joints that slow down, or stay where an end stop is measured beyond its limit, may.
    """
    low, high = np.minimum(limits.lower, q) - NOISE, np.maximum(limits.upper, q) + NOISE
    low = np.where((last < 0.0) & (last <= qd), low, -np.inf)
    high = np.where((last > 0.0) & (last >= qd), high, np.inf)
    return low, high

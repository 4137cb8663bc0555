"""Whole turns of the joints: the equations determine angles up to these, limits do not."""

from __future__ import annotations

import numpy as np

from baxterkit.model.limits import Limits
from baxterkit.types import Array, JointVector

FARTHEST = 1e3
"""Seeds beyond this [rad] are clipped to it when a turn is chosen."""


def turn_middles(limits: Limits, seed: JointVector) -> Array:
    """The middle of the turn in which each joint is returned [rad], shape (7,).

    With limits inside [-π, π] that is 0; with other limits less than a turn wide it is their
    middle; limits a turn wide or more leave the joint free, in the turn within them around the
    seed.
    """
    lower, upper = limits.lower, limits.upper
    plain = (lower >= -np.pi) & (upper <= np.pi)
    narrow = upper - lower < 2.0 * np.pi
    near = np.clip(seed, -FARTHEST, FARTHEST)
    near = np.minimum(np.maximum(near, lower + np.pi), upper - np.pi)
    middle: Array = np.where(plain, 0.0, np.where(narrow, limits.middle, near))
    return middle


def place(q: JointVector, middles: Array) -> JointVector:
    """Joint positions (*batch, 7), shifted by whole turns to within half a turn of the middles."""
    placed: JointVector = q - 2.0 * np.pi * np.round((q - middles) / (2.0 * np.pi))
    return placed

"""Motions of both arms: two motions of one arm each, joined into one of 14 columns."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from baxterkit.model.limits import Limits
from baxterkit.trajectory.checks import BOTH
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array


def both_arms(left: Trajectory, right: Trajectory) -> Trajectory:
    """One motion of both arms; the arm whose motion is shorter rests at its end.

    It has the name of the left arm's motion, or of the right one's if the left arm rests.

    Raises:
        InputError: If one of them is a motion of the other arm.
    """
    parts = [_known(left, "left"), _known(right, "right")]
    knots = np.unique(np.concatenate([part.knots for part in parts]))
    order = max(part.coefficients.shape[1] for part in parts)
    columns = [_cut(part, knots, order) for part in parts]
    limits = [part.limits for part in parts if part.limits is not None]
    grippers = {side: one for part in parts for side, one in part.grippers.items()}
    name = next((part.name for part in parts if part.coefficients[:, 1:].any()), left.name)
    return Trajectory(
        knots, np.concatenate(columns, axis=-1), _limits(limits), name, BOTH, grippers
    )


def at_rest(q: Array, limits: Limits, duration: float) -> Trajectory:
    """An arm, the one of the limits, that rests at joint positions [rad], shape (7,)."""
    return Trajectory(np.array([0.0, duration]), np.asarray(q)[None, None], limits, "rest")


def _known(motion: Trajectory, side: str) -> Trajectory:
    """A motion of one arm that knows of which one it is."""
    return replace(motion.of(side), side=side)


def _limits(given: list[Limits]) -> Limits | None:
    if len(given) < 2:
        return None
    a, b = given
    return Limits(
        np.concatenate([a.lower, b.lower]),
        np.concatenate([a.upper, b.upper]),
        np.concatenate([a.velocity, b.velocity]),
        np.concatenate([a.effort, b.effort]),
        a.names + b.names,
        a.units + b.units,
    )


def _cut(motion: Trajectory, knots: Array, order: int) -> Array:
    """Coefficients of a motion cut at more knots, and at rest after its end, (m, order, 7)."""
    pieces = np.zeros((len(knots) - 1, order, 7))
    inside = knots[:-1] < motion.duration
    pieces[~inside, 0] = motion.end
    own = np.searchsorted(motion.knots, knots[:-1][inside], side="right") - 1
    late = (knots[:-1][inside] - motion.knots[own])[:, None]
    given = motion.coefficients[own]
    for k in range(given.shape[1]):  # the powers of (x + late), by the binomial theorem
        pieces[inside, k] = sum(
            math.comb(n, k) * late ** (n - k) * given[:, n] for n in range(k, given.shape[1])
        )
    return pieces

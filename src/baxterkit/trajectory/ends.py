"""Whether a motion is at speed at an end, where it was cut out of a longer one, by its positions.

Around a motion the joints rest, so a spline through the first half of a file brakes within its last
piece, however fast the joints are there. Its positions show it: a line through the mean speeds of
the first two tenths of a second next to the end tells the speed at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

SPAN = 0.1
"""Time over which positions tell the speed [s]: a step of the encoder is 0.004 rad/s in it."""
RESTING = 0.05
"""Speed that counts as rest in samples [rad/s], as in `Recording.to_trajectory`, which brings all
above it to rest. Rethink's recordings begin and end with up to 0.02 rad/s by noise."""
SHORT_PIECE = 0.1
"""Longest piece [s] of a motion through samples; longer ones lead from waypoint to waypoint."""
STEEP = 0.5
"""A motion is at speed at an end if its speed there is above this share of the mean next to it."""
OVERSHOOT = 1.1
"""A spline that brakes within its last piece was faster before it, by this factor at least."""


def speeds_at_end(motion: Trajectory, when: str) -> Array:
    """The speeds from which a spline brings joints to rest within its last piece; 0 of the others.

    Planned motions and quick robots may accelerate nearly as fast. The knots tell the two apart: a
    spline through samples at speed, made to rest at the end, swings about them.

    Args:
        motion: A motion.
        when: "begins" or "ends".

    Returns:
        Velocities [rad/s], shape (7,), or (14,) of both arms.
    """
    knots = motion.knots if when == "begins" else motion.knots[::-1]
    if len(knots) < 5 or abs(knots[1] - knots[0]) > SHORT_PIECE:
        return np.zeros(motion.coefficients.shape[-1])
    span = np.sign(knots[1] - knots[0]) * min(SPAN, 0.5 * motion.duration)
    mean, _, speed = _line(motion, knots[0] + span * np.arange(3.0))
    sign = np.sign(mean)
    is_fast = (np.abs(mean) > RESTING) & (sign * speed > np.maximum(RESTING, STEEP * np.abs(mean)))
    first, second, at_end = (sign * x for x in _line(motion, knots[:3]))
    inner = sign * motion.sample(float(knots[1])).qd
    swings = (at_end > STEEP * first) & (inner > OVERSHOOT * np.maximum(first, second))
    return np.where(is_fast & swings, speed, 0.0)


def _line(motion: Trajectory, t: Array) -> tuple[Array, Array, Array]:
    """Mean speeds between three times, and the speed at the first one by a line through them."""
    length = np.diff(t)
    first, second = np.diff(motion.sample(t).q, axis=0) / length[:, None]
    return first, second, first - (second - first) * length[0] / length.sum()

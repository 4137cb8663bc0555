"""Openings of the grippers: exact, or between two values where they are not known."""

from __future__ import annotations

import math

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError

Span = tuple[float, float]
"""The least and the greatest opening that a hand may have."""
Openings = float | tuple[float, float] | tuple[Span, Span]
STROKE = 0.021
"""No finger moves by more than this from closed to open [m]."""
FINGER_STEP = 0.004
"""Step at which fingers whose opening is not known are checked [m]; longer for many capsules."""
MOST_SLIDING = 100
"""Capsules that stand for fingers at all sampled openings but one, about at most."""


def sampled(span: Span, fingers: int = 0) -> tuple[float, ...]:
    """Openings of a span at which fingers stand for all of it, with `inflation`.

    Args:
        span: The least and the greatest opening.
        fingers: Capsules that slide: the more, the fewer openings.
    """
    low, high = span
    if low == high:
        return (low,)
    step = FINGER_STEP * max(1, math.ceil(fingers * STROKE / (FINGER_STEP * MOST_SLIDING)))
    count = 1 + math.ceil((high - low) * STROKE / step)
    return tuple(np.linspace(low, high, count).tolist())


def inflation(span: Span, fingers: int = 0) -> float:
    """How far a finger is from the nearest sampled one, at most [m]."""
    steps = len(sampled(span, fingers)) - 1
    return 0.5 * (span[1] - span[0]) * STROKE / steps if steps else 0.0


def spans(opening: Openings) -> tuple[Span, Span]:
    """The span of the left hand and of the right one.

    Raises:
        InputError: If an opening is not from 0 to 1.
    """
    values = finite_array(opening, "opening")
    if values.shape not in ((), (2,), (2, 2)):
        raise InputError(f"opening must be one number or two, left and right, got {opening!r}")
    for value in values.flat:
        if not 0.0 <= value <= 1.0:
            raise InputError(f"opening = {value:g} must be from 0 (closed) to 1 (open)")
    if values.shape == (2, 2):
        if (values[:, 0] > values[:, 1]).any():
            raise InputError(f"opening = {opening!r}: the least of a hand comes first")
        (a, b), (c, d) = values.tolist()
        return (a, b), (c, d)
    left, right = np.broadcast_to(values, (2,)).tolist()
    return (left, left), (right, right)


def plain_opening(opening: Openings) -> Openings:
    """A checked opening as a number, or as tuples of them.

    Raises:
        InputError: If an opening is not from 0 to 1.
    """
    if type(opening) is float and 0.0 <= opening <= 1.0:
        return opening
    left, right = spans(opening)
    if np.ndim(opening) == 2:
        return left, right
    return left[0] if np.ndim(opening) == 0 else (left[0], right[0])

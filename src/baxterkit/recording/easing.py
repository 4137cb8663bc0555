"""A motion that begins or ends at speed, brought to rest along its own path."""

from __future__ import annotations

import numpy as np

from baxterkit.recording.signals import interpolate
from baxterkit.types import Array, JointVector

RAMP = 1.0
"""Time in which it gets up to speed [s]; at most half the motion."""
AT_REST = 0.05
"""Speed up to which a joint counts as resting [rad/s] ..."""
SPAN = 0.1
"""... over this time [s]."""


def eased(t: Array, q: JointVector, rate: float) -> tuple[Array, Array] | None:
    """The same path from rest to rest; None if it begins and ends at rest as it is.

    Args:
        t: Time [s], shape (n,).
        q: Joint positions [rad], shape (n, 7), without gaps.
        rate: Rows of the result per second [Hz].

    Returns:
        Times [s], shape (m,), from 0, and how far along the recording the arm is then [s], (m,).
    """
    length = float(t[-1] - t[0])
    span = min(SPAN, length)
    if span == 0.0:
        return None
    first, second, third, last = interpolate(
        t, q, np.array([t[0], t[0] + span, t[-1] - span, t[-1]])
    )
    starts = bool(np.abs(second - first).max() > AT_REST * span)
    ends = bool(np.abs(last - third).max() > AT_REST * span)
    if not (starts or ends):
        return None
    ramp = min(RAMP, 0.5 * length)
    total = length + 0.5 * ramp * (starts + ends)
    times = np.linspace(0.0, total, max(int(np.ceil(total * rate)), 2) + 1)
    along = times - 0.5 * ramp * starts
    if starts:
        along = np.where(times < ramp, _covered(times, ramp), along)
    if ends:
        left = total - times
        along = np.where(left < ramp, length - _covered(left, ramp), along)
    return times, along


def _covered(times: Array, ramp: float) -> Array:
    """Time of the recording that is covered while the pace goes smoothly from 0 to 1."""
    x = times / ramp
    result: Array = ramp * (x**3 - 0.5 * x**4)
    return result

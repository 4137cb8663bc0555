"""What a gripper was told, by where its fingers were seen: for motions that repeat a recording."""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array

STEP = 0.02
"""Changes of an opening up to this are those of a sensor, 0 to 1."""
PAUSE = 0.25
"""Fingers that stop for less than this [s] still move."""
BEYOND = 0.05
"""Openings beyond 0 or 1 by up to this are those of fingers that are closed or open."""


def held(t: Array, values: Array, at: Array) -> Array:
    """Values at times [s], each from its own time on; the first one before it too.

    Args:
        t: Times of the values, increasing, shape (m,).
        values: Values, shape (m,).
        at: Times, shape (n,).
    """
    result: Array = values[np.maximum(np.searchsorted(t, at, side="right") - 1, 0)]
    return result


def events(t: Array, opening: Array, gripping: Array | None) -> tuple[Array, Array]:
    """The openings that a gripper was told, each with its time.

    While fingers move, their opening changes from row to row; they were told once, where to. Those
    that held something were told to close all the way.

    Args:
        t: Times [s], shape (n,).
        opening: Openings, 0 (closed) to 1 (open), shape (n,).
        gripping: 1 where the fingers held something, 0 elsewhere, shape (n,); None: not known.

    Returns:
        Times [s], shape (m,), the first one that of the first row, and openings, shape (m,).
    """
    x = opening if gripping is None else np.where(gripping > 0.5, 0.0, opening)
    changes = np.flatnonzero(np.diff(x)) + 1
    times, told = [float(t[0])], [float(x[0])]
    begin, last, before = 0, -np.inf, 0.0
    for i in changes.tolist():
        sign = float(np.sign(x[i] - x[i - 1]))
        if sign != before or t[i] - last > PAUSE:
            begin = i
        last, before = float(t[i]), sign
        if len(times) > 1 and times[-1] == t[begin]:
            told[-1] = float(x[i])
        elif abs(x[i] - told[-1]) > STEP:
            times.append(float(t[begin]))
            told.append(float(x[i]))
    return np.array(times), np.array(told)

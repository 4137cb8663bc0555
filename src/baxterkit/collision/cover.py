"""Capsules that contain a box or a cylinder, for objects that a hand holds.

A section across the longest axis is tiled with squares of side s, or nearly so; along each runs a
capsule whose circle goes through the corners of its tile. With s = 2 (r - e) and capsules r - e
shorter at both ends, the corners at the ends lie on the capsules where r^2 = 3 (r - e)^2; nothing
stands off by more than e, and s = 2 e / (sqrt(3) - 1).
"""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array

EXCESS = 0.01
"""Largest excess of the cover of objects up to MOST tiles wide [m]."""
MOST = 8
"""Largest number of capsules across a side; larger objects are covered more coarsely."""
SHORT = 1e-6
"""Length of a capsule that stands for a sphere [m]."""


def covering_capsules(kind: str, size: tuple[float, ...]) -> Array:
    """Capsules that contain an object, in its own frame: start, end, radius, shape (n, 7) [m].

    Args:
        kind: "box", "sphere", "capsule" or "cylinder".
        size: As in `Obstacle`.
    """
    if kind == "sphere":
        return np.array([[0, 0, -SHORT / 2, 0, 0, SHORT / 2, size[0]]])
    if kind == "capsule":
        return np.array([[0, 0, -size[0] / 2, 0, 0, size[0] / 2, size[1]]])
    sides = np.array(size) if kind == "box" else np.array([2 * size[1], 2 * size[1], size[0]])
    axis = int(np.argmax(sides)) if kind == "box" else 2
    across = [i for i in range(3) if i != axis]
    tile = 2.0 * EXCESS / (np.sqrt(3.0) - 1.0)
    steps = sides[across] / np.ceil(sides[across] / tile)
    side = max(steps.min(), tile / 2.0)  # tiles as square as a thin object allows
    counts = [int(min(np.ceil(sides[i] / side - 1e-9), MOST)) for i in across]
    steps = np.array([sides[i] / n for i, n in zip(across, counts, strict=True)])
    corner = np.hypot(*steps) / 2.0
    back = min(corner / np.sqrt(2.0), sides[axis] / 2.0 - SHORT / 2.0)
    rows = []
    for i, j in np.ndindex(*counts):
        middle = (np.array([i, j]) + 0.5) * steps - sides[across] / 2.0
        if (
            kind == "cylinder"
            and np.hypot(*np.maximum(np.abs(middle) - steps / 2.0, 0.0)) >= size[1]
        ):
            continue  # the tile is outside the disc
        start = np.empty(3)
        start[across], start[axis] = middle, back - sides[axis] / 2.0
        end = start.copy()
        end[axis] *= -1.0
        rows.append([*start, *end, np.hypot(corner, back)])
    return np.array(rows)

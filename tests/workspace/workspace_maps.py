"""Small maps for the tests, and what is compared."""

from __future__ import annotations

import numpy as np

from baxterkit import collision, workspace

# 8 x 8 x 7 cells of 30 cm, in 2 x 2 x 2 chunks.
SMALL = {"step": 0.3, "orientations": 12, "chunk": 4}


def table() -> collision.World:
    """A table in front of the robot."""
    world = collision.World()
    T = np.eye(4)
    T[:3, 3] = 0.8, 0.1, -0.12
    world.add_box("table", (0.7, 1.4, 0.04), T)
    return world


def same(one: workspace.Map, other: workspace.Map) -> None:
    """Both maps hold the same bits."""
    assert one.names == other.names
    for name in one.names:
        a, b = one[name], other[name]
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes(), name

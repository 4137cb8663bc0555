"""Obstacles of a world as triangle meshes, in their own frames."""

from __future__ import annotations

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.look.shapes import Mesh, ball, capsule, revolved
from baxterkit.types import Array

MOST_POINTS = 20_000
"""Points of a cloud that are drawn, at equal steps through it."""
MOST_CELLS = 10_000
"""Cells of a height field that are drawn, as high as the highest of those that they stand for."""
PLANE = 2.5
"""Half the side of the square that stands for a plane [m]."""
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
_TIPS = np.vstack([np.eye(3), -np.eye(3)])
_DIAMOND = np.array(
    [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
)


def obstacle_mesh(obstacle: Obstacle) -> Mesh:
    """The surface of an obstacle, in the frame of its pose `T`."""
    size = obstacle.size
    if obstacle.kind == "box":
        return _repeated(0.5 * np.array(size) * _CORNERS, _SIDES, np.zeros((1, 3)))
    if obstacle.kind == "sphere":
        return ball(size[0])
    if obstacle.kind == "capsule":
        end = np.array([0.0, 0.0, 0.5 * size[0]])
        return capsule(-end, end, size[1])
    if obstacle.kind == "cylinder":
        half, radius = 0.5 * size[0], size[1]
        rim = [[radius, -half], [radius, -half], [radius, half], [radius, half]]  # sharp edges
        return revolved([[0.0, -half], *rim, [0.0, half]])
    if obstacle.kind == "plane":
        below = np.array([PLANE, PLANE, 0.005]) * _CORNERS - [0.0, 0.0, 0.005]
        return _repeated(below, _SIDES, np.zeros((1, 3)))
    assert obstacle.data is not None
    if obstacle.kind == "points":
        step = -(-len(obstacle.data) // MOST_POINTS)
        return _repeated(size[0] * _TIPS, _DIAMOND, obstacle.data[::step])
    return _ground(obstacle.data, *size)


def _ground(heights: Array, cell: float, bottom: float) -> Mesh:
    """The cells of a height field, from its bottom up."""
    while heights.size > MOST_CELLS:
        n, m = (2 * (x // 2) + 2 * (x % 2) for x in heights.shape)
        wide = np.full((n, m), -np.inf)
        wide[: heights.shape[0], : heights.shape[1]] = np.nan_to_num(heights, nan=-np.inf)
        heights, cell = wide.reshape(n // 2, 2, m // 2, 2).max(axis=(1, 3)), 2.0 * cell
    i, j = np.nonzero(heights >= bottom)  # not where it is NaN
    top = heights[i, j]
    middles = np.column_stack([(i + 0.5) * cell, (j + 0.5) * cell, 0.5 * (top + bottom)])
    half = np.column_stack([np.full((len(i), 2), 0.5 * cell), 0.5 * (top - bottom)])
    vertices = middles[:, None] + half[:, None] * _CORNERS
    return _repeated(vertices, _SIDES, np.zeros((len(i), 3)))


def _repeated(vertices: Array, faces: Array, at: Array) -> Mesh:
    """A body, or one for each place, moved to these places (n, 3)."""
    moved = vertices + at[:, None]
    count = moved.shape[1]
    starts = count * np.arange(len(at))[:, None, None]
    return Mesh(moved.reshape(-1, 3), (faces + starts).reshape(-1, 3))

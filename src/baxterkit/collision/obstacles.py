"""Distances of capsules' segments to obstacles, in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.distance import segment_box, segment_cylinder
from baxterkit.collision.obstacle import Obstacle
from baxterkit.types import Array

MEET = 1e-9
"""Cores that are nearer than this meet [m]; their direction is rounding."""


@dataclass(frozen=True)
class OnObstacle:
    """Nearest points of n segments and an obstacle.

    Attributes:
        distance: Distance of the segment and the obstacle without its rounding [m], shape (n,);
            below a plane negative.
        a: The point on the segment in base [m], shape (n, 3).
        b: The point on the obstacle without its rounding [m], shape (n, 3).
        normal: From the obstacle to the segment, shape (n, 3); zero where they meet.
        radius: Rounding of the obstacle [m].
        member: Which of its primitives is the nearest, shape (n,).
    """

    distance: Array
    a: Array
    b: Array
    normal: Array
    radius: float
    member: NDArray[np.int64]


def nearest_on(obstacle: Obstacle, start: Array, span: Array) -> OnObstacle:
    """Nearest points of segments and an obstacle that stands.

    Args:
        obstacle: The obstacle.
        start: Of each segment in base [m], shape (n, 3).
        span: From its start to its end, likewise.
    """
    member = np.zeros(len(start), dtype=np.int64)
    if obstacle.kind == "plane":
        n, origin = obstacle.T[:3, 2], obstacle.T[:3, 3]
        a = start + np.where(span @ n < 0.0, 1.0, 0.0)[:, None] * span
        distance = (a - origin) @ n
        normal = np.broadcast_to(n, a.shape)
        return OnObstacle(distance, a, a - distance[:, None] * n, normal, 0.0, member)
    R, p = obstacle.T[:3, :3], obstacle.T[:3, 3]
    if obstacle.kind == "cylinder":
        height, radius = obstacle.size
        inside = segment_cylinder((start - p) @ R, span @ R, height / 2.0, radius)
        a, b = (x @ R.T + p for x in inside)
        rounding = 0.0
    else:
        boxes = obstacle.boxes()
        away = start[:, None] - boxes.centers
        half = np.broadcast_to(boxes.half, away.shape)
        spans = np.broadcast_to((span @ R)[:, None], away.shape)
        one, other = segment_box(away @ R, spans, half)
        member = np.argmin(np.linalg.norm(one - other, axis=-1), axis=-1)
        each = np.arange(len(start))
        a, b = (x[each, member] @ R.T + boxes.centers[member] for x in (one, other))
        rounding = boxes.radius
    distance = np.linalg.norm(a - b, axis=-1)
    normal = np.where((distance > MEET)[:, None], a - b, 0.0)
    normal /= np.maximum(distance, MEET)[:, None]
    return OnObstacle(distance, a, b, normal, rounding, member)

"""Distances of the cores of the body's primitives and of obstacles, with the nearest points.

The core of a primitive is the primitive without its radius: a segment or a box. The clearance of
two primitives is the distance of their cores less both radii.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.obstacle import Obstacle
from baxterkit.types import Array

TINY = 1e-12
MEET = 1e-9
"""Cores that are nearer than this meet [m]; their direction is rounding."""


def segments(p: Array, d: Array, q: Array, e: Array) -> tuple[Array, Array]:
    """Nearest points of the segments p + s d and q + t e, with s and t from 0 to 1.

    The unconstrained minimum gives s; t follows for that s, s for that t, and t again, each
    clamped (Ericson, Real-Time Collision Detection, 5.1.9). Segments must be longer than zero.

    Args:
        p: Start of the first segment [m], shape (*batch, 3).
        d: From its start to its end [m], likewise.
        q: Start of the second segment [m], likewise.
        e: From its start to its end [m], likewise.

    Returns:
        The nearest point on each [m], shape (*batch, 3).
    """
    w = p - q
    a, b, c = _dot(d, d), _dot(d, e), _dot(d, w)
    f, g = _dot(e, w), _dot(e, e)
    determinant = np.maximum(a * g - b * b, TINY * a * g)
    s = np.clip((b * f - c * g) / determinant, 0.0, 1.0)
    t = np.clip((b * s + f) / g, 0.0, 1.0)
    s = np.clip((b * t - c) / a, 0.0, 1.0)
    t = np.clip((b * s + f) / g, 0.0, 1.0)
    return p + s[..., None] * d, q + t[..., None] * e


def segment_box(p: Array, d: Array, half: Array) -> tuple[Array, Array]:
    """Nearest points of the segment p + t d, with t from 0 to 1, and a box around the origin.

    Half the derivative of the squared distance, g(t) = d . beyond(p + t d), grows piecewise
    linearly with kinks where the segment crosses the planes of the sides: its zero is on the
    straight piece between the last kink below zero and the first one above.

    Args:
        p: Start of the segment in the box's axes [m], shape (*batch, 3).
        d: From its start to its end, likewise.
        half: Half the sides of the box [m], shape (*batch, 3).

    Returns:
        The point on the segment and the point of the box, in the box's axes; the same point where
        they meet.
    """
    slope = np.where(np.abs(d) < TINY, TINY, d)
    kinks = np.concatenate([(-half - p) / slope, (half - p) / slope], axis=-1)
    ends = np.broadcast_to(np.array([0.0, 1.0]), (*kinks.shape[:-1], 2))
    t = np.sort(np.concatenate([np.clip(kinks, 0.0, 1.0), ends], axis=-1), axis=-1)
    points = p[..., None, :] + t[..., None] * d[..., None, :]
    g = _dot(d[..., None, :], points - np.clip(points, -half[..., None, :], half[..., None, :]))
    # The piece on which g changes its sign; none if the least is at an end.
    k = np.clip((g < 0.0).sum(axis=-1), 1, t.shape[-1] - 1)[..., None]
    low, high = (np.take_along_axis(t, i, axis=-1)[..., 0] for i in (k - 1, k))
    g_low, g_high = (np.take_along_axis(g, i, axis=-1)[..., 0] for i in (k - 1, k))
    share = np.clip(-g_low / np.maximum(g_high - g_low, 1e-300), 0.0, 1.0)
    best = np.where(
        g[..., -1] < 0.0, 1.0, np.where(g[..., 0] < 0.0, low + share * (high - low), 0.0)
    )
    point = p + best[..., None] * d
    return point, np.clip(point, -half, half)


def segment_cylinder(p: Array, d: Array, half: float, radius: float) -> tuple[Array, Array]:
    """Nearest points of the segment p + t d, with t from 0 to 1, and a cylinder around z.

    Half the derivative of the squared distance, d . (x - nearest point of the cylinder), grows with
    t: its zero is found by halving.

    Args:
        p: Start of the segment in the cylinder's axes [m], shape (*batch, 3).
        d: From its start to its end, likewise.
        half: Half the height [m].
        radius: Radius [m].

    Returns:
        The point on the segment and the point of the cylinder; the same point where they meet.
    """
    low, width = np.zeros(p.shape[:-1]), 1.0
    for _ in range(48):
        width *= 0.5
        point = p + (low + width)[..., None] * d
        low = np.where(_dot(d, point - _in_cylinder(point, half, radius)) < 0.0, low + width, low)
    low = np.where(low < 1e-14, 0.0, np.where(low > 1.0 - 1e-14, 1.0, low))
    point = p + low[..., None] * d
    return point, _in_cylinder(point, half, radius)


def _in_cylinder(x: Array, half: float, radius: float) -> Array:
    rho = np.linalg.norm(x[..., :2], axis=-1, keepdims=True)
    across = x[..., :2] * np.minimum(1.0, radius / np.maximum(rho, 1e-300))
    return np.concatenate([across, np.clip(x[..., 2:], -half, half)], axis=-1)


def _dot(a: Array, b: Array) -> Array:
    result: Array = (a * b).sum(axis=-1)
    return result


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

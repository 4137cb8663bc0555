"""Bounds on the motion of the body's points, and checks of straight joint motions.

While the joints move by dq, no point of a link moves farther than the sum over the joints j before
it of |dq_j| r_j, where r_j is the farthest that a point of that link can be from the axis of joint
j, at any posture.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baxterkit.model.model import ArmModel
from baxterkit.types import Array

__all__ = ["FINEST", "axis_reaches", "edges_free"]

FINEST = 1e-4
"""Motion below which an interval is not halved any more [m]: nearer links count as touching."""

MAX_INTERVALS = 16384
"""An edge that needs more intervals than this counts as blocked."""


def axis_reaches(model: ArmModel, capsules: Array, links: int) -> Array:
    """Largest distance of points of each link from the axis of each joint before it.

    Distances along the chain are added up, for any positions of the joints in between.

    Args:
        model: The arm.
        capsules: Link, start, end and radius of each, in the link's frame, shape (n, 8); links
            after w2 ride on it.
        links: Number of links.

    Returns:
        Distances [m], shape (links, 7); zero for joints after the link.
    """
    offsets = [joint.T_parent_joint[:3, 3] for joint in model.joints[1:]]
    reaches = np.zeros((links, 7))
    for k in range(links):
        own = capsules[capsules[:, 0] == k]
        if not len(own):
            continue
        carrier = min(k, 6)
        ends = np.concatenate([own[:, 1:4], own[:, 4:7]])
        radii = np.tile(own[:, 7], 2)
        reaches[k, carrier] = (np.hypot(ends[:, 0], ends[:, 1]) + radii).max()
        farthest = (np.linalg.norm(ends, axis=-1) + radii).max()  # from the origin of the frame
        for j in range(carrier - 1, -1, -1):
            reaches[k, j] = np.hypot(*offsets[j][:2]) + farthest
            farthest += np.linalg.norm(offsets[j])
    return reaches


def edges_free(
    clearance: Callable[[Array, NDArray[np.int64]], Array],
    reaches: Array,
    q0: Array,
    q1: Array,
    padding: float,
) -> NDArray[np.bool_]:
    """Whether the straight motion between two postures is free, by bisection: the readable form.

    The nearest two links at the middle of an interval must be farther apart than the two links that
    move farthest can come closer until its ends. The kernels ask this of each pair of links.

    Args:
        clearance: Of postures (n, 14) of the edges with these numbers (n,) [m].
        reaches: Of both arms, shape (2, links, 7).
        q0: Starts [rad], shape (n, 14).
        q1: Ends [rad], shape (n, 14).
        padding: Links nearer to each other than this [m] count as touching.
    """
    dq = np.abs(q1 - q0).reshape(-1, 2, 7)
    moves = np.einsum("naj,akj->nak", dq, reaches).max(axis=-1).sum(axis=-1)
    free = np.ones(len(q0), dtype=bool)
    edge, t, h = np.arange(len(q0)), np.full(len(q0), 0.5), 0.5
    while len(edge):
        gap = clearance(q0[edge] + t[:, None] * (q1 - q0)[edge], edge) - padding
        short = gap <= h * moves[edge]
        blocked = (gap < 0.0) | (short & (h * moves[edge] < FINEST))
        free[edge[blocked]] = False
        left = short & free[edge]
        edge, t, h = edge[left], t[left], 0.5 * h
        edge, t = np.repeat(edge, 2), np.repeat(t, 2) + np.tile([-h, h], len(edge))
        crowded = np.bincount(edge, minlength=len(free)) > MAX_INTERVALS
        free[crowded] = False
        edge, t = edge[~crowded[edge]], t[~crowded[edge]]
    return free

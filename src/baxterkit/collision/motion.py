"""Bounds on the motion of the body's points, and checks of straight joint motions.

While the joints move by dq, no point of a link moves farther than the sum over the joints j before
it of |dq_j| r_j, where r_j is the farthest that a point of that link can be from the axis of joint
j, at any configuration.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baxterkit.model.model import ArmModel
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.types import Array

FINEST = 1e-4
"""Motion below which an interval is not halved any more [m]: nearer links count as touching."""

BLOCKED, FREE, OPEN = 0, 1, 2
"""Verdicts on a tube: something in it touches, nothing does, or it is not decided."""

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
    margin: float,
) -> NDArray[np.bool_]:
    """Whether the straight motion between two configurations is free, by bisection: readable.

    The nearest two links at the middle of an interval must be farther apart than the two links that
    move farthest can come closer until its ends. The kernels ask this of each pair of links.

    Args:
        clearance: Of configurations (n, 14) of the edges with these numbers (n,) [m].
        reaches: Of both arms, shape (2, links, 7).
        q0: Starts [rad], shape (n, 14).
        q1: Ends [rad], shape (n, 14).
        margin: Safety margin [m]: anything closer counts as a collision.
    """
    dq = np.abs(q1 - q0).reshape(-1, 2, 7)
    moves = np.einsum("naj,akj->nak", dq, reaches).max(axis=-1).sum(axis=-1)
    free = np.ones(len(q0), dtype=bool)
    edge, t, h = np.arange(len(q0)), np.full(len(q0), 0.5), 0.5
    while len(edge):
        gap = clearance(q0[edge] + t[:, None] * (q1 - q0)[edge], edge) - margin
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


def tubes_free(
    clearance: Callable[[Array, NDArray[np.int64]], Array],
    reaches: Array,
    q0: Array,
    q1: Array,
    width: Array,
    margin: float,
    most: int,
) -> tuple[NDArray[np.uint8], Array]:
    """Whether boxes around straight lines are free, by subdivision: the readable form.

    A tube holds every configuration q0 + s (q1 - q0) + u with 0 <= s <= 1 and |u_j| <= width_j.

    Args:
        clearance: Of configurations (n, 14) of the tubes with these numbers (n,) [m].
        reaches: Of both arms, shape (2, links, 7).
        q0: Starts of the lines [rad], shape (n, 14).
        q1: Ends of the lines [rad], shape (n, 14).
        width: Of the box on either side [rad], shape (n, 14).
        margin: Safety margin [m]: anything closer counts as a collision.
        most: Largest number of parts of one tube that are looked at.

    Returns:
        Verdicts, shape (n,), and where something touches or the answer is open, shape (n, 14).
    """
    verdict = np.full(len(q0), FREE, dtype=np.uint8)
    where = 0.5 * (q0 + q1)
    arms = ARM_COLUMNS["left"], ARM_COLUMNS["right"]
    for n in range(len(q0)):
        line = q1[n] - q0[n]
        parts = [(where[n], 0.5, width[n])]
        done = 0
        while parts and verdict[n] == FREE:
            q, h, w = parts.pop(0)
            done += 1
            turns = h * np.abs(line) + w
            each = [reaches[arm] * turns[rows] for arm, rows in enumerate(arms)]
            moves = sum(by.sum(axis=-1).max() for by in each)
            gap = float(clearance(q[None], np.array([n]))[0]) - margin
            if gap > moves or (gap >= 0.0 and not turns.any()):
                continue
            if gap < 0.0 or moves < FINEST or done >= most:
                verdict[n] = OPEN if gap >= 0.0 and moves >= FINEST else BLOCKED
                where[n] = q
                break
            levers = np.concatenate([by.max(axis=0) for by in each]) / np.maximum(turns, 1e-300)
            if h * (np.abs(line) * levers).sum() >= (w * levers).max():
                parts += [(q + side * 0.5 * h * line, 0.5 * h, w) for side in (-1.0, 1.0)]
                continue
            half = np.where(np.arange(14) == np.argmax(w * levers), 0.5 * w, 0.0)
            parts += [(q + side * half, h, w - half) for side in (-1.0, 1.0)]
    return verdict, where

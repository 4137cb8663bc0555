"""Predicted motions of both arms as tubes: all configurations that they may go through together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baxterkit.ros.prediction import sag
from baxterkit.scene.clear_motions import Tubes
from baxterkit.trajectory.swept import WIDTH
from baxterkit.types import Array, JointVector

STILL = 0.005
"""An arm that comes to rest within this [rad] stays where it is."""
UNMOVED = 1e-7
"""A motion by less is not checked again [rad]."""


def tubes_of(side: str, q: JointVector, motion: Array, q_other: JointVector, other: Array) -> Tubes:
    """What the arms go through while one of them makes a predicted motion.

    The other arm may be where it is, on its own motion at the same times, or at the end of that.

    Args:
        side: The arm that makes the motion, "left" or "right".
        q: Its measured positions [rad], shape (7,).
        motion: Its motions as `prediction` gives them, shape (n, variants, 7).
        q_other: Measured positions of the other arm [rad], shape (7,).
        other: Its motions, likewise.
    """
    moves = bool(np.abs(other - q_other).max() > STILL)
    return tubes_of_rows(side, q[None], motion[:, None], q_other[None], other[:, None], moves)[0]


def tubes_of_rows(
    side: str, q: Array, motion: Array, q_other: Array, other: Array, other_moves: bool
) -> tuple[Tubes, NDArray[np.int64]]:
    """The same of many robots, and of which of them each tube is, shape (n,).

    Args:
        side: The arm that makes the motion, "left" or "right".
        q: Its measured positions [rad], shape (rows, 7).
        motion: Its motions, shape (n, rows, variants, 7).
        q_other: Measured positions of the other arm [rad], shape (rows, 7).
        other: Its motions, likewise.
        other_moves: Whether the other arm goes farther than `STILL`, in all rows or in none.
    """
    still, zero = np.broadcast_to(q_other[:, None], motion.shape), np.zeros(motion.shape)
    pairs = [(_parts(q, motion), (still, still, zero))]
    if other_moves:
        variants = max(motion.shape[2], other.shape[2])
        mine, others = _parts(q, _as_many(motion, variants)), _as_many(other, variants)
        rest, zero = np.broadcast_to(others[-1], others.shape), np.zeros(others.shape)
        pairs += [(mine, _parts(q_other, others)), (mine, (rest, rest, zero))]
    boxes: list[list[Array]] = []
    of: list[NDArray[np.int64]] = []
    for own, theirs in pairs:
        both = [in_order(side, *columns) for columns in zip(own, theirs, strict=True)]
        moved = np.any(np.abs(both[1] - both[0]) > UNMOVED, axis=-1)
        if not boxes:
            moved[0, :, 0] = True
        boxes.append([x[moved] for x in both])
        of.append(np.broadcast_to(np.arange(len(q))[:, None], moved.shape)[moved])
    columns = [np.concatenate(x) for x in zip(*boxes, strict=True)]
    return Tubes(*columns), np.concatenate(of)


def in_order(side: str, mine: Array, others: Array) -> Array:
    """Values of both arms, left then right, shape (..., 14), given those of one and the other."""
    return np.concatenate([mine, others] if side == "left" else [others, mine], axis=-1)


def tubes_of_both(q: Sequence[JointVector], motions: Sequence[Array]) -> Tubes:
    """What the arms go through if they make their motions, left and right."""
    return tubes_of("left", q[0], motions[0], q[1], motions[1])


def _parts(q: Array, motion: Array) -> tuple[Array, Array, Array]:
    """Starts, ends and widths of a motion's parts, shaped as the motion; the first leads to it."""
    bend = sag(motion)
    bend += np.minimum(np.ptp(motion, axis=0), WIDTH)
    first = np.broadcast_to(q[:, None], motion[:1].shape)
    start = np.concatenate([first, motion[:-1]])
    return start, motion, np.concatenate([bend[:1], bend])


def _as_many(motion: Array, variants: int) -> Array:
    """A motion with that many variants, repeated if need be."""
    return motion[:, :, np.arange(variants) % motion.shape[2]]

"""Predicted motions of both arms as tubes: all configurations that they may go through together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.ros.clear_motions import Tubes
from baxterkit.ros.prediction import sag
from baxterkit.types import Array, JointVector

WIDTH = 0.002
"""How far a joint that moves may be beside its predicted motion [rad]; but no farther than it
moves."""
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
    start, end, width = _parts(q, motion)
    rows = len(start)
    still = np.broadcast_to(q_other, (rows, 7))
    zero = np.zeros((rows, 7))
    others = [(still, still, zero)]
    if np.abs(other - q_other).max() > STILL:
        paired = _as_many(other, motion.shape[1])
        others.append(_parts(q_other, paired))
        rest = np.broadcast_to(paired[-1], (len(motion), *paired[-1].shape)).reshape(rows, 7)
        others.append((rest, rest, zero))
    columns = [
        np.concatenate([in_order(side, mine, each[i]) for each in others])
        for i, mine in enumerate((start, end, width))
    ]
    moved = (np.abs(columns[1] - columns[0]) > UNMOVED).any(axis=-1)
    moved[0] = True
    return Tubes(*(x[moved] for x in columns))


def in_order(side: str, mine: Array, others: Array) -> Array:
    """Values of both arms, left then right, shape (..., 14), given those of one and the other."""
    return np.concatenate([mine, others] if side == "left" else [others, mine], axis=-1)


def both_arms(q: Sequence[JointVector], motions: Sequence[Array]) -> Tubes:
    """What the arms go through if they make their motions, left and right."""
    return tubes_of("left", q[0], motions[0], q[1], motions[1])


def _parts(q: JointVector, motion: Array) -> tuple[Array, Array, Array]:
    """Starts, ends and widths of the parts of a motion, (n, 7) each; the first leads to it."""
    bend = sag(motion)
    bend += np.minimum(np.ptp(motion, axis=0), WIDTH)
    first = motion[:1]
    start = np.concatenate([np.broadcast_to(q, first.shape), motion[:-1]]).reshape(-1, 7)
    end = motion.reshape(-1, 7)
    return start, end, np.concatenate([bend[:1], bend]).reshape(-1, 7)


def _as_many(motion: Array, variants: int) -> Array:
    """A motion with that many variants, repeated if need be."""
    return motion[:, np.arange(variants) % motion.shape[1]]

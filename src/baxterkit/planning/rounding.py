"""Shorter paths with round corners: pieces of a path that are straight or parabolas."""

from __future__ import annotations

import numpy as np

from baxterkit.kernels.records import Smoothed
from baxterkit.planning.compiled import compiled_planner
from baxterkit.scene.scene import Scene
from baxterkit.trajectory.timing import Pieces
from baxterkit.types import Array

ROUNDS = 200
"""Attempts to cut a corner off."""
ROUNDING = 0.5
"""Farthest from a corner that its rounding begins [rad]."""
STEP = 0.1
"""Between the configurations of a shortcut that are looked at before it is swept [rad]."""
SHORTEST = 1e-9
"""Shorter straight pieces are left out [rad]."""


def smooth(scene: Scene, path: Array, seed: int, rounds: int = ROUNDS) -> Smoothed:
    """Shortens a clear path, and finds how round its corners may be.

    Args:
        scene: The checks.
        path: Corners [rad], shape (n, 14).
        seed: Random seed, a non-negative integer.
        rounds: Attempts to cut a corner off.

    Returns:
        Corners, shape (k, 14), and how far before and after each of them a parabola may round it
        [rad], shape (k,); all that is new is swept.
    """
    return compiled_planner(scene.checker).smooth(
        path=np.ascontiguousarray(path),
        head=scene.head,
        margin=scene.margin,
        step=STEP,
        rounds=rounds,
        most=ROUNDING,
        seed=seed,
    )


def round_pieces(corners: Array, roundings: Array) -> Pieces:
    """The straight and round pieces of a path.

    Args:
        corners: At least two, none like the one before [rad], shape (k, joints).
        roundings: How far from each corner its rounding begins and ends [rad], shape (k,); zero:
            the motion stops there.
    """
    chords = np.diff(corners, axis=0)
    length = np.linalg.norm(chords, axis=-1)
    along = chords / length[:, None]
    straight = length - roundings[:-1] - roundings[1:]
    rows: list[tuple[tuple[Array, Array, Array], float, bool]] = []
    none = np.zeros(corners.shape[1])
    for i in range(len(chords)):
        if straight[i] > SHORTEST:
            start = corners[i] + roundings[i] * along[i]
            rows.append(((start, along[i], none), straight[i], roundings[i] == 0.0))
        d = float(roundings[i + 1])
        if d > 0.0:
            start = corners[i + 1] - d * along[i]
            rows.append(((start, along[i], (along[i + 1] - along[i]) / (4.0 * d)), 2.0 * d, False))
    coefficients, lengths, stops = zip(*rows, strict=True)
    return Pieces(np.array(coefficients), np.array(lengths), np.array(stops, dtype=bool))

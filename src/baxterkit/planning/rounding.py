"""Shorter paths with round corners: pieces of a path that are straight or parabolas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.collision.checker import Checker
from baxterkit.planning import reference_path
from baxterkit.types import Array

__all__ = ["Pieces", "round_pieces", "smooth"]

ROUNDS = 200
"""Attempts to cut a corner off."""
ROUNDING = 0.5
"""Farthest from a corner that its rounding begins [rad]."""
STEP = 0.1
"""Between the postures of a shortcut that are looked at before it is swept [rad]."""
SHORTEST = 1e-9
"""Shorter straight pieces are left out [rad]."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of a path: q + slope s + bend s² / 2 over 0 <= s <= length.

    Slopes go on from one to the next but where the motion stops.

    Attributes:
        q: Where they begin [rad], shape (n, joints).
        slope: First derivatives by s there, shape (n, joints).
        bend: Second derivatives, shape (n, joints).
        length: Their lengths in s [rad], shape (n,).
        stops: Whether the motion rests at their start, shape (n,).
    """

    q: Array
    slope: Array
    bend: Array
    length: Array
    stops: Array

    def split(self, longest: float, least: int) -> Pieces:
        """The same path in shorter pieces."""
        parts = np.maximum(np.ceil(self.length / longest), least).astype(np.int64)
        row = np.repeat(np.arange(len(parts)), parts)
        part = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
        length = self.length[row] / parts[row]
        s = (part * length)[:, None]
        bend = self.bend[row]
        q = self.q[row] + s * (self.slope[row] + 0.5 * s * bend)
        return Pieces(q, self.slope[row] + s * bend, bend, length, self.stops[row] & (part == 0))

    def ends(self) -> tuple[Array, Array]:
        """Positions and slopes at the ends of the pieces, shape (n, joints) each."""
        s = self.length[:, None]
        return self.q + s * (self.slope + 0.5 * s * self.bend), self.slope + s * self.bend


def smooth(
    checker: Checker, path: Array, head: float, padding: float, seed: int, rounds: int = ROUNDS
) -> tuple[Array, Array]:
    """Shortens a free path, and finds how round its corners may be.

    Args:
        checker: The checks.
        path: Corners [rad], shape (n, 14).
        head: Pan of the head [rad].
        padding: What is nearer than this [m] counts as touching.
        seed: Of the random numbers.
        rounds: Attempts to cut a corner off.

    Returns:
        Corners, shape (k, 14), and how far before and after each of them a parabola may round it
        [rad], shape (k,); all that is new is swept.
    """
    native = checker.native
    arguments = (np.ascontiguousarray(path), head, padding, STEP, rounds, ROUNDING, seed)
    if native is None:
        return reference_path.smooth(checker, *arguments)
    return native.smooth(*arguments)


def round_pieces(corners: Array, roundings: Array) -> Pieces:
    """The straight and round pieces of a path.

    Args:
        corners: At least two, none like the one before [rad], shape (k, joints).
        roundings: How far from each corner its rounding begins and ends [rad], shape (k,); zero:
            the motion stops there.
    """
    way = np.diff(corners, axis=0)
    length = np.linalg.norm(way, axis=-1)
    along = way / length[:, None]
    straight = length - roundings[:-1] - roundings[1:]
    rows: list[tuple[Array, Array, Array, float, bool]] = []
    none = np.zeros(corners.shape[1])
    for i in range(len(way)):
        if straight[i] > SHORTEST:
            start = corners[i] + roundings[i] * along[i]
            rows.append((start, along[i], none, straight[i], roundings[i] == 0.0))
        d = float(roundings[i + 1])
        if d > 0.0:
            start = corners[i + 1] - d * along[i]
            rows.append((start, along[i], (along[i + 1] - along[i]) / (2.0 * d), 2.0 * d, False))
    q, slope, bend, lengths, stops = zip(*rows, strict=True)
    return Pieces(
        np.stack(q), np.stack(slope), np.stack(bend), np.array(lengths), np.array(stops, dtype=bool)
    )

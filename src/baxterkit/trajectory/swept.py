"""Where motions of both arms would first touch, with grippers that open and close along them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from baxterkit.collision.nearest import Nearest
from baxterkit.collision.openings import Span, spans
from baxterkit.model.names import SIDES
from baxterkit.scene.clear_motions import Measured, first_contact, touching_pairs
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.types import Array

STEP = 0.02
"""Turn of a joint between two configurations between which the path is swept [rad]."""
WIDTH = 0.002
"""How far a joint that moves may be beside its motion [rad]; but no farther than it moves."""
ARRIVING = 1.0
"""Time after which a gripper is reckoned to be where a motion told it to go [s]."""
RESTING, TRAVELLING = 64, 8
"""Parts of the stroke to which openings are rounded, outwards: at rest, and while moving."""


def first_contact_of_motion(
    moment: Measured,
    t: Array,
    both: Array,
    grippers: Mapping[str, GripperMotion],
    width: float,
) -> tuple[float, Nearest] | None:
    """When a motion of both arms is blocked [s], and the pair; None if it is clear.

    Pairs that touch at its start do not count: the gate lets them open, and nothing else.

    Args:
        moment: The scene as it is at the start.
        t: Times [s], shape (n,).
        both: Joint positions then, left and right [rad], shape (n, 14).
        grippers: What the grippers are told along the motion, by side.
        width: How far joints that move may be beside it [rad].
    """
    turned = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(both, axis=0)).max(axis=1))])
    kept = np.searchsorted(turned, np.arange(0.0, turned[-1], STEP))
    kept = np.unique(np.concatenate([[0], kept, [len(t) - 1]]))
    path, times = both[kept], t[kept]
    excused = touching_pairs(moment, path[0], moment.heads[0]) if grippers else None
    for first, last, opening in _phases(times, spans(moment.scene.opening), grippers):
        meanwhile = moment.opened(opening) if grippers else moment
        found = first_contact(meanwhile, path[first : last + 1], width, excused)
        if found is not None:
            return float(times[first + found[0]]), found[1]
    return None


def rounded(low: float, high: float, parts: int) -> Span:
    """A span, widened to whole parts of the stroke: few different ones, so checks are kept."""
    return math.floor(low * parts) / parts, math.ceil(high * parts) / parts


def _phases(
    t: Array, now: tuple[Span, Span], grippers: Mapping[str, GripperMotion]
) -> Iterator[tuple[int, int, tuple[Span, Span]]]:
    """Parts of a motion with the openings that the grippers may have meanwhile.

    Yields:
        Indices of the first time and the last one, and the spans of the left and right gripper.
    """
    rows = [
        tuple(
            _meanwhile(a, b, span, grippers.get(side))
            for side, span in zip(SIDES, now, strict=True)
        )
        for a, b in zip(t[:-1].tolist(), t[1:].tolist(), strict=True)
    ]
    first = 0
    for last in range(1, len(rows) + 1):
        if last == len(rows) or rows[last] != rows[first]:
            left, right = rows[first]
            yield first, last, (left, right)
            first = last


def _meanwhile(start: float, end: float, now: Span, told: GripperMotion | None) -> Span:
    """The span of a gripper between two times [s]: it may still come from the one before."""
    if told is None:
        return now
    i, j = np.searchsorted(told.t, (start - ARRIVING, end), side="right").tolist()
    low, high = now if i == 0 else (told.opening[i - 1], told.opening[i - 1])
    between = told.opening[i:j]
    low, high = float(between.min(initial=low)), float(between.max(initial=high))
    return rounded(low, high, RESTING if low == high else TRAVELLING)

"""How far the grippers are open, as far as the safety gate can know.

A gripper at rest has the opening that it reports. One that was told to move may have any opening
between that and the commanded one. One that reports nothing, is not calibrated, or is moved by
another program may be open, closed or anything in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from baxterkit.collision.openings import Span
from baxterkit.messages import Message
from baxterkit.model.names import SIDES
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.types import Array

UNKNOWN: Span = (0.0, 1.0)
QUIET = 1.0
"""Age at which the state of a gripper no longer counts [s]; it is published at 20 Hz or faster."""
MOVING = 3.0
"""Time within which a gripper arrives, or has gripped something [s]."""
CALIBRATING = 10.0
"""Time within which a gripper is calibrated [s]: it opens and closes meanwhile."""
ARRIVING = 1.0
"""Time after which a gripper is reckoned to be where a motion told it to go [s]."""
THERE = 0.02
"""A gripper is there when its opening differs by less than this from where it was told to go."""
RESTING, TRAVELLING = 64, 8
"""Parts of the stroke to which openings are rounded, outwards: at rest, and while moving."""


class Grippers:
    """What is known of the openings of both grippers."""

    def __init__(self) -> None:
        self._heard: dict[str, float] = {}
        self._told: dict[str, tuple[float, float | None]] = {}

    def heard(self, side: str, now: float) -> None:
        """Notes that a gripper's state has come."""
        self._heard[side] = now

    def tell(self, side: str, now: float, opening: float | None) -> None:
        """Notes a command: an opening from 0 to 1, or None: it moves all the way, calibrating."""
        self._told[side] = (now, opening)

    def span(self, side: str, state: Message | None, now: float) -> Span:
        """The least and the greatest opening that a gripper may have now or while it moves."""
        at = self._measured(side, state, now)
        if at is None or state is None:
            return UNKNOWN
        when, told = self._told.get(side, (-math.inf, at))
        if told is None:
            return UNKNOWN if now - when < CALIBRATING else _rounded(at, at, RESTING)
        if now - when < MOVING:
            if abs(told - at) > THERE:
                return _rounded(min(at, told), max(at, told), TRAVELLING)
            return _rounded(min(at, told), max(at, told), RESTING)
        return UNKNOWN if state.moving == 1 else _rounded(at, at, RESTING)

    def now(self, side: str, state: Message | None, now: float) -> Span:
        """The least and the greatest opening that a gripper may have now."""
        at = self._measured(side, state, now)
        return UNKNOWN if at is None else (at, at)

    def _measured(self, side: str, state: Message | None, now: float) -> float | None:
        """The measured opening, 0 to 1; None if it is not known."""
        if state is None or state.calibrated != 1:
            return None
        if now - self._heard.get(side, -math.inf) > QUIET:
            return None
        position = float(state.position)
        if not math.isfinite(position) or not -5.0 <= position <= 105.0:
            return None
        return min(max(position / 100.0, 0.0), 1.0)

    def spans(self, states: dict[str, Message], now: float) -> tuple[Span, Span]:
        """The spans of the left and the right gripper."""
        left, right = (self.span(side, states.get(side), now) for side in SIDES)
        return left, right


def phases(
    t: Array, now: tuple[Span, Span], grippers: Mapping[str, GripperMotion]
) -> Iterator[tuple[int, int, tuple[Span, Span]]]:
    """Parts of a motion with the openings that the grippers may have meanwhile.

    Args:
        t: Times along the motion [s], shape (n,).
        now: The spans of both grippers at its start.
        grippers: What they are told along it, by side.

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
    return _rounded(low, high, RESTING if low == high else TRAVELLING)


def _rounded(low: float, high: float, parts: int) -> Span:
    """The span, widened to whole parts of the stroke: few different ones, so checks are kept."""
    return math.floor(low * parts) / parts, math.ceil(high * parts) / parts

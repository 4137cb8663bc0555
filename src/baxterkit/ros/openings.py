"""How far the grippers are open, as far as the safety gate can know.

A gripper at rest has the opening that it reports. One that was told to move may have any opening
between that and the commanded one. One that reports nothing, is not calibrated, or is moved by
another program may be open, closed or anything in between.
"""

from __future__ import annotations

import math

from baxterkit.collision.openings import Span
from baxterkit.messages import Message
from baxterkit.model.names import SIDES
from baxterkit.trajectory.swept import RESTING, TRAVELLING, rounded

UNKNOWN: Span = (0.0, 1.0)
QUIET = 1.0
"""Age at which the state of a gripper no longer counts [s]; it is published at 20 Hz or faster."""
MOVING = 3.0
"""Time within which a gripper arrives, or has gripped something [s]."""
CALIBRATING = 10.0
"""Time within which a gripper is calibrated [s]: it opens and closes meanwhile."""
THERE = 0.02
"""A gripper is there when its opening differs by less than this from where it was told to go."""


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
            return UNKNOWN if now - when < CALIBRATING else rounded(at, at, RESTING)
        if now - when < MOVING:
            if abs(told - at) > THERE:
                return rounded(min(at, told), max(at, told), TRAVELLING)
            return rounded(min(at, told), max(at, told), RESTING)
        return UNKNOWN if state.moving == 1 else rounded(at, at, RESTING)

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

    def stopping(self, states: dict[str, Message], now: float) -> tuple[Span, Span]:
        """Spans of grippers that close no further, since something is between their fingers."""
        found = []
        for side in SIDES:
            at, told = self.now(side, states.get(side), now), self._told.get(side, (0.0, None))[1]
            widest = at[1] if told is None else max(at[1], told)
            found.append(rounded(at[0], widest, RESTING))
        return found[0], found[1]

    def spans(self, states: dict[str, Message], now: float) -> tuple[Span, Span]:
        """The spans of the left and the right gripper."""
        left, right = (self.span(side, states.get(side), now) for side in SIDES)
        return left, right

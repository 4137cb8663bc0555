"""Whether the fingers of a gripper may move: what they sweep must be clear, or meant to be gripped.

Fingers may close on an obstacle that the user has named in `Rules.graspable`, and on what the hand
holds. On any other obstacle, and on the robot itself, they may not close, and they may open into
nothing at all.
"""

from __future__ import annotations

import math

import numpy as np

from baxterkit.collision.nearest import Nearest
from baxterkit.collision.openings import Span, spans
from baxterkit.collision.pairs import Without
from baxterkit.model.names import SIDES
from baxterkit.ros.rules import Rules
from baxterkit.scene.clear_motions import Measured, Tubes, finger_obstruction
from baxterkit.types import Array

STEPS = 8
"""Openings at which fingers that touch something must come no nearer."""


def check_fingers(
    moment: Measured,
    side: str,
    now: Span,
    end: float | None,
    tubes: Tubes,
    here: Array,
    rules: Rules,
) -> Nearest | None:
    """The pair that forbids the fingers of a hand to move; None if nothing does.

    Args:
        moment: The scene as it is measured.
        side: The hand.
        now: Its opening now: the least and the greatest that it may be, 0 to 1.
        end: Its opening at the end; None: it opens and closes all the way.
        tubes: Where the arms are and go meanwhile.
        here: Where they are now [rad], shape (14,).
        rules: What is allowed.
    """
    low, high = now
    ends = (0.0, 1.0) if end is None else (end,)
    span = (
        math.floor(STEPS * min(low, *ends)) / STEPS,
        math.ceil(STEPS * max(high, *ends)) / STEPS,
    )
    spans_now = spans(moment.scene.opening)
    swept = moment.opened(_with(spans_now, side, span))
    free = _others(swept, side)
    if end is None or end < high:
        free = (*free, *_graspable(swept, side, rules))
    if end is None:
        path = [_with(spans_now, side, now), _with(spans_now, side, span)]
    else:
        path = [
            _with(spans_now, side, (x, y))
            for x, y in zip(
                np.linspace(low, end, STEPS).tolist(),
                np.linspace(high, end, STEPS).tolist(),
                strict=True,
            )
        ]
    return finger_obstruction(swept, tubes, here, path, free)


def _with(openings: tuple[Span, Span], side: str, span: Span) -> tuple[Span, Span]:
    left, right = openings
    return (span, right) if side == SIDES[0] else (left, span)


def _others(swept: Measured, side: str) -> Without:
    """Pairs without the fingers of a hand."""
    fingers = f"{side}_fingers"
    return tuple(pair for pair in swept.checks().checker.pairs if fingers not in pair)


def _graspable(swept: Measured, side: str, rules: Rules) -> Without:
    """Pairs of the fingers and obstacles that they may close on."""
    known = swept.scene.world.names
    return tuple((f"{side}_fingers", name) for name in rules.graspable if name in known)

"""Whether the fingers of a gripper may move: what they sweep must be clear, or meant to be gripped.

Fingers may close on an obstacle that the user has named in `Rules.graspable`, and on what the hand
holds. On any other obstacle, and on the robot itself, they may not close, and they may open into
nothing at all.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from baxterkit.collision.checker import Nearest
from baxterkit.collision.openings import Span
from baxterkit.model.names import SIDES
from baxterkit.ros.clear_way import Pairs, Scene, Tubes, finger_obstruction
from baxterkit.ros.rules import Rules
from baxterkit.types import Array

STEPS = 8
"""Openings at which fingers that touch something must come no nearer."""


def check_fingers(
    scene: Scene,
    side: str,
    now: Span,
    end: float | None,
    tubes: Tubes,
    here: Array,
    rules: Rules,
) -> Nearest | None:
    """The pair that forbids the fingers of a hand to move; None if nothing does.

    Args:
        scene: The robot and its surroundings.
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
    swept = replace(scene, openings=_with(scene.openings, side, span))
    free = _others(swept, side)
    if end is None or end < high:
        free = (*free, *_graspable(swept, side, rules))
    if end is None:
        first = replace(scene, openings=_with(scene.openings, side, now))
        path = [first.openings, swept.openings]
    else:
        path = [
            _with(scene.openings, side, (x, y))
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


def _others(scene: Scene, side: str) -> Pairs:
    """Pairs without the fingers of a hand."""
    fingers = f"{side}_fingers"
    return tuple(pair for pair in scene.checker().pairs if fingers not in pair)


def _graspable(scene: Scene, side: str, rules: Rules) -> Pairs:
    """Pairs of the fingers and obstacles that they may close on."""
    known = () if scene.world is None else scene.world.names
    return tuple((f"{side}_fingers", name) for name in rules.graspable if name in known)

"""Runs of the twin from the start of a motion, whatever the arm does on the way."""

from __future__ import annotations

import numpy as np

from baxterkit.robot import Controllers, Motion, MotionResult
from baxterkit.sim import Twin


def placed(
    twin: Twin, motion: Motion, controller: Controllers | None = None, **options: object
) -> MotionResult:
    """The arms are put at the start of the motion, and follow it; commands are sent as they are."""
    usual = {"path_tolerance": np.inf, "settle": 0.0, "feed_forward": False}
    return twin.place_at(motion).follow(motion, controller, **{**usual, **options})  # type: ignore[arg-type]

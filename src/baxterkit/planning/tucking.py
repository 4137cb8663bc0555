"""Tucking and untucking both arms by a plan, from wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.model.names import SIDES
from baxterkit.planning.planner import plan
from baxterkit.planning.result import PlanResult
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter

__all__ = ["tuck", "untuck"]


def tuck(robot: Baxter, start: ArrayLike, **options: Any) -> PlanResult:
    """A plan that tucks both arms: folded in front of the robot, for transport.

    Args:
        robot: The robot.
        start: Joint positions of both arms, left then right [rad], shape (14,).
        **options: Those of `plan`, such as `world`, or `group` for one arm alone.
    """
    return plan(robot, start, _posture(robot, "tuck", options), **options)


def untuck(robot: Baxter, start: ArrayLike, **options: Any) -> PlanResult:
    """A plan that brings both arms from anywhere to the posture ready for work; see `tuck`."""
    return plan(robot, start, _posture(robot, "untuck", options), **options)


def _posture(robot: Baxter, name: str, options: dict[str, Any]) -> Array:
    both = [robot.left.pose(name), robot.right.pose(name)]
    group = options.get("group", "both")
    return both[SIDES.index(group)] if group in SIDES else np.concatenate(both)

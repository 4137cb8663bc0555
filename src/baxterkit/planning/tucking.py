"""Tucking and untucking both arms by a plan, from wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.planning.planner import plan
from baxterkit.planning.result import PlanResult

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter

__all__ = ["tuck", "untuck"]


def tuck(robot: Baxter, start: ArrayLike, **options: Any) -> PlanResult:
    """A plan that tucks both arms: folded in front of the robot, for transport.

    Args:
        robot: The robot.
        start: Joint positions of both arms, left then right [rad], shape (14,).
        **options: Those of `plan`, such as `world`.
    """
    return plan(robot, start, _posture(robot, "tuck"), **options)


def untuck(robot: Baxter, start: ArrayLike, **options: Any) -> PlanResult:
    """A plan that brings both arms from anywhere to the posture ready for work; see `tuck`."""
    return plan(robot, start, _posture(robot, "untuck"), **options)


def _posture(robot: Baxter, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.concatenate([robot.left.pose(name), robot.right.pose(name)])

"""Tucking and untucking both arms by a plan, from wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.model.names import SIDES
from baxterkit.planning.planner import USUAL, plan
from baxterkit.planning.result import PlanResult
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene.scene import Scene, as_scene
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter


def tuck(
    scene: Scene | Baxter, start: ArrayLike, group: str = "both", search: SearchSettings = USUAL
) -> PlanResult:
    """A plan that tucks both arms: folded in front of the robot, for transport.

    Args:
        scene: The robot among its obstacles; a robot alone for no obstacles.
        start: Joint positions of both arms, left then right [rad], shape (14,).
        group: What moves: "left", "right" or "both" arms.
        search: Seed, time limit, planner.
    """
    return plan(scene, start, _named(scene, "tuck", group), group=group, search=search)


def untuck(
    scene: Scene | Baxter, start: ArrayLike, group: str = "both", search: SearchSettings = USUAL
) -> PlanResult:
    """A plan that brings both arms from anywhere to where they are ready for work; see `tuck`."""
    return plan(scene, start, _named(scene, "untuck", group), group=group, search=search)


def _named(scene: Scene | Baxter, name: str, group: str) -> Array:
    robot = as_scene(scene).robot
    both = [robot.left.pose(name), robot.right.pose(name)]
    return both[SIDES.index(group)] if group in SIDES else np.concatenate(both)

"""Motions of the arms that are clear of collisions: from where they are to where the hands must be.

`plan` finds a path in joint space; `PlanResult.path` holds its corners. Every edge of a path is
swept, as by `Scene.edge_free`: what lies between two corners is clear too.

Reading order: `planner` (the whole), `start` and `request` (what is asked), `goals` (which joint
positions meet a goal), `connect` and `constrained` (the searches), `rounding`, `result`, `motion`
(from a path to a timed motion); then `picking` and `around`, which plan several times.
"""

from __future__ import annotations

from baxterkit.planning.around import plan_around
from baxterkit.planning.constraints import OnLine, OnPlane, SameGrasp, Upright
from baxterkit.planning.outcome import PlanStatus
from baxterkit.planning.picking import PickAndPlace, PickSettings, Stage, pick_and_place
from baxterkit.planning.planner import METHODS, plan, tuck, untuck
from baxterkit.planning.result import PlanError, PlanResult
from baxterkit.planning.settings import SearchSettings

__all__ = [
    "METHODS",
    "OnLine",
    "OnPlane",
    "PickAndPlace",
    "PickSettings",
    "PlanError",
    "PlanResult",
    "PlanStatus",
    "SameGrasp",
    "SearchSettings",
    "Stage",
    "Upright",
    "pick_and_place",
    "plan",
    "plan_around",
    "tuck",
    "untuck",
]

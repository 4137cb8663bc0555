"""How a search for a path ends: the status, what it took, and why there is no path."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from baxterkit.ik.result import Status
from baxterkit.types import Array, frozen

NO_EDGES = frozen(np.empty((0, 2, 14)))


class PlanStatus(Status):
    """Outcome of a plan."""

    SOLVED = 0, "A path was found; all of it is clear."
    START_IN_COLLISION = (
        1,
        "At the start the robot touches itself or the world; move it away by hand or with "
        "scene.retreat, or correct the world.",
    )
    GOAL_IN_COLLISION = 2, "The goal configuration is in collision; choose another."
    OUT_OF_REACH = 3, "No joint positions within the limits bring the hand to the goal; move it."
    GOAL_BLOCKED = (
        4,
        "Joint positions reach the goal, but in every one of them that was found the robot touches "
        "itself or the world; move the goal, or the obstacle.",
    )
    NO_PATH = (
        5,
        "Start and goal are clear, but no path was found; this does not prove that none exists. "
        "Raise timeout or samples, or try another seed.",
    )
    NO_GRASP = 6, "The hand cannot take the object at this grasp; move or turn it."
    TOO_HEAVY = (
        7,
        "What a hand holds is too heavy for the arm's effort limits even at rest; carry less, or "
        "hold it nearer to the body.",
    )


@dataclass(frozen=True)
class Search:
    """What the search for a path took.

    Attributes:
        samples: Random configurations that were drawn.
        nodes: Nodes of the trees at the start and at the goals.
        verdicts: Configurations that were checked.
        proofs: Edges that were swept.
        goals: Goals that were free: joint positions of both arms.
        edges: Edges of the trees at the start and at the goals, where they were kept; see
            `PlanResult.tree`.
    """

    samples: int = 0
    nodes: tuple[int, int] = (0, 0)
    verdicts: int = 0
    proofs: int = 0
    goals: int = 0
    edges: tuple[Array, Array] = field(default=(NO_EDGES, NO_EDGES), compare=False, repr=False)

    def __add__(self, other: Search) -> Search:
        if not self.samples and not self.verdicts and not self.goals:
            return other
        return Search(
            self.samples + other.samples,
            (self.nodes[0] + other.nodes[0], self.nodes[1] + other.nodes[1]),
            self.verdicts + other.verdicts,
            self.proofs + other.proofs,
            self.goals + other.goals,
            (
                frozen(np.concatenate([self.edges[0], other.edges[0]])),
                frozen(np.concatenate([self.edges[1], other.edges[1]])),
            ),
        )


class Blocked(Exception):
    """A goal without free joint positions: the status, the reason, and the links that touch."""

    def __init__(self, status: PlanStatus, reason: str, pair: tuple[str, str] | None = None):
        super().__init__(status, reason, pair)
        self.status, self.reason, self.pair = status, reason, pair

"""Commands for the gate, with fixed seeds: starts near contact, at limits, anywhere; worlds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.types import Array

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
LIMITS = ROBOT.left.limits
NEAR = 0.03
"""Clearance of the starts that are near contact [m]."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where the robot is.

    Attributes:
        q: Positions of both arms, left then right [rad], shape (14,).
        openings: Of the left and right gripper, 0 to 1.
        world: Obstacles.
    """

    q: Array
    openings: tuple[float, float]
    world: World


def worlds() -> tuple[World, ...]:
    """No obstacle, a table with a post, and a shelf."""
    table = World()
    table.add_box("table", (0.8, 1.8, 0.04), [0.85, 0.0, -0.1])
    table.add_cylinder("post", 0.6, 0.04, [0.7, 0.3, 0.2])
    shelf = World()
    for i, z in enumerate((-0.1, 0.25, 0.6)):
        shelf.add_box(f"board {i}", (0.4, 1.2, 0.03), [1.0, 0.0, z])
    shelf.add_sphere("ball", 0.08, [0.6, -0.3, 0.4])
    return World(), table, shelf


def starts(rng: np.random.Generator, count: int, margin: float) -> list[Start]:
    """Clear starts, half of them near a contact, a quarter with a joint at its limit."""
    found: list[Start] = []
    kinds = worlds()
    while len(found) < count:
        world = kinds[int(rng.integers(len(kinds)))]
        opening = tuple(rng.choice([0.0, 0.3, 0.6, 1.0], 2).tolist())
        q = rng.uniform(np.tile(LIMITS.lower, 2), np.tile(LIMITS.upper, 2), (400, 14))
        at_end = rng.random(q.shape) < 0.02
        q = np.where(at_end, np.tile(LIMITS.upper, 2), q)
        gap = ROBOT.scene(world, opening=opening).clearance(q[:, :7], q[:, 7:])
        near = q[(gap > margin + 2e-4) & (gap < NEAR)]
        far = q[gap >= NEAR]
        for rows in (near[:6], far[: len(near[:6])]):
            found += [Start(row, opening, world) for row in rows]
    return found[:count]

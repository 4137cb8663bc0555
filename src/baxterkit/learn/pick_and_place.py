"""Pick and place: a block is taken from the table and put down elsewhere."""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.learn.legs import SEARCH, Leg, leg_of
from baxterkit.learn.task import DOWN, TABLE, Episode, Task, View, start, upright
from baxterkit.planning.picking import PickSettings, pick_and_place
from baxterkit.scene import Scene
from baxterkit.types import Array

BLOCK = "block"
SIZE, MASS = (0.04, 0.04, 0.1), 0.15
"""Of the block [m, kg]."""
LOW, HIGH = np.array([0.55, 0.05]), np.array([0.75, 0.45])
"""Corners of the area of starts and goals for the left arm, in base [m]."""
NEAREST = 0.12
"""Least distance of the goal from the start [m]."""
GRASP = np.eye(4)
"""The tip as the block sees it: from above, a little above its middle."""
GRASP[:3, :3], GRASP[2, 3] = DOWN, 0.015


class PickAndPlace(Task):
    """Put a block elsewhere on the table; goals are positions of its middle in base [m]."""

    seconds = 16.0
    tolerance = 0.03
    objects = (BLOCK,)

    def world(self) -> World:
        """The table and the block."""
        world = super().world()
        middle = [0.65, 0.3 * self.mirror[1], TABLE + SIZE[2] / 2]
        world.add_box(BLOCK, SIZE, middle, mass=MASS)
        return world

    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """The block anywhere in an area, turned a little; the goal elsewhere in the area."""
        q = start(rng, robot)
        while True:
            ends = rng.uniform(LOW, HIGH, (2, 2))
            if float(np.linalg.norm(ends[1] - ends[0])) >= NEAREST:
                break
        first, goal = np.column_stack([ends, np.full(2, TABLE + SIZE[2] / 2)]) * self.mirror
        return Episode(q, goal, {BLOCK: upright(first, rng.uniform(-0.5, 0.5))})

    def plan(self, scene: Scene, episode: Episode) -> list[Leg] | None:
        """The stages of `planning.pick_and_place`."""
        known = World.of(scene.world.state)
        known.add_box(BLOCK, SIZE, episode.objects[BLOCK], mass=MASS)
        place = episode.objects[BLOCK].copy()
        place[:3, 3] = episode.goal
        settings = PickSettings(approach=0.08, lift=0.05, search=SEARCH)
        found = pick_and_place(
            scene.replace(world=known), episode.q, BLOCK, GRASP, place,
            side=self.side, settings=settings,
        )  # fmt: skip
        if not found.solved:
            return None
        return [leg_of(one.motion, episode.q, self.side, one.opening) for one in found.stages]

    def achieved(self, view: View) -> Array:
        """Where the block is."""
        return view.objects[BLOCK][:, :3, 3]

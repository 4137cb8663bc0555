"""Push: a puck slides on the table to a place."""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.learn.legs import Leg, through
from baxterkit.learn.task import DOWN, TABLE, Episode, Task, View, start, upright
from baxterkit.scene import Scene
from baxterkit.types import Array

PUCK = "puck"
RADIUS, HEIGHT, MASS = 0.05, 0.06, 0.2
"""Of the puck [m, kg]."""
LOW, HIGH = np.array([0.55, 0.1]), np.array([0.7, 0.45])
"""Corners of the area of starts and goals for the left arm, in base [m]."""
NEAREST, FARTHEST = 0.08, 0.2
"""Distances of goals from the start [m]."""
TIP = TABLE + 0.025
"""Height of the tip while it pushes [m]."""
BEHIND, TOUCHING, ABOVE = 0.1, 0.064, 0.12
"""How far behind the puck the hand comes down, how far it is when both fingers touch, and from how
far above it comes [m]."""


class Push(Task):
    """Push a puck across the table; goals are positions of its middle in base [m]."""

    seconds = 12.0
    tolerance = 0.02
    objects = (PUCK,)

    def world(self) -> World:
        """The table and the puck."""
        world = super().world()
        middle = [0.65, 0.3 * self.mirror[1], TABLE + HEIGHT / 2]
        world.add_cylinder(PUCK, HEIGHT, RADIUS, middle, mass=MASS)
        return world

    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """The puck anywhere in an area, the goal at some distance."""
        q = start(rng, robot)
        while True:
            ends = rng.uniform(LOW, HIGH, (2, 2))
            if NEAREST <= float(np.linalg.norm(ends[1] - ends[0])) <= FARTHEST:
                break
        first, goal = np.column_stack([ends, np.full(2, TABLE + HEIGHT / 2)]) * self.mirror
        return Episode(q, goal, {PUCK: upright(first)})

    def plan(self, scene: Scene, episode: Episode) -> list[Leg] | None:
        """The hand comes down behind the puck, pushes it with both fingers, and rises."""
        first, goal = episode.objects[PUCK][:3, 3], episode.goal
        along = (goal - first) / np.linalg.norm(goal - first)
        low = np.array([0.0, 0.0, TIP - first[2]])
        high = np.array([0.0, 0.0, low[2] + ABOVE])
        yaw = float(np.arctan2(along[1], along[0]))
        places = (
            first - BEHIND * along + high,
            first - BEHIND * along + low,
            goal - TOUCHING * along + low,
            goal - TOUCHING * along + high,
        )
        known = World.of(scene.world.state)
        known.add_cylinder(PUCK, HEIGHT, RADIUS, first)
        for turned in (yaw, yaw + np.pi):  # the hand is the same from behind
            poses = [upright(place, turned) for place in places]
            for T in poses:
                T[:3, :3] = T[:3, :3] @ DOWN
            scenes = (scene.replace(world=known), scene)
            legs = through(scenes, episode.q, {self.side: poses}, [None, None, None])
            if legs is not None:
                return legs
        return None

    def achieved(self, view: View) -> Array:
        """Where the puck is."""
        return view.objects[PUCK][:, :3, 3]

"""Reach: the tip goes to a point."""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.ik import Position
from baxterkit.learn.legs import Leg, go
from baxterkit.learn.task import Episode, Task, View, start
from baxterkit.scene import Scene
from baxterkit.types import Array

LOW, HIGH = np.array([0.5, 0.05, 0.0]), np.array([0.8, 0.55, 0.45])
"""Corners of the box of goals for the left arm, in base [m]; mirrored for the right one."""


class Reach(Task):
    """Bring the tip to a point above the table; goals are points in base [m]."""

    tool = "hand"
    seconds = 3.0
    tolerance = 0.02

    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """The hand is above the table; the goal is anywhere in the box."""
        return Episode(start(rng, robot), self.mirror * rng.uniform(LOW, HIGH))

    def plan(self, scene: Scene, episode: Episode) -> list[Leg] | None:
        """A planned motion to the point, the hand in any orientation."""
        leg = go(scene, episode.q, Position(episode.goal), self.side)
        return None if leg is None else [leg]

    def achieved(self, view: View) -> Array:
        """Where the tip is."""
        return view.tips[self.side][:, :3, 3]

"""Reach: the tip goes to a point."""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.learn.task import Episode, Task, View, spread
from baxterkit.types import Array

LOW, HIGH = np.array([0.5, 0.05, 0.0]), np.array([0.8, 0.55, 0.45])
"""Corners of the box of goals for the left arm, in base [m]; mirrored for the right one."""


class Reach(Task):
    """Bring the tip to a point above the table; goals are points in base [m]."""

    tool = "hand"
    seconds = 3.0
    tolerance = 0.02

    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """Near the neutral configuration; the goal is anywhere in the box."""
        q = np.concatenate([robot.left.pose("neutral"), robot.right.pose("neutral")])
        return Episode(spread(q, rng, robot), self.mirror * rng.uniform(LOW, HIGH))

    def achieved(self, view: View) -> Array:
        """Where the tip is."""
        tip: Array = view.tips[self.side][:, :3, 3]
        return tip

"""Lift a tray: both hands grip its ends, and lift it level."""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.obstacle import FLOOR
from baxterkit.collision.world import World
from baxterkit.learn.legs import Leg, through
from baxterkit.learn.task import Episode, Task, View, start, upright
from baxterkit.scene import Scene
from baxterkit.types import Array

TRAY = "tray"
SIZE, MASS = (0.2, 0.4, 0.03), 0.4
"""Of the tray [m, kg]."""
MIDDLE = np.array([0.5, 0.0, 0.0])
"""Where the tray lies, in base [m]."""
STAND = (0.1, 0.1, MIDDLE[2] - SIZE[2] / 2 - FLOOR)
"""Sides of the stand that it lies on [m], from the floor up."""
MOVED, TURNED = 0.03, 0.1
"""How far it lies from there along x and y, and how far it is turned, either way [m, rad]."""
LOWEST, HIGHEST = 0.1, 0.2
"""How far it is to be lifted [m]."""
HELD, AWAY = 0.02, 0.07
"""How far the tips reach over its ends, and how far from there they approach [m]."""
TILT = 0.2
"""Distance from the goal that a tilt of one radian counts for [m]."""


class LiftTray(Task):
    """Lift a tray with both hands; goals are positions of its middle in base [m], and tilt 0."""

    seconds = 16.0
    tolerance = 0.03
    goal_size = 4
    objects = (TRAY,)

    def __init__(self, side: str = "left") -> None:
        super().__init__(side)
        self.sides = ("left", "right")

    def world(self) -> World:
        """A stand and the tray."""
        world = World()
        world.add_box("stand", STAND, [*MIDDLE[:2], FLOOR + STAND[2] / 2])
        world.add_box(TRAY, SIZE, MIDDLE, mass=MASS)
        return world

    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """The tray a little moved and turned; the goal is above it."""
        q = start(rng, robot)
        first = MIDDLE + rng.uniform(-MOVED, MOVED, 3) * [1.0, 1.0, 0.0]
        T = upright(first, rng.uniform(-TURNED, TURNED))
        lift = rng.uniform(LOWEST, HIGHEST)
        return Episode(q, np.array([*first[:2], first[2] + lift, 0.0]), {TRAY: T})

    def plan(self, scene: Scene, episode: Episode) -> list[Leg] | None:
        """The hands go beside the tray's ends, grip them, and rise together."""
        known = World.of(scene.world.state)
        known.add_box(TRAY, SIZE, episode.objects[TRAY])
        T, up = episode.objects[TRAY], episode.goal[2] - episode.objects[TRAY][2, 3]
        away, at = ([T @ _grip(sign, distance) for sign in (1.0, -1.0)] for distance in (AWAY, 0.0))
        lifted = [pose.copy() for pose in at]
        for pose in lifted:
            pose[2, 3] += up
        poses = {side: [away[k], at[k], lifted[k]] for k, side in enumerate(self.sides)}
        return through((scene.replace(world=known), scene), episode.q, poses, [0.0, None])

    def achieved(self, view: View) -> Array:
        """Where the tray is, and how far it is tilted [rad]."""
        T = view.objects[TRAY]
        tilt = np.arccos(np.clip(T[:, 2, 2], -1.0, 1.0))
        return np.column_stack([T[:, :3, 3], tilt])

    def distance(self, achieved: Array, goal: Array) -> Array:
        """Distance of the tray from its goal, and its tilt."""
        away: Array = np.linalg.norm(achieved[..., :3] - goal[..., :3], axis=-1)
        return away + TILT * np.abs(achieved[..., 3] - goal[..., 3])


def _grip(sign: float, distance: float) -> Array:
    """T_tray_tip of a hand at the end of the tray along y or -y, some distance from its grip."""
    T = np.eye(4)
    T[:3, 2] = [0.0, -sign, 0.0]  # it points inward
    T[:3, 1] = [0.0, 0.0, sign]  # its fingers close vertically
    T[:3, 0] = np.cross(T[:3, 1], T[:3, 2])
    T[1, 3] = sign * (SIZE[1] / 2 - HELD + distance)
    return T

"""What a task is: its surroundings, where an episode begins, its goal, and when that is reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.learn.legs import Leg
from baxterkit.model.names import check_side
from baxterkit.scene import Scene
from baxterkit.types import Array

TABLE, TABLE_SIZE, TABLE_MIDDLE = -0.15, (0.7, 1.2), (0.8, 0.0)
"""Height of the table top, its sides and its middle, in base [m]."""
DOWN = np.diag([1.0, -1.0, -1.0])
"""Rotation of a hand that points down; its fingers close along y."""
SPREAD = 0.05
"""Joints start as far from the start configuration, either way [rad]."""
READY = (0.6, 0.35, 0.2)
"""Where the left tip is at the start, in base [m]; the right one is mirrored."""


@dataclass(frozen=True, eq=False)
class Episode:
    """How an episode begins.

    Attributes:
        q: Joint positions, left then right [rad], shape (14,).
        goal: What is to be achieved, shape (k,).
        objects: Poses of the objects that move, by name, shape (4, 4).
    """

    q: Array
    goal: Array
    objects: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class View:
    """Where hands and objects are, in n robots.

    Attributes:
        tips: T_base_tip by side, shape (n, 4, 4).
        objects: T_base_object by name, shape (n, 4, 4).
    """

    tips: dict[str, Array]
    objects: dict[str, Array]


class Task(ABC):
    """A task.

    Args:
        side: The arm of a task for one arm.

    Attributes:
        sides: Arms that actions move.
        tool: Of both arms; its fingers, if it has some, have an action of their own.
        seconds: Length of an episode [s].
        goal_size: Numbers of a goal.
        tolerance: Distance from the goal at which it is reached.
        objects: Names of the objects that move.
    """

    sides: tuple[str, ...]
    tool: str = "electric_extended"
    seconds: float
    goal_size: int = 3
    tolerance: float
    objects: tuple[str, ...] = ()

    def __init__(self, side: str = "left") -> None:
        self.side = check_side(side)
        self.sides = (side,)
        self.mirror = np.array([1.0, 1.0 if side == "left" else -1.0, 1.0])

    def robot(self) -> Baxter:
        """The robot with the task's tools."""
        return Baxter(Arm("left", self.tool), Arm("right", self.tool))

    def world(self) -> World:
        """What stands around: a table."""
        world = World()
        world.add_table("table", TABLE, TABLE_SIZE, TABLE_MIDDLE)
        return world

    @abstractmethod
    def sample(self, robot: Baxter, rng: np.random.Generator) -> Episode:
        """A start and a goal."""

    @abstractmethod
    def plan(self, scene: Scene, episode: Episode) -> list[Leg] | None:
        """Joint motions that solve an episode, among the fixed obstacles of a scene; or None."""

    @abstractmethod
    def achieved(self, view: View) -> Array:
        """What is achieved, as a goal says it, shape (n, k)."""

    def distance(self, achieved: Array, goal: Array) -> Array:
        """How far from the goal, shape (...), of goals (..., k)."""
        away: Array = np.linalg.norm(achieved - goal, axis=-1)
        return away


@lru_cache(maxsize=8)
def _ready(robot: Baxter) -> Array:
    """Both hands above the table, pointing down, shape (14,)."""
    found = []
    for arm, y in ((robot.left, READY[1]), (robot.right, -READY[1])):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = DOWN, (READY[0], y, READY[2])
        found.append(arm.ik(T, arm.configuration("neutral"), objective="limits").q)
    return np.concatenate(found)


def start(rng: np.random.Generator, robot: Baxter) -> Array:
    """Where episodes begin: near the hands above the table [rad], shape (14,)."""
    q = _ready(robot)
    lower, upper = (
        np.concatenate([getattr(arm.limits, end) for arm in (robot.left, robot.right)])
        for end in ("lower", "upper")
    )
    near: Array = q + rng.uniform(-SPREAD, SPREAD, 14)
    return np.clip(near, lower, upper)


def upright(position: Array, yaw: float = 0.0) -> Array:
    """T_base_object of an object that stands, shape (4, 4)."""
    T = np.eye(4)
    c, s = np.cos(yaw), np.sin(yaw)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:3, 3] = position
    return T

"""Obstacles of a `collision.World` as the twin has them: bounds, and the shapes they consist of.

An object with a mass moves and can be picked up; others are fixed. A height field and a cloud of
points become the boxes and spheres that the collision checks know.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baxterkit.collision.obstacle import Color, Obstacle
from baxterkit.collision.world import World, check_is_world
from baxterkit.errors import InputError
from baxterkit.model.shape import SOLIDS
from baxterkit.types import Array, Vector3

SMALLEST, LARGEST = 1e-4, 1e3
"""Bounds of an object's lengths [m]: smaller ones have too little inertia for the simulation."""
LIGHTEST, HEAVIEST = 1e-5, 1e6
"""Bounds of the mass of what moves [kg]."""
FARTHEST = 1e4
"""Largest distance of an object from the base along an axis [m]."""
MOST = 20_000
"""Most shapes of one obstacle: MuJoCo needs some 10 us and 1 kB for each."""
FIXED, MOVING = (0.72, 0.66, 0.58), (0.90, 0.62, 0.0)
"""Colours of objects that have none of their own."""


class Geom(NamedTuple):
    """A shape of an obstacle, as MuJoCo has it.

    Attributes:
        kind: "box", "sphere", "capsule", "cylinder" or "plane".
        size: Half the sides of a box, the radius, the radius and half the height [m], shape (3,).
        position: Its middle in the obstacle's frame [m], shape (3,).
    """

    kind: str
    size: Vector3
    position: Vector3


def check_world(world: World) -> World:
    """A world as it is now, if the twin can have it.

    Raises:
        InputError: If it is no `World`, or an object is too small, large, heavy or far, consists of
            too many shapes, or is held without a mass.
    """
    check_is_world(world)
    for obstacle in world.state:
        _check(obstacle)
    return world.snapshot()


def geoms(obstacle: Obstacle) -> list[Geom]:
    """The shapes of an obstacle, in its own frame."""
    if obstacle.kind == "plane":
        return [Geom("plane", np.array([0.0, 0.0, 1.0]), np.zeros(3))]
    if obstacle.kind in ("capsule", "cylinder"):
        height, radius = obstacle.size
        return [Geom(obstacle.kind, np.array([radius, 0.5 * height, 0.0]), np.zeros(3))]
    boxes = obstacle.boxes()
    centers = (boxes.centers - obstacle.T[:3, 3]) @ obstacle.T[:3, :3]
    if obstacle.kind in ("sphere", "points"):
        size = np.array([boxes.radius, 0.0, 0.0])
        return [Geom("sphere", size, center) for center in centers]
    halves = np.maximum(np.broadcast_to(boxes.half, centers.shape), 0.5 * SMALLEST)
    return [Geom("box", half, center) for half, center in zip(halves, centers, strict=True)]


def color_of(obstacle: Obstacle) -> Color:
    """Its colour in pictures."""
    if obstacle.color is not None:
        return obstacle.color
    return MOVING if obstacle.mass else FIXED


def distance(obstacle: Obstacle, p: Vector3) -> float:
    """Distance of a point, in the object's own axes, from its surface [m]; 0 inside it."""
    beyond: Array
    if obstacle.kind == "box":
        beyond = np.abs(p) - 0.5 * np.array(obstacle.size)
    elif obstacle.kind == "cylinder":
        height, radius = obstacle.size
        beyond = np.array([np.hypot(p[0], p[1]) - radius, abs(p[2]) - 0.5 * height])
    else:
        height = obstacle.size[0] if obstacle.kind == "capsule" else 0.0
        axis = np.array([0.0, 0.0, np.clip(p[2], -0.5 * height, 0.5 * height)])
        return max(float(np.linalg.norm(p - axis)) - obstacle.size[-1], 0.0)
    return float(np.linalg.norm(np.maximum(beyond, 0.0)))


def _check(obstacle: Obstacle) -> None:
    name = obstacle.name
    if not name.isprintable():
        raise InputError(f"the object's name {name!r} has characters that cannot be printed")
    if obstacle.primitives > MOST:
        raise InputError(
            f"{name} consists of {obstacle.primitives} shapes; the twin takes up to {MOST} of one "
            "object: thin the points out, or take larger cells"
        )
    if obstacle.kind in SOLIDS and not all(SMALLEST <= x <= LARGEST for x in obstacle.size):
        raise InputError(
            f"size of {name} is {list(obstacle.size)} m; the twin takes lengths from "
            f"{SMALLEST:g} to {LARGEST:g} m"
        )
    if np.abs(obstacle.T[:3, 3]).max() > FARTHEST:
        raise InputError(
            f"position of {name} is {obstacle.T[:3, 3].tolist()} m; the twin's world ends at "
            f"{FARTHEST:g} m"
        )
    if obstacle.mass and not LIGHTEST <= obstacle.mass <= HEAVIEST:
        raise InputError(
            f"mass of {name} is {obstacle.mass:g} kg; the twin takes {LIGHTEST:g} to "
            f"{HEAVIEST:g} kg, and 0 for an object that does not move"
        )
    if obstacle.held is not None and not obstacle.mass:
        raise InputError(
            f"the {obstacle.held} hand holds {name}, which has no mass; give it one: "
            f"world.add_{obstacle.kind}({name!r}, ..., mass=0.2)"
        )

"""Collisions of the robot with itself, with obstacles, and of what its hands hold.

`body` is the geometry: capsules and rounded boxes that contain the robot's meshes; `world` holds
the obstacles; `pairs` names the links and obstacles that are checked against each other. `distance`
and `reference` compute clearances with NumPy, `motion` sweeps straight motions, and `checker` runs
the native kernels where they are available. `retreat` moves out of a collision.
"""

from __future__ import annotations

from baxterkit.collision.body import Body, BodyBox, BodyCapsule, load_body
from baxterkit.collision.checker import Checker
from baxterkit.collision.nearest import Nearest
from baxterkit.collision.obstacle import FLOOR, Obstacle
from baxterkit.collision.pairs import LINKS, Pair, link_pairs
from baxterkit.collision.retreat import RetreatError
from baxterkit.collision.world import World

__all__ = [
    "FLOOR",
    "LINKS",
    "Body",
    "BodyBox",
    "BodyCapsule",
    "Checker",
    "Nearest",
    "Obstacle",
    "Pair",
    "RetreatError",
    "World",
    "link_pairs",
    "load_body",
]

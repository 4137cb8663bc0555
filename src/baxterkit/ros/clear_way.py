"""Whether a way of both arms is free of contacts: what the safety gate asks of geometry.

Pairs that touch at its start, as a hand that rests on a table, may stay as they are; the nearest of
those that change must open. All other pairs must keep clear, whatever touches elsewhere.
"""

from __future__ import annotations

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.checker import Nearest
from baxterkit.collision.world import World
from baxterkit.types import Array

__all__ = ["obstruction"]

MOST_CONTACTS = 20
"""A robot with more contacts at once may not move."""
BETWEEN = 4
"""Postures between two of the way at which a pair that touches is measured."""
NEARER = 1e-9
"""Change of a clearance that is none [m]."""


def obstruction(
    robot: Baxter, way: Array, head: float, padding: float, world: World | None
) -> Nearest | None:
    """The pair that forbids a way; None if it is free.

    Args:
        robot: The robot.
        way: Joint positions of both arms, left then right [rad], shape (n, 14).
        head: Pan of the head [rad].
        padding: Clearance below which links count as touching [m].
        world: Obstacles.
    """
    if np.all(robot.edge_free(way[:-1], way[1:], head, padding=padding, world=world)):
        return None
    touching: tuple[tuple[str, str], ...] = ()
    while True:
        pair = _nearest(robot, way[0], head, touching, world)
        if float(pair.clearance) >= padding:
            break
        touching = (*touching, (pair.names[0], pair.names[1]))
        if len(touching) > MOST_CONTACTS:
            return pair
    free = robot.edge_free(way[:-1], way[1:], head, padding=padding, without=touching, world=world)
    fine = _refined(way)
    if not np.all(free):
        gap = robot.clearance(fine[:, :7], fine[:, 7:], head, without=touching, world=world)
        return _nearest(robot, fine[int(np.argmin(gap))], head, touching, world)
    changing = []
    for one in touching:
        others = tuple(pair for pair in touching if pair != one)
        gap = robot.clearance(fine[:, :7], fine[:, 7:], head, without=others, world=world)
        if np.ptp(gap) > NEARER:
            changing.append(np.minimum(gap, padding))
    if changing and (np.diff(np.min(changing, axis=0)) < -NEARER).any():
        gap = robot.clearance(fine[:, :7], fine[:, 7:], head, world=world)
        return _nearest(robot, fine[int(np.argmin(gap))], head, (), world)
    return None


def _nearest(
    robot: Baxter,
    q: Array,
    head: float,
    without: tuple[tuple[str, str], ...],
    world: World | None,
) -> Nearest:
    return robot.nearest(q[:7], q[7:], head, without=without, world=world)


def _refined(way: Array) -> Array:
    """The way with postures between its own."""
    at = np.linspace(0.0, len(way) - 1.0, (len(way) - 1) * (BETWEEN + 1) + 1)
    i = np.minimum(at.astype(int), len(way) - 2)
    part = (at - i)[:, None]
    result: Array = (1.0 - part) * way[i] + part * way[i + 1]
    return result

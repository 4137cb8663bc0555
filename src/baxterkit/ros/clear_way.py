"""Whether a way of both arms is free of contacts: what the safety gate asks of geometry.

Pairs that touch at its start, as a hand that rests on a table, may stay as they are; the nearest of
those that change must open. All other pairs must keep clear, whatever touches elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.checker import Nearest
from baxterkit.collision.world import World
from baxterkit.types import Array

__all__ = ["head_obstruction", "obstruction"]

MOST_CONTACTS = 20
"""A robot with more contacts at once may not move."""
BETWEEN = 4
"""Postures between two of the way at which a pair that touches is measured."""
NEARER = 1e-9
"""Change of a clearance that is none [m]."""
HEAD_STEP = 0.02
"""Step at which a turning head is checked [rad]: its screen moves by some 4 mm."""
_STARTS, _ENDS = slice(None, -1), slice(1, None)


def obstruction(
    robot: Baxter,
    side: str,
    ways: Sequence[Array],
    heads: Sequence[float],
    padding: float,
    world: World | None,
) -> Nearest | None:
    """The pair that forbids a motion of one arm; None if it is free.

    Args:
        robot: The robot.
        side: The arm that shall move.
        ways: Joint positions of both arms, left then right [rad], shape (n, 14) each: first with
            the other arm where it is, then with that arm on its own way. All start where the arms
            are, but for the other arm.
        heads: Pan angles of the head [rad]: where it is, then others that it turns through.
        padding: Clearance below which links count as touching [m].
        world: Obstacles.
    """
    starts, ends = (np.concatenate([way[part] for way in ways]) for part in (_STARTS, _ENDS))
    pans = heads[0] if len(heads) == 1 else np.array(heads)[:, None]
    if np.all(robot.edge_free(starts, ends, pans, padding=padding, world=world)):
        return None
    touching = _touching(robot, ways[0][0], heads[0], padding, world)
    pair = _obstruction(robot, ways[0], heads[0], touching, padding, world)
    for head in heads:
        for way in ways:
            if pair is None and (way is not ways[0] or head != heads[0]):
                pair = _meeting(robot, side, way, head, touching, padding, world)
    return pair


def head_obstruction(
    robot: Baxter, here: Array, now: float, pan: float, padding: float, world: World | None
) -> Nearest | None:
    """The pair that forbids the head to turn while the arms stay; None if nothing does.

    Args:
        robot: The robot.
        here: Where the arms are, left then right [rad], shape (14,).
        now: Pan of the head now [rad].
        pan: Pan that it shall turn to [rad].
        padding: Clearance below which links count as touching [m].
        world: Obstacles.
    """
    pans = np.linspace(now, pan, 2 + int(abs(pan - now) / HEAD_STEP))
    if (robot.clearance(here[:7], here[7:], pans, world=world) >= padding).all():
        return None
    touching = _touching(robot, here, now, padding, world)
    gap = robot.clearance(here[:7], here[7:], pans, without=touching, world=world)
    if (gap < padding).any():
        return _nearest(robot, here, float(pans[int(np.argmin(gap))]), touching, world)
    gap = np.minimum(robot.clearance(here[:7], here[7:], pans, world=world), padding)
    if (np.diff(gap) < -NEARER).any():
        return _nearest(robot, here, float(pans[int(np.argmin(gap))]), (), world)
    return None


def _touching(
    robot: Baxter, here: Array, head: float, padding: float, world: World | None
) -> tuple[tuple[str, str], ...]:
    """Pairs that are nearer than the padding; at most one more than `MOST_CONTACTS`."""
    touching: tuple[tuple[str, str], ...] = ()
    while len(touching) <= MOST_CONTACTS:
        pair = _nearest(robot, here, head, touching, world)
        if float(pair.clearance) >= padding:
            break
        touching = (*touching, (pair.names[0], pair.names[1]))
    return touching


def _obstruction(
    robot: Baxter,
    way: Array,
    head: float,
    touching: tuple[tuple[str, str], ...],
    padding: float,
    world: World | None,
) -> Nearest | None:
    if len(touching) > MOST_CONTACTS:
        return _nearest(robot, way[0], head, touching[:-1], world)
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


def _meeting(
    robot: Baxter,
    side: str,
    way: Array,
    head: float,
    touching: tuple[tuple[str, str], ...],
    padding: float,
    world: World | None,
) -> Nearest | None:
    """A pair with a part of this arm that comes too near; what the others do is their matter."""
    fine = _refined(way)
    while True:
        gap = robot.clearance(fine[:, :7], fine[:, 7:], head, without=touching, world=world)
        if float(gap.min()) >= padding:
            return None
        pair = _nearest(robot, fine[int(np.argmin(gap))], head, touching, world)
        if any(_of_arm(name, side, world) for name in pair.names) or len(touching) > MOST_CONTACTS:
            return pair
        touching = (*touching, (pair.names[0], pair.names[1]))


def _of_arm(name: str, side: str, world: World | None) -> bool:
    """Whether a link or a thing moves with an arm."""
    if world is not None and name in world:
        return world[name].held == side
    return name.startswith(f"{side}_")


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

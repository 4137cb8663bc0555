"""Whether a way of both arms is free of contacts: what the safety gate asks of geometry.

Pairs that touch at its start, as a hand that rests on a table, may stay as they are; the nearest of
those that change must open. All other pairs must keep clear, whatever touches elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Scene:
    """The robot among its obstacles; postures are of both arms, left then right [rad]."""

    robot: Baxter
    padding: float
    world: World | None

    def gaps(self, q: Array, head: float | Array, without: Pairs = ()) -> Array:
        """Clearances of postures (..., 14) but for some pairs [m], shape (...)."""
        return self.robot.clearance(q[..., :7], q[..., 7:], head, without=without, world=self.world)

    def nearest(self, q: Array, head: float, without: Pairs = ()) -> Nearest:
        """The nearest pair of a posture (14,) but for some."""
        return self.robot.nearest(q[:7], q[7:], head, without=without, world=self.world)

    def worst(self, way: Array, head: float, without: Pairs = ()) -> Nearest:
        """The nearest pair of all postures of a way (n, 14) but for some."""
        return self.nearest(way[int(np.argmin(self.gaps(way, head, without)))], head, without)

    def free(self, starts: Array, ends: Array, head: float | Array, without: Pairs = ()) -> bool:
        """Whether all ways from starts to ends are free of contacts but for some pairs."""
        free = self.robot.edge_free(
            starts, ends, head, padding=self.padding, without=without, world=self.world
        )
        return bool(np.all(free))


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
    scene = _Scene(robot, padding, world)
    starts, ends = (np.concatenate([way[part] for way in ways]) for part in (_STARTS, _ENDS))
    pans = heads[0] if len(heads) == 1 else np.array(heads)[:, None]
    if scene.free(starts, ends, pans):
        return None
    touching = _touching(scene, ways[0][0], heads[0])
    pair = _obstruction(scene, ways[0], heads[0], touching)
    for head in heads:
        for way in ways:
            if pair is None and (way is not ways[0] or head != heads[0]):
                pair = _meeting(scene, side, way, head, touching)
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
    scene = _Scene(robot, padding, world)
    pans = np.linspace(now, pan, 2 + int(abs(pan - now) / HEAD_STEP))
    gap = scene.gaps(here, pans)
    if (gap >= padding).all():
        return None
    touching = _touching(scene, here, now)
    others = scene.gaps(here, pans, touching)
    if (others < padding).any():
        return scene.nearest(here, float(pans[int(np.argmin(others))]), touching)
    if (np.diff(np.minimum(gap, padding)) < -NEARER).any():
        return scene.nearest(here, float(pans[int(np.argmin(np.minimum(gap, padding)))]))
    return None


def _touching(scene: _Scene, here: Array, head: float) -> Pairs:
    """Pairs that are nearer than the padding; at most one more than `MOST_CONTACTS`."""
    touching: Pairs = ()
    while len(touching) <= MOST_CONTACTS:
        pair = scene.nearest(here, head, touching)
        if float(pair.clearance) >= scene.padding:
            break
        touching = (*touching, pair.names)
    return touching


def _obstruction(scene: _Scene, way: Array, head: float, touching: Pairs) -> Nearest | None:
    if len(touching) > MOST_CONTACTS:
        return scene.nearest(way[0], head, touching[:-1])
    fine = _refined(way)
    if not scene.free(way[_STARTS], way[_ENDS], head, touching):
        return scene.worst(fine, head, touching)
    changing = []
    for one in touching:
        others = tuple(pair for pair in touching if pair != one)
        gap = scene.gaps(fine, head, others)
        if np.ptp(gap) > NEARER:
            changing.append(np.minimum(gap, scene.padding))
    if changing and (np.diff(np.min(changing, axis=0)) < -NEARER).any():
        return scene.worst(fine, head)
    return None


def _meeting(scene: _Scene, side: str, way: Array, head: float, touching: Pairs) -> Nearest | None:
    """A pair with a part of this arm that comes too near; what the others do is their matter."""
    fine = _refined(way)
    while True:
        pair = scene.worst(fine, head, touching)
        if float(pair.clearance) >= scene.padding:
            return None
        own = any(_of_arm(name, side, scene.world) for name in pair.names)
        if own or len(touching) > MOST_CONTACTS:
            return pair
        touching = (*touching, pair.names)


def _of_arm(name: str, side: str, world: World | None) -> bool:
    """Whether a link or a thing moves with an arm."""
    if world is not None and name in world:
        return world[name].held == side
    return name.startswith(f"{side}_")


def _refined(way: Array) -> Array:
    """The way with postures between its own."""
    at = np.linspace(0.0, len(way) - 1.0, (len(way) - 1) * (BETWEEN + 1) + 1)
    i = np.minimum(at.astype(int), len(way) - 2)
    part = (at - i)[:, None]
    result: Array = (1.0 - part) * way[i] + part * way[i + 1]
    return result

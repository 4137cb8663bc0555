"""Pairs that may come nearer than the margin while a hand takes an object, or leaves it."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.pairs import LINKS
from baxterkit.collision.world import World

MOVED = 0.002
"""An object whose place differs by more is no longer where it was rehearsed [m]."""


@dataclass(frozen=True, eq=False)
class Near:
    """A pair with a least distance of its own.

    Attributes:
        pair: Names of the two: a link and an object, or two objects.
        least: Distance that it keeps in place of the margin [m]; negative: so deep may the shapes
            be in each other.
        rehearsed: The objects of the pair as they were rehearsed.
    """

    pair: tuple[str, str]
    least: float
    rehearsed: tuple[Obstacle, ...]

    def holds(self, world: World) -> bool:
        """Whether the objects are those, and where they were rehearsed."""
        names = {name for name in self.pair if name not in LINKS}
        return names == {one.name for one in self.rehearsed} and all(
            is_still(one, world) for one in self.rehearsed
        )


def is_still(one: Obstacle, world: World) -> bool:
    """Whether a world has an object, and has it where it is, or in the same hand."""
    if one.name not in world:
        return False
    now = world[one.name]
    same = (now.kind, now.size, now.held) == (one.kind, one.size, one.held) and now.data is one.data
    return same and bool(np.abs(now.T - one.T).max() <= MOVED)


class NearPairs:
    """The pairs of all calls that are under way, each with those of its own."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Near, ...]] = {}
        self._lock = threading.Lock()

    def tell(self, owner: object, pairs: Collection[Near]) -> None:
        """Replaces the pairs of one call."""
        with self._lock:
            others = {key: value for key, value in self._of.items() if key != id(owner)}
            self._of = {**others, id(owner): tuple(pairs)} if pairs else others

    def within(self, world: World) -> dict[tuple[str, str], float]:
        """The pairs whose objects are as they were rehearsed, with their least distances [m]."""
        found: dict[tuple[str, str], float] = {}
        for one in (near for nears in self._of.values() for near in nears):
            if one.holds(world):
                found[one.pair] = min(one.least, found.get(one.pair, np.inf))
        return found

"""Objects that a user puts around the robot: boxes, tables and shelves, all made of boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, transform_array
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.spatial import transform

SIZES = {"box": (0.12, 0.12, 0.40), "table": (0.7, 1.4, 0.83), "shelf": (0.30, 0.90, 0.80)}
"""Sides of a new object along its x, y and z [m]."""
MIDDLES = {"box": (0.75, 0.0, 0.10), "table": (0.85, 0.0, -0.515), "shelf": (0.95, 0.0, 0.30)}
"""Middle of a new object in base [m]: a table stands on the floor, a shelf on such a table."""
ASIDE = 0.25
"""A second object of a kind comes this far beside the first [m]."""
SMALLEST, LARGEST, FARTHEST = 0.005, 4.0, 4.0
"""Bounds of a side, and of each coordinate of a middle [m]."""
MOST = 20
BOARD, TOP, LEG = 0.02, 0.04, 0.05
"""Thickness of a shelf's boards, a table's top and its legs [m]; a quarter of the side at most."""


@dataclass(frozen=True, eq=False)
class PlacedObject(Obstacle):
    """A box, a table or a shelf, as the box around it; a shelf is open along its x.

    Attributes:
        form: What stands in the box: one of `FORMS`.
    """

    form: str = "box"

    def parts(self) -> list[Obstacle]:
        """The boxes that it consists of."""
        return [
            Obstacle("box", size, transform(np.eye(3), middle), f"{self.name} {name}".strip()).at(
                self.T
            )
            for name, (size, middle) in FORMS[self.form](*self.size).items()
        ]


class PlacedObjects:
    """The objects around the robot, by name. One thread owns them; their `world` may be shared."""

    def __init__(self) -> None:
        self._objects: dict[str, PlacedObject] = {}
        self._world = World()

    @property
    def names(self) -> tuple[str, ...]:
        """Names, the oldest first."""
        return tuple(self._objects)

    @property
    def world(self) -> World:
        """Obstacles to check against; another object after each change, and never changed."""
        return self._world

    def __len__(self) -> int:
        return len(self._objects)

    def __getitem__(self, name: str) -> PlacedObject:
        if name not in self._objects:
            raise UnknownNameError("object", name, self.names)
        return self._objects[name]

    def parts(self) -> list[Obstacle]:
        """The boxes of all objects."""
        return [part for placed in self._objects.values() for part in placed.parts()]

    def add(self, kind: str) -> PlacedObject:
        """Puts a new object in front of the robot.

        Raises:
            InputError: If there are as many as there may be.
            UnknownNameError: If there is no such kind.
        """
        if kind not in FORMS:
            raise UnknownNameError("kind of object", kind, tuple(FORMS))
        if len(self) >= MOST:
            raise InputError(f"there are {MOST} objects already; remove one first")
        number = next(n for n in range(1, MOST + 1) if f"{kind} {n}" not in self._objects)
        T = np.eye(4)
        T[:3, 3] = MIDDLES[kind]
        step = (number // 2) * (-1.0 if number % 2 else 1.0)  # to the left and right in turn
        T[1, 3] += ASIDE * step
        placed = PlacedObject("box", SIZES[kind], T, f"{kind} {number}", form=kind)
        self._put(placed)
        return placed

    def move(self, name: str, T: ArrayLike) -> None:
        """Moves an object: its middle in base, shape (4, 4).

        Raises:
            InputError: If that is no rigid pose, or too far away.
        """
        placed, pose = self[name], transform_array(T)
        if pose.shape != (4, 4):
            raise InputError(f"T must be one pose, shape (4, 4), got {pose.shape}")
        far = float(np.abs(pose[:3, 3]).max())
        if far > FARTHEST:
            raise InputError(
                f"{name} would be {far:.2f} m away along an axis; keep it within {FARTHEST:g} m"
            )
        self._put(replace(placed, T=pose))

    def resize(self, name: str, size: ArrayLike) -> None:
        """Changes the sides of an object [m], shape (3,); its middle stays.

        Raises:
            InputError: If a side is too small or too large.
        """
        placed, sides = self[name], finite_array(size, f"size of {name}")
        if sides.shape != (3,):
            raise InputError(f"size of {name} must be 3 lengths [m], got {sides.tolist()}")
        for side in sides.tolist():
            if not SMALLEST <= side <= LARGEST:
                raise InputError(
                    f"a side of {name} would be {side:g} m; sides are {SMALLEST:g} to "
                    f"{LARGEST:g} m long"
                )
        self._put(replace(placed, size=tuple(sides)))

    def remove(self, name: str) -> None:
        """Removes an object."""
        del self._objects[self[name].name]
        self._renew()

    def clear(self) -> None:
        """Removes everything."""
        self.replace(())

    def replace(self, objects: Iterable[PlacedObject]) -> None:
        """Puts these objects in place of all others."""
        self._objects = {placed.name: placed for placed in objects}
        self._renew()

    def put_world(self, world: World) -> None:
        """Puts the boxes of a world in place of all objects.

        Raises:
            InputError: If it holds something else, too many boxes, or one that is too large or far;
                nothing is changed.
        """
        if len(world) > MOST:
            raise InputError(f"the world has {len(world)} objects; the viewer shows {MOST} at most")
        made = PlacedObjects()
        for one in world.state:
            if one.kind != "box" or one.held is not None:
                what = "held by a hand" if one.held is not None else f"a {one.kind}"
                raise InputError(f"{one.name!r} is {what}; the viewer shows boxes that stand alone")
            made._put(PlacedObject("box", (1.0, 1.0, 1.0), np.eye(4), one.name))
            made.resize(one.name, one.size)
            made.move(one.name, one.T)
        self.replace(made[name] for name in made.names)

    def _put(self, placed: PlacedObject) -> None:
        self._objects[placed.name] = placed
        self._renew()

    def _renew(self) -> None:
        self._world = World()
        for part in self.parts():
            self._world.add_box(part.name, part.size, part.T)


Parts: TypeAlias = dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]]
"""By name, the sides of a box and its middle in the frame of the object [m]."""


def _box(x: float, y: float, z: float) -> Parts:
    return {"": ((x, y, z), (0.0, 0.0, 0.0))}


def _table(x: float, y: float, z: float) -> Parts:
    """A top and four legs."""
    top, leg = min(TOP, z / 4.0), min(LEG, x / 4.0, y / 4.0)
    parts: Parts = {"top": ((x, y, top), (0.0, 0.0, (z - top) / 2.0))}
    for number, (a, b) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)), start=1):
        middle = (a * (x - leg) / 2.0, b * (y - leg) / 2.0, -top / 2.0)
        parts[f"leg {number}"] = ((leg, leg, z - top), middle)
    return parts


def _shelf(x: float, y: float, z: float) -> Parts:
    """Two sides and three boards."""
    t = min(BOARD, min(x, y, z) / 4.0)
    parts: Parts = {}
    for name, sign in (("left side", 1.0), ("right side", -1.0)):
        parts[name] = ((x, t, z), (0.0, sign * (y - t) / 2.0, 0.0))
    for name, sign in (("top", 1.0), ("middle board", 0.0), ("bottom", -1.0)):
        parts[name] = ((x, y, t), (0.0, 0.0, sign * (z - t) / 2.0))
    return parts


FORMS: dict[str, Callable[[float, float, float], Parts]] = {
    "box": _box,
    "table": _table,
    "shelf": _shelf,
}
"""What a user can put around the robot, by the sides of the box around it [m]."""

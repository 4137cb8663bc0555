"""Objects that a user puts around the robot: every kind of a `World`, and tables and shelves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, transform_array
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.spatial.formulas import transform
from baxterkit.types import Transform
from baxterkit.viewer.state.forms import FORMS, NEW

KINDS = (*NEW, "points", "height field")
"""Kinds of objects; clouds of points and height fields come from files."""
LENGTHS = {
    "box": ("side", "side", "side"),
    "sphere": ("radius",),
    "cylinder": ("height", "radius"),
    "capsule": ("height", "radius"),
    "plane": (),
    "points": ("radius",),
}
"""What the numbers of a size are called; a height field keeps the one that it came with."""
ASIDE = 0.25
"""A second object of a kind comes this far beside the first [m]."""
SMALLEST, LARGEST, FARTHEST = 0.001, 10.0, 10.0
"""Bounds of a length, and of each coordinate of a middle [m]."""
MOST = 100


@dataclass(frozen=True, eq=False)
class PlacedObject(Obstacle):
    """An object of a world; a table or a shelf is the box around it. A shelf is open along its x.

    Attributes:
        form: What it is: one of `KINDS`.
    """

    form: str = "box"

    @property
    def lengths(self) -> tuple[str, ...]:
        """What the numbers of its size are called; empty where it cannot be changed."""
        return LENGTHS.get(self.kind, ())

    def parts(self) -> list[Obstacle]:
        """The obstacles that it consists of."""
        if self.form not in FORMS:
            return [self]
        return [
            replace(
                self, name=f"{self.name} {name}".strip(), size=size,
                T=self.T @ transform(np.eye(3), middle),
            )
            for name, (size, middle) in FORMS[self.form](*self.size).items()
        ]  # fmt: skip


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
        """The obstacles of all objects."""
        return [part for placed in self._objects.values() for part in placed.parts()]

    def add(self, kind: str) -> PlacedObject:
        """Puts a new object in front of the robot.

        Raises:
            InputError: If there are as many as there may be.
            UnknownNameError: If there is no such kind, or it comes from a file.
        """
        if kind not in NEW:
            raise UnknownNameError("kind of object", kind, tuple(NEW))
        if len(self) >= MOST:
            raise InputError(f"there are {MOST} objects already; remove one first")
        number = next(n for n in range(1, MOST + 1) if f"{kind} {n}" not in self._objects)
        size, middle = NEW[kind]
        T = np.eye(4)
        T[:3, 3] = middle
        step = (number % 14 // 2) * (-1.0 if number % 2 else 1.0)  # to the left and right in turn
        T[1, 3] += ASIDE * step
        placed = PlacedObject(
            "box" if kind in FORMS else kind, size, T, f"{kind} {number}", form=kind
        )
        self.put([placed])
        return placed

    def move(self, name: str, T: ArrayLike) -> None:
        """Moves an object: its middle in base, shape (4, 4); of a height field, its corner.

        Raises:
            InputError: If that is no rigid pose, or too far away.
        """
        self.put([replace(self[name], T=_pose(name, T))])

    def resize(self, name: str, size: ArrayLike) -> None:
        """Changes the lengths of an object [m], as its kind has them; its middle stays.

        Raises:
            InputError: If a length is too small or too large, or the object has none.
        """
        placed = self[name]
        self.put([replace(placed, size=_size(placed, size))])

    def remove(self, name: str) -> None:
        """Removes an object."""
        gone = self[name]
        self.replace(one for one in self._objects.values() if one is not gone)

    def clear(self) -> None:
        """Removes everything."""
        self.replace(())

    def put(self, objects: Iterable[PlacedObject]) -> None:
        """Adds objects, in place of those that have their names.

        Raises:
            InputError: If one is not an object that the checks take; nothing is changed.
        """
        self.replace((self._objects | {placed.name: placed for placed in objects}).values())

    def replace(self, objects: Iterable[PlacedObject]) -> None:
        """Puts these objects in place of all others."""
        made = {placed.name: placed for placed in objects}
        obstacles = [one for placed in made.values() for one in self._obstacles(placed)]
        names = [one.name for one in obstacles]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise InputError(f"two objects have a part that is called {twice!r}; rename one")
        self._world, self._objects = World.of(obstacles), made

    def put_world(self, world: World) -> None:
        """Puts the objects of a world in place of all others.

        Raises:
            InputError: If a hand holds one, or there are too many, or one is too large or far;
                nothing is changed.
        """
        if len(world) > MOST:
            raise InputError(f"the world has {len(world)} objects; the viewer shows {MOST} at most")
        self.replace([placed_object(one) for one in world.state])

    def _obstacles(self, placed: PlacedObject) -> list[Obstacle]:
        """The obstacles of an object, checked; those of one that is there already are kept."""
        parts = placed.parts()
        if self._objects.get(placed.name) is placed:
            return [self._world[part.name] for part in parts]
        world = World()
        for part in parts:
            world.add(part)
        return list(world.state)


def placed_object(one: Obstacle, form: str | None = None) -> PlacedObject:
    """An obstacle as an object of the viewer; `form` is a table's or a shelf's.

    Raises:
        InputError: If a hand holds it, or it is too small, too large or too far away.
    """
    if one.held is not None:
        raise InputError(
            f"{one.name!r} is held by a hand; the viewer shows objects that stand alone"
        )
    placed = PlacedObject(
        one.kind, one.size, _pose(one.name, one.T), one.name, one.data, None, one.mass, one.color,
        form=form or one.kind,
    )  # fmt: skip
    if placed.kind != "height field":
        _size(placed, one.size)
    return placed


def _pose(name: str, T: ArrayLike) -> Transform:
    pose = transform_array(T)
    if pose.shape != (4, 4):
        raise InputError(f"T must be one pose, shape (4, 4), got {pose.shape}")
    far = float(np.abs(pose[:3, 3]).max())
    if far > FARTHEST:
        raise InputError(
            f"{name} would be {far:.2f} m away along an axis; keep it within {FARTHEST:g} m"
        )
    return pose


def _size(placed: PlacedObject, size: ArrayLike) -> tuple[float, ...]:
    name, said = placed.name, placed.lengths
    if placed.kind == "height field":
        raise InputError(f"{name} is a height field; its cells have the size of its file")
    values = finite_array(size, f"size of {name}")
    if values.shape != (len(said),):
        raise InputError(f"size of {name} must be {len(said)} lengths [m], got {values.tolist()}")
    for what, length in zip(said, values.tolist(), strict=True):
        if not SMALLEST <= length <= LARGEST:
            raise InputError(
                f"the {what} of {name} would be {length:g} m; lengths are {SMALLEST:g} to "
                f"{LARGEST:g} m"
            )
    return tuple(values.tolist())

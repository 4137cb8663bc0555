"""The surroundings of the robot: a table, items that can be pushed and picked up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from baxterkit.checks.arrays import finite_array, vector_array
from baxterkit.collision.world import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.model import Frozen, rigid
from baxterkit.types import Rotation, Transform, Vector3, frozen

SHAPES = {"box": 3, "sphere": 1, "cylinder": 2}
"""Shapes and how many numbers their size has."""
SMALLEST, LARGEST = 1e-4, 1e3
"""Bounds of a thing's lengths [m]: smaller things have too little inertia for the simulation."""
GREY = (0.72, 0.66, 0.58)
LIGHTEST, HEAVIEST = 1e-5, 1e6
"""Bounds of the mass of what moves [kg]."""
FARTHEST = 1e4
"""Largest distance of a thing from the base along an axis [m]."""


@dataclass(frozen=True, eq=False)
class Item(Frozen):
    """A thing in the scene.

    Attributes:
        name: Its name; it must differ from the other things' names.
        shape: "box", "sphere" or "cylinder" (around its z axis).
        size: Full lengths [m]: (x, y, z) of a box, (diameter,) of a sphere, (diameter, height) of
            a cylinder.
        position: Centre at the start, in base [m], shape (3,).
        mass: Mass [kg], evenly spread; 0 for a fixed thing.
        color: Red, green, blue, each from 0 to 1.
        rotation: Its axes at the start, in base, shape (3, 3).
    """

    name: str
    shape: str
    size: Vector3
    position: Vector3
    mass: float = 0.0
    color: tuple[float, float, float] = (0.90, 0.62, 0.0)
    rotation: Rotation = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise InputError(f"an item needs a name, got {self.name!r}")
        if not self.name.isprintable():
            raise InputError(f"the item's name {self.name!r} holds what cannot be printed")
        if self.shape not in SHAPES:
            raise UnknownNameError("shape", self.shape, SHAPES)
        size = np.atleast_1d(finite_array(self.size, f"size of {self.name}"))
        if size.shape != (SHAPES[self.shape],) or not (size > 0.0).all():
            raise InputError(
                f"size of {self.name} must be {SHAPES[self.shape]} positive lengths [m], "
                f"got {size.tolist()}"
            )
        if not ((size >= SMALLEST) & (size <= LARGEST)).all():
            raise InputError(
                f"size of {self.name} is {size.tolist()} m; the twin takes lengths from "
                f"{SMALLEST:g} to {LARGEST:g} m"
            )
        object.__setattr__(self, "size", frozen(size))
        position = vector_array(self.position, f"position of {self.name}")
        if position.shape != (3,):
            raise InputError(f"position of {self.name} must be 3 numbers, got {position.shape}")
        if np.abs(position).max() > FARTHEST:
            raise InputError(
                f"position of {self.name} is {position.tolist()} m; the twin's world ends at "
                f"{FARTHEST:g} m"
            )
        object.__setattr__(self, "position", frozen(position))
        mass = float(finite_array(self.mass, f"mass of {self.name}"))
        if mass < 0.0:
            raise InputError(f"mass of {self.name} is {self.mass} kg; it must not be negative")
        if mass and not LIGHTEST <= mass <= HEAVIEST:
            raise InputError(
                f"mass of {self.name} is {self.mass:g} kg; the twin takes {LIGHTEST:g} to "
                f"{HEAVIEST:g} kg, and 0 for what does not move"
            )
        R, T = finite_array(self.rotation, f"rotation of {self.name}"), np.eye(4)
        if R.shape != (3, 3):
            raise InputError(f"rotation of {self.name} must have shape (3, 3), got {R.shape}")
        T[:3, :3] = R
        object.__setattr__(self, "rotation", frozen(rigid(T, f"rotation of {self.name}")[:3, :3]))
        color = finite_array(self.color, f"color of {self.name}")
        if color.shape != (3,) or not ((color >= 0.0) & (color <= 1.0)).all():
            raise InputError(
                f"color of {self.name} must be 3 numbers from 0 to 1, got {self.color!r}"
            )

    @property
    def T(self) -> Transform:
        """Its pose at the start, in base, shape (4, 4)."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.rotation, self.position
        return T

    @property
    def is_fixed(self) -> bool:
        """Whether it is fixed to the world."""
        return self.mass == 0.0


@dataclass(frozen=True, eq=False)
class Scene(Frozen):
    """Everything around the robot.

    Attributes:
        items: The things.
    """

    items: tuple[Item, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        names = [item.name for item in self.items]
        if len(set(names)) != len(names):
            raise InputError(f"items need different names, got {', '.join(names)}")

    @classmethod
    def with_table(cls, height: float = -0.15, *items: Item) -> Scene:
        """A table in front of the robot, and things.

        Args:
            height: Height of the table top above the base frame's origin [m].
            *items: Further things.
        """
        top = Item(
            name="table",
            shape="box",
            size=np.array([0.7, 1.4, 0.04]),
            position=np.array([0.85, 0.0, height - 0.02]),
            color=GREY,
        )
        return cls((top, *items))

    @classmethod
    def from_world(cls, world: World) -> Scene:
        """The boxes, spheres and cylinders of a `collision.World` that no hand holds, fixed.

        Raises:
            InputError: If the world has a thing of another kind.
        """
        items = []
        for thing in world.state:
            if thing.held is not None:
                continue
            if thing.kind not in SHAPES:
                raise InputError(
                    f"{thing.name} is a {thing.kind}; the twin has {', '.join(SHAPES)}: "
                    "give it a world without it, or with a box in its place"
                )
            size = np.array(thing.size)
            if thing.kind == "sphere":
                size = 2.0 * size
            elif thing.kind == "cylinder":
                size = np.array([2.0 * size[1], size[0]])
            position, R = thing.T[:3, 3], thing.T[:3, :3]
            items.append(Item(thing.name, thing.kind, size, position, color=GREY, rotation=R))
        return cls(tuple(items))

    def item(self, name: str) -> Item:
        """One of the things.

        Raises:
            UnknownNameError: If there is none of that name.
        """
        for item in self.items:
            if item.name == name:
                return item
        raise UnknownNameError("item", name, [item.name for item in self.items])


def add_to_world(world: World, item: Item, T: Transform, name: str | None = None) -> None:
    """Adds a thing to a `collision.World`, at a pose in base, by its own name if None is given."""
    name = item.name if name is None else name
    if item.shape == "box":
        world.add_box(name, item.size, T)
    elif item.shape == "sphere":
        world.add_sphere(name, 0.5 * float(item.size[0]), T)
    else:
        world.add_cylinder(name, float(item.size[1]), 0.5 * float(item.size[0]), T)

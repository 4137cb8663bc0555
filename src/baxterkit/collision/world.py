"""The robot's surroundings: obstacles, and objects that its hands hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import entry_count, finite_array
from baxterkit.checks.instances import need
from baxterkit.checks.numbers import scalar
from baxterkit.checks.units import (
    unwarned,
    warn_if_cloud_in_millimetres,
    warn_if_large,
    warn_if_millimetres,
    warn_if_wide,
)
from baxterkit.collision import world_file
from baxterkit.collision.cover import covering_capsules
from baxterkit.collision.obstacle import Color, Obstacle, plane_pose
from baxterkit.collision.pairs import LINKS
from baxterkit.display import html_table
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.model.model import rigid
from baxterkit.model.names import SIDES, check_side
from baxterkit.model.shape import SOLIDS
from baxterkit.types import Array, Transform

MOST_POINTS = 1_000_000
LARGEST_LENGTH = 1e6
"""Largest size, and farthest place, of an obstacle [m]: rounding stays below a nanometre there."""
TABLE_TOP = 0.04
"""Thickness of a table top [m]."""
GROUND = 0.1
"""Least depth of a height field below its heights, where no bottom is given [m]."""
N = TypeVar("N", float, Array)
KINDS = {"points": "cloud of points"}


class World:
    """Obstacles in base, each with a name, and objects that the hands hold.

    Sizes are full sizes [m]; a pose `T` is the middle's in base, axes along the sides (of capsules
    and cylinders: the axis is z). The arms and what they hold are checked against each obstacle;
    torso, pedestal and head are not, since they do not move into one. An object with a `mass` [kg]
    moves in the twin, where others are fixed; `color` (red, green, blue, 0 to 1) is for pictures.
    """

    def __init__(self) -> None:
        self._obstacles: dict[str, Obstacle] = {}
        self._frozen = False
        self._snapshot: tuple[dict[str, Obstacle], World] | None = None

    @classmethod
    def of(cls, obstacles: Iterable[Obstacle]) -> World:
        """A world of these objects, such as the `state` of another; none of them is changed."""
        world = cls()
        world._obstacles = {obstacle.name: obstacle for obstacle in obstacles}
        return world

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all objects, in the order in which they came."""
        return tuple(self._obstacles)

    def __len__(self) -> int:
        return len(self._obstacles)

    def __contains__(self, name: object) -> bool:
        return name in self._obstacles

    def __getitem__(self, name: str) -> Obstacle:
        if not isinstance(name, str) or name not in self._obstacles:
            raise UnknownNameError("obstacle", name, self.names or ("none, the world is empty",))
        return self._obstacles[name]

    def __repr__(self) -> str:
        obstacles = ", ".join(
            f"{obstacle.name} ({obstacle.kind})" for obstacle in self._obstacles.values()
        )
        return f"World({obstacles})"

    def _repr_html_(self) -> str:
        """A table of the objects, for notebooks."""
        rows = [
            (
                obstacle.name,
                obstacle.kind,
                " x ".join(f"{x:g}" for x in obstacle.size),
                *obstacle.T[:3, 3].tolist(),
                "base" if obstacle.held is None else f"tip of the {obstacle.held} hand",
            )
            for obstacle in self._obstacles.values()
        ]
        head = ("object", "kind", "size [m]", "x [m]", "y [m]", "z [m]", "in")
        title = f"World: {len(rows)} object{'' if len(rows) == 1 else 's'}"
        return html_table(
            title, head, rows, "" if rows else "empty; add_box(...) and its like fill it"
        )

    def add_box(
        self,
        name: str,
        size: ArrayLike,
        T: ArrayLike,
        *,
        mass: float = 0.0,
        color: Color | None = None,
    ) -> None:
        """Adds a box with these sides [m], shape (3,); `T` may be its middle alone, shape (3,)."""
        sides = _sizes(size, "size", 3)
        warn_if_large(sides, "size")
        self._add(name, "box", sides, T, None, mass, color)

    def add_sphere(
        self,
        name: str,
        radius: float,
        T: ArrayLike,
        *,
        mass: float = 0.0,
        color: Color | None = None,
    ) -> None:
        """Adds a sphere; `T` may be its centre alone, shape (3,)."""
        size = _sizes(radius, "radius", 1)
        warn_if_large(size, "radius")
        self._add(name, "sphere", size, T, None, mass, color)

    def add_capsule(
        self,
        name: str,
        height: float,
        radius: float,
        T: ArrayLike,
        *,
        mass: float = 0.0,
        color: Color | None = None,
    ) -> None:
        """Adds a capsule: all points within `radius` of a segment of length `height` along z."""
        self._add(name, "capsule", _upright(height, radius), T, None, mass, color)

    def add_cylinder(
        self,
        name: str,
        height: float,
        radius: float,
        T: ArrayLike,
        *,
        mass: float = 0.0,
        color: Color | None = None,
    ) -> None:
        """Adds a cylinder around z."""
        self._add(name, "cylinder", _upright(height, radius), T, None, mass, color)

    def add_table(
        self,
        name: str,
        height: float,
        size: ArrayLike = (0.7, 1.4),
        middle: ArrayLike = (0.85, 0.0),
    ) -> None:
        """Adds a table top of 40 mm, in front of the robot unless it is told another place.

        Args:
            name: Its name.
            height: Of its upper face above the origin of base [m]; add `collision.FLOOR` to a
                height above the floor.
            size: Its sides along x and y of base [m], shape (2,).
            middle: Its middle in x and y of base [m], shape (2,).
        """
        x, y = _sizes(size, "size", 2)
        at = finite_array(middle, "middle")
        if at.shape != (2,):
            raise ShapeError(f"middle must have 2 values [m], got {middle!r}")
        top = scalar(height, "height")
        self.add_box(name, (x, y, TABLE_TOP), (*at, top - 0.5 * TABLE_TOP))

    def add_plane(self, name: str, normal: ArrayLike, offset: float = 0.0) -> None:
        """Adds all that is below a plane: points x in base with normal . x <= offset |normal|.

        Args:
            name: Its name.
            normal: Points to the free side, shape (3,).
            offset: Distance of the plane from the origin of base along the normal [m].
        """
        n = finite_array(normal, "normal")
        if n.shape != (3,) or not n.any():
            raise InputError(f"normal must be a vector of 3 numbers, not all zero; got {normal!r}")
        away = scalar(offset, "offset")
        warn_if_millimetres(np.array([away, 0.0, 0.0]), "offset")
        with unwarned():
            self._add(name, "plane", (), plane_pose(n, away))

    def add_height_field(
        self,
        name: str,
        heights: ArrayLike,
        cell: float,
        T: ArrayLike,
        bottom: float | None = None,
    ) -> None:
        """Adds ground with a height above each square cell.

        Cell (i, j) reaches from (i, j) times `cell` to (i + 1, j + 1) times `cell` in x and y of
        `T` and is solid from `bottom` to heights[i, j] along z; where that is NaN or below
        `bottom` there is a hole.

        Args:
            name: Its name.
            heights: Along z of `T` [m], shape (n, m).
            cell: Side of a cell [m].
            T: Pose of the corner of cell (0, 0) in base.
            bottom: Where the solid begins along z of `T` [m]; if None at 0, or lower, so that it
                is at least 0.1 m deep everywhere.

        Raises:
            InputError: If every cell is a hole.
        """
        cells = entry_count(heights, 2)  # before they are copied
        if cells > MOST_POINTS:
            raise InputError(f"{cells} cells are more than {MOST_POINTS}; take larger cells")
        data = np.array(finite_array(heights, "heights", nan=True))
        if data.ndim != 2 or data.size == 0:
            raise ShapeError(f"heights must have shape (n, m), got {data.shape}")
        (side,) = _sizes(cell, "cell", 1)
        _near(data, "heights")
        lowest = float(np.nanmin(data, initial=np.inf))
        low = (
            min(0.0, lowest - GROUND)
            if bottom is None
            else _near(scalar(bottom, "bottom"), "bottom")
        )
        if not (data >= low).any():
            raise InputError(
                "heights has no number, all are NaN: nothing is solid"
                if np.isnan(data).all()
                else f"bottom = {low:g} m is above the highest of the heights, "
                f"{np.nanmax(data):g} m: nothing is solid; give one below them, or leave it out"
            )
        warn_if_wide(side, "cell")
        warn_if_millimetres(np.array([low, 0.0, 0.0]), "bottom")
        warn_if_cloud_in_millimetres(data[..., None], "heights")
        self._add(name, "height field", (side, low), T, data)

    def add_points(
        self, name: str, points: ArrayLike, radius: float, T: ArrayLike | None = None
    ) -> None:
        """Adds a cloud of points, each a small sphere.

        Args:
            name: Its name.
            points: In base, or in the frame `T`, such as that of a camera [m], shape (n, 3).
            radius: Of each point [m]; half the spacing of the points closes the gaps.
            T: Frame of the points in base; base if None.
        """
        number = entry_count(points)  # before they are copied
        if number > MOST_POINTS:
            raise InputError(f"{number} points are more than {MOST_POINTS}; thin them out")
        data = finite_array(points, "points")
        if data.ndim != 2 or data.shape[1] != 3 or len(data) == 0:
            raise ShapeError(f"points must have shape (n, 3), got {data.shape}")
        size = _sizes(radius, "radius", 1)
        _near(data, "points")
        warn_if_wide(size[0], "radius")
        warn_if_cloud_in_millimetres(data, "points")
        self._add(name, "points", size, np.eye(4) if T is None else T, np.array(data))

    def save(self, path: str | Path) -> Path:
        """Writes this world: one readable .toml, and a .npz beside it for points and heights.

        Raises:
            ModelError: If the file is not called .toml, or a name cannot be written.
            FileError: If it cannot be written.
        """
        return world_file.write(path, self.state)

    @classmethod
    def load(cls, path: str | Path, T: ArrayLike | None = None) -> World:
        """Reads a world that `save` wrote or that was written by hand, or another program's file.

        Args:
            path: A .toml; or the collision shapes of a .urdf, .sdf or .world, or MoveIt's .scene.
            T: Pose of the file's frame in base, shape (4, 4), or its origin, shape (3,); base
                itself if None.

        Raises:
            ModelError: If the file cannot be read or is no world; names the file and the entry.
        """
        world, T_base_file = cls(), np.eye(4) if T is None else _pose(T)
        for table, one in world_file.read(path):
            with table.naming():
                world.add(one if T is None or one.held else one.at(T_base_file))
        return world

    def add(self, one: Obstacle) -> None:
        """Adds an object, such as one of another world's `state`, with the checks of the others."""
        need(one, Obstacle, "one", "add_box, add_sphere and the others make one")
        name, mass, color = one.name, one.mass, one.color
        T = np.eye(4) if one.held is not None else one.T
        if one.kind == "box":
            self.add_box(name, one.size, T, mass=mass, color=color)
        elif one.kind == "sphere":
            self.add_sphere(name, one.size[0], T, mass=mass, color=color)
        elif one.kind == "capsule":
            self.add_capsule(name, one.size[0], one.size[1], T, mass=mass, color=color)
        elif one.kind == "cylinder":
            self.add_cylinder(name, one.size[0], one.size[1], T, mass=mass, color=color)
        elif one.kind == "plane":
            self._add(name, "plane", (), T)
        elif one.data is not None and one.kind == "points":
            self.add_points(name, one.data, one.size[0], T)
        elif one.data is not None:
            self.add_height_field(name, one.data, one.size[0], T, one.size[1])
        if one.held is not None:
            self.attach(name, one.held, one.T)

    def remove(self, name: str) -> None:
        """Removes an object, fixed or held."""
        self._set(self[name].name, None)

    def attach(self, name: str, side: str, T: ArrayLike) -> None:
        """Attaches an object to a hand: from now on it moves with the arm's tip.

        A held object is not checked against its hand (w1, w2 and fingers). It is covered by
        capsules that exceed it by up to 10 mm, more where it is wider than 0.2 m.

        Args:
            name: A box, sphere, capsule or cylinder of this world.
            side: "left" or "right".
            T: Its pose in the frame of that arm's tip, shape (4, 4).
        """
        obstacle = self[name]
        check_side(side, "arm")
        if obstacle.kind not in SOLIDS:
            kind = KINDS.get(obstacle.kind, obstacle.kind)
            raise InputError(f"{name} is a {kind}; a hand holds a {', '.join(SOLIDS)}")
        for other in self._obstacles.values():
            if other.held == side and other.name != name:
                raise InputError(f"the {side} hand holds {other.name} already; detach that first")
        with unwarned():
            pose = _pose(T)
        warn_if_wide(float(np.abs(pose[:3, 3]).max()), "T")
        self._set(name, replace(obstacle, T=pose, held=side))

    def detach(self, name: str, T: ArrayLike) -> None:
        """Detaches a held object, at this pose in base."""
        obstacle = self[name]
        if obstacle.held is None:
            raise InputError(f"no hand holds {name}")
        self._set(name, replace(obstacle, T=_pose(T), held=None))

    @property
    def state(self) -> tuple[Obstacle, ...]:
        """All objects as they are now."""
        return tuple(self._obstacles.values())

    def snapshot(self) -> World:
        """This world as it is now, which nothing can change: the same until this one changes."""
        if self._frozen:
            return self
        obstacles, kept = self._obstacles, self._snapshot
        if kept is None or kept[0] is not obstacles:
            world = World.of(obstacles.values())
            world._frozen = True
            kept = self._snapshot = (obstacles, world)
        return kept[1]

    def _set(self, name: str, obstacle: Obstacle | None) -> None:
        """Puts an object in, or takes it out."""
        if self._frozen:
            raise InputError(
                f"{name!r}: the world of a scene does not change; change your own World and make "
                "another scene with it (scene.replace(world=...))"
            )
        obstacles = {**self._obstacles}
        obstacles.pop(name, None) if obstacle is None else obstacles.update({name: obstacle})
        self._obstacles = obstacles  # whole: other threads read it meanwhile

    def _add(
        self,
        name: str,
        kind: str,
        size: tuple[float, ...],
        T: ArrayLike,
        data: Array | None = None,
        mass: float = 0.0,
        color: Color | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of an obstacle must be a text, got {name!r}")
        if name in self._obstacles:
            raise InputError(f"there is an obstacle {name!r} already; remove it first")
        if name in (*LINKS, *SIDES):
            raise InputError(f"{name!r} is a part of the robot; give the obstacle another name")
        weight, rgb = _weight(mass), _color(color)
        self._set(name, Obstacle(kind, size, _pose(T), name, data, mass=weight, color=rgb))


def held_capsules(obstacle: Obstacle, T_link_tip: Transform) -> Array:
    """Capsules that contain a held object: start, end, radius in the link's frame, (n, 7)."""
    T = T_link_tip @ obstacle.T
    rows = covering_capsules(obstacle.kind, obstacle.size)
    for columns in (slice(0, 3), slice(3, 6)):
        rows[:, columns] = rows[:, columns] @ T[:3, :3].T + T[:3, 3]
    return rows


def _weight(mass: float) -> float:
    weight = scalar(mass, "mass")
    if weight < 0.0:
        raise InputError(f"mass = {weight:g} kg; it must not be negative")
    return weight


def _color(color: Color | None) -> Color | None:
    if color is None:
        return None
    rgb = finite_array(color, "color")
    if rgb.shape != (3,) or not ((rgb >= 0.0) & (rgb <= 1.0)).all():
        raise InputError(f"color must be 3 numbers from 0 to 1, got {color!r}")
    red, green, blue = rgb.tolist()
    return red, green, blue


def _pose(T: ArrayLike) -> Transform:
    values = finite_array(T, "T")
    if values.shape == (3,):
        pose = np.eye(4)
        pose[:3, 3] = values
    else:
        pose = rigid(values, "T")
    warn_if_millimetres(_near(pose[:3, 3], "T"), "T")
    return pose


def _upright(height: float, radius: float) -> tuple[float, float]:
    """Height and radius of a capsule or a cylinder [m]."""
    sizes = (*_sizes(height, "height", 1), *_sizes(radius, "radius", 1))
    warn_if_large(sizes, "height" if sizes[0] > sizes[1] else "radius")
    return sizes[0], sizes[1]


def _sizes(value: ArrayLike, name: str, count: int) -> tuple[float, ...]:
    values = np.atleast_1d(finite_array(value, name))
    if values.shape != (count,):
        raise ShapeError(f"{name} must have {count} values [m], got {value!r}")
    if (values <= 0.0).any():
        raise InputError(f"{name} = {values.min():g} m must be positive")
    return tuple(_near(values, name).tolist())


def _near(values: N, name: str) -> N:
    """Lengths that the checks resolve [m].

    Raises:
        InputError: If one is greater than LARGEST_LENGTH.
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > LARGEST_LENGTH:
        raise InputError(
            f"{name}: {largest:.9g} m is more than {LARGEST_LENGTH:g} m, which the checks do not "
            "resolve; ground without end is a plane (add_plane)"
        )
    return values


def check_is_world(world: object) -> None:
    """Raises `InputError` for what is no `World`, such as the name of a file of one."""
    if not isinstance(world, World):
        hint = (
            f"; read the file by World.load({str(world)!r})"
            if isinstance(world, str | Path)
            else ""
        )
        raise InputError(f"world must be a collision.World, got {type(world).__name__}{hint}")

"""A finished map: its arrays, and questions that it helps to answer.

The map says where to look; each answer is then checked by inverse kinematics itself.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.numbers import scalar
from baxterkit.display import html_table
from baxterkit.errors import FileError, InputError, UnknownNameError
from baxterkit.ik.result import IkStatus
from baxterkit.model.names import SIDES
from baxterkit.poses import pose_array
from baxterkit.scene.scene import Scene, SceneLike
from baxterkit.types import AnyArray, Array
from baxterkit.workspace.addresses import AnyPath
from baxterkit.workspace.compute import ARRAYS, REASONS, Job, array_names
from baxterkit.workspace.description import model_hash, scene_of
from baxterkit.workspace.grid import Grid, orientations
from baxterkit.workspace.reading import Statuses
from baxterkit.workspace.settings import PAIR, Settings
from baxterkit.workspace.store import MapStore, open_store

if TYPE_CHECKING:
    from baxterkit.workspace.base_places import BasePlace
    from baxterkit.workspace.queries import Grasps, TablePlace


@dataclass(frozen=True, eq=False)
class Score:
    """What becomes of poses; arrays have the poses' batch shape.

    Attributes:
        reached: Whether inverse kinematics reaches the pose, as the map's level asks.
        status: Codes of `IkStatus`, by inverse kinematics.
        q: The answer [rad], NaN where there is none, shape (*batch, 7); (*batch, 14), left then
            right, for both hands at once.
        fraction: Share of the orientations that are reached in the cell of the pose, by the map;
            0 outside of the grid.
        guess: The status of the map's nearest pose, OUT_OF_REACH outside of the grid.
    """

    reached: NDArray[np.bool_]
    status: NDArray[np.int64]
    q: Array
    fraction: Array
    guess: NDArray[np.int64]


class Map:
    """A map that is complete, as `make_map` and `open_map` give it.

    Attributes:
        path: Its folder or address.
        settings: What it was made with, checked.
        description: Its metadata: robot, model hash, instruction set, versions, settings.
        scene: The robot among its obstacles.
    """

    def __init__(self, store: MapStore, scene: Scene) -> None:
        self._store = store
        self.path = store.path
        self.settings: Settings = store.settings
        self.description = store.description
        self.scene = scene
        self._arrays: dict[str, AnyArray] = {}

    @property
    def grid(self) -> Grid:
        """The positions."""
        return self.settings.grid

    @property
    def sides(self) -> tuple[str, ...]:
        """The arms, in the order of the arrays' first axis."""
        return self.settings.sides

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return array_names(self.settings.level)

    def __getitem__(self, name: str) -> AnyArray:
        """An array by its name, read at first use: axes arm, x, y, z, and its own."""
        if name not in self.names:
            if name in ARRAYS:
                raise InputError(f'{name} is in maps of level="full"; this has {self.names}')
            raise UnknownNameError("array", name, self.names)
        if name not in self._arrays:
            values = self._store.array(name)
            if not self._complete(name, values):
                raise FileError(
                    errno.EINVAL,
                    f"the map is damaged (parts of {name} are missing); make it again with "
                    "--repair",
                    str(self.path),
                )
            values.setflags(write=False)
            self._arrays[name] = values
        return self._arrays[name]

    def _complete(self, name: str, values: AnyArray) -> bool:
        """Whether no cell of an array is empty, as after the loss of a file."""
        if name == "counts":
            return bool((values.sum(axis=-1) == self.settings.orientations).all())
        if name in ("manipulability", "margin", "width", "clearance"):  # that may be without end
            return bool((np.isnan(values) == (self.fraction == 0.0)).all())
        empty = np.isnan(values) if name == "fraction" else values == ARRAYS[name].fill
        return not bool(empty.any())

    @cached_property
    def statuses(self) -> Statuses:
        """The statuses of poses, read chunk by chunk where they are asked for."""
        return Statuses(self._store)

    @property
    def fraction(self) -> NDArray[np.float32]:
        """Share of the orientations that are reached, shape (arms, nx, ny, nz)."""
        return self["fraction"]

    @property
    def both(self) -> NDArray[np.float32]:
        """The smaller share of the two arms, shape (nx, ny, nz): where each can work alone.

        A map with side="pair" has where both can work at once.
        """
        if len(self.sides) < 2:
            raise InputError(f'this map is of the {self.sides[0]} arm; make one with side="both"')
        smaller: NDArray[np.float32] = self.fraction.min(axis=0)
        return smaller

    def values(self, name: str = "fraction", side: str | None = None) -> Array:
        """One number a cell: an array's name, or "both", shape (nx, ny, nz)."""
        if name == "both":
            return self.both.astype(np.float64)
        found = self[name]
        if found.ndim != 4:
            raise InputError(f"{name} has more than one number a cell; take another array")
        values: Array = found[self.number(side)].astype(np.float64)
        return values

    def volume(self, least: float = 0.0, side: str | None = None) -> float:
        """Volume of the cells where more than this share of the orientations is reached [m^3]."""
        share = scalar(least, "least")
        return float((self.values(side=side) > share).sum()) * self.grid.step**3

    def reasons(self, side: str | None = None) -> dict[str, int]:
        """Number of poses by status, over the whole map."""
        sums = self["counts"][self.number(side)].sum(axis=(0, 1, 2), dtype=np.int64).tolist()
        names = [status.name for status in REASONS]
        return dict(zip(names, sums, strict=True))

    def score(self, T: ArrayLike, side: str | None = None) -> Score:
        """What becomes of poses: the map's guess, and the answer of inverse kinematics.

        Args:
            T: T_base_tip, shape (*batch, 4, 4).
            side: The arm; the map's if it is of one.

        A map of both hands at once is asked for the pose between them.
        """
        poses = pose_array(T, "T")
        batch = poses.shape[:-2]
        flat = poses.reshape(-1, 4, 4)
        status, q = self.answers(flat, side)
        guess, fraction = self.guesses(flat, side)
        return Score(
            (status == IkStatus.SOLVED).reshape(batch),
            status.reshape(batch),
            q.reshape(*batch, q.shape[-1]),
            fraction.reshape(batch),
            guess.reshape(batch),
        )

    def answers(self, T: Array, side: str | None = None) -> tuple[NDArray[np.int64], Array]:
        """Status and joint positions of poses (n, 4, 4) by inverse kinematics, not by the map."""
        status, q = self.job.answers(self.number(side), T)
        return status.astype(np.int64), q

    def guesses(self, T: Array, side: str | None = None) -> tuple[NDArray[np.int64], Array]:
        """Status of the map's pose nearest to each of (n, 4, 4), and the share in its cell."""
        number = self.number(side)
        cells, inside = self.grid.cell_of(T[:, :3, 3])
        x, y, z = cells.T
        near = self.nearest_orientation(T[:, :3, :3])
        guess = self.statuses.at(number, cells, near)
        share = self.fraction[number, x, y, z].astype(np.float64)
        return np.where(inside, guess, int(IkStatus.OUT_OF_REACH)), np.where(inside, share, 0.0)

    def nearest_orientation(self, R: Array) -> NDArray[np.int64]:
        """Number of the map's orientation nearest to each rotation, shape (n, 3, 3)."""
        every = self.orientations.reshape(-1, 9)
        near: NDArray[np.int64] = np.argmax(R.reshape(-1, 9) @ every.T, axis=-1)
        return near

    @cached_property
    def orientations(self) -> Array:
        """The orientations, shape (n, 3, 3)."""
        return orientations(self.settings.orientations)

    def best_grasps(
        self, p: ArrayLike, count: int = 5, *, by: str = "manipulability", side: str | None = None
    ) -> Grasps:
        """The best orientations of the tip at a point, each solved there by inverse kinematics.

        Args:
            p: Position in base [m], shape (3,).
            count: How many, at most.
            by: "manipulability", "clearance", "margin" or "width".
            side: The arm; the map's if it is of one.
        """
        from baxterkit.workspace.queries import best_grasps

        return best_grasps(self, p, count, by, side)

    def best_table(
        self,
        size: tuple[float, float] = (0.6, 1.0),
        heights: tuple[float, float] = (-0.4, 0.4),
        *,
        above: float = 0.2,
        count: int = 3,
        side: str | None = None,
    ) -> list[TablePlace]:
        """The best places and heights for a table, each checked with the table in the world.

        Args:
            size: Sides of its top along x and y [m].
            heights: Least and greatest height of its top in base [m].
            above: How far above the top there is work to do [m].
            count: How many places, at most.
            side: The arm; the map's if it is of one.

        Raises:
            InputError: If the map has no such heights, or is smaller than the table.
        """
        from baxterkit.workspace.queries import best_table

        return best_table(self, size, heights, above, count, side)

    def best_base(
        self,
        T: ArrayLike,
        *,
        turns: int = 24,
        height: float = 0.0,
        count: int = 3,
        side: str | None = None,
    ) -> list[BasePlace]:
        """The best places of the robot for a set of poses, each checked by inverse kinematics.

        Args:
            T: Poses of the tip in a frame of the room, z up, shape (n, 4, 4).
            turns: Number of headings that are tried.
            height: Height of base in that frame [m].
            count: How many places, at most.
            side: The arm; the map's if it is of one.
        """
        from baxterkit.workspace.base_places import best_base

        return best_base(self, T, turns, height, count, side)

    def arm(self, side: str | None = None) -> Arm:
        """The arm of a side, or of the map."""
        if PAIR in (side, self.sides[0]) and side not in SIDES:
            raise InputError('this map is of both hands at once; say side="left" or "right"')
        if side in SIDES and self.sides == (PAIR,):
            return self.scene.arm(side)
        return self.scene.arm(self.sides[self.number(side)])

    @cached_property
    def job(self) -> Job:
        """What computes poses as this map's were."""
        return Job(self.settings, self.scene)

    def number(self, side: str | None) -> int:
        """Number of an arm on the arrays' first axis."""
        if side is None and len(self.sides) > 1:
            raise InputError('this map is of both arms; say side="left" or "right" (--side)')
        if side is None:
            return 0
        if side not in self.sides:
            raise UnknownNameError("arm of this map", side, self.sides)
        return self.sides.index(side)

    def _repr_html_(self) -> str:
        reached = self.fraction
        rows = [
            (side, int(np.count_nonzero(part)), float(part.mean()), float(part.max()))
            for side, part in zip(self.sides, reached, strict=True)
        ]
        head = ("arm", "cells reached", "mean share of orientations", "greatest share")
        return html_table(repr(self), head, rows, str(self.path))

    def __repr__(self) -> str:
        nx, ny, nz = self.grid.shape
        return (
            f"Map({' and '.join(self.sides)}, {self.settings.level}, {nx} x {ny} x {nz} cells of "
            f"{self.grid.step:g} m, {self.settings.orientations} orientations)"
        )


def open_map(path: AnyPath, scene: SceneLike | None = None) -> Map:
    """A finished map.

    Args:
        path: Its folder, or an address.
        scene: The robot and the obstacles that it is of; made from the metadata if None, where
            these hold all of it.

    Raises:
        FileError: If there is no map, or it is damaged.
        InputError: If it is unfinished, or of another robot or world.
    """
    store = open_store(path)
    marks = store.done()
    missing = int((marks == 0).sum())
    if missing:
        raise InputError(
            f"{path}: {missing} of {marks.size} chunks are missing; the command that began "
            "this map finishes it"
        )
    kept = store.description
    try:
        found = scene_of(kept, scene)
        wanted = str(kept["model_hash"])
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"its metadata are damaged ({type(error).__name__}); make it again"
        raise FileError(errno.EINVAL, what, str(path)) from error
    if model_hash(found) != wanted:
        raise InputError(
            f"{path} is a map of another robot, body or world than this (model hash "
            f"{wanted[:12]}...); pass the scene that it was made with as scene="
        )
    return Map(store, found)

"""`Obstacle`: one object of a `World`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from baxterkit.model.shape import SOLIDS, Solid
from baxterkit.types import Array, Transform, Vector3

FLOOR = -0.93
"""Height of the floor above the origin of base [m]: a table 0.80 m above it is at 0.80 + FLOOR."""
Color: TypeAlias = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""


class Boxes(NamedTuple):
    """Rounded boxes of one obstacle.

    Attributes:
        centers: In base [m], shape (n, 3).
        half: Half their sides [m], shape (n, 3), or (1, 3) where all are alike.
        radius: Of their rounding [m].
        axes: Their three axes in base, one after the other, shape (9,).
    """

    centers: Array
    half: Array
    radius: float
    axes: Array


@dataclass(frozen=True, eq=False)
class Obstacle(Solid):
    """One object of a `World`: a solid with a name, a plane, a height field or a cloud of points.

    Attributes:
        kind: "box", "sphere", "capsule", "cylinder", "plane", "height field" or "points".
        size: As a `Solid` has it; of points the radius, of a height field the side of a cell and
            the bottom [m].
        T: Its pose in base, or in the frame of the tip that holds it, shape (4, 4). A plane is
            solid below its x-y plane.
        name: Its name.
        data: Heights (n, m) or points (n, 3) in the frame `T` [m]; None for the others.
        held: The arm whose hand holds it; None if it stands.
        mass: Mass [kg], evenly spread, with which it moves in the twin; 0 if it is fixed there.
        color: Red, green, blue, each from 0 to 1, for pictures; None: whoever draws it chooses.
    """

    name: str
    data: Array | None = None
    held: str | None = None
    mass: float = 0.0
    color: Color | None = None

    def __post_init__(self) -> None:
        if self.kind in SOLIDS:
            super().__post_init__()

    def boxes(self) -> Boxes:
        """Its rounded boxes in base; none of a cylinder or a plane."""
        T, R = self.T, self.T[:3, :3]
        centers, half, radius = T[None, :3, 3], np.zeros((1, 3)), 0.0
        if self.kind == "box":
            half = 0.5 * np.array([self.size])
        elif self.kind == "sphere":
            (radius,) = self.size
        elif self.kind == "capsule":
            half, radius = np.array([[0.0, 0.0, 0.5 * self.size[0]]]), self.size[1]
        elif self.kind == "points":
            assert self.data is not None
            centers, (radius,) = self.data @ R.T, self.size
            centers += T[:3, 3]
        elif self.kind == "height field":
            assert self.data is not None
            cell, bottom = self.size
            i, j = np.nonzero(self.data >= bottom)  # not where it is NaN
            top = self.data[i, j]
            middles = np.empty((len(top), 3))
            middles[:, 0], middles[:, 1] = (i + 0.5) * cell, (j + 0.5) * cell
            middles[:, 2] = 0.5 * (top + bottom)
            half = np.full((len(top), 3), 0.5 * cell)
            half[:, 2] = 0.5 * (top - bottom)
            centers = middles @ R.T
            centers += T[:3, 3]
        else:
            centers = np.empty((0, 3))
        return Boxes(np.ascontiguousarray(centers), half, radius, np.ascontiguousarray(R.T).ravel())

    @property
    def primitives(self) -> int:
        """How many solids it consists of."""
        if self.data is None:
            return 1
        if self.kind == "points":
            return len(self.data)
        return int(np.count_nonzero(self.data >= self.size[1]))


def plane_pose(normal: Vector3, offset: float) -> Transform:
    """The pose of a plane with this normal, at this distance from the origin [m], shape (4, 4)."""
    n = normal / np.abs(normal).max()  # squares of very large or small numbers are none
    n /= np.linalg.norm(n)
    x = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.stack([x, np.cross(n, x), n], axis=-1)
    T[:3, 3] = offset * n
    return T

"""Where a map asks: a grid of positions, and orientations spread evenly over SO(3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import exact
from baxterkit.types import Array, Rotation, Vector3

MOST_CELLS = 10**9
MOST_ORIENTATIONS = 10**6
SECOND_RATIO = 1.533751168755204288118041
"""The root of x^4 = x + 4, whose spiral goes with that of sqrt(2)."""
GRAIN = 2.0**-26
"""Quaternions are rounded to this before they are made unit: sines differ between processors."""


@dataclass(frozen=True)
class Grid:
    """Cubic cells ("voxels") in base; a map asks at their middles.

    Attributes:
        low: Integer coordinates of the first cell: its middle is at (low + 1/2) step.
        shape: Number of cells along x, y and z.
        step: Edge of a cell [m].
    """

    low: tuple[int, int, int]
    shape: tuple[int, int, int]
    step: float

    @classmethod
    def around(cls, low: ArrayLike, high: ArrayLike, step: float) -> Grid:
        """The cells that cover a box with these corners in base [m], shape (3,) each."""
        edge = check_step(step)
        corners = [finite_array(x, name) for x, name in ((low, "low"), (high, "high"))]
        for corner, name in zip(corners, ("low", "high"), strict=True):
            if corner.shape != (3,):
                raise ShapeError(f"{name} must have shape (3,), got {corner.shape}")
        if not (corners[0] < corners[1]).all():
            raise InputError(f"the box from {corners[0]} to {corners[1]} m is empty")
        sides = (corners[1] - corners[0]) / edge + 2.0
        if sides.prod() > MOST_CELLS:
            raise InputError(
                f"step = {edge:g} m makes {sides.prod():.2g} cells, more than {MOST_CELLS:.0e}; "
                "take a larger step or a smaller box"
            )
        first = np.floor(corners[0] / edge + 1e-9).astype(int)
        last = np.ceil(corners[1] / edge - 1e-9).astype(int)
        a, b, c = first.tolist()
        nx, ny, nz = np.maximum(last - first, 1).tolist()
        return cls((a, b, c), (nx, ny, nz), edge)

    @cached_property
    def axes(self) -> tuple[Array, Array, Array]:
        """Coordinates of the middles along x, y and z [m]."""
        x, y, z = (
            (np.arange(n, dtype=np.float64) + (low + 0.5)) * self.step
            for n, low in zip(self.shape, self.low, strict=True)
        )
        return x, y, z

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(np.prod(self.shape))

    @property
    def corners(self) -> tuple[Vector3, Vector3]:
        """Lower and upper corner of the whole grid in base [m]."""
        low = np.array(self.low) * self.step
        return low, low + np.array(self.shape) * self.step

    def middles(self, part: tuple[slice, slice, slice] | None = None) -> Array:
        """Middles of the cells, or of a part of them, in base [m], shape (nx, ny, nz, 3)."""
        some = part or (slice(None), slice(None), slice(None))
        axes = [axis[p] for axis, p in zip(self.axes, some, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    def cell_of(self, p: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Indices of the cells that hold points in base, shape (*batch, 3), and whether there are.

        Outside of the grid the index is that of the nearest cell.
        """
        place = np.floor(finite_array(p, "p") / self.step) - np.array(self.low, dtype=np.float64)
        index = np.clip(place, -1.0, np.array(self.shape, dtype=np.float64)).astype(np.int64)
        inside = ((index >= 0) & (index < self.shape)).all(axis=-1)
        return np.clip(index, 0, np.array(self.shape) - 1), inside


def check_orientations(count: object) -> None:
    """Refuses an invalid number of orientations, or one that is too large."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise InputError(f"the number of orientations must be an integer, got {count!r}")
    if not 1 <= count <= MOST_ORIENTATIONS:
        raise InputError(f"orientations = {count} must be from 1 to {MOST_ORIENTATIONS}")


def check_step(step: object) -> float:
    """The edge of a cell [m], refused unless it is positive and finite."""
    edge = scalar(step, "step")  # type: ignore[arg-type]
    if not edge > 0.0:
        raise InputError(f"step = {edge:g} m must be positive")
    return edge


def orientations(count: int) -> Rotation:
    """Rotations spread evenly over SO(3), always the same: a spiral on the unit quaternions.

    The super-Fibonacci spiral (Alexa, CVPR 2022): low discrepancy for any count, so shares of these
    orientations are near to shares of all. The bits are the same on every machine.

    Args:
        count: Number of orientations, at least 1.

    Returns:
        Matrices, shape (count, 3, 3).
    """
    check_orientations(count)
    s = np.arange(count) + 0.5
    inner, outer = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    a, b = 2.0 * np.pi * s / np.sqrt(2.0), 2.0 * np.pi * s / SECOND_RATIO
    parts = [inner * np.sin(a), inner * np.cos(a), outer * np.sin(b), outer * np.cos(b)]
    # What follows is rounded the same way by all processors.
    x, y, z, w = np.rint(np.stack(parts) / GRAIN) * GRAIN
    scale = 2.0 / (((x * x + y * y) + z * z) + w * w)
    rows = [
        [1.0 - scale * (y * y + z * z), scale * (x * y - z * w), scale * (x * z + y * w)],
        [scale * (x * y + z * w), 1.0 - scale * (x * x + z * z), scale * (y * z - x * w)],
        [scale * (x * z - y * w), scale * (y * z + x * w), 1.0 - scale * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def reach_box(arm: Arm) -> tuple[Vector3, Vector3]:
    """Corners of a box in base that the tip never leaves, whatever the joints [m]."""
    if not arm.model.is_baxter_geometry:
        raise InputError("maps are made by the exact solver, for arms with Baxter's joints only")
    tip = np.array([0.0, 0.0, exact.D7]) + arm.model.T_hand_tip[:3, 3]
    beyond_wrist = float(np.linalg.norm(tip))
    longest = float(np.hypot(exact.A3, exact.D3) + np.hypot(exact.A5, exact.D5)) + beyond_wrist
    T = arm.model.T_base_s0
    center = T[:3, 3] + T[:3, 2] * exact.D1
    axis = T[:3, 2]  # of the cylinder that holds the reach
    half = (longest + exact.A1) * np.sqrt(np.maximum(1.0 - axis**2, 0.0)) + longest * np.abs(axis)
    return center - half, center + half

"""Paths that were drawn: a list of points, or a file of them (a touchpad, a stylus, a survey)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import disk
from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory.cartesian import CartesianPath
from baxterkit.trajectory.number_rows import read_csv
from baxterkit.trajectory.shapes import HORIZONTAL, RAMP, plane_axes, point_array
from baxterkit.trajectory.splines import cubic_spline, evaluate
from baxterkit.types import Array, Vector3

SAME = 1e-6
"""Points closer than this [m] to the previous one are left out: a resting pen draws many."""
FAR = 100.0
"""Coordinates beyond this [m] are refused: they are probably not in metres."""
MOST_POINTS = 20_000
"""Number of points to which a drawing is resampled for smoothing, unless it has more."""


def drawn(
    points: ArrayLike | str | Path,
    speed: float = 0.1,
    *,
    smoothing: float = 0.0,
    center: ArrayLike = (0.0, 0.0, 0.0),
    plane: ArrayLike = HORIZONTAL,
    rotation: ArrayLike | None = None,
    ramp: float = RAMP,
) -> CartesianPath:
    """A path along drawn points, at a constant speed between gentle ramps.

    The tip follows a cubic spline over the length of the drawing. Without smoothing it goes through
    every point, and overshoots a little at the corners of a drawing.

    Args:
        points: Positions in base [m], shape (n, 3); or on a plane, shape (n, 2); or a CSV file of
            either, see `read_points`.
        speed: Speed of the tip [m/s].
        smoothing: Length over which the points are averaged [m], against a shaky hand.
        center: Origin of points on a plane, in base [m]; other points are shifted by it.
        plane: The directions of x and y of points on a plane in base, shape (2, 3).
        rotation: R_base_tip; the tool's axis down if None.
        ramp: Length of the ramps at both ends [s]; shorter on a short path.

    Raises:
        InputError: If fewer than three different points are left.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise InputError(f"speed must be positive, got {speed:g} m/s")
    if not (np.isfinite(smoothing) and smoothing >= 0.0):
        raise InputError(f"smoothing must not be negative, got {smoothing:g} m")
    name = Path(points).stem if isinstance(points, str | Path) else "drawn path"
    p = read_points(points) if isinstance(points, str | Path) else finite_array(points, "points")
    if p.ndim != 2 or p.shape[1] not in (2, 3):
        raise ShapeError(f"points must have shape (n, 3), or (n, 2) on a plane, got {p.shape}")
    if p.shape[1] == 2:
        p = p @ plane_axes(plane)[:2]
    if p.size and np.abs(p).max() > FAR:
        raise InputError(f"points must be in metres, got one at {np.abs(p).max():g} m")
    p = _distinct(p + point_array(center))
    if len(p) < 3:
        raise InputError(f"a drawn path needs at least 3 different points, got {len(p)}")
    length = _lengths(p)
    if smoothing > 0.0:
        p = _smoothed(p, length, smoothing)
        length = _lengths(p)
    length, pieces = _by_length(length, p)

    def curve(t: Array) -> tuple[Vector3, Vector3, Vector3]:
        x, dx, ddx = evaluate(length, pieces, np.minimum(speed * t, length[-1]))
        return x, speed * dx, speed**2 * ddx

    duration = float(length[-1]) / speed
    path = CartesianPath.from_curve(duration, curve, rotation, name)
    return path.ramped(min(ramp, duration))


def read_points(path: str | Path) -> Array:
    """Points from a text file of rows x y z, or x y, in metres; commas or spaces between.

    A first line may name the columns; other columns than x, y, z (a time, a pressure) are then left
    out.

    Returns:
        Shape (n, 3) or (n, 2).
    """
    path = disk.as_path(path)
    names, rows, *_ = read_csv(path)
    if not names:
        if rows.shape[1] not in (2, 3):
            raise InputError(f"{path}: rows of x y or x y z expected, got {rows.shape[1]} columns")
        return rows
    lower = [name.lower() for name in names]
    wanted = [lower.index(axis) for axis in "xyz" if axis in lower]
    if len(wanted) < 2 or "x" not in lower or "y" not in lower:
        raise InputError(f"{path} has no columns x and y; it has {', '.join(names)}")
    return rows[:, wanted]


def _distinct(p: Vector3) -> Vector3:
    kept = [0] if len(p) else []
    for i in range(1, len(p)):
        if np.linalg.norm(p[i] - p[kept[-1]]) > SAME:
            kept.append(i)
    return p[kept]


def _lengths(p: Vector3) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=-1))])


def _by_length(length: Array, p: Vector3) -> tuple[Array, Array]:
    """The spline through points over its own length, and that length at each point."""
    part = np.linspace(0.0, 1.0, 17)
    weight = np.diff(part, prepend=0.0) / 2.0 + np.diff(part, append=1.0) / 2.0
    for _ in range(4):
        pieces = cubic_spline(length, p)
        inner = length[:-1, None] + np.diff(length)[:, None] * part
        _, slope, _ = evaluate(length, pieces, inner.ravel())
        speed = np.linalg.norm(slope, axis=-1).reshape(inner.shape)
        length = np.concatenate([[0.0], np.cumsum((speed @ weight) * np.diff(length))])
    return length, cubic_spline(length, p)


def _smoothed(p: Vector3, length: Array, over: float) -> Vector3:
    """Points at equal steps along the path, each the mean of those within `over` / 2 [m] of it.

    The ends stay: the window shrinks towards them.
    """
    count = max(min(int(np.ceil(4.0 * length[-1] / over)), MOST_POINTS), 2 * len(p), 8)
    even = np.linspace(0.0, length[-1], count + 1)
    q = np.stack([np.interp(even, length, column) for column in p.T], axis=-1)
    reach = np.minimum(0.5 * over, np.minimum(even, length[-1] - even)) + 1e-12
    first = np.searchsorted(even, even - reach, side="right")
    last = np.searchsorted(even, even + reach, side="left")
    mean = np.empty_like(q)
    for i, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        window = (1.0 - ((even[a:b] - even[i]) / reach[i]) ** 2) ** 2
        mean[i] = window @ q[a:b] / window.sum()
    return mean

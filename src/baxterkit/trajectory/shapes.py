"""Cartesian shapes: circle, square, figure eight, spiral. All start and end at rest.

Shapes lie in a plane through their centre. The plane is horizontal unless its axes are given: two
directions in base that x and y of the shape go along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import vector_array
from baxterkit.checks.numbers import positive, scalar
from baxterkit.checks.units import unwarned, warn_if_millimetres, warn_if_turns, warn_if_wide
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory.cartesian import CartesianPath, Curve
from baxterkit.trajectory.polylines import lines
from baxterkit.types import Array, Vector3

HORIZONTAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
RAMP = 1.0
"""Length of the ramps in which a shape starts and stops [s]."""
LONGEST = 2.0
"""No shape in reach is longer than this [m]."""
MOST_TURNS = 10_000
"""Largest number of rounds of a square."""


def circle(
    center: ArrayLike,
    radius: float = 0.1,
    period: float = 2.0 * np.pi,
    *,
    turns: float = 1.0,
    phase: float = 0.0,
    plane: ArrayLike = HORIZONTAL,
    rotation: ArrayLike | None = None,
    ramp: float = RAMP,
) -> CartesianPath:
    """A circle, from the plane's x axis to its y axis.

    Args:
        center: Its centre in base [m], shape (3,).
        radius: Its radius [m].
        period: Time of a turn at full speed [s].
        turns: Number of turns.
        phase: Angle of its start from the plane's x axis [rad].
        plane: The directions of its x and y in base, shape (2, 3).
        rotation: R_base_tip; the tool's axis down if None.
        ramp: Length of the ramps at both ends [s].
    """
    omega = 2.0 * np.pi / positive(period, "period")
    r = _length(radius, "radius")
    start = scalar(phase, "phase")
    warn_if_turns(np.array(start), "phase")

    def flat(t: Array) -> tuple[Array, Array, Array]:
        angle = start + omega * t
        out = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        along = np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
        return r * out, r * omega * along, -r * omega**2 * out

    duration = positive(period, "period") * positive(turns, "turns")
    return _in_plane("circle", duration, flat, center, plane, rotation, ramp)


def figure_eight(
    center: ArrayLike,
    width: float = 0.2,
    height: float = 0.1,
    period: float = 8.0,
    *,
    turns: float = 1.0,
    plane: ArrayLike = HORIZONTAL,
    rotation: ArrayLike | None = None,
    ramp: float = RAMP,
) -> CartesianPath:
    """A figure eight, from its crossing point: x = width/2 sin(w t), y = height/2 sin(2 w t).

    Args:
        center: Its crossing point in base [m], shape (3,).
        width: Its extent along the plane's x [m].
        height: Its extent along the plane's y [m].
        period: Time of a round at full speed [s].
        turns: Number of turns.
        plane: The directions of its x and y in base, shape (2, 3).
        rotation: R_base_tip; the tool's axis down if None.
        ramp: Length of the ramps at both ends [s].
    """
    omega = 2.0 * np.pi / positive(period, "period")
    size = 0.5 * np.array([_length(width, "width"), _length(height, "height")])
    speeds = omega * np.array([1.0, 2.0])

    def flat(t: Array) -> tuple[Array, Array, Array]:
        angle = speeds * t[:, None]
        return (
            size * np.sin(angle),
            size * speeds * np.cos(angle),
            -size * speeds**2 * np.sin(angle),
        )

    duration = positive(period, "period") * positive(turns, "turns")
    return _in_plane("figure eight", duration, flat, center, plane, rotation, ramp)


def spiral(
    center: ArrayLike,
    radius: float = 0.1,
    turns: float = 3.0,
    period: float = 4.0,
    *,
    rise: float = 0.0,
    plane: ArrayLike = HORIZONTAL,
    rotation: ArrayLike | None = None,
    ramp: float = RAMP,
) -> CartesianPath:
    """A spiral of Archimedes from its centre outwards, flat or rising.

    Args:
        center: Its centre and start in base [m], shape (3,).
        radius: Distance of its end from the centre [m].
        turns: Number of turns.
        period: Time of a turn at full speed [s].
        rise: Its total motion along the plane's normal [m].
        plane: The directions of its x and y in base, shape (2, 3).
        rotation: R_base_tip; the tool's axis down if None.
        ramp: Length of the ramps at both ends [s].
    """
    omega = 2.0 * np.pi / positive(period, "period")
    duration = positive(period, "period") * positive(turns, "turns")
    growth = _length(radius, "radius") / duration
    warn_if_wide(scalar(rise, "rise"), "rise")

    def curve(t: Array) -> tuple[Array, Array, Array]:
        angle, r = omega * t, (growth * t)[:, None]
        still = np.zeros_like(t)
        out = np.stack([np.cos(angle), np.sin(angle), still], axis=-1)
        along = np.stack([-np.sin(angle), np.cos(angle), still], axis=-1)
        up = np.array([0.0, 0.0, rise / duration])
        return (
            r * out + up * t[:, None],
            growth * out + omega * r * along + up,
            2.0 * growth * omega * along - omega**2 * r * out,
        )

    return _in_plane("spiral", duration, curve, center, plane, rotation, ramp)


def square(
    center: ArrayLike,
    side: float = 0.2,
    period: float = 8.0,
    *,
    turns: float = 1,
    plane: ArrayLike = HORIZONTAL,
    rotation: ArrayLike | None = None,
) -> CartesianPath:
    """A square with true corners: the tip rests in each, and moves along the edges by minimum jerk.

    Args:
        center: Its centre in base [m], shape (3,).
        side: Length of its edges [m].
        period: Time of a round [s].
        turns: Number of rounds, a whole number.
        plane: The directions of its x and y in base, shape (2, 3).
        rotation: R_base_tip; the tool's axis down if None.
    """
    if not (1 <= turns <= MOST_TURNS and float(turns).is_integer()):
        raise InputError(
            f"turns of a square must be a whole number from 1 to {MOST_TURNS}, got {turns:g}"
        )
    half = 0.5 * _length(side, "side")
    corners = half * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    order = [*(int(turns) * [0, 1, 2, 3]), 0]
    points = point_array(center) + corners[order] @ plane_axes(plane)[:2]
    times = np.arange(len(points)) * positive(period, "period") / 4.0
    with unwarned():  # what was given has been looked at
        return lines(points, times, rotation, name="square")


def _in_plane(
    name: str,
    duration: float,
    flat: Curve,
    center: ArrayLike,
    plane: ArrayLike,
    rotation: ArrayLike | None,
    ramp: float,
) -> CartesianPath:
    """A path from a curve in plane coordinates (two, or three with the normal)."""
    origin, axes = point_array(center), plane_axes(plane)
    if not 0.0 < scalar(ramp, "ramp") <= duration:
        raise InputError(
            f"ramp must be in (0, {duration:g}] s, the shape's own time, got {ramp:g} s"
        )

    def curve(t: Array) -> tuple[Vector3, Vector3, Vector3]:
        p, v, a = (x @ axes[: x.shape[-1]] for x in flat(t))
        return origin + p, v, a

    return CartesianPath.from_curve(duration, curve, rotation, name).ramped(ramp)


def _length(x: float, name: str) -> float:
    """A positive length [m]; warns if no arm reaches over it."""
    length = positive(x, name)
    if length > LONGEST:
        warn_if_wide(length, name)
    return length


def point_array(center: ArrayLike) -> Vector3:
    """Checks one point, shape (3,)."""
    point = vector_array(center, "center")
    if point.shape != (3,):
        raise ShapeError(f"center must have shape (3,), got {point.shape}")
    warn_if_millimetres(point, "center")
    return point


def plane_axes(plane: ArrayLike) -> Array:
    """Rows x, y, normal of a plane, orthonormal, from two directions."""
    given = vector_array(plane, "plane")
    if given.shape != (2, 3):
        raise InputError(f"plane is two directions, shape (2, 3), got {given.shape}")
    length = np.linalg.norm(given[0])
    normal = np.cross(given[0], given[1])
    if not np.linalg.norm(normal) > 1e-9 * length * np.linalg.norm(given[1]):
        raise InputError("the two directions of a plane must not be parallel or zero")
    x = given[0] / length
    normal = normal / np.linalg.norm(normal)
    return np.stack([x, np.cross(normal, x), normal])

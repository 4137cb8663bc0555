"""Straight lines from pose to pose, each by minimum jerk, at rest in every pose."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, rotation_array, transform_array
from baxterkit.checks.units import warn_if_millimetres
from baxterkit.errors import InputError, ShapeError
from baxterkit.poses import has_pose_form, pose_array
from baxterkit.spatial.formulas import so3_exp, so3_log, transform
from baxterkit.trajectory.cartesian import CartesianPath, TipMotion, tool_down
from baxterkit.trajectory.splines import minimum_jerk
from baxterkit.types import Array, Transform

PEAK = 1.875
"""The greatest speed of a minimum-jerk motion, as a multiple of its mean."""
SHORTEST, FEWEST = 0.4, 10
"""Least time [s] and number of poses of a sampled line."""
SPEED = 0.2
"""Default peak speed of the tip along a line [m/s]; that of rotation [rad/s] is 5 times this."""


def lines(
    points: ArrayLike,
    times: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    *,
    name: str = "lines",
) -> CartesianPath:
    """The tip moves straight from one waypoint to the next and rests in each.

    Every leg is a minimum-jerk motion; the orientation turns about one axis meanwhile. Two equal
    waypoints after each other are a pause.

    Args:
        points: Positions in base [m], shape (n, 3), or poses T_base_tip, shape (n, 4, 4), or in
            another form that `Arm.ik` takes.
        times: Time at each point [s], increasing, shape (n,); if None, the tip reaches 0.2 m/s, or
            1 rad/s of rotation, on every leg.
        rotation: R_base_tip, shape (3, 3), where positions are given; tool axis down if None.
        name: Name for titles and files.
    """
    Ts = _poses(points, rotation)
    p, R = Ts[:, :3, 3], Ts[:, :3, :3]
    step = np.diff(p, axis=0)
    turn = so3_log(np.swapaxes(R[:-1], -1, -2) @ R[1:])
    t = _times(times, np.linalg.norm(step, axis=-1), np.linalg.norm(turn, axis=-1))
    length = np.diff(t)
    axis = (R[:-1] @ turn[..., None])[..., 0]  # of the turn, in base axes

    def motion(time: Array) -> TipMotion:
        leg = np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(length) - 1)
        h = length[leg]
        done, rate, change = minimum_jerk((time - t[leg]) / h)
        now = transform(
            R[leg] @ so3_exp(done[:, None] * turn[leg]), p[leg] + done[:, None] * step[leg]
        )
        both = np.concatenate([step[leg], axis[leg]], axis=-1)
        return TipMotion(now, (rate / h)[:, None] * both, (change / h**2)[:, None] * both)

    return CartesianPath(float(t[-1]), motion, name)


def sampled_line(T0: Transform, T1: Transform, speed: float, rate: float) -> tuple[Array, Array]:
    """Times and poses of the tip on a straight line by minimum jerk, without a turn.

    Args:
        T0: T_base_tip at its start.
        T1: T_base_tip at its end, of the same orientation.
        speed: Greatest speed of the tip [m/s].
        rate: Poses per second [Hz].

    Returns:
        Times from 0 [s], shape (n,), and T_base_tip then, shape (n, 4, 4).
    """
    step = T1[:3, 3] - T0[:3, 3]
    duration = max(PEAK * float(np.linalg.norm(step)) / speed, SHORTEST)
    t = np.linspace(0.0, duration, max(int(rate * duration), FEWEST))
    Ts = np.tile(T0, (len(t), 1, 1))
    Ts[:, :3, 3] += minimum_jerk(t / duration)[0][:, None] * step
    return t, Ts


def _poses(points: ArrayLike, rotation: ArrayLike | None) -> Transform:
    array = (
        pose_array(points, "points") if has_pose_form(points) else finite_array(points, "points")
    )
    if array.ndim == 3:
        Ts = transform_array(array, "points")
    elif array.ndim == 2 and array.shape[1] == 3:
        R = tool_down() if rotation is None else rotation_array(rotation, "rotation")
        Ts = transform(R, array)
    else:
        raise ShapeError(
            f"points must have shape (n, 3), or (n, 4, 4) for poses, got {array.shape}"
        )
    warn_if_millimetres(Ts[:, :3, 3], "points")
    if len(Ts) < 2:
        raise InputError(f"a path needs at least two points, got {len(Ts)}")
    return Ts


def _times(times: ArrayLike | None, distance: Array, angle: Array) -> Array:
    if times is not None:
        t = finite_array(times, "times")
        if t.shape != (len(distance) + 1,):
            raise ShapeError(
                f"times must have shape ({len(distance) + 1},), one for each point, got {t.shape}"
            )
        if not (np.diff(t) > 0.0).all():
            raise InputError("times must increase")
        shifted: Array = t - t[0]
        return shifted
    legs = PEAK * np.maximum(distance / SPEED, angle / (5.0 * SPEED))
    return np.concatenate([[0.0], np.cumsum(np.maximum(legs, 0.1))])

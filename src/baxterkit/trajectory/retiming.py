"""The fastest motion along a given path under velocity, acceleration and torque limits.

Torques are those of inverse dynamics, with payload, gravity vector and joint effects.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import bounds
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.splines import free_cubic_spline
from baxterkit.trajectory.timing import Bounds, Pieces, time_pieces
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector

GRID = 400
"""Least number of steps along the path."""
_SPACING = 0.01
"""Spacing of the points at which a trajectory's path is sampled [rad]."""


def time_optimal(
    arm: Arm,
    path: Trajectory | ArrayLike,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = ACCELERATION,
    torque: ArrayLike | None = None,
    grid: int = GRID,
) -> Trajectory:
    """The fastest motion from rest to rest along a path of the joints.

    Args:
        arm: The arm; its payload, gravity and joint effects count.
        path: Joint positions to go through [rad], shape (n, 7) (a cubic spline connects them), or
            a trajectory, whose path is kept and whose timing is replaced.
        velocity: Greatest velocities [rad/s], shape (7,); the arm's if None.
        acceleration: Greatest accelerations [rad/s²], shape (7,); unlimited if None.
        torque: Greatest torques [N m], shape (7,); the arm's effort limits if None.
        grid: Least number of steps along the path; more take longer and come nearer to the optimum.

    Returns:
        The motion. Accelerations jump where the limiting joint changes.

    Raises:
        InputError: If the torques cannot even hold the arm on the path, or nothing moves.
        TrajectoryError: If the path leaves the joint limits.
    """
    limits = [arm.limits.velocity, np.full(7, np.inf), arm.limits.effort]
    given = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    for i, (name, x) in enumerate(given.items()):
        if x is not None:
            limits[i] = bounds(x, name)
    if not grid >= 10:
        raise InputError(f"grid must be at least 10, got {grid}")
    if isinstance(path, Trajectory):
        path = path.of(arm.side)
        if path.grippers:
            raise InputError(
                "another timing would move the gripper elsewhere along the path; retime "
                "motion.with_grippers(), and give the openings again"
            )
    name = path.name if isinstance(path, Trajectory) else "waypoints"
    s, q = _points(path, arm)
    pieces = Pieces(free_cubic_spline(s, q), np.diff(s), np.zeros(len(s) - 1, dtype=bool))
    motion = time_pieces(pieces, Bounds([arm], *limits), longest=s[-1] / grid, least=2)
    return Trajectory(*motion, arm.limits, f"{name}, time-optimal").check(arm.limits)


def _points(path: Trajectory | ArrayLike, arm: Arm) -> tuple[Array, JointVector]:
    """Points of the path and their distances along it in joint space [rad]."""
    if isinstance(path, Trajectory):
        t = path.check_times(path.duration / 5000.0)
        s = _distances(path.sample(t).q)
        moving = np.concatenate([[True], np.diff(s) > 1e-12])
        even = np.linspace(0.0, s[-1], max(int(np.ceil(s[-1] / _SPACING)), 8) + 1)
        q = path.sample(np.interp(even, s[moving], t[moving])).q
        return _distances(q), q
    q = arm.model.joint_values(path, "path")
    if q.ndim != 2 or len(q) < 2:
        raise ShapeError(f"path must have shape (n, 7) with n of 2 or more, got {q.shape}")
    s = _distances(q)
    if not (np.diff(s) > 1e-9).all():
        i = int(np.argmin(np.diff(s)))
        raise InputError(f"points {i} and {i + 1} of the path are the same; leave one out")
    return s, q


def _distances(q: JointVector) -> Array:
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=-1))])
    if not s[-1] > 1e-6:
        raise InputError("the path does not move the joints")
    return s

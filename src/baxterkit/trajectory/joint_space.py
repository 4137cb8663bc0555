"""Motions planned in the joints: minimum jerk, point to point, and through waypoints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.numbers import bounds, positive
from baxterkit.checks.units import warn_if_degrees
from baxterkit.errors import InputError, ShapeError
from baxterkit.extras import load_extra
from baxterkit.trajectory.splines import cubic_spline, quintic_hermite
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import JointsLike, JointVector, frozen

ACCELERATION = frozen([3.0, 3.0, 3.0, 3.0, 8.0, 8.0, 8.0])
"""Default acceleration limits [rad/s²]. The robot specifies none: these reach full speed in half a
second."""
JERK = frozen([30.0, 30.0, 30.0, 30.0, 80.0, 80.0, 80.0])
"""Default jerk limits [rad/s³]: full acceleration in a tenth of a second."""

SAME = 1e-9
"""Joint positions that differ by less than this are the same [rad]."""


def min_jerk(
    arm: Arm,
    start: JointsLike,
    goal: JointsLike,
    duration: float | None = None,
    *,
    acceleration: ArrayLike = ACCELERATION,
) -> Trajectory:
    """From rest to rest on a straight line in the joints, with the least jerk.

    Args:
        arm: The arm.
        start: Joint positions [rad], shape (7,).
        goal: Joint positions [rad], shape (7,).
        duration: Duration [s]; as short as velocities and accelerations allow if None.
        acceleration: Greatest accelerations [rad/s²], shape (7,), for the choice of the duration.

    Raises:
        TrajectoryError: If it is beyond the arm's positions, velocities or torques.
    """
    a, b = _ends(arm, start, goal)
    if duration is None:
        step = np.abs(b - a)
        # A minimum-jerk motion reaches 15/8 of its mean speed, and 10/√3 of distance/time².
        slow = 1.875 * step / arm.limits.velocity
        weak = np.sqrt(10.0 / np.sqrt(3.0) * step / bounds(acceleration, "acceleration"))
        duration = float(np.maximum(slow, weak).max())
    else:
        duration = positive(duration, "duration")
    rest = np.zeros((2, 7))
    knots = np.array([0.0, duration])
    pieces = quintic_hermite(knots, np.stack([a, b]), rest, rest)
    return Trajectory(knots, pieces, arm.limits, "minimum jerk").check(arm=arm)


def point_to_point(
    arm: Arm,
    start: JointsLike,
    goal: JointsLike,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike = ACCELERATION,
    jerk: ArrayLike = JERK,
) -> Trajectory:
    """The fastest motion from rest to rest under limits of velocity, acceleration and jerk.

    The joints start and arrive together. Computed locally by ruckig (extra `[move]`).

    Args:
        arm: The arm.
        start: Joint positions [rad], shape (7,).
        goal: Joint positions [rad], shape (7,).
        velocity: Greatest velocities [rad/s], shape (7,); the arm's if None.
        acceleration: Greatest accelerations [rad/s²], shape (7,).
        jerk: Greatest jerks [rad/s³], shape (7,).

    Raises:
        TrajectoryError: If it is beyond the arm's positions, velocities or torques.
    """
    a, b = _ends(arm, start, goal)
    ruckig = load_extra("ruckig", feature="Point to point", package="ruckig", extra="move")
    problem = ruckig.InputParameter(7)
    problem.current_position, problem.target_position = a.tolist(), b.tolist()
    speed = arm.limits.velocity if velocity is None else velocity
    problem.max_velocity = bounds(speed, "velocity").tolist()
    problem.max_acceleration = bounds(acceleration, "acceleration").tolist()
    problem.max_jerk = bounds(jerk, "jerk").tolist()
    plan = ruckig.Trajectory(7)
    outcome = ruckig.Ruckig(7).calculate(problem, plan)
    if outcome not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise InputError(f"ruckig finds no motion: {outcome}")
    return _from_ruckig(plan, arm).check(arm=arm)


def through(
    arm: Arm,
    waypoints: JointsLike,
    times: ArrayLike | None = None,
    *,
    acceleration: ArrayLike = ACCELERATION,
) -> Trajectory:
    """A smooth motion through joint positions (cubic spline), from rest to rest.

    Args:
        arm: The arm.
        waypoints: Joint positions [rad], shape (n, 7).
        times: Time at each waypoint [s], increasing, shape (n,); if None, as fast as velocities and
            accelerations allow with times in proportion to the distances.
        acceleration: Greatest accelerations [rad/s²], shape (7,), for the choice of times.

    Raises:
        TrajectoryError: If it is beyond the arm's positions, velocities or torques.
    """
    need_arm(arm)
    q = arm.model.joint_values(waypoints, "waypoints")
    if q.ndim != 2 or len(q) < 2:
        raise ShapeError(f"waypoints must have shape (n, 7) with n of 2 or more, got {q.shape}")
    warn_if_degrees(q, "waypoints", arm.model)
    if times is not None:
        spline = Trajectory.from_points(times, q, limits=arm.limits, name="waypoints")
        return spline.check(arm=arm)
    legs = (np.abs(np.diff(q, axis=0)) / arm.limits.velocity).max(axis=-1)
    if not (legs > 0.0).all():
        i = int(np.argmin(legs))
        raise InputError(f"waypoints {i} and {i + 1} are the same; leave one out, or give times")
    t = np.concatenate([[0.0], np.cumsum(legs)])
    spline = Trajectory(t, cubic_spline(t, q, np.zeros(7), np.zeros(7)), arm.limits, "waypoints")
    _, qd, qdd = spline.sample(spline.check_times())
    slow = (np.abs(qd) / arm.limits.velocity).max()
    weak = np.sqrt((np.abs(qdd) / bounds(acceleration, "acceleration")).max())
    # A little slower than the limit, since extremes lie between the sampled times.
    return spline.stretched(float(max(slow, weak)) * (1.0 + 1e-6)).check(arm=arm)


def _from_ruckig(plan: Any, arm: Arm) -> Trajectory:
    """The exact pieces of a plan: jerks are constant between the times where one changes."""
    (profiles,) = plan.profiles
    changes = [np.cumsum(profile.t) for profile in profiles]
    inner = np.unique(np.concatenate(changes))
    inner = inner[(inner > 0.0) & (inner < plan.duration)]
    knots = np.concatenate([[0.0], inner, [plan.duration]])
    knots = knots[np.concatenate([np.diff(knots) > 1e-9, [True]])]
    knots[0] = 0.0
    q, qd, qdd = (np.array(x) for x in zip(*(plan.at_time(t) for t in knots), strict=True))
    h = np.diff(knots)[:, None]
    jerk = np.diff(qdd, axis=0) / h
    pieces = np.stack([q[:-1], qd[:-1], qdd[:-1] / 2.0, jerk / 6.0], axis=1)
    return Trajectory(knots, pieces, arm.limits, "point to point")


def _ends(arm: Arm, start: JointsLike, goal: JointsLike) -> tuple[JointVector, JointVector]:
    need_arm(arm)
    a, b = arm.model.joint_values(start, "start"), arm.model.joint_values(goal, "goal")
    if a.shape != (7,) or b.shape != (7,):
        raise ShapeError(f"start and goal must have shape (7,), got {a.shape} and {b.shape}")
    if np.abs(a - b).max() < SAME:
        raise InputError("start and goal are the same joint positions; nothing would move")
    return arm.limits.check(a), arm.limits.check(b)

"""From a path to a motion: shorter, round, timed, and checked again."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import bounds as upper_bounds
from baxterkit.errors import InputError
from baxterkit.planning.load import loaded_arm
from baxterkit.planning.request import Request
from baxterkit.planning.rounding import ROUNDS, SHORTEST, round_pieces, smooth
from baxterkit.trajectory.both import both_arms
from baxterkit.trajectory.checks import ContactError, refuse_beyond
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.timing import Bounds, HoldError, Pieces, time_pieces
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

RATE = 1000.0
"""Rate at which the motion is checked again [Hz]."""


def make_motion(
    request: Request,
    path: Array,
    legs: tuple[int, ...],
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    rounds: int = ROUNDS,
) -> Trajectory:
    """The fastest motion along a path, or near it where that is shorter.

    Args:
        request: The problem.
        path: Corners of both arms [rad], shape (n, 14), clear in the scene.
        legs: Rows at which the motion rests; the last row.
        velocity: Greatest velocities [rad/s], one number, (7,) or one for each joint that moves;
            the arms' if None.
        acceleration: Greatest accelerations [rad/s²]; the usual ones if None.
        torque: Greatest torques [N m]; the arms' effort limits if None.
        rounds: Attempts to cut a corner off.
    """
    arms = [loaded_arm(request.scene, side) for side in request.sides]
    own = request.columns
    bounds = Bounds(
        arms,
        _limits(velocity, "velocity", [arm.limits.velocity for arm in arms]),
        _limits(acceleration, "acceleration", [ACCELERATION for _ in arms]),
        _limits(torque, "torque", [arm.limits.effort for arm in arms]),
    )
    parts, first = [], 0
    for last in legs:
        leg = path[first : last + 1]
        first = last
        if (
            np.abs(np.diff(leg[:, own], axis=0)).max(initial=0.0) < SHORTEST
        ):  # both ends are the same
            continue
        if request.constraints:
            rounds = 0  # corners are rounded, but not cut off
        corners, room = smooth(request.checks, leg, request.search.seed, rounds)
        parts.append(round_pieces(corners[:, own], room))
    if not parts:
        raise InputError(
            "start and goal are the same joint positions; nothing would move (`result.length` is 0)"
        )
    try:
        knots, coefficients = time_pieces(Pieces.joined(parts), bounds)
    except HoldError:
        if not rounds:
            raise
        # The shorter path may lead where the load is too heavy, the one that was found does not.
        return make_motion(request, path, legs, velocity, acceleration, torque, rounds=0)
    motions = tuple(
        Trajectory(knots, coefficients[:, :, 7 * i : 7 * i + 7], arm.limits, "plan")
        for i, arm in enumerate(arms)
    )
    _check(request, motions, bounds)
    return motions[0] if len(motions) == 1 else both_arms(*motions)


def _limits(given: ArrayLike | None, name: str, usual: list[Array]) -> Array:
    if given is None:
        return np.concatenate(usual)
    values = finite_array(given, name)
    joints = 7 * len(usual)
    if values.shape == (7,) and joints == 14:
        values = np.tile(values, 2)
    return upper_bounds(values, name, joints)


def _check(request: Request, motions: tuple[Trajectory, ...], bounds: Bounds) -> None:
    """Looks at the motion again, at the rate of a controller and at its knots.

    Raises:
        TrajectoryError: If a limit is violated, which the timing does not allow.
        ContactError: If something touches, which the swept path does not allow.
    """
    t = motions[0].check_times(1.0 / RATE)
    q, qd, qdd = (
        np.concatenate(x, axis=-1) for x in zip(*(m.sample(t) for m in motions), strict=True)
    )
    names = [name for arm in bounds.arms for name in arm.joint_names]
    own = request.columns
    refuse_beyond("position", t, q, request.lower[own], request.upper[own], names)
    refuse_beyond("velocity", t, qd, -bounds.velocity, bounds.velocity, names)
    refuse_beyond("acceleration", t, qdd, -bounds.acceleration, bounds.acceleration, names)
    tau = bounds.torques(q, qd, qdd)
    refuse_beyond("torque", t, tau, -bounds.torque, bounds.torque, names)
    whole = np.tile(request.start, (len(t), 1))
    whole[:, own] = q
    hits = request.checks.in_collision(whole[:, :7], whole[:, 7:])
    if np.any(hits):
        row = int(np.argmax(hits))
        pair, _ = request.nearest(whole[row])
        raise ContactError(float(t[row]), *pair)

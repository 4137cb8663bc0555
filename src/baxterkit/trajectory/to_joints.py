"""From a motion of the tip to a motion of the joints.

Newton's method with the pseudo-inverse moves a guess of the joint positions onto a pose by the
smallest change, so a smooth guess gives a smooth motion. Two guesses are used: the posture at the
start, for every pose, so that a closed path of the tip is a closed path of the joints; and the path
that `Arm.ik_path` finds, exact and with the redundancy chosen for the whole path, but with kinks,
which are smoothed first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.arrays import joint_row
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.ik import IkError, IkResult, IkStatus
from baxterkit.ik.result import STATUSES
from baxterkit.spatial.formulas import pose_difference
from baxterkit.trajectory.splines import minimum_jerk
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit.trajectory.cartesian import CartesianPath

METHODS = ("auto", "posture", "ik_path", "resolved_rate")
POSE_TOLERANCE = 1e-10
"""Tolerance of the poses at the knots [m, rad]."""
REST = 1e-9
"""Speed of the tip that counts as rest [m/s, rad/s]."""
FOLLOWED = 1e-3
"""Largest pose error of resolved rates [m, rad]; beyond it they have lost the path."""
MOST_KNOTS = 200_000
"""Half an hour at 100 knots a second."""
_NEWTON_STEPS = 12
_PATH_POSES = 300
"""Largest number of poses for `Arm.ik_path`."""
_WINDOWS = (1.0, 0.5, 0.25, 0.1, 0.03)
"""Half widths of the smoothing window, as shares of the spacing of `ik_path`'s knots."""


def to_joints(
    path: CartesianPath,
    arm: Arm,
    start: ArrayLike | None = None,
    *,
    method: str = "auto",
    rate: float = 100.0,
    check: bool = True,
) -> Trajectory:
    """The motion of an arm's joints that moves its tip along a path.

    Args:
        path: The motion of the tip; at rest at both ends (`path.ramped()` makes it so).
        arm: The arm.
        start: Joint positions [rad], shape (7,). If they put the tip at the path's start, the
            motion starts exactly there; otherwise near them. If None, far from the joint limits.
        method: How the redundancy is resolved. "posture": the elbow stays near its start position;
            "ik_path": chosen for the whole path by `Arm.ik_path`, using the full range of the
            joints; "auto": the first, and the second where it fails. These are exact to 1e-10 m at
            the knots. "resolved_rate": velocities are integrated, see `resolved_rate`.
        rate: Knots per second [Hz]; in between the joints follow a cubic spline.
        check: Whether to refuse a motion beyond positions, velocities or torques of the arm.

    Returns:
        The motion, at rest at both ends.

    Raises:
        InputError: If the path does not start or end at rest.
        IkError: If the arm cannot follow the path; says where and why.
        TrajectoryError: If the joints would have to be faster or stronger than they are.
    """
    need_arm(arm)
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if not (np.isfinite(rate) and rate > 0.0):
        raise InputError(f"rate must be positive, got {rate:g} Hz")
    if path.duration * rate > MOST_KNOTS:
        raise InputError(
            f"{path.duration:g} s at {rate:g} knots a second are more than {MOST_KNOTS:,} knots; "
            "lower the rate, or cut the path"
        )
    t = np.linspace(0.0, path.duration, max(int(np.ceil(path.duration * rate)), 8) + 1)
    _require_rest(path)
    q_start = _start(path, arm, start)
    with unwarned():  # iterations that fail may leave the limits far behind
        if method == "resolved_rate":
            from baxterkit.trajectory.resolved_rate import resolved_rate

            q = resolved_rate(path, arm, q_start, t)
            _require_followed(q, path.sample(t).T, arm, t)
        else:
            q = _exact(path.sample(t).T, arm, q_start, t, method, start is None)
    result = Trajectory.from_points(t, q, limits=arm.limits, name=path.name)
    return result.check(arm=arm) if check else result


def _require_rest(path: CartesianPath) -> None:
    for when, time in (("start", 0.0), ("end", path.duration)):
        speed = float(np.abs(path.sample(time).twist).max())
        if speed > REST:
            raise InputError(
                f"the path does not {when} at rest ({speed:.3g} m/s or rad/s), and a robot does; "
                "use path.ramped(seconds)"
            )


def _start(path: CartesianPath, arm: Arm, start: ArrayLike | None) -> JointVector:
    T = path.sample(0.0).T
    if start is None:
        return _first(arm.ik(T, objective="limits"))
    q = joint_row(start, "start", names=arm.joint_names)
    if np.abs(pose_difference(arm.fk(q), T)).max() < 1e-6 and arm.limits.contains(q):
        return q
    return _first(arm.ik(T, seed=q, objective="nearest"))


def _first(found: IkResult) -> JointVector:
    if not found.solved:
        advice = STATUSES[int(np.asarray(found.status))].advice
        raise IkError(f"the path breaks at t = 0.00 s: {advice}", found)
    return found.q


def _exact(
    Ts: Transform, arm: Arm, start: JointVector, t: Array, method: str, free: bool
) -> JointVector:
    near = None
    if method in ("auto", "posture"):
        near = _project(np.tile(start, (len(Ts), 1)), Ts, arm)
        if near is not None and (method == "posture" or _is_good(near, arm, t)):
            return near
    _require_reach(Ts, arm, t)
    if method == "posture":
        raise IkError("the path leads too far from the posture at its start; use ik_path")
    # A coarse path suffices: it is smoothed, and then moved onto all poses.
    some = np.unique(np.linspace(0, len(t) - 1, min(len(t), _PATH_POSES)).round().astype(int))
    found = arm.ik_path(Ts[some], seed=start, times=t[some])
    if free and not found.solved:  # another start may be better
        found = arm.ik_path(Ts[some], times=t[some])
    if not found.solved and near is not None and arm.limits.contains(near).all():
        return near  # perhaps too fast: the check of the motion then names time and joint
    if not found.solved:
        found = arm.ik_path(Ts[some], seed=start)
    if not found.solved and found.broken_at is not None:
        time = t[some[found.broken_at]]
        raise IkError(f"the path breaks at t = {time:.2f} s: {found.reason}")
    guess = np.stack([np.interp(t, t[some], column) for column in found.q.T], axis=-1)
    candidate = None
    for part in _WINDOWS:
        q = _project(_smooth(guess, int(part * len(t) / 48) + 2), Ts, arm)
        if q is not None and arm.limits.contains(q).all():
            candidate = q if candidate is None else candidate
            if _is_good(q, arm, t):
                return q
    if candidate is None:
        raise IkError(
            "the arm can follow the path only along its joint limits, and not smoothly; move the "
            "path, or turn the tool"
        )
    return candidate


def _require_reach(Ts: Transform, arm: Arm, t: Array) -> None:
    """Raises at a pose that is out of reach, which is quick to determine."""
    status = np.asarray(arm.ik(Ts).status)
    missed = np.flatnonzero(status != IkStatus.SOLVED)
    if missed.size:
        first = int(missed[0])
        advice = STATUSES[int(status[first])].advice
        raise IkError(f"the path breaks at t = {t[first]:.2f} s: {advice}")


def _require_followed(q: JointVector, Ts: Transform, arm: Arm, t: Array) -> None:
    """Raises where integrated velocities lost the path."""
    lost = np.flatnonzero(np.abs(pose_difference(arm.fk(q), Ts)).max(axis=-1) > FOLLOWED)
    if lost.size:
        _require_reach(Ts, arm, t)
        raise IkError(
            f"resolved rates lose the path at t = {t[lost[0]]:.2f} s, near a singularity; start "
            'elsewhere, or use method="auto"'
        )


def _is_good(q: JointVector, arm: Arm, t: Array) -> bool:
    """Whether joint positions are within the limits, and all steps within the velocity limits."""
    speed = np.abs(np.diff(q, axis=0)) / np.diff(t)[:, None]
    return bool(arm.limits.contains(q).all() and (speed <= arm.limits.velocity).all())


def _smooth(guess: JointVector, half: int) -> JointVector:
    """A moving average with a smooth window of 2 half + 1 rows; both ends stay, and rest."""
    half = min(half, len(guess) // 4)
    x = np.linspace(-1.0, 1.0, 2 * half + 3)[1:-1]
    window = (1.0 - x**2) ** 3
    window /= window.sum()
    padded = np.pad(guess, ((half, half), (0, 0)), mode="edge")
    mean = np.stack([np.convolve(column, window, mode="valid") for column in padded.T], axis=-1)
    part, _, _ = minimum_jerk(np.arange(len(guess)) / (2.0 * half))
    mean = guess[0] + part[:, None] * (mean - guess[0])
    result: JointVector = guess[-1] + part[::-1, None] * (mean - guess[-1])
    return result


def _project(q: JointVector, Ts: Transform, arm: Arm) -> JointVector | None:
    """The joint positions near `q` that reach the poses; None if Newton's method fails."""
    for _ in range(_NEWTON_STEPS):
        error = pose_difference(arm.fk(q), Ts)
        if np.abs(error).max() < POSE_TOLERANCE:
            return q
        q = q + arm.joint_velocity(q, error, warn_below=0.0)
    return None

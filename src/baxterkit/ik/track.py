"""One step of tracking a moving target, in NumPy: the solution near the present joint positions.

Newton's method leads from the joint positions to the next pose by the shortest path. The remaining
freedom is a shift along the self-motion of that pose. To first order, the limits and the largest
steps leave an interval for the shift. The shift of the shortest step is taken, moved into that
interval and, where there is room, `CLEARANCE` away from the limits. Where this does not reach the
pose (a singular configuration, the end of a range, a target that has jumped), e0 is held at a few
values around the present one, and the nearest of all solutions there is taken.
native/ik/track_step.hpp does the same, and tries several policies for the redundancy in parallel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik import exact
from baxterkit.ik.exact import place, turn_middles
from baxterkit.model.limits import Limits
from baxterkit.types import Array, JointVector, Transform

MAX_STEP = 0.5
"""Default of the largest step of a joint [rad]: a larger one would be a change of branch."""
CLEARANCE = 0.02
"""Solutions keep this far from the limits where they can [rad]."""
LONGEST_SHIFT = 0.15
"""Longest shift along the self-motion in one step [rad]."""
REACHED = 1e-11
"""Largest entry of the pose error of an accepted solution [m, rad]."""
FAN = (0.0, 0.01, -0.01, 0.03, -0.03, 0.08, -0.08, 0.2, -0.2, 0.4, -0.4)
"""e0 values that are tried, relative to the present one, nearest first [rad]."""
_NEWTON_STEPS = 8
_LONGEST_NEWTON = 0.3  # [rad] a Newton step is shortened to
_INSIDE = 1e-9  # [rad] solutions stay this far inside the limits
_ROUNDING = 1e-12  # [rad] in comparisons of steps


def track_rows(
    T_s0_hand: Transform, q: JointVector, most: Array, limits: Limits, hold_elbow: bool = False
) -> JointVector:
    """The solution of each pose near given joint positions.

    Args:
        T_s0_hand: Hand poses in the s0 frame, shape (n, 4, 4).
        q: Present joint positions [rad], shape (n, 7).
        most: Largest step of each joint [rad], shape (7,).
        limits: Joint limits.
        hold_elbow: Whether e0 stays as it is, unless another joint would then move by more than
            half of its largest step.

    Returns:
        Joint positions [rad] within the limits and steps, shape (n, 7); NaN where there is none
        nearby.
    """
    found = np.full_like(q, np.nan)
    if hold_elbow:
        for i in range(len(q)):
            found[i] = _over_fan(T_s0_hand[i], q[i], 0.5 * most, limits, (0.0,))
    left = np.isnan(found[:, 0])
    found[left] = _along(T_s0_hand[left], q[left], most, limits)
    for i in np.flatnonzero(np.isnan(found[:, 0])).tolist():
        found[i] = _over_fan(T_s0_hand[i], q[i], most, limits, FAN)
    return found


def _along(T: Transform, q: JointVector, most: Array, limits: Limits) -> JointVector:
    """The shortest step, the redundancy used for the limits; NaN where it misses the pose."""
    near = _newton(T, q)
    tangent = _tangent(near)
    shift = _shift(near, tangent, q, most, limits)
    onward = _newton(T, near + shift[:, None] * tangent)
    found = np.full_like(q, np.nan)
    for candidate in (near, onward):
        fits = _fits(T, candidate, q, most, limits)
        found[fits] = candidate[fits]
    return found


def _newton(T: Transform, q: JointVector) -> JointVector:
    """Newton's method from q to the poses, by least-norm steps in all seven joints."""
    for _ in range(_NEWTON_STEPS):
        step = (np.linalg.pinv(exact.hand_jacobian(q)) @ exact.pose_gap(T, q)[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True, initial=1e-300)
        q = q + step * np.minimum(1.0, _LONGEST_NEWTON / longest)
    return q


def _tangent(q: JointVector) -> JointVector:
    """Unit direction of the self-motion, either way, shape (n, 7)."""
    J = exact.hand_jacobian(q)
    return np.linalg.svd(J)[2][:, -1, :]


def _shift(
    near: JointVector, tangent: JointVector, q: JointVector, most: Array, limits: Limits
) -> Array:
    """The shift along the self-motion [rad], shape (n,)."""
    moved = near - q
    slope = np.where(np.abs(tangent) < _INSIDE, np.copysign(_INSIDE, tangent), tangent)

    def interval(low: Array, high: Array) -> tuple[Array, Array]:
        """The shifts that keep every joint between bounds, relative to `near`."""
        a, b = low / slope, high / slope
        return np.minimum(a, b).max(axis=-1), np.maximum(a, b).min(axis=-1)

    low, high = interval(
        np.maximum(limits.lower + _INSIDE - near, -most - moved),
        np.minimum(limits.upper - _INSIDE - near, most - moved),
    )
    low, high = np.maximum(low, -LONGEST_SHIFT), np.minimum(high, LONGEST_SHIFT)
    clear_low, clear_high = interval(
        limits.lower + CLEARANCE - near, limits.upper - CLEARANCE - near
    )
    shift = -np.sum(moved * tangent, axis=-1)  # of the shortest step
    shift = np.where(
        clear_low < clear_high,
        np.clip(shift, clear_low, np.maximum(clear_low, clear_high)),
        0.5 * (clear_low + clear_high),
    )
    # Away from the ends of the interval, which is a first approximation only.
    inner = 0.025 * np.maximum(high - low, 0.0)
    return np.where(
        low < high, np.clip(shift, low + inner, np.maximum(low, high) - inner), 0.5 * (low + high)
    )


def _fits(
    T: Transform, candidate: JointVector, q: JointVector, most: Array, limits: Limits
) -> NDArray[np.bool_]:
    """Whether joint positions reach the poses, within the limits and the steps, shape (n,)."""
    exactly = np.abs(exact.pose_gap(T, candidate)).max(axis=-1) < REACHED
    inside = ((candidate >= limits.lower) & (candidate <= limits.upper)).all(axis=-1)
    small = (np.abs(candidate - q) <= most + _ROUNDING).all(axis=-1)
    return np.asarray(exactly & inside & small)


def _over_fan(
    T: Transform, q: JointVector, most: Array, limits: Limits, shifts: tuple[float, ...]
) -> JointVector:
    """The nearest solution with e0 at one of these shifts from the present one, or NaN."""
    middles = turn_middles(limits, q)
    best, least = np.full(7, np.nan), np.inf
    for shift in shifts:
        if shift**2 > least:
            break  # e0 alone would move farther than the best so far
        middles[2] = q[2] + shift
        for x in place(exact.solve_at(T, float(q[2] + shift)), middles):
            distance = float(np.sum((x - q) ** 2))
            if distance < least and bool(limits.contains(x)):
                inside = np.clip(x, limits.lower, limits.upper)
                if (np.abs(inside - q) <= most + _ROUNDING).all():
                    best, least = inside, distance
    return best

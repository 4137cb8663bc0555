"""Exact inverse kinematics for a hand that is being dragged: near answers, in bounded time.

A dragged hand moves in small steps. Each step asks for every solution at a fan of e0 values around
the present one and takes the nearest, so that the arm never changes its branch by surprise and the
elbow moves only when a limit makes it.
"""

from __future__ import annotations

import math

import numpy as np

from baxterkit.arm import Arm
from baxterkit.spatial import so3_exp, so3_log
from baxterkit.types import Array, JointVector, Transform

FAN = (0.0, 0.01, -0.01, 0.03, -0.03, 0.08, -0.08, 0.2, -0.2, 0.4, -0.4)
"""e0 values that a step tries, relative to the present one, nearest first [rad]."""
LARGEST_STEP = 0.5
"""Most that a joint may move in one step; more is another branch [rad]."""
HAND_STEP = 0.06
"""Most that the hand moves in one step [m]."""
HAND_TURN = 0.25
"""Most that the hand turns in one step [rad]."""
_SAMPLES = 13  # e0 values all over the range
_PULLS = 5  # shares of the distance to the shoulder that `pulled_in` tries in a round
_ROUNDS = 3  # 0.6 m / 6**3: to some millimetres


def near_solution(arm: Arm, T: Transform, q: JointVector) -> JointVector | None:
    """The solution nearest to joint positions, with e0 near theirs.

    Args:
        arm: The arm.
        T: T_base_tip, shape (4, 4).
        q: Joint positions to stay near [rad], shape (7,).

    Returns:
        Joint positions [rad], shape (7,); None if there is none within `LARGEST_STEP`.
    """
    best, gap = None, LARGEST_STEP
    for shift in FAN:  # one by one: a single pose takes 2 us, a batch begins at 80 us
        if best is not None and abs(shift) > gap:
            break  # e0 alone would move farther than the best so far
        candidate, distance = _nearest(arm.ik_all(T, q[2] + shift), q)
        if distance < gap:
            best, gap = candidate, distance
    return best


def toward(T: Transform, goal: Transform, part: float) -> Transform:
    """The pose part of the way to a goal, no farther than `HAND_STEP` and `HAND_TURN`.

    Args:
        T: Pose, shape (4, 4).
        goal: Pose, shape (4, 4).
        part: How much of the way, 0 to 1.
    """
    move = goal[:3, 3] - T[:3, 3]
    turn = np.zeros(3)
    if np.abs(goal[:3, :3] - T[:3, :3]).max() > 1e-7:  # most drags turn nothing
        turn = so3_log(T[:3, :3].T @ goal[:3, :3])
    distance, angle = math.hypot(*move), math.hypot(*turn)
    if distance < 1e-4 and angle < 1e-4:
        return goal
    part = min(part, HAND_STEP / max(distance, 1e-9), HAND_TURN / max(angle, 1e-9))
    between = goal.copy()
    if angle > 0.0:
        between[:3, :3] = T[:3, :3] @ so3_exp(part * turn)
    between[:3, 3] = T[:3, 3] + part * move
    return between


def some_solution(arm: Arm, T: Transform, q: JointVector) -> JointVector | None:
    """The nearest of the solutions at e0 values all over their range.

    A sample, not a proof: quick in every case, but a narrow self-motion slips between the values.

    Args:
        arm: The arm.
        T: T_base_tip, shape (4, 4).
        q: Joint positions to stay near [rad], shape (7,).
    """
    best, gap = None, np.inf
    for e0 in _e0_values(arm):
        candidate, distance = _nearest(arm.ik_all(T, e0), q)
        if distance < gap:
            best, gap = candidate, distance
    return best


def pulled_in(arm: Arm, T: Transform) -> Transform | None:
    """A pose that cannot be reached, drawn towards the shoulder until it can.

    Args:
        arm: The arm.
        T: T_base_tip, shape (4, 4).

    Returns:
        A pose with the same orientation at the border of what can be reached; None if no such pose
        was found on the line to the shoulder.
    """
    shoulder = arm.model.T_base_s0[:3, 3]
    low, high = 0.4, 1.0
    best = None
    for _ in range(_ROUNDS):
        parts = np.linspace(high, low, _PULLS + 2)[1:-1]
        Ts = np.tile(T, (_PULLS, 1, 1))
        Ts[:, :3, 3] = shoulder + parts[:, None] * (T[:3, 3] - shoulder)
        solved = np.isfinite(_sampled(arm, Ts)[:, :, 0]).any(axis=-1)
        if solved.any():
            first = int(np.argmax(solved))
            best = Ts[first]
            low, high = float(parts[first]), float(parts[first - 1]) if first else high
        elif best is None:
            return None
        else:
            high = float(parts[-1])
    return best


def _sampled(arm: Arm, Ts: Transform) -> JointVector:
    """Solutions of poses (k, 4, 4) at e0 values all over their range, (k, n, 7), NaN-padded."""
    return arm.ik_all(Ts[:, None], _e0_values(arm)).reshape(len(Ts), -1, 7)


def _e0_values(arm: Arm) -> Array:
    return np.linspace(arm.limits.lower[2], arm.limits.upper[2], _SAMPLES)


def _nearest(solutions: JointVector, q: JointVector) -> tuple[JointVector | None, float]:
    """The nearest of the solutions (n, 7), and the most that a joint is away from it."""
    if len(solutions) == 0:
        return None, np.inf
    gaps = np.abs(solutions - q).max(axis=-1)
    i = int(gaps.argmin())
    return solutions[i], float(gaps[i])

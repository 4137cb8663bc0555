"""Targets of a dragged hand: a bounded step towards the pointer, and poses that are in reach.

`Arm.ik_track` moves the arm. These functions support it, in bounded time: they use a sample of e0
values, which is no proof.
"""

from __future__ import annotations

import math

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.spatial.formulas import so3_exp, so3_log
from baxterkit.types import JointVector, Transform

HAND_STEP = 0.06
"""Largest motion of the hand in one step [m]: `ik_track` follows it without a jump."""
HAND_TURN = 0.25
"""Largest rotation of the hand in one step [rad]."""
_SAMPLES = 13  # e0 values all over the range
_PULLS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)  # parts of the distance that `pulled_in` tries first
_HALVINGS = 5  # 0.1 / 2**5 of the distance: to some millimetres


def toward(T: Transform, goal: Transform, part: float) -> Transform:
    """The pose at a fraction of the motion to a goal, no farther than `HAND_STEP` and `HAND_TURN`.

    Args:
        T: Pose, shape (4, 4).
        goal: Pose, shape (4, 4).
        part: The fraction, 0 to 1.
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


@unwarned()  # a hand may be dragged anywhere
def some_solution(arm: Arm, T: Transform, q: JointVector) -> JointVector | None:
    """The nearest of the solutions at e0 values all over their range.

    A sample, not a proof: always fast, but it may miss a narrow self-motion between the values.

    Args:
        arm: The arm.
        T: T_base_tip, shape (4, 4).
        q: Joint positions to stay near [rad], shape (7,).
    """
    best, gap = None, np.inf
    for e0 in _e0_values(arm):
        candidate, distance = nearest(arm.ik_all(T, e0), q)
        if distance < gap:
            best, gap = candidate, distance
    return best


@unwarned()  # a hand may be dragged anywhere
def pulled_in(arm: Arm, T: Transform) -> Transform | None:
    """A pose that cannot be reached, moved towards the shoulder until it can be.

    Args:
        arm: The arm.
        T: T_base_tip, shape (4, 4).

    Returns:
        A pose with the same orientation at the border of what can be reached; None if no such pose
        was found on the line to the shoulder.
    """
    low, high = 0.0, 1.0
    for part in _PULLS:
        if _is_reachable(arm, _scaled(arm, T, part)):
            low = part
            break
        high = part
    else:
        return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _is_reachable(arm, _scaled(arm, T, middle)):
            low = middle
        else:
            high = middle
    return _scaled(arm, T, low)


def _scaled(arm: Arm, T: Transform, part: float) -> Transform:
    """The pose at a part of its distance from the shoulder."""
    shoulder = arm.model.T_base_s0[:3, 3]
    scaled = T.copy()
    scaled[:3, 3] = shoulder + part * (T[:3, 3] - shoulder)
    return scaled


def _is_reachable(arm: Arm, T: Transform) -> bool:
    return any(len(arm.ik_all(T, e0)) for e0 in _e0_values(arm))


def _e0_values(arm: Arm) -> list[float]:
    values: list[float] = np.linspace(arm.limits.lower[2], arm.limits.upper[2], _SAMPLES).tolist()
    return values


def nearest(solutions: JointVector, q: JointVector) -> tuple[JointVector | None, float]:
    """The nearest of the solutions (n, 7), and the most that a joint is away from it."""
    if len(solutions) == 0:
        return None, np.inf
    gaps = np.abs(solutions - q).max(axis=-1)
    i = int(gaps.argmin())
    return solutions[i], float(gaps[i])

"""Straight motions in joint space from where the arms are, checked before anything moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES
from baxterkit.ros.clear_way import first_contact
from baxterkit.ros.errors import RefusedError
from baxterkit.ros.sweeps import WIDTH
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import JointVector

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink

__all__ = ["motions"]


def motions(
    link: RobotLink, goals: Mapping[str, ArrayLike | str | None], speed: float, timeout: float
) -> dict[str, Trajectory]:
    """Motions to goals, at rest at both ends, of one duration.

    Args:
        link: The robot.
        goals: By side: joint positions [rad], shape (7,), by order or by name, the name of a pose,
            or None.
        speed: Share of the velocity limits that the fastest joint reaches.
        timeout: Longest duration [s].

    Raises:
        InputError: If there is no goal, one is wrong, or the motion takes longer.
        RefusedError: If something is in the way.
    """
    ends = {s: _posture(link.limb(s).arm, goal) for s, goal in goals.items() if goal is not None}
    if not ends:
        raise InputError("give the goal of an arm as left or right")
    starts = {side: link.limb(side).q.copy() for side in ends}
    slowest = max(
        float((np.abs(ends[s] - starts[s]) / link.limb(s).arm.limits.velocity).max()) for s in ends
    )
    duration = max(1.875 * slowest / speed, 0.5)  # a quintic's top speed is 1.875 its mean
    if duration > timeout:
        raise InputError(
            f"the motion takes {duration:.1f} s at speed {speed:g}, more than timeout = "
            f"{timeout:g} s"
        )
    zero = np.zeros((2, 7))
    found = {
        side: Trajectory.from_points(
            [0.0, duration], np.vstack([starts[side], end]), zero, zero,
            limits=link.limb(side).arm.limits, name="move to",
        )
        for side, end in ends.items()
    }  # fmt: skip
    _check_free(link, found)
    return found


def _posture(arm: Arm, goal: ArrayLike | str) -> JointVector:
    if isinstance(goal, str):
        return arm.pose(goal)
    q = arm.limits.check(arm.model.joint_values(goal, arm.side))
    if q.shape != (7,):
        raise InputError(f"{arm.side} must be one posture of 7 values, got shape {q.shape}")
    return q


def _check_free(link: RobotLink, found: dict[str, Trajectory]) -> None:
    """Raises if the straight way is blocked, before anything moves."""
    if not link.rules.collisions:
        return
    ends = [
        np.vstack([found[s].start, found[s].end]) if s in found else np.vstack([link.limb(s).q] * 2)
        for s in SIDES
    ]
    contact = first_contact(link._gate.scene(), np.concatenate(ends, axis=-1), WIDTH)
    if contact is not None:
        a, b = contact[1].names
        raise RefusedError(
            "collision",
            f"the straight way there is blocked: {a} and {b} would touch; plan a free way by "
            "baxterkit.planning, or go by way-points",
        )

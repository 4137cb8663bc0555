"""Grippers along a motion: which opening is due, and whether the hand can follow at all."""

from __future__ import annotations

import math
from bisect import bisect_right

from baxterkit.control.signals import Course
from baxterkit.errors import InputError
from baxterkit.robot.errors import no_fingers, not_calibrated
from baxterkit.robot.limb import Limb
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.trajectory import Trajectory

THERE = 0.02
"""A gripper whose opening differs by no more than this from the first one stays as it is."""
EVERY = 0.05
"""Least time between two commands to a gripper [s], as in Rethink's playback."""


def openings_of(course: Course, limb: Limb) -> GripperMotion | None:
    """The openings that a motion has for the gripper of an arm; None if it stays as it is.

    Openings that never change, as a recorder writes them of a hand without fingers, are none for
    such a hand.

    Raises:
        InputError: If the gripper should move, and the hand has no fingers.
        RefusedError: If the gripper is not calibrated.
    """
    if not isinstance(course, Trajectory):
        return None
    openings = course.grippers.get(limb.side)
    if openings is None:
        return None
    if limb.opening is not None:
        if not limb.calibrated:
            raise not_calibrated(limb.side)
        return openings
    if openings.moves:
        raise InputError(
            f"the motion moves the {limb.side} gripper, and {no_fingers(limb.arm)}; follow "
            "motion.with_grippers() to leave it out"
        )
    return None


class GripperCommands:
    """Sends openings along a motion, each once, at most 20 a second.

    Args:
        limb: The arm.
        openings: Its gripper's; None: nothing is sent.

    Attributes:
        told: Time along the motion of the last opening that was sent [s].
    """

    def __init__(self, limb: Limb, openings: GripperMotion | None) -> None:
        self._limb = limb
        self._times: list[float] = [] if openings is None else openings.t.tolist()
        self._openings: list[float] = [] if openings is None else openings.opening.tolist()
        self._sent: float | None = None
        self._next = 0.0
        self.told = -math.inf

    def step(self, t: float) -> None:
        """Sends what is due at a time along the motion [s].

        Raises:
            RefusedError: If the gripper must not move; the same is due at the next call.
        """
        i = bisect_right(self._times, t) - 1
        if i < 0 or t < self._next or self._openings[i] == self._sent:
            return
        due = self._openings[i]
        now = self._limb.opening if self._sent is None else None
        if now is None or abs(due - now) > THERE:
            self._limb.move_gripper(due, timeout=0.0)
        self._sent, self._next, self.told = due, t + EVERY, self._times[i]

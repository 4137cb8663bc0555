"""A robot shown live: its joints, handed on at a steady rate. Nothing is sent to the robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from baxterkit.ros.errors import RosError
from baxterkit.ros.link import RobotLink
from baxterkit.types import JointVector

Openings: TypeAlias = tuple[float | None, float | None]
"""Gripper openings, left and right; None where none is known."""
RATE = 25.0
"""Pictures per second [Hz]."""


class Mirror:
    """Calls `show(q_left, q_right, head, openings)` while the robot speaks: rad, (7,) each.

    Args:
        link: The robot.
        show: Shows a configuration; called from a thread of its own.
        rate: Calls per second [Hz].
    """

    def __init__(
        self,
        link: RobotLink,
        show: Callable[[JointVector, JointVector, float, Openings], None],
        rate: float = RATE,
    ) -> None:
        self._link, self._show = link, show
        self._last = -1.0
        self._task = link.clock.every(1.0 / rate, self._look, "mirror")

    def close(self) -> None:
        """Shows no more."""
        self._task.close()

    def __enter__(self) -> Mirror:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look(self) -> None:
        try:
            left, right = self._link.left.published, self._link.right.published
        except RosError:
            return
        if left.t != self._last:
            self._last = left.t
            openings = (self._link.left.opening, self._link.right.opening)
            self._show(left.q, right.q, self._link.head_pan, openings)

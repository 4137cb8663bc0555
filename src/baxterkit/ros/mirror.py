"""A robot shown live: its joints, handed on at a steady rate. Nothing is sent to the robot."""

from __future__ import annotations

import threading
from collections.abc import Callable

from baxterkit.ros.errors import RosError
from baxterkit.ros.link import RobotLink
from baxterkit.types import JointVector

__all__ = ["Mirror"]

RATE = 25.0
"""Pictures per second [Hz]."""


class Mirror:
    """Calls `show(q_left, q_right, head)` while the robot speaks; positions in rad, (7,) each.

    Args:
        link: The robot.
        show: Shows a posture; called from a thread of its own.
        rate: Calls per second [Hz].
    """

    def __init__(
        self,
        link: RobotLink,
        show: Callable[[JointVector, JointVector, float], None],
        rate: float = RATE,
    ) -> None:
        self._link, self._show, self._period = link, show, 1.0 / rate
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mirror", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Shows no more."""
        self._stop.set()
        self._thread.join(2.0)

    def __enter__(self) -> Mirror:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        last = -1.0
        while not self._stop.wait(self._period):
            try:
                left, right = self._link.left.published, self._link.right.published
            except RosError:
                continue
            if left.t != last:
                last = left.t
                self._show(left.q, right.q, self._link.head_pan)

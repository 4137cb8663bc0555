"""Tare and calibration of an arm, as the robot reports them; the twin needs neither.

A program asks again and again while it waits (at 2 Hz); the checkup runs as long as it does, and
says that it has succeeded after a while. A robot that is disabled meanwhile has failed.
"""

from __future__ import annotations

from baxterkit.messages import Message
from baxterkit.ros.node import Node
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.outlet import listen, outlet

DURATION = 3.0
"""Time that a checkup of the twin takes [s]; chosen here: a robot's takes minutes."""
PATIENCE = 2.0
"""A checkup ends if it is not asked for any more for this time [s]; chosen here, above the 1 s
that Rethink's programs keep."""
RUNNING, FAILED, SUCCEEDED = 0, 1, 2


class Checkup:
    """One checkup of one arm: `/robustcontroller/<side>/<name>`.

    Args:
        node: The node.
        side: The arm.
        name: "Tare" or "CalibrateArm".
        assembly: The robot's state.
    """

    def __init__(self, node: Node, side: str, name: str, assembly: Assembly) -> None:
        self._clock, self._assembly = node.clock, assembly
        self._started: float | None = None
        self._asked = 0.0
        self._uid, self._failed, self._timed_out = "", False, False
        self._status = outlet(node, f"/robustcontroller/{side}/{name}/status")
        listen(node, f"/robustcontroller/{side}/{name}/enable", self._ask)

    def publish(self) -> None:
        """Publishes how it goes."""
        now = self._clock.now()
        if self._started is not None:
            self._failed |= not self._assembly.enabled
            if now - self._asked > PATIENCE:
                self._started, self._timed_out = None, True
        if self._status:
            self._status(
                isEnabled=self._started is not None,
                complete=self._outcome(now),
                controlUid=self._uid,
                timedOut=self._timed_out,
                errorCodes=["the robot is disabled"] if self._failed else [],
            )

    def _outcome(self, now: float) -> int:
        if self._started is None:
            return RUNNING
        if self._failed:
            return FAILED
        return SUCCEEDED if now - self._started >= DURATION else RUNNING

    def _ask(self, message: Message) -> None:
        self._asked, self._timed_out = self._clock.now(), False
        if not message.isEnabled:
            self._started = None
        elif self._started is None:
            self._started, self._uid, self._failed = self._asked, message.uid, False

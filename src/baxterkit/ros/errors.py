"""What may go wrong between us and the robot."""

from __future__ import annotations

from baxterkit.messages.errors import MessageError, RosError

__all__ = [
    "ConnectionLost",
    "MasterError",
    "MessageError",
    "NoReplyError",
    "RefusedError",
    "RosError",
]


class ConnectionLost(RosError, ConnectionError):
    """The other side of a connection is gone."""


class MasterError(RosError, ConnectionError):
    """The ROS master cannot be reached, or refuses a request."""


class NoReplyError(RosError, TimeoutError):
    """Something that was waited for did not happen in time."""


class RefusedError(RosError):
    """A command was not sent.

    Attributes:
        reason: Why, as a word for programs: "not finite", "position", "velocity", "effort", "jump",
            "collision", "stale", "disabled", "stopped", "publishers", "closed", "not calibrated",
            "moving", "not at rest", "cancelled", "rival", "controller" (it failed, or gave no
            torques).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[1])

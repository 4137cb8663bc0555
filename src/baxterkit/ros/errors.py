"""What may go wrong between us and the robot."""

from __future__ import annotations

from baxterkit.messages.errors import MessageError, RosError
from baxterkit.robot.errors import OverdueError

__all__ = [
    "ConnectionLost",
    "MasterError",
    "MessageError",
    "NoReplyError",
    "RosError",
]


class ConnectionLost(RosError, ConnectionError):
    """The other side of a connection is gone."""


class MasterError(RosError, ConnectionError):
    """The ROS master cannot be reached, or refuses a request."""


class NoReplyError(RosError, OverdueError):
    """Something that was waited for did not happen in time."""

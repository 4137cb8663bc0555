"""The error of a robot that does not do what it was told to."""

from __future__ import annotations

from baxterkit.errors import BaxterkitError


class RefusedError(BaxterkitError, RuntimeError):
    """A command was not sent, or a motion was ended.

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


def not_enabled(stopped: bool) -> RefusedError:
    """The refusal of a robot that is not enabled."""
    if stopped:
        return RefusedError("stopped", "the robot was stopped; call enable() to go on")
    return RefusedError("disabled", "the robot is not enabled; call enable() first")

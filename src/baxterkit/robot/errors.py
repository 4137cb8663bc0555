"""The errors of a robot that does not do what it was told to."""

from __future__ import annotations

from baxterkit.arm import Arm
from baxterkit.errors import BaxterkitError, InputError


class RefusedError(BaxterkitError, RuntimeError):
    """A command was not sent, or a motion was ended.

    Attributes:
        reason: Why, as a word for programs: "not finite", "position", "velocity", "effort", "jump",
            "collision", "stale", "disabled", "stopped", "publishers", "closed", "not calibrated",
            "moving", "not at rest", "cancelled", "held", "rival", "controller" (it failed, or gave
            no torques), "tool" and "payload" (a lesson was taught with another hand).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[1])


class OverdueError(BaxterkitError, TimeoutError):
    """The robot was told, and what was waited for did not happen in time.

    Over ROS it is a `ros.NoReplyError`.
    """


def not_enabled(stopped: bool) -> RefusedError:
    """The refusal of a robot that is not enabled."""
    if stopped:
        return RefusedError("stopped", "the robot was stopped; call enable() to go on")
    return RefusedError("disabled", "the robot is not enabled; call enable() first")


def no_fingers(arm: Arm) -> InputError:
    """The error for a tool without fingers."""
    return InputError(
        f"the {arm.side} arm's tool {arm.tool.name!r} has no fingers that move; "
        "'electric_standard' and the other electric grippers have"
    )


def not_calibrated(side: str) -> RefusedError:
    """The error for a motion whose gripper would not obey."""
    return RefusedError(
        "not calibrated",
        f"nothing was sent: the motion moves the {side} gripper, which is not calibrated; "
        f"call link.{side}.calibrate_gripper() first (in a shell: baxterkit ros "
        "calibrate-gripper), or follow motion.with_grippers()",
    )

"""Where robots, or programs for them, differ: what the twin does then."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.ros.robot.faults import known


@dataclass(frozen=True)
class Behaviour:
    """Choices of a `TwinRobot`.

    Attributes:
        enables_tucked: Whether a plain request to enable is obeyed with tucked arms, as Rethink's
            documents have it. If not, it is ignored unless collision avoidance is suppressed
            meanwhile, as owners of one robot saw theirs do (yunusdanabas/baxter_ros2_jazzy, 2026,
            software 1.2.0.57).
        trajectory_action: Whether the twin has the action `follow_joint_trajectory`; it leaves
            goals to another node that has it too.
        strict_action: Whether a trajectory of several points must begin where the arm is, within
            the tolerance of its path, 0.2 rad unless the goal says another, as Rethink's server has
            it in its position modes. If not, the twin goes to the first point from where it is.
        faults: Names of faults that it has, such as "estop_pressed";
            `baxterkit ros twin --fault list` shows them all, and `ros.diagnose` finds each by name.

    Raises:
        UnknownNameError: If there is no such fault.
    """

    enables_tucked: bool = False
    trajectory_action: bool = True
    strict_action: bool = False
    faults: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", known(self.faults))

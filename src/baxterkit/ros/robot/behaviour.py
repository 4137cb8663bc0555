"""Where robots, or programs for them, differ: what the twin does then."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Behaviour:
    """Choices of a `TwinRobot`.

    Attributes:
        enables_tucked: Whether a plain request to enable is obeyed with tucked arms, as Rethink's
            documents have it. If not, it is ignored unless collision avoidance is suppressed
            meanwhile, as owners of one robot saw theirs do (yunusdanabas/baxter_ros2_jazzy, 2026,
            software 1.2.0.57).
        trajectory_action: Whether `follow_joint_trajectory` is served; even then not while another
            node serves it.
        strict_action: Whether a trajectory of several points must begin where the arm is, within
            the tolerance of its path, 0.2 rad unless the goal says another, as Rethink's server has
            it in its position modes. If not, the twin goes to the first point from where it is.
    """

    enables_tucked: bool = False
    trajectory_action: bool = True
    strict_action: bool = False

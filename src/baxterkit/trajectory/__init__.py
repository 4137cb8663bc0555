"""Motions: shapes of the tip, motions of the joints, and the limits that both must respect.

A `CartesianPath` gives the tip's pose over time; `to_joints(arm)` turns it into a `Trajectory`,
which gives the joints' positions, velocities and accelerations at any time.
"""

from __future__ import annotations

from baxterkit.trajectory.both import both_arms
from baxterkit.trajectory.cartesian import CartesianPath, TipMotion, tool_down
from baxterkit.trajectory.checks import ContactError, TrajectoryError
from baxterkit.trajectory.drawings import drawn, read_points
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.joint_space import min_jerk, point_to_point, through
from baxterkit.trajectory.polylines import lines
from baxterkit.trajectory.rethink import save_playback
from baxterkit.trajectory.retiming import time_optimal
from baxterkit.trajectory.shapes import circle, figure_eight, spiral, square
from baxterkit.trajectory.smith import smith_path, smith_set
from baxterkit.trajectory.trajectory import Sample, Trajectory

__all__ = [
    "CartesianPath",
    "ContactError",
    "GripperMotion",
    "Sample",
    "TipMotion",
    "Trajectory",
    "TrajectoryError",
    "both_arms",
    "circle",
    "drawn",
    "figure_eight",
    "lines",
    "min_jerk",
    "point_to_point",
    "read_points",
    "save_playback",
    "smith_path",
    "smith_set",
    "spiral",
    "square",
    "through",
    "time_optimal",
    "tool_down",
]

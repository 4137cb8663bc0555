"""The model of your robot from its recordings.

>>> from baxterkit import identify, recording
>>> fit = identify.robot([recording.load(path, side="left") for path in ("a.bag", "b.bag")])
>>> fit.save("robot.toml")
>>> fit.report("robot.html")

`identify.mount` (from tip poses) and `identify.dynamics` (from torques) are its two steps.
"""

from __future__ import annotations

from baxterkit.identify.columns import Prior
from baxterkit.identify.consistency import is_consistent
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.excite import exciting_motion, simulated_recording
from baxterkit.identify.from_poses import mount
from baxterkit.identify.from_recordings import robot
from baxterkit.identify.from_torques import dynamics
from baxterkit.identify.motion import smooth_motion, velocity_delay
from baxterkit.identify.mount_fit import MountFit
from baxterkit.identify.robot_fit import RobotFit
from baxterkit.identify.scores import Scores, predict, score
from baxterkit.identify.validation import cross_validate

__all__ = [
    "DynamicsFit",
    "MountFit",
    "Prior",
    "RobotFit",
    "Scores",
    "cross_validate",
    "dynamics",
    "exciting_motion",
    "is_consistent",
    "mount",
    "predict",
    "robot",
    "score",
    "simulated_recording",
    "smooth_motion",
    "velocity_delay",
]

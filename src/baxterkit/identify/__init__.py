"""The model of your robot from its recordings.

>>> from baxterkit import identify, recording
>>> fit = identify.mount(recording.load("poses.bag", side="left"))
>>> fit.save("robot.toml")
>>> fit = identify.dynamics([recording.load("motion.bag", side="left")], fit.arm)
>>> fit.save("robot.toml")
"""

from __future__ import annotations

from baxterkit.identify.columns import Prior
from baxterkit.identify.consistency import is_consistent
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.excite import exciting_motion, simulated_recording
from baxterkit.identify.from_poses import mount
from baxterkit.identify.from_torques import dynamics
from baxterkit.identify.motion import smooth_motion, velocity_delay
from baxterkit.identify.mount_fit import MountFit
from baxterkit.identify.scores import Scores, predict, score
from baxterkit.identify.validation import cross_validate

__all__ = [
    "DynamicsFit",
    "MountFit",
    "Prior",
    "Scores",
    "cross_validate",
    "dynamics",
    "exciting_motion",
    "is_consistent",
    "mount",
    "predict",
    "score",
    "simulated_recording",
    "smooth_motion",
    "velocity_delay",
]

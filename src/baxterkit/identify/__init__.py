"""The model of your robot from its recordings.

>>> from baxterkit import identify, recording
>>> fit = identify.robot([recording.load(path, side="left") for path in ("a.bag", "b.bag")])
>>> fit.save("robot.toml")
>>> fit.report("robot.html")

`identify.mount` (from tip poses) and `identify.dynamics` (from torques) are its two steps.

Reading order:

- `from_recordings`: `robot`, both steps and the check on recordings left out (`validation`).
- `from_poses`: `mount`; its residuals are in `mount_model`, Gauss-Newton in `mount_solver`.
- `from_torques`: `dynamics`; its rows come from `preparation`, its two fits are in `stages`.
- `stages`: the linear model (`columns`), least squares (`regression`), the search for the shape of
  friction (`friction`), links that bodies could be (`consistency`).
- `mount_fit`, `dynamics_fit`, `robot_fit`: the results, with `scores` and `excitation` (advice) as
  their parts; `report` shows them.
- `from_tracker`: `kinematics`, joint offsets and link errors from any tracker or camera, of the
  chain in `chain_errors`; `calibration_poses` plans the poses for it.
- `copies`: which recordings hold the rows of another one.
- `mixups`: which joints were exchanged, or which sign reversed, where no model explains the
  torques; `refusal`: how a fit with doubts is refused.
- `sensor_zeros`: `offsets`, the zero of the torque sensors on another day, made of `day_fit`;
  `faults` of recorded signals.
- `trial_motions`: motions to record, and simulated recordings of them.
"""

from __future__ import annotations

from baxterkit.identify.calibration_poses import planned_poses
from baxterkit.identify.columns import Prior
from baxterkit.identify.consistency import is_consistent
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.from_poses import mount
from baxterkit.identify.from_recordings import robot
from baxterkit.identify.from_torques import dynamics
from baxterkit.identify.from_tracker import KinematicPrior, kinematics
from baxterkit.identify.kinematics_fit import KinematicsFit
from baxterkit.identify.mount_fit import MountFit
from baxterkit.identify.preparation import smooth_motion, velocity_delay
from baxterkit.identify.robot_fit import RobotFit
from baxterkit.identify.scores import Scores, predict, score
from baxterkit.identify.sensor_zeros import Offsets, offsets
from baxterkit.identify.trial_motions import (
    ExcitingMotion,
    exciting_motion,
    simulated_recording,
)
from baxterkit.identify.validation import cross_validate

__all__ = [
    "DynamicsFit",
    "ExcitingMotion",
    "KinematicPrior",
    "KinematicsFit",
    "MountFit",
    "Offsets",
    "Prior",
    "RobotFit",
    "Scores",
    "cross_validate",
    "dynamics",
    "exciting_motion",
    "is_consistent",
    "kinematics",
    "mount",
    "offsets",
    "planned_poses",
    "predict",
    "robot",
    "score",
    "simulated_recording",
    "smooth_motion",
    "velocity_delay",
]

"""Differences between a model's tip poses and recorded ones, as Ju et al. define them (eq. 5)."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.recording import Recording
from baxterkit.spatial import matrix_to_rpy
from baxterkit.types import Array

COMPONENTS = ("x", "y", "z", "roll", "pitch", "yaw")
UNITS = ("mm", "mm", "mm", "mrad", "mrad", "mrad")


def pose_errors(arm: Arm, recording: Recording) -> Array:
    """Model minus recording: x y z [mm], roll pitch yaw [mrad].

    Args:
        arm: The model.
        recording: With `position`, and `quaternion` where there is one.

    Returns:
        Differences, shape (n, 6), or (n, 3) without orientations. Angles are taken the short way
        round.
    """
    T = arm.fk(recording.q)
    position = 1e3 * (T[:, :3, 3] - recording.required("position"))
    if recording.quaternion is None:
        return np.asarray(position)
    turn = matrix_to_rpy(T[:, :3, :3]) - matrix_to_rpy(recording.T_base_tip[:, :3, :3])
    turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
    return np.concatenate([position, 1e3 * turn], axis=1)

"""Errors of tip poses as Ju et al. 2014 define them (eq. 5), and those that experiment 2 prints."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.result import Row, Section
from baxterkit.recording import Recording
from baxterkit.spatial.formulas import matrix_to_rpy
from baxterkit.types import Array

PAPER_MAX = {"right": (4.2, 3.3, 6.8, 5.6, 7.6, 7.3), "left": (4.4, 3.8, 6.1, 5.1, 7.2, 7.6)}
"""Largest errors: x y z [mm], roll pitch yaw [mrad]."""
PAPER_MEAN = {
    "right": (0.7, -0.6, -3.8, 2.9, -3.2, -1.2),
    "left": (1.1, 0.6, -2.8, -1.6, -3.5, 1.1),
}
"""Mean errors, with their signs."""
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


def pose_rows(table: Section, side: str, errors: Array, whose: str = "") -> list[Row]:
    """The largest and the mean of such errors beside the paper's.

    Args:
        table: The section that they stand in.
        side: "left" or "right".
        errors: Differences, shape (n, 6) or (n, 3).
        whose: What follows the names of the rows.
    """
    columns = errors.shape[1]
    return [
        table.compare(f"{side} arm, {what}{whose}", paper[side][:columns], ours)
        for what, paper, ours in (
            ("largest", PAPER_MAX, np.abs(errors).max(axis=0)),
            ("mean", PAPER_MEAN, errors.mean(axis=0)),
        )
    ]

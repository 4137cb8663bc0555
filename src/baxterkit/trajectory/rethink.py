"""Motions as files that Rethink's `joint_trajectory_file_playback` plays on the robot.

That program wants every column of Rethink's recorder: time, both arms by joint name, and both
grippers. It first moves both arms slowly to the first row, then follows the rows by their times.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import disk
from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.library import baxter_arm, named_configuration
from baxterkit.model.names import SIDES, joint_names
from baxterkit.trajectory.both import at_rest, both_arms
from baxterkit.trajectory.checks import BOTH
from baxterkit.trajectory.files import PACKED, table_text
from baxterkit.trajectory.grippers import (
    PERCENT,
    from_percent,
    gripper_columns,
)
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

REST = "neutral"
"""Pose of an arm for which no motion is given."""


def save_playback(
    path: str | Path,
    left: Trajectory | ArrayLike | None = None,
    right: Trajectory | ArrayLike | None = None,
    *,
    rate: float = 100.0,
    left_gripper: ArrayLike | None = None,
    right_gripper: ArrayLike | None = None,
) -> Path:
    """Writes a file for `joint_trajectory_file_playback -f FILE` on the robot.

    The program moves both arms, so give the joint positions of an arm that must not move. It
    ignores openings of grippers that are not there, and the last column, whose name holds the
    motion of both arms: `Trajectory.load(path)` gives it back as it is.

    Args:
        path: The file.
        left: The motion of the left arm, or of both; or joint positions [rad] that it rests at,
            shape (7,); its neutral configuration if None.
        right: The same of the right arm. An arm whose motion is shorter rests at its end.
        rate: Rows per second [Hz].
        left_gripper: Opening of the left gripper, from 0 (closed) to 100 (open): one number, or
            one for each row. If None, that of the motion (`Trajectory.grippers`); without one the
            file says 100.
        right_gripper: The same of the right gripper.

    Returns:
        The path.

    Raises:
        InputError: If the file's name ends in .npz or .json, neither arm moves, a motion is the
            other arm's, or joint positions or an opening are beyond the limits.
    """
    path = disk.as_path(path)
    if path.suffix in PACKED:
        raise InputError(f"{path}: the robot's program plays text; call it {path.stem}.csv")
    if isinstance(left, Trajectory) and left.side == BOTH and right is None:
        right = left
    if not isinstance(left, Trajectory) and not isinstance(right, Trajectory):
        raise InputError("give the motion of an arm, a Trajectory, as left or right")
    duration = max(x.duration for x in (left, right) if isinstance(x, Trajectory))
    both = both_arms(_motion(left, "left", duration), _motion(right, "right", duration))
    t, q, _, _ = both.at_rate(rate)
    hands: dict[str, Array] = {}
    for side, percent in (("left", left_gripper), ("right", right_gripper)):
        if percent is not None:
            hands[f"{side}_gripper"] = column = _opening(percent, f"{side}_gripper", len(t))
            told = from_percent(np.minimum(t, both.duration), column, f"{side}_gripper")
            both = replace(both, grippers={**both.grippers, side: told})
    hands = dict(zip(*gripper_columns(both.grippers, t), strict=True)) | hands
    columns = [t[:, None] + 1.0 / rate]  # Rethink's program has its present position at time 0
    names = ["time"]
    for i, side in enumerate(SIDES):
        gripper = f"{side}_gripper"
        columns.append(baxter_arm(side).limits.check(q[:, 7 * i : 7 * i + 7]))
        columns.append(hands.get(gripper, np.full(len(t), PERCENT)))
        names += [*joint_names(side), gripper]
    disk.write_text(path, table_text(names, np.column_stack(columns), both))
    return path


def _motion(given: Trajectory | ArrayLike | None, side: str, duration: float) -> Trajectory:
    """The motion of an arm, or its rest for a time [s]."""
    if isinstance(given, Trajectory):
        return given.of(side)
    model = baxter_arm(side)
    rest = named_configuration(REST, side) if given is None else model.joint_values(given, side)
    if rest.shape != (7,):
        raise ShapeError(f"{side} must be a Trajectory or 7 joint positions, got {rest.shape}")
    return at_rest(rest, model.limits, duration)


def _opening(opening: ArrayLike, name: str, n: int) -> Array:
    values = finite_array(opening, name)
    if values.shape not in ((), (n,)):
        raise ShapeError(
            f"{name} must be one number or one for each of the {n} rows, got shape {values.shape}"
        )
    if not ((values >= 0.0) & (values <= PERCENT)).all():
        worst = float(values.flat[np.abs(values - 50.0).argmax()])
        raise InputError(f"{name} = {worst:g}; openings are from 0 (closed) to 100 (open)")
    return np.broadcast_to(values, n)

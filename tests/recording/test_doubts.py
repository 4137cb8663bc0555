"""What the robot cannot have done is noted when a recording is loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, recording
from baxterkit.model.names import joint_names
from baxterkit.trajectory import TrajectoryError
from baxterkit.types import Array

T = np.arange(100) / 50.0


def written(path: Path, q: Array) -> Path:
    """A file of the left arm, in steps of 20 ms."""
    header = ",".join(("time", *joint_names("left")))
    np.savetxt(path, np.column_stack([T, q]), delimiter=",", header=header, comments="")
    return path


def still() -> Array:
    """The arm at rest."""
    return np.tile(Arm("left").configuration("untuck"), (len(T), 1))


def test_a_joint_beyond_its_limits_is_noted(tmp_path: Path) -> None:
    q = still()
    q[:, 1] = np.linspace(0.0, 2.0, len(T))
    rec = recording.load(written(tmp_path / "far.csv", q))
    assert rec.notes == (
        "s1 leaves its limits, -2.147 to 1.047 rad, in 43 rows, first in line 59: 1.152 rad",
    )
    again = recording.load(rec.save(tmp_path / "again.csv"))
    assert again.notes == rec.notes  # once, although it is found again


def test_a_jump_is_noted(tmp_path: Path) -> None:
    q = still()
    q[40, 0] += 1.6
    (note,) = recording.load(written(tmp_path / "jump.csv", q)).notes
    assert note == (
        "s0 jumps 2 times, first by 1.600 rad in 0.02 s at line 42; it turns by 1.5 rad/s at most"
    )


@pytest.mark.parametrize(("scale", "asks"), [(40.0, True), (200.0, False)])
def test_velocities_far_beyond_their_limits_are_noted(
    tmp_path: Path, scale: float, asks: bool
) -> None:
    header = ",".join((*joint_names("left"), *(f"vel_{name}" for name in joint_names("left"))))
    qd = np.zeros((len(T), 7))
    qd[10:12, 2] = scale
    path = tmp_path / "fast.csv"
    rows = np.column_stack([T, still(), qd])
    np.savetxt(path, rows, delimiter=",", header=f"time,{header}", comments="")
    (note,) = recording.load(path).notes
    assert note == (
        f"e0 turns too fast in 2 rows, first in line 12, at up to {scale:g} rad/s; its limit is "
        "1.5 rad/s" + ": are velocities in degrees per second?" * asks
    )


def test_what_the_robot_does_is_not_noted(tmp_path: Path) -> None:
    limits = Arm("left").limits
    q = still()
    q[:, 1] = limits.upper[1] + 0.05  # stops give
    q[:, 6] = np.clip(T * limits.velocity[6], limits.lower[6], limits.upper[6])
    assert recording.load(written(tmp_path / "fine.csv", q)).notes == ()


@pytest.mark.slow
def test_the_motion_has_the_limits_of_its_arm(tmp_path: Path) -> None:
    q = still()
    assert recording.load(written(tmp_path / "a.csv", q)).to_trajectory().check().side == "left"
    q[:, 1] = np.linspace(0.0, 2.0, len(T))
    with pytest.raises(TrajectoryError, match=r"left_s1 is 1\.0\d* rad, above its limit 1\.047"):
        recording.load(written(tmp_path / "b.csv", q)).to_trajectory().check()

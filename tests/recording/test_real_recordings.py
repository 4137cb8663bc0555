"""The real recordings, each through its reader, with a quantity that shows it was read right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tolerances import FK_GOLDEN_ANGLE, FK_GOLDEN_POSITION

from baxterkit import Arm, recording
from baxterkit.recording.signals import correlation_step
from baxterkit.spatial import pose_error


def test_torque_files_are_at_100_hz_and_sensed(data_dir: Path) -> None:
    files = sorted(data_dir.glob("torque/*.csv.gz"))
    assert len(files) >= 12
    for file in files[:3]:
        rec = recording.load(file)
        assert (rec.side, rec.fields) == ("left", ("q", "qd", "tau"))
        assert 5_600 < len(rec) < 5_700
        assert 98.5 < rec.rate < 100.5
        # Steps of the sensors: a column that were another would not fit them.
        steps = rec.tau / 0.004
        assert np.abs(steps - np.round(steps)).max() < 1e-6


def test_golden_pairs_agree_with_forward_kinematics(data_dir: Path) -> None:
    rec = recording.load(data_dir / "golden_fk" / "configurations.txt")
    position, angle = pose_error(Arm("left", "electric_extended").fk(rec.q), rec.T_base_tip)
    assert len(rec) == 4_999
    assert float(position.max()) < FK_GOLDEN_POSITION
    assert float(angle.max()) < FK_GOLDEN_ANGLE


@pytest.mark.parametrize("side", ["left", "right"])
def test_sensed_and_commanded_paths_are_of_one_motion(data_dir: Path, side: str) -> None:
    wanted = recording.load(data_dir / "replay" / "klampt_ref.path.gz", side)
    sensed = recording.load(data_dir / "replay" / "klampt_sensed.path.gz", side)
    # The commands step; the arm follows, at times by a fraction of a second.
    assert np.median(np.abs(wanted.q - sensed.q)) < 0.02
    limits = Arm(side).limits
    assert (sensed.q > limits.lower - 0.05).all()
    assert (sensed.q < limits.upper + 0.05).all()


@pytest.mark.parametrize("side", ["left", "right"])
def test_replay_and_naist_files_hold_both_arms(data_dir: Path, side: str) -> None:
    replay = recording.load(data_dir / "replay" / "baxterArmMotion1.csv", side)
    assert (replay.side, round(replay.rate)) == (side, 100)
    naist = recording.load(data_dir / "endpoint_naist" / "arm65_playJA.csv", side)
    assert naist.fields == ("q", "position", "quaternion", "twist", "wrench")
    # The two arms work in front of the robot, left of the middle and right of it.
    assert (naist.position[:, 0] > 0.2).all()


def test_mit_files_hold_time_that_fits_their_velocities(data_dir: Path) -> None:
    for file in sorted(data_dir.glob("endpoint_mit/*.mat")):
        rec = recording.load(file)
        assert rec.side == "right"
        step, error = correlation_step(rec.q, rec.qd)
        assert abs(step - 0.01) < 5.0 * error + 5e-4


def test_velocities_of_real_recordings_are_not_doubted(data_dir: Path) -> None:
    files = [*data_dir.glob("torque*/*.csv.gz"), *data_dir.glob("endpoint_mit/*.mat")]
    assert len(files) >= 14
    for file in files:
        rec = recording.load(file, side=None if file.suffix == ".mat" else "left")
        assert rec.qd is not None
        assert not [note for note in rec.notes if note.startswith("velocities")]

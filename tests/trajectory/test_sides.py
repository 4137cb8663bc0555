"""A motion knows its arm: in files of every kind, and wherever an arm is asked to do it."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter, control, identify, planning, plot
from baxterkit.errors import InputError
from baxterkit.trajectory import Trajectory, both_arms, min_jerk, save_playback, time_optimal

LEFT, RIGHT = Arm("left"), Arm("right")
MOTION = min_jerk(LEFT, LEFT.configuration("neutral"), LEFT.configuration("untuck"))
OTHER = min_jerk(RIGHT, RIGHT.configuration("neutral"), RIGHT.configuration("untuck"))
UNKNOWN = Trajectory(MOTION.knots, MOTION.coefficients)
ASKED = "this motion is the left arm's, not the right arm's"


@pytest.mark.parametrize("ending", [".npz", ".json", ".csv"])
def test_files_know_their_arm(tmp_path: Path, ending: str) -> None:
    for motion in (MOTION, dataclasses.replace(UNKNOWN, side="left")):
        path = motion.save(tmp_path / f"left{ending}")
        assert Trajectory.load(path).side == "left"
        assert Trajectory.load(path, "left").side == "left"
        with pytest.raises(InputError, match=ASKED):
            Trajectory.load(path, "right")
    path = UNKNOWN.save(tmp_path / f"unknown{ending}")
    assert Trajectory.load(path).side is None
    assert Trajectory.load(path, "right").side == "right"


def test_playback_files_know_both_arms(tmp_path: Path) -> None:
    path = save_playback(tmp_path / "both.csv", MOTION, OTHER)
    assert [Trajectory.load(path, side).side for side in ("left", "right")] == ["left", "right"]
    both = Trajectory.load(path)
    assert both.side == "both"
    assert (both.sample(0.3).q == both_arms(MOTION, OTHER).sample(0.3).q).all()
    with pytest.raises(InputError, match=ASKED):
        save_playback(tmp_path / "no.csv", right=MOTION)
    path = save_playback(tmp_path / "one.csv", MOTION)
    assert np.ptp(Trajectory.load(path, "right").sample([0.0, 1.0]).q, axis=0).max() < 1e-12


def test_a_csv_of_one_arm_by_name_is_not_the_other_ones(tmp_path: Path) -> None:
    path = tmp_path / "left.csv"
    names = ",".join(["t", *LEFT.joint_names])
    path.write_text(f"{names}\n0{',0' * 7}\n1{',0.1' * 7}\n", encoding="utf-8")
    assert Trajectory.load(path).side == "left"
    with pytest.raises(InputError, match=ASKED):
        Trajectory.load(path, "right")


def test_changes_keep_the_arm() -> None:
    rest = Trajectory([0.0, 1.0], np.pad(MOTION.end[None, None], ((0, 0), (0, 1), (0, 0))))
    for motion in (MOTION.stretched(2.0), MOTION.then(rest), pickle.loads(pickle.dumps(MOTION))):
        assert motion.side == "left"
    with pytest.raises(InputError, match="its limits are the left one's"):
        dataclasses.replace(MOTION, side="right")
    assert UNKNOWN.of("right") is UNKNOWN


CALLS: dict[str, Callable[[], object]] = {
    "check an arm": lambda: MOTION.check(arm=RIGHT),
    "check limits": lambda: MOTION.check(RIGHT.limits),
    "then": lambda: OTHER.then(MOTION),
    "time optimal": lambda: time_optimal(RIGHT, MOTION),
    "plot": lambda: MOTION.plot(RIGHT),
    "plot too": lambda: plot.trajectory(MOTION, RIGHT),
    "both arms": lambda: both_arms(MOTION, MOTION),
    "simulated recording": lambda: identify.simulated_recording(RIGHT, MOTION),
    "simulate": lambda: control.simulate(RIGHT, control.PdGravity(RIGHT), MOTION, 0.1),
    "plan around": lambda: planning.plan_around(
        Baxter(), LEFT.configuration("untuck"), LEFT.configuration("neutral"), OTHER, side="right"
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_other_arm_refuses_it(call: str) -> None:
    with pytest.raises(InputError, match=r"this motion is the (left|right) arm's, not the"):
        CALLS[call]()


def test_contacts_need_to_know_the_arm() -> None:
    robot, limits = Baxter(), dataclasses.replace(LEFT.limits, names=())
    with pytest.raises(InputError, match="it is not known which arm moves"):
        UNKNOWN.check(limits, scene=robot)
    dataclasses.replace(UNKNOWN, side="left").check(limits, scene=robot)


def test_the_command_line_refuses_the_other_arm(tmp_path: Path) -> None:
    path = MOTION.save(tmp_path / "left.npz")
    for words in (
        ["trajectory", "check", str(path), "--side", "right"],
        ["twin", str(path), "--side", "right"],
    ):
        run = subprocess.run(
            [sys.executable, "-m", "baxterkit", *words], capture_output=True, text=True
        )
        assert run.returncode == 2, run.stdout
        assert ASKED in run.stderr.replace("\n", " ")

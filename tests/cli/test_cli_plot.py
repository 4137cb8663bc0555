from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.spatial import rpy_to_matrix, transform

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "gif": b"GIF89a"}


@pytest.fixture(autouse=True)
def here(example_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(example_files)
    return example_files


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_ending_says_the_kind_of_file(cli: Any, here: Path, suffix: str) -> None:
    done = cli("plot", "skeleton", "untuck", "--no-frames", "-o", f"arm.{suffix}")
    assert done.out == f"arm.{suffix}: left arm\n"
    assert (here / f"arm.{suffix}").read_bytes().startswith(MAGIC[suffix])


@pytest.mark.usefixtures("pictures_not_drawn")
def test_reach_lies_around_the_shoulder(cli: Any) -> None:
    found = cli("plot", "workspace", "--samples", 50_000, "--side", "right", "--json").json
    arm = Arm("right")
    shoulder = arm.link_poses(np.zeros(7))[1, :3, 3]
    # From s1 to the tip no stretched arm is longer than the sum of its links.
    longest = 0.102 + 0.069 + 0.26242 + 0.10359 + 0.010 + 0.2707 + 0.115975 + 0.11355 + 0.069
    for low, high, center in zip(found["lower"], found["upper"], shoulder, strict=True):
        assert center - longest < low < center < high < center + longest
    assert 0.1 < found["manipulability"]["best"] < 0.2


@pytest.mark.usefixtures("pictures_not_drawn")
def test_self_motion_is_that_of_the_pose(cli: Any) -> None:
    found = cli("plot", "self-motion", 0.6, 0.3, 0.2, "--rpy", 180, 0, 0, "--deg", "--json").json
    motion = Arm("left").self_motion(
        transform(rpy_to_matrix([np.pi, 0.0, 0.0]), np.array([0.6, 0.3, 0.2]))
    )
    assert (found["curves"], found["feasible"]) == (len(motion.curves), len(motion.feasible))
    np.testing.assert_allclose(
        found["e0_intervals"], np.degrees(motion.e0_intervals), rtol=0, atol=1e-6
    )


@pytest.mark.usefixtures("pictures_not_drawn")
def test_quaternion_and_rpy_say_the_same_pose(cli: Any) -> None:
    by_rpy = cli("plot", "self-motion", 0.6, 0.3, 0.2, "--rpy", np.pi, 0, 0, "--json").json
    by_quat = cli("plot", "self-motion", 0.6, 0.3, 0.2, "--quat", 1, 0, 0, 0, "--json").json
    np.testing.assert_allclose(by_rpy["e0_intervals"], by_quat["e0_intervals"], rtol=0, atol=1e-9)


@pytest.mark.slow
def test_solver_in_action_moves(cli: Any, here: Path) -> None:
    done = cli("plot", "ik", "untuck", "--method", "lm", "-o", "lm.gif")
    assert re.fullmatch(r"lm\.gif: lm: SOLVED after \d+ iterations\n", done.out)
    assert (here / "lm.gif").read_bytes().startswith(MAGIC["gif"])


@pytest.mark.usefixtures("pictures_not_drawn")
def test_seed_decides_how_long_a_solver_takes(cli: Any) -> None:
    near = ["--seed", *Arm("left").configuration("untuck")]
    near_count = cli("plot", "ik", "untuck", *near, "--json").json["methods"]["pseudoinverse"]
    far_count = cli("plot", "ik", "untuck", "--json").json["methods"]["pseudoinverse"]
    assert near_count["iterations"] < far_count["iterations"]


@pytest.mark.usefixtures("pictures_not_drawn")
def test_torques_of_the_arm_that_made_them_agree(cli: Any) -> None:
    own = cli("plot", "torques", "recording.csv", "--robot", "robot.toml", "--json").json
    assert own["samples"] == 200
    wrong = cli("plot", "torques", "recording.csv", "--tool", "electric_standard", "--json").json
    assert max(wrong["rms"]) > 5 * max(own["rms"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("skeleton angles.csv",
         "one configuration is drawn, not a batch (see: {} skeleton --help)"),
        ("skeleton --both 0 0 0 0 0 0 0",
         "--both takes the name of a configuration, as neutral (see: {} skeleton --help)"),
        ("self-motion angles.csv", "one pose is drawn, not a batch (see: {} self-motion --help)"),
        ("self-motion 1 2 3 --rpy 0 0 0 --quat 0 0 0 1",
         "give one of --rpy and --quat (see: {} self-motion --help)"),
        ("self-motion 1 2 3 --quat 0 0 0 0", "the quaternion 0 0 0 0 is not an orientation; "
         "no rotation is x y z w = 0 0 0 1"),
        ("ik untuck --errors -o x.gif",
         "x.gif: errors are a figure: .png, .svg or .pdf (see: {} ik --help)"),
        ("ik untuck --seed 0 0 0 0 0 0 zero", "--seed: 'zero' is not a number"),
        ("skeleton --urdf robot.urdf --robot robot.toml",
         "give one of --urdf and --robot (see: {} skeleton --help)"),
        ("workspce",
         "no plot 'workspce'; did you mean 'workspace'? available: skeleton, workspace, "
         "self-motion, ik, torques "
         "(see: {} --help)"),
    ],
)  # fmt: skip
def test_bad_input_is_told(cli: Any, words: str, message: str) -> None:
    cli("plot", *words.split()).fails_with(message.format("baxterkit plot"))


def test_robot_file_of_one_arm_needs_no_side(cli: Any, here: Path) -> None:
    (here / "robot.toml").unlink()
    arm = Arm("right", tool="vacuum")
    arm.to_file(here / "robot.toml")
    found = cli("fk", "neutral", "--robot", "robot.toml", "--json").json
    assert found["side"] == "right"
    np.testing.assert_array_equal(found["matrix"], arm.fk(arm.configuration("neutral")))
    other = cli("fk", "neutral", "--robot", "robot.toml", "--tool", "hand", "--json")
    assert other.err.startswith("Note: --tool replaces vacuum")
    np.testing.assert_array_equal(
        json.loads(other.out)["matrix"], Arm("right").fk(arm.configuration("neutral"))
    )
    failed = cli("fk", "neutral", "--robot", "robot.toml", "--side", "left")
    assert (failed.status, failed.out) == (2, "")
    assert "left" in failed.err

"""`baxterkit plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import Arm
from baxterkit.trajectory import Trajectory

POST = ("--box", "post", "0.08", "0.08", "1.2", "0.8", "0.15", "0.3")
ACROSS = ("-1.1", "0.1", "0", "0.9", "0", "0.6", "0")


def test_a_motion_is_planned_and_written(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "motion.npz"
    done = cli("plan", "untuck", "--to", *ACROSS, *POST, "--out", str(file), "--json")
    assert done.status == 0, done.err
    facts = done.json
    assert facts["status"] == "SOLVED"
    assert len(facts["path"]) > 2
    motion = Trajectory.load(file)
    assert np.allclose(motion.end, np.array(ACROSS, dtype=float))
    assert abs(motion.duration - facts["duration"]) < 1e-9


def test_a_pose_and_a_position_are_goals(cli: Any) -> None:
    arm = Arm("right")
    for more in (("--rpy", "180", "0", "0"), ()):
        words = ("--side", "right", "--deg", "--xyz", "0.7", "-0.2", "0.2", *more, "--json")
        done = cli("plan", "untuck", *words)
        assert done.status == 0, done.err
        T = arm.fk(np.radians(done.json["path"][-1]))
        assert np.abs(T[:3, 3] - [0.7, -0.2, 0.2]).max() < 1e-6
        if more:
            assert T[2, 2] < -1.0 + 1e-9


def test_the_reason_is_printed_and_the_status_is_1(cli: Any) -> None:
    done = cli(
        "plan",
        "untuck",
        "--xyz",
        "0.7",
        "0.2",
        "0.2",
        "--sphere",
        "ball",
        "0.06",
        "0.7",
        "0.2",
        "0.2",
    )
    assert done.status == 1
    assert done.out.startswith("GOAL_BLOCKED: ")
    assert "ball" in done.out


def test_wrong_words_are_refused(cli: Any) -> None:
    for words, text in (
        (
            ("untuck", "--to", "neutral", "--rpy", "0", "0", "0"),
            "--rpy and --quat are of a position",
        ),
        (
            ("untuck", "--to", "neutral", "--box", "b", "x", "1", "1", "1", "1", "1"),
            "'x' is not a number",
        ),
        (
            ("untuck", "--to", "neutral", "--box", "b", "-1", "1", "1", "1", "1", "1"),
            "must be positive",
        ),
        (("untuck", "--to", "neutral", "--margin", "nan"), "--margin is nan m"),
        (("untuck", "--to", "neutral", "--margin", "-1"), "--margin is -1 m"),
    ):
        done = cli("plan", *words)
        assert done.status == 2
        assert text in done.err


def test_where_nothing_moves_no_file_is_promised(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    done = cli("plan", "untuck", "--to", "untuck", "--out", str(file))
    assert done.status == 0
    assert "nothing moves" in done.err
    assert not file.exists()


def test_a_motion_at_its_limits_is_read_again_from_csv(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    assert cli("plan", "untuck", "--to", *ACROSS, *POST, "--out", str(file)).status == 0
    Trajectory.load(file).check(Arm("left").limits, arm=Arm("left"))

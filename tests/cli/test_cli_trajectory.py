"""`baxterkit trajectory`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.cli.status import NO_ANSWER
from baxterkit.collision import World
from baxterkit.trajectory import Trajectory, both_arms, min_jerk, smith_path


def test_a_shape_is_made_checked_and_written(cli: Any, tmp_path: Path) -> None:
    out = tmp_path / "circle.json"
    done = cli("trajectory", "shape", "circle", "--radius", 0.12, "--period", 5, "-o", out)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("left arm: circle, 6.00 s  [rad, rad/s², % of limit]\n")
    assert done.out.endswith(f"within the limits\nwrote {out}\n")
    arm, motion = Arm("left"), Trajectory.load(out)
    p = arm.fk(motion.sample(np.linspace(0.0, 6.0, 50)).q)[:, :3, 3]
    assert np.abs(np.linalg.norm(p - [0.6, 0.2, 0.1], axis=-1) - 0.12).max() < 1e-7


@pytest.mark.parametrize("shape", ["square", "eight", "spiral"])
def test_every_shape(cli: Any, shape: str) -> None:
    answer = cli("trajectory", "shape", shape, "--side", "right", "--yaw", -0.5, "--json").json
    assert answer["side"] == "right"
    assert answer["duration"] > 7.9
    assert (np.array(answer["velocity"]) <= Arm("right").limits.velocity).all()
    assert answer["files"] == []


def test_smiths_set(cli: Any, tmp_path: Path) -> None:
    out = tmp_path / "set1.npz"
    assert cli("trajectory", "smith", 1, "--side", "right", "-o", out).status == 0
    motion, path = Trajectory.load(out), smith_path(1)
    T = Arm("right").fk(motion.sample(7.7).q)
    assert np.abs(T - path.sample(7.7).T).max() < 1e-8


@pytest.mark.slow
def test_time_optimal_and_a_picture(cli: Any, tmp_path: Path, require: Any) -> None:
    require("matplotlib")
    picture = tmp_path / "eight.png"
    args = ("shape", "eight", "--side", "right", "--time-optimal", "--plot", picture, "--json")
    answer = cli("trajectory", *args).json
    assert answer["duration"] < 3.0
    assert answer["files"] == [str(picture)]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_drawings_and_waypoints(cli: Any, example_files: Path) -> None:
    drawing = example_files / "drawing.csv"
    answer = cli("trajectory", "drawn", drawing, "--speed", 0.05, "--json").json
    start = Arm("left").fk(answer["start"])[:3, 3]
    assert np.abs(start - [0.6, 0.2, 0.1]).max() < 1e-9
    answer = cli("trajectory", "through", example_files / "waypoints.csv", "--json").json
    assert answer["end"] == pytest.approx([0.0, -1.0, -0.5, 1.2, 0.3, 1.1, 0.0])
    rows = "0,0,0,0,0,0,0\n5,5,5,5,5,5,5\n"
    answer = cli("trajectory", "through", "-", "--deg", "--json", stdin=rows).json
    assert answer["end"] == pytest.approx([5.0] * 7)
    assert answer["angle_unit"] == "deg"


def test_a_move_and_its_check(cli: Any, tmp_path: Path, require: Any) -> None:
    require("ruckig")
    out = tmp_path / "move.csv"
    made = cli("trajectory", "move", "neutral", "untuck", "-o", out, "--json").json
    checked = cli("trajectory", "check", out, "--json").json
    assert checked["end"] == pytest.approx(made["end"], abs=1e-9)
    slow = cli("trajectory", "check", out, "--stretch", 2, "--json").json
    assert slow["duration"] == pytest.approx(2.0 * checked["duration"])


def test_what_violates_a_limit_is_refused(cli: Any, example_files: Path) -> None:
    cli("trajectory", "check", example_files / "motion.json", "--stretch", 0.5).fails_with(
        "at t = 0.176 s the velocity of left_e0 is -1.5023 rad/s, below its limit -1.5000 rad/s; "
        "slow down: trajectory.stretched(1.97)",
        NO_ANSWER,
    )


def test_errors_are_one_line(cli: Any, example_files: Path) -> None:
    cli("trajectory", "shape", "circle", "--radius", -1).fails_with("radius = -1 must be positive")
    cli("trajectory", "shape", "square", "--turns", 1.5).fails_with(
        "turns of a square must be a whole number from 1 to 10000, got 1.5"
    )
    cli("trajectory", "shape", "circle", "--center", 2, 0, 0).fails_with(
        "the path breaks at t = 0.00 s: No joint angles reach the target, not even beyond the "
        "limits; move it.",
        NO_ANSWER,
    )
    cli("trajectory", "shape", "square", "--turns", "nan").fails_with(
        "turns of a square must be a whole number from 1 to 10000, got nan"
    )
    cli("trajectory", "shape", "circle", "--period", 1e9).fails_with(
        "1e+09 s at 100 knots a second are more than 200,000 knots; lower the rate, or cut the path"
    )
    cli("trajectory", "move", example_files / "waypoints.csv", "untuck").fails_with(
        "FROM and TO are one configuration each, not files"
    )
    cli("trajectory", "smith", 1, "--yaw", 1).fails_with(
        "smith sets its own --yaw (see: baxterkit trajectory smith --help)"
    )
    cli("trajectory", "shape", "circle", "-o", "circle.txt").fails_with(
        "circle.txt: a trajectory's file ends in .npz, .json, .csv"
    )


def test_file_for_the_robot_holds_both_arms(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "move.csv"
    words = ("trajectory", "move", "neutral", "untuck", "--side", "right", "--to", "rethink")
    done = cli(*words, "--other", "untuck", "-o", file)
    assert done.status == 0
    assert f"wrote {file}" in done.out
    assert file.read_text(encoding="utf-8").startswith("time,left_s0,")
    right, left = (Trajectory.load(file, side) for side in ("right", "left"))
    np.testing.assert_allclose(right.end, Arm("right").configuration("untuck"), rtol=0, atol=1e-12)
    np.testing.assert_allclose(left.start, Arm("left").configuration("untuck"), rtol=0, atol=1e-12)
    cli(*words).fails_with("--to needs a file: -o FILE (see: baxterkit trajectory move --help)")
    cli(*words[:4], "--other", "untuck", "-o", file).fails_with(
        "--other is for --to rethink, whose files hold both arms, and for --collision-free "
        "(see: baxterkit trajectory move --help)"
    )


def test_degrees_go_in_and_come_out(cli: Any, tmp_path: Path) -> None:
    words = ("trajectory", "shape", "circle", "--start", "untuck", "--json", "--yaw")
    rad, deg = cli(*words, 0.5).json, cli(*words, np.degrees(0.5), "--deg").json
    assert (rad["angle_unit"], deg["angle_unit"]) == ("rad", "deg")
    for key in ("start", "end", "to_limit", "velocity", "acceleration"):
        assert deg[key] == pytest.approx(np.degrees(rad[key]))
    for key in ("duration", "torque"):
        assert deg[key] == pytest.approx(rad[key])
    assert "[deg, deg/s², % of limit]" in cli(*words[:3], "--deg").out


def test_a_file_of_both_arms_is_checked_for_both(cli: Any, tmp_path: Path) -> None:
    left, right = Arm("left"), Arm("right")
    slow = min_jerk(left, left.configuration("neutral"), left.configuration("untuck"))
    quick = min_jerk(right, right.configuration("neutral"), right.configuration("untuck"))
    file = both_arms(slow, quick).save(tmp_path / "both.json")
    facts = cli("trajectory", "check", file, "--json").json["arms"]
    assert [fact["side"] for fact in facts] == ["left", "right"]
    assert facts[1]["end"] == pytest.approx(right.configuration("untuck"))
    shown = cli("trajectory", "check", file).out
    assert "left arm: " in shown
    assert "right arm: " in shown
    assert cli("trajectory", "check", file, "--side", "right", "--json").json["side"] == "right"
    fast = quick.stretched(0.5)
    both_arms(slow.stretched(2.0), fast).save(file)
    refused = cli("trajectory", "check", file)
    assert refused.status == NO_ANSWER
    assert "right_e" in refused.err
    copied = tmp_path / "copy.csv"
    both_arms(slow, quick).save(file)
    assert cli("trajectory", "check", file, "-o", copied).status == 0
    assert Trajectory.load(copied).side == "both"
    cli("trajectory", "check", file, "--payload", 1).fails_with(
        "--payload is for one arm, and the file holds both: say --side "
        "(see: baxterkit trajectory check --help)"
    )
    playback = ("--to", "rethink", "-o", tmp_path / "playback.csv")
    assert cli("trajectory", "check", file, *playback).status == 0
    cli("trajectory", "check", file, *playback, "--other", "untuck").fails_with(
        "--other is where the arm at rest is, and the file moves both "
        "(see: baxterkit trajectory check --help)"
    )


def test_contacts_are_checked_where_wanted(cli: Any, tmp_path: Path) -> None:
    left, right = Arm("left"), Arm("right")
    goal = np.array([-1.1, -0.3, 0.0, 0.3, 0.0, 0.3, 0.0])
    one = min_jerk(left, left.configuration("untuck"), goal, 4.0)
    mirrored = goal * [-1, 1, -1, 1, -1, 1, -1]
    two = min_jerk(right, right.configuration("untuck"), mirrored, 4.0)
    both = both_arms(one, two).save(tmp_path / "both.csv")
    alone = one.save(tmp_path / "alone.csv")
    check = ("trajectory", "check")
    assert cli(*check, both).out.endswith("within the limits\n")
    cli(*check, both, "--free").fails_with(
        "at t = 2.71 s left_w2 touches right_w2; choose another path, or move the other arm away",
        NO_ANSWER,
    )
    assert cli(*check, alone, "--free").out.endswith("within the limits, free of contact\n")
    where = ",".join(map(str, mirrored))
    assert cli(*check, alone, "--free", "--other", where).status == NO_ANSWER
    lab = World()
    lab.add_sphere("ball", 0.1, left.fk(goal)[:3, 3])
    lab.save(tmp_path / "lab.toml")
    assert "touches ball" in cli(*check, alone, "--world", tmp_path / "lab.toml").err

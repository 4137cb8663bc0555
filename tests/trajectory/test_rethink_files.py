"""Files for Rethink's playback program hold what it needs, and our readers read them back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, recording
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.names import joint_names
from baxterkit.trajectory import Trajectory, circle, point_to_point, save_playback

LEFT, RIGHT = Arm("left"), Arm("right")


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    return circle([0.6, -0.2, 0.1], period=4.0).to_joints(RIGHT)


def played(path: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A file as Rethink's program reads it: values by name, those that are no numbers left out."""
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].rstrip().split(",")
    rows = [[float(x) for x in line.rstrip().split(",")] for line in lines[1:]]
    assert names[0] == "time"
    assert all(len(row) == len(names) for row in rows)
    values = np.array(rows)
    return {name: values[:, i] for i, name in enumerate(names)}, values[:, 0]


def test_file_holds_what_the_program_asks_for(motion: Trajectory, tmp_path: Path) -> None:
    path = save_playback(tmp_path / "circle", right=motion, left=LEFT.configuration("untuck"))
    columns, time = played(path)
    order = ["time", *joint_names("left"), "left_gripper", *joint_names("right"), "right_gripper"]
    assert list(columns)[: len(order)] == order
    assert {name[:7] for name in list(columns)[len(order) :]} == {"pieces:"}  # for our own readers
    for side in ("left", "right"):
        assert [name for name in columns if name[:-3] == side] == list(joint_names(side))
        assert (columns[f"{side}_gripper"] == 100.0).all()
    assert time[0] > 0.0  # the program puts where the arm is at time 0
    np.testing.assert_allclose(np.diff(time), 0.01, rtol=0, atol=1e-12)
    still = np.column_stack([columns[name] for name in joint_names("left")])
    assert (still == LEFT.configuration("untuck")).all()


def test_file_reads_back_as_the_same_motion(motion: Trajectory, tmp_path: Path) -> None:
    path = save_playback(tmp_path / "circle.csv", right=motion, rate=100.0)
    again = Trajectory.load(path, "right")
    t = np.linspace(0.0, motion.duration, 2001)
    np.testing.assert_allclose(again.sample(t).q, motion.sample(t).q, rtol=0, atol=1e-6)
    rec = recording.load(path, side="right")
    np.testing.assert_array_equal(rec.q, motion.at_rate(100.0)[1])
    np.testing.assert_allclose(rec.t - rec.t[0], motion.at_rate(100.0)[0], rtol=0, atol=1e-12)
    left = recording.load(path, side="left")
    assert (left.q == LEFT.configuration("neutral")).all()


def test_both_arms_and_grippers_may_move(motion: Trajectory, tmp_path: Path) -> None:
    longer = point_to_point(
        LEFT, LEFT.configuration("neutral"), LEFT.configuration("untuck")
    ).stretched(6.0)
    rows = len(longer.at_rate(50.0)[0])
    opening = np.linspace(100.0, 0.0, rows)
    path = save_playback(
        tmp_path / "both.csv", longer, motion, rate=50.0, left_gripper=opening, right_gripper=0.0
    )
    columns, _ = played(path)
    assert len(columns["time"]) == rows
    assert (columns["left_gripper"] == opening).all()
    assert (columns["right_gripper"] == 0.0).all()
    last = [columns[name][-1] for name in joint_names("right")]
    np.testing.assert_allclose(last, motion.end, rtol=0, atol=1e-12)


def test_bad_arguments_are_refused(motion: Trajectory, tmp_path: Path) -> None:
    path = tmp_path / "no.csv"
    with pytest.raises(InputError, match="give the motion of an arm"):
        save_playback(path, left=LEFT.configuration("neutral"))
    with pytest.raises(InputError, match=r"left_gripper = 120; openings are from 0"):
        save_playback(path, right=motion, left_gripper=120.0)
    with pytest.raises(ShapeError, match="one for each of the"):
        save_playback(path, right=motion, left_gripper=[1.0, 2.0])
    with pytest.raises(InputError, match=r"left_s1 = 2\.000 rad is above its limit"):
        save_playback(path, right=motion, left=[0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ShapeError, match="left must be a Trajectory or 7 joint positions"):
        save_playback(path, right=motion, left=np.zeros((2, 7)))
    assert not path.exists()


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_the_file_is_a_table(motion: Trajectory, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"play{ending}"
    with pytest.raises(InputError, match=r"the robot's program plays text; call it play\.csv"):
        save_playback(path, right=motion)
    assert not path.exists()

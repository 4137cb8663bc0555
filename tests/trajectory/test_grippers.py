"""Openings of grippers stay with a motion: in files, stretched, joined, cut, and as recorded."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory import (
    GripperMotion,
    Trajectory,
    both_arms,
    point_to_point,
    save_playback,
    time_optimal,
)

LEFT, RIGHT = Arm("left"), Arm("right")
STEPS = [(0.0, 1.0), (0.5, 0.25), (0.7, 0.0)]


def equal(a: Trajectory, b: Trajectory) -> bool:
    return set(a.grippers) == set(b.grippers) and all(
        (a.grippers[side].t == b.grippers[side].t).all()
        and (a.grippers[side].opening == b.grippers[side].opening).all()
        for side in a.grippers
    )


@pytest.fixture(scope="module")
def plain() -> Trajectory:
    return point_to_point(LEFT, LEFT.configuration("neutral"), LEFT.configuration("untuck"))


@pytest.fixture(scope="module")
def motion(plain: Trajectory) -> Trajectory:
    return plain.with_grippers(left=STEPS)


def test_an_opening_holds_until_the_next_one() -> None:
    gripper = GripperMotion([0.2, 0.5], [1.0, 0.0])
    assert gripper.at([0.2, 0.499, 0.5, 9.0]).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert np.isnan(gripper.at(0.1))  # it stays as it is
    for shape in ((), (1,), (3, 1, 2), (0,)):
        assert gripper.at(np.full(shape, 0.3)).shape == shape
    assert gripper.moves
    assert GripperMotion([0.2], [0.0]).moves  # told along the way
    assert not GripperMotion([0.0], [0.0]).moves  # as a recorder has it of a hand without fingers
    assert repr(gripper) == "GripperMotion(1 from 0.2 s, 0 from 0.5 s)"


def test_a_recording_becomes_its_changes_and_closes_on_what_it_held() -> None:
    t = 3.0 + 0.1 * np.arange(6)
    seen = GripperMotion.from_samples(t, [1.0, 1.0, 0.7, 0.4, 0.4, 1.0])
    np.testing.assert_allclose(seen.t, [0.0, 0.2, 0.3, 0.5], rtol=0, atol=1e-12)
    assert seen.opening.tolist() == [1.0, 0.7, 0.4, 1.0]
    held = GripperMotion.from_samples(
        t, [1.0, 1.0, 0.7, 0.4, 0.4, 1.0], [False, False, False, True, True, False]
    )
    assert held.opening.tolist() == [1.0, 0.7, 0.0, 1.0]


@pytest.mark.parametrize("name", ["m.npz", "m.json", "m.csv"])
def test_every_file_gives_them_back(motion: Trajectory, tmp_path: Path, name: str) -> None:
    assert equal(Trajectory.load(motion.save(tmp_path / name)), motion)
    assert not Trajectory.load(motion.with_grippers().save(tmp_path / name)).grippers


def test_playback_files_have_them_in_percent(
    motion: Trajectory, plain: Trajectory, tmp_path: Path
) -> None:
    path = save_playback(tmp_path / "m.csv", motion)
    assert equal(Trajectory.load(path), motion)
    assert not Trajectory.load(save_playback(tmp_path / "no.csv", plain)).grippers
    names, *rows = (line.split(",") for line in path.read_text().splitlines())
    column = [float(row[names.index("left_gripper")]) for row in rows]
    assert sorted(set(column)) == [0.0, 25.0, 100.0]
    assert {float(row[names.index("right_gripper")]) for row in rows} == {100.0}


def test_a_file_of_the_recorder_is_read_as_it_was_recorded(tmp_path: Path) -> None:
    """Columns and digits as Rethink's recorder writes them; the right hand has no gripper."""
    q_left, q_right = LEFT.configuration("neutral"), RIGHT.configuration("neutral")
    names = ["time", *LEFT.joint_names, "left_gripper", *RIGHT.joint_names, "right_gripper"]
    lines = [",".join(names)]
    for i in range(21):
        opening = 100.2 if i < 10 else max(100.0 - 25.0 * (i - 9), 4.2)
        left = ",".join(str(x) for x in q_left + 0.1 * (1.0 - np.cos(np.pi * i / 20)))
        right = ",".join(map(str, q_right))
        lines.append(f"{0.1 + 0.05 * i:f},{left},{opening},{right},0.0")
    path = tmp_path / "recorded.csv"
    path.write_text("\n".join(lines) + "\n")
    both = Trajectory.load(path)
    assert set(both.grippers) == {"left", "right"}
    assert not both.grippers["right"].moves
    np.testing.assert_allclose(
        both.grippers["left"].t, [0.0, 0.5, 0.55, 0.6, 0.65], rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(
        both.grippers["left"].opening, [1.0, 0.75, 0.5, 0.25, 0.042], rtol=0, atol=1e-12
    )
    assert set(Trajectory.load(path, "left").grippers) == {"left"}
    bad = path.read_text().replace(",100.2,", ",130.0,")
    path.write_text(bad)
    with pytest.raises(InputError, match=r"left_gripper = 130; openings are from 0 \(closed\)"):
        Trajectory.load(path)


def test_they_stay_with_what_is_made_of_the_motion(motion: Trajectory) -> None:
    slow = motion.stretched(2.0)
    assert slow.grippers["left"].t.tolist() == [0.0, 1.0, 1.4]
    assert equal(pickle.loads(pickle.dumps(motion)), motion)
    back = point_to_point(LEFT, motion.end, motion.start).with_grippers(left=1.0)
    there = motion.then(back)
    assert there.grippers["left"].t.tolist() == [0.0, 0.5, 0.7, motion.duration]
    assert there.grippers["left"].opening[-1] == 1.0
    other = point_to_point(RIGHT, RIGHT.configuration("neutral"), RIGHT.configuration("untuck"))
    both = both_arms(motion, other.with_grippers(right=0.5))
    assert set(both.grippers) == {"left", "right"}
    assert equal(both.of("left"), motion)
    assert repr(both).endswith("left gripper, right gripper)")


def test_what_does_not_fit_is_refused(plain: Trajectory, motion: Trajectory) -> None:
    with pytest.raises(InputError, match=r"opening = 1\.2; it must be from 0 \(closed\) to 1"):
        plain.with_grippers(left=[(0.0, 1.2)])
    with pytest.raises(InputError, match=r"the right gripper do not fit: the motion is of left"):
        plain.with_grippers(right=0.0)
    with pytest.raises(InputError, match=r"moves at 99 s, after the end of the motion"):
        plain.with_grippers(left=[(99.0, 0.0)])
    with pytest.raises(InputError, match="must start at 0 s or later, and increase"):
        plain.with_grippers(left=[(1.0, 0.0), (0.5, 1.0)])
    with pytest.raises(ShapeError, match=r"rows \(time, opening\)"):
        plain.with_grippers(left=[0.0, 1.0, 0.5])
    with pytest.raises(InputError, match=r"retime motion\.with_grippers\(\)"):
        time_optimal(LEFT, motion)

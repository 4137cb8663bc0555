"""What is written is read again: exactly from .npz and .json, through its samples from .csv."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, recording
from baxterkit.errors import InputError, ShapeError, UnitsWarning
from baxterkit.model.names import joint_names
from baxterkit.trajectory import Trajectory, TrajectoryError, circle, min_jerk


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    return circle([0.6, -0.2, 0.1]).to_joints(Arm("right"))


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_exact(motion: Trajectory, tmp_path: Path, ending: str) -> None:
    path = motion.save(tmp_path / f"motion{ending}")
    again = Trajectory.load(path)
    assert again.name == "circle"
    assert_close(again.knots, motion.knots, 0.0)
    assert_close(again.coefficients, motion.coefficients, 0.0)
    assert again.limits is not None
    assert motion.limits is not None
    assert again.limits.names == motion.limits.names
    for field in ("lower", "upper", "velocity", "effort"):
        assert_close(getattr(again.limits, field), getattr(motion.limits, field), 0.0)
    again.check()


def test_samples(motion: Trajectory, tmp_path: Path) -> None:
    again = Trajectory.load(motion.save(tmp_path / "motion.csv", rate=50.0))
    t = np.linspace(0.0, motion.duration, 999)
    for a, b in zip(again.sample(t), motion.sample(t), strict=True):
        assert_close(a, b, 0.0)
    lines = (tmp_path / "motion.csv").read_text(encoding="utf-8").splitlines()
    names = lines[0].split(",")
    assert names[:3] == ["t", "q_right_s0", "q_right_s1"]
    assert names[8] == "qd_right_s0"
    assert {name[:7] for name in names[22:]} == {"pieces:"}
    (tmp_path / "plain.csv").write_text(
        "\n".join(",".join(line.split(",")[:22]) for line in lines), encoding="utf-8"
    )
    again = Trajectory.load(tmp_path / "plain.csv")
    assert again.side == "right"
    for a, b, most in zip(again.sample(t), motion.sample(t), (1e-7, 1e-5, 1e-3), strict=True):
        assert np.abs(a - b).max() < most


def test_without_limits(tmp_path: Path) -> None:
    plain = Trajectory.from_points([0.0, 1.0], np.zeros((2, 7)))
    assert Trajectory.load(plain.save(tmp_path / "plain.npz")).limits is None


def test_a_file_of_the_robots_recorder(tmp_path: Path) -> None:
    """joint_recorder's columns: time, left arm, gripper, right arm, in its own order."""
    left = [f"left_{name}" for name in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]
    right = [name.replace("left", "right") for name in left]
    path = tmp_path / "recorded.csv"
    rows = (0.05 - 0.05 * np.cos(np.linspace(0.0, np.pi, 11)))[:, None] * np.arange(17)
    rows[:, 0] = np.linspace(5.0, 6.0, 11)
    lines = [",".join(["time", *left, "left_gripper", *right, "right_gripper"])]
    lines += [",".join(map(repr, row.tolist())) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    both = Trajectory.load(path)
    assert both.side == "both"
    assert_close(both.end, 0.1 * np.delete(np.arange(1.0, 16.0), 7), 1e-12)
    motion = Trajectory.load(path, side="right")
    assert motion.duration == pytest.approx(1.0)
    assert_close(motion.end, 0.1 * np.arange(9.0, 16.0), 1e-12)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", "{path}: a trajectory's file ends in .npz, .json, .csv"),
        ("a.npz", "no zip", "{path} is not a npz file: "),
        ("a.json", "{", "{path} is not a json file: "),
        ("a.json", "[]", "{path} does not hold a trajectory (no format 'baxterkit trajectory 1')"),
        ("a.json", '{"format": "baxterkit trajectory 1"}', "{path}: it has no knots"),
        ("a.csv", "", "{path} holds no rows of numbers"),
        ("a.csv", "1,2,3", "{path} has no column t or time; its first line must name the columns"),
        ("a.csv", "t,a\n0,1\n1,x", "{path}, line 3: '1,x' is not numbers"),
        ("a.csv", "t,a\n0,1\n1", "{path}, line 3: 2 numbers expected, got 1"),
        ("a.csv", "t,a\n0,1", "{path}: it has no columns q_s0 ... q_w2, s0 ... w2, left_s0 ... or "
         "right_s0 ...; it has t, a"),
    ],
)  # fmt: skip
def test_what_is_no_trajectory_is_named(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Trajectory.load(path)
    assert str(caught.value).startswith(message.format(path=path))


def test_a_cut_off_file_is_named(tmp_path: Path) -> None:
    arm = Arm("left")
    path = min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck")).save(
        tmp_path / "cut.npz"
    )
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match="is not a npz file"):
        Trajectory.load(path)


def test_a_damaged_archive_is_named_wherever_it_is_damaged(
    motion: Trajectory, tmp_path: Path
) -> None:
    whole = motion.save(tmp_path / "whole.npz").read_bytes()
    path = tmp_path / "damaged.npz"
    refused = 0
    for k in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 0xFF]) + whole[k + 1 :])
        try:
            Trajectory.load(path)
        except InputError as error:
            assert str(error).startswith(f"{path} is not a npz file: ")  # noqa: PT017
            refused += 1
    assert refused > 30
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "one.npy").rename(path)
    with pytest.raises(InputError, match="is not a npz file: File is not a zip file"):
        Trajectory.load(path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("knots", "abc", "knots must hold real numbers, got the text 'abc'"),
        ("limits_lower", "abc", "limits_lower must hold real numbers, got the text 'abc'"),
        ("limits_velocity", 5, "limits_velocity must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its "
         "last axis, got shape ()"),
        ("joint_names", 5, "limits and joint_names must have shape (7,), or (14,) of both arms"),
        ("joint_names", ["s0"],
         "limits and joint_names must have shape (7,), or (14,) of both arms"),
    ],
)  # fmt: skip
def test_wrong_contents_are_named_with_the_file(
    motion: Trajectory, tmp_path: Path, key: str, value: object, message: str
) -> None:
    path = motion.save(tmp_path / "motion.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {key: value}), encoding="utf-8")
    with pytest.raises((InputError, ShapeError)) as caught:
        Trajectory.load(path)
    assert str(caught.value) == f"{path}: {message}"


def test_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="is not a json file"):
        Trajectory.load(tmp_path / "deep.json")


@pytest.mark.parametrize(
    "header",
    [
        "t,s0,s1,e0,e1,w0,w1,w2",
        '"t","s0","s1","e0","e1","w0","w1","w2"',
        "t [s]; s0 [rad]; s1 [rad]; e0 (rad); e1; w0; w1; w2",
        "time s0 s1 e0 e1 w0 w1 w2",
    ],
)
def test_headers_may_be_quoted_and_have_units(tmp_path: Path, header: str) -> None:
    path = tmp_path / "motion.csv"
    path.write_text(f"{header}\n0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,8\n", encoding="utf-8")
    assert_close(Trajectory.load(path).end, [1.0, 2, 3, 4, 5, 6, 8], 1e-12)


def test_what_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "motion.csv"
    path.write_text(
        "t,s0,s1,e0,e1,w0,w1,w2\n0,0,0,0,0,0,0,0\n1,nan,0,0,0,0,0,0\n", encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        Trajectory.load(path)
    assert str(caught.value) == f"{path}, line 3: every number must be finite"


def test_the_slowest_file_has_both_ends(motion: Trajectory, tmp_path: Path) -> None:
    rows = motion.save(tmp_path / "slow.csv", rate=1e-12).read_text(encoding="utf-8").splitlines()
    assert len(rows) == 3


def samples(
    path: Path, t: Any, side: str = "left", columns: int = 7, at_speed: bool = False
) -> Path:
    """Positions of an arm whose s0 swings, by time, from rest to rest or not."""
    q = np.tile(Arm("left").configuration("untuck"), (len(t), 1))
    swing = np.sin if at_speed else lambda x: 1.0 - np.cos(0.8 * np.pi * x)
    q[:, 0] += 0.5 * swing(np.linspace(0.0, 5.0, len(t)))
    names = ["time", *joint_names(side)][: columns + 1]
    header, rows = ",".join(names), np.column_stack([t, q])[:, : columns + 1]
    np.savetxt(path, rows, delimiter=",", header=header, comments="")
    return path


def test_milliseconds_are_noticed(tmp_path: Path) -> None:
    path = samples(tmp_path / "ms.csv", 20.0 * np.arange(300))
    with pytest.warns(UnitsWarning, match=r"ms\.csv: rows .* 20 s apart: .* in milliseconds; it"):
        Trajectory.load(path)


def test_a_file_that_begins_in_motion_is_a_recording(tmp_path: Path) -> None:
    path = samples(tmp_path / "cut.csv", 0.01 * np.arange(300), at_speed=True)
    arm = Arm("left")
    with pytest.raises(InputError, match=r"ends at speed.*line 301.*load\(\.\.\.\)\.to_trajectory"):
        Trajectory.load(path)
    rows = recording.load(path)
    cut = Trajectory.from_points(rows.t, rows.q)
    with pytest.raises(TrajectoryError, match=r"at speed.*load\(\.\.\.\)\.to_trajectory"):
        cut.check(arm=arm)
    taught = recording.load(path).to_trajectory().check(arm=arm)
    assert taught.duration == pytest.approx(2.99 + 1.0, abs=0.01)
    q = taught.sample(np.linspace(0.0, taught.duration, 400)).q[:, 0]
    rows = recording.load(path).q[:, 0]
    assert np.abs([q.min() - rows.min(), q.max() - rows.max()]).max() < 5e-3  # the same path
    with pytest.raises(TrajectoryError, match="slow down"):
        taught.stretched(0.2).check()


def test_columns_that_are_missing_or_there_twice_are_named(tmp_path: Path) -> None:
    path = samples(tmp_path / "six.csv", 0.01 * np.arange(30), columns=6)
    with pytest.raises(InputError, match=r"it lacks the column left_w2; it has time, left_s0"):
        Trajectory.load(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("left_w1", "left_w0", 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"six\.csv has two columns left_w0; rename one"):
        Trajectory.load(path)


@pytest.mark.parametrize("side", ["left", "right"])
def test_degrees_are_noticed(tmp_path: Path, side: str) -> None:
    path = tmp_path / "deg.csv"
    start = Arm(side).configuration("untuck")
    q = np.degrees(start) * (1.05 - 0.05 * np.cos(np.linspace(0.0, np.pi, 30)))[:, None]
    header = ",".join(["time", *joint_names(side)])
    rows = np.column_stack([0.02 * np.arange(30), q])
    np.savetxt(path, rows, delimiter=",", header=header, comments="")
    with pytest.warns(UnitsWarning, match=r"deg\.csv: e1 reaches 122\.\d+ rad: are these degrees"):
        Trajectory.load(path)
    motion = recording.load(path, angles="deg").to_trajectory()
    assert np.abs(motion.start - start).max() < 0.1


def test_many_turns_are_no_degrees(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    rows = np.column_stack([0.1 * np.arange(30), np.full((30, 7), 300.0)])
    np.savetxt(path, rows, delimiter=",", header="t,s0,s1,e0,e1,w0,w1,w2", comments="")
    with warnings.catch_warnings(action="error"):
        Trajectory.load(path)


def both_arms_table(path: Path, names: list[str], t: np.ndarray) -> Path:
    """Positions of both arms, of which the left s0 swings."""
    q = np.tile([*Arm("left").configuration("untuck"), *Arm("right").configuration("untuck")], 1)
    rows = np.tile(q, (len(t), 1))
    rows[:, 0] += 0.5 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, len(t))))
    known = [*joint_names("left"), *joint_names("right")]
    columns = [t, *(rows[:, known.index(name)] for name in names)]
    header = ",".join(["time", *names])
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="")
    return path


def test_an_arm_with_a_joint_missing_is_not_left_out(tmp_path: Path) -> None:
    names = [*joint_names("left"), *(name for name in joint_names("right") if name != "right_e0")]
    path = both_arms_table(tmp_path / "half.csv", names, 0.02 * np.arange(100))
    with pytest.raises(InputError, match=r"half\.csv: it lacks the column right_e0; it has time"):
        Trajectory.load(path)
    assert Trajectory.load(path, "left").side == "left"
    with pytest.raises(InputError, match="it lacks the column right_e0"):
        Trajectory.load(path, "right")


def test_milliseconds_of_a_fast_recorder_are_noticed(tmp_path: Path) -> None:
    names = [*joint_names("left"), *joint_names("right")]
    path = both_arms_table(tmp_path / "ms.csv", names, np.arange(3000.0))
    with pytest.warns(UnitsWarning, match=r"rows .* 1 s apart: .* in milliseconds; it must"):
        Trajectory.load(path)


def test_decimal_commas_are_read_between_semicolons(tmp_path: Path) -> None:
    point = samples(tmp_path / "point.csv", 0.02 * np.arange(100))
    text = point.read_text(encoding="utf-8")
    for mark in (";", "\t"):
        path = tmp_path / "comma.csv"
        path.write_text(text.replace(",", mark).replace(".", ","), encoding="utf-8")
        assert_close(Trajectory.load(path).knots, Trajectory.load(point).knots, 0.0)
        assert_close(Trajectory.load(path).end, Trajectory.load(point).end, 0.0)
    path.write_text(text.replace(".", ","), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: 8 numbers expected, got 16; decimal commas"):
        Trajectory.load(path)


def test_an_empty_cell_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hole.csv"
    path.write_text("t,s0,s1,e0,e1,w0,w1,w2\n0,0,0,0,0,0,0,0\n1,0,,0,0,0,0,0\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Trajectory.load(path)
    assert str(caught.value) == f"{path}, line 3: the cell of s1 is empty"


def test_times_that_do_not_increase_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "back.csv"
    rows = "".join(f"{t},0,0,0,0,0,0,0\n" for t in (0, 1, 2, 1.5, 3))
    path.write_text(f"t,s0,s1,e0,e1,w0,w1,w2\n{rows}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Trajectory.load(path)
    assert str(caught.value) == (f"{path}: line 5: time 1.5 s is not after 2 s, the time before it")


def test_an_empty_cell_below_the_pieces_is_named_in_short(tmp_path: Path) -> None:
    arm = Arm("left")
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"))
    head, *rows = motion.save(tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "hole.csv"
    path.write_text("\n".join([head, *(row.removesuffix("0.0") for row in rows)]), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: the cell of pieces:.* is empty") as caught:
        Trajectory.load(path)
    assert len(str(caught.value)) < 120 + len(str(path))

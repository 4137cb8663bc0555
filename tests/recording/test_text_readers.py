"""Text files: joint_recorder's CSV, 21 columns, pairs of files, Klamp't paths; broken rows."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from text_recordings import N, joint_recorder, motion, table, write
from tolerances import RESAMPLED, assert_close

from baxterkit import Arm, recording
from baxterkit.errors import InputError, MissingFileError, RecordingError, UnknownNameError
from baxterkit.model.names import JOINTS, joint_names
from baxterkit.recording.columns import Column, read_name
from baxterkit.spatial import matrix_to_quaternion
from baxterkit.trajectory import Trajectory, min_jerk


@pytest.mark.parametrize(("side", "offset"), [("left", 0.0), ("right", 0.1)])
def test_joint_recorder_files_are_read(tmp_path: Path, side: str, offset: float) -> None:
    rec = recording.load(write(tmp_path / "a.csv", joint_recorder()), side)
    t, q, _, _ = motion()
    np.testing.assert_array_equal(rec.t, t)
    np.testing.assert_array_equal(rec.q, q + offset)
    assert (rec.side, rec.fields) == (side, ("q", "opening"))


def test_columns_go_by_name_in_any_order(tmp_path: Path) -> None:
    t, q, qd, tau = motion()
    named = {
        f"{word}_right_{joint}": values[:, i]
        for word, values in (("torq", tau), ("vel", qd), ("ang", q))
        for i, joint in enumerate(JOINTS)
    }
    columns = [*named.items(), ("time", t)]
    shuffled = dict(columns[i] for i in np.random.default_rng(0).permutation(len(columns)))
    rec = recording.load(write(tmp_path / "a.csv", table(shuffled, ";")))
    assert rec.side == "right"
    np.testing.assert_array_equal(rec.q, q)
    np.testing.assert_array_equal(rec.qd, qd)
    np.testing.assert_array_equal(rec.tau, tau)


def variant(text: str, kind: str) -> str:
    """A CSV text as other programs write it."""
    lines = text.splitlines()
    return {
        "Windows": "\r\n".join(lines),
        "byte order mark": "\ufeff" + text,
        "a comma at every end": "\n".join(f"{line}," for line in lines),
        "a comma at the ends of rows": "\n".join([lines[0], *(f"{line}," for line in lines[1:])]),
        "quotes": "\n".join('"' + line.replace(",", '","') + '"' for line in lines),
        "decimal commas": text.replace(",", ";").replace(".", ","),
        "comma and tab": text.replace(",", ",\t"),
        "tabs": text.replace(",", "\t"),
        "commented header": f"% {text}",
        "a column of words": "\n".join([f"{lines[0]},label", *(f"{x},good" for x in lines[1:])]),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "Windows",
        "byte order mark",
        "a comma at every end",
        "a comma at the ends of rows",
        "quotes",
        "decimal commas",
        "comma and tab",
        "tabs",
        "commented header",
        "a column of words",
    ],
)
def test_csv_of_other_programs_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(variant(joint_recorder(), kind).encode())
    rec = recording.load(path, "left")
    t, q, _, _ = motion()
    np.testing.assert_array_equal(rec.t, t)
    np.testing.assert_array_equal(rec.q, q)


def test_words_are_broken_rows_in_columns_that_count_only(tmp_path: Path) -> None:
    lines = variant(joint_recorder(), "a column of words").splitlines()
    lines[4] = lines[4].replace(",good", ",")
    lines[6] = "soon," + lines[6].partition(",")[2]
    path = write(tmp_path / "a.csv", "\n".join(lines))
    with pytest.raises(RecordingError, match=r"line 5: 18 numbers expected, got 17 \(2 broken"):
        recording.load(path, "left")
    notes = recording.load(path, "left", bad_rows="drop").notes
    assert notes[1] == "dropped line 7: time: 'soon' is not a number"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("time", Column("t", None, 0)),
        ("Time [s]", Column("t", None, 0)),
        ("left_s0", Column("q", "left", 0)),
        ("ang_left_e1", Column("q", "left", 3)),
        ("right_w2_velocity", Column("qd", "right", 6)),
        ("tau_w0", Column("tau", None, 4)),
        ("poseangle_left_w", Column("quaternion", "left", 3)),
        ("twistangular_right_y", Column("twist", "right", 4)),
        ("wrenchforce_left_z", Column("wrench", "left", 2)),
        ("left_gripper", Column("gripper", "left", 0)),
        ("left_hand", None),
        ("head_pan", None),
        ("", None),
    ],
)
def test_names_of_columns_are_understood(name: str, column: Column | None) -> None:
    assert read_name(name) == column


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_21_columns_are_read_and_their_time_is_found(
    tmp_path: Path, header: bool, packed: bool
) -> None:
    _, q, qd, tau = motion(2000)
    text = "\n".join(" ".join(map(repr, row)) for row in np.hstack([q, qd, tau]).tolist())
    if header:
        words = [f"{w}_left_{joint}" for w in ("ang", "vel", "torq") for joint in JOINTS]
        text = " ".join(words) + "\n" + text
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    rec = recording.load(path)
    np.testing.assert_array_equal(np.hstack([rec.q, rec.qd, rec.tau]), np.hstack([q, qd, tau]))
    assert rec.side == ("left" if header else None)
    assert abs(rec.rate - 100.0) < 0.05
    assert rec.notes[0].startswith("no time column: 0.01")


def test_a_given_rate_is_taken(tmp_path: Path) -> None:
    _, q, qd, tau = motion()
    text = "\n".join(" ".join(map(repr, row)) for row in np.hstack([q, qd / 2.0, tau]).tolist())
    rec = recording.load(write(tmp_path / "a.txt", text), rate=50.0, side="right")
    assert_close(rec.t, np.arange(N) / 50.0, RESAMPLED)
    assert (rec.side, rec.notes) == ("right", ())


def test_without_time_and_velocities_the_rate_is_asked_for(tmp_path: Path) -> None:
    _, q, _, _ = motion()
    path = write(tmp_path / "a.csv", table(dict(zip(joint_names("left"), q.T, strict=True))))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}: there is no time column; say the rate: load(..., rate=100)"
    )


def pair(folder: Path, late: float = 0.0, rows: int = N) -> Path:
    """Angles and poses in two files; one pose may be stored late."""
    t, q, _, _ = motion(N)
    angles = {"time": t, **dict(zip(joint_names("left"), q.T, strict=True))}
    t_pose = t.copy()
    t_pose[50] += late
    poses = {"time": t_pose}
    for i, axis in enumerate("xyz"):
        poses[f"poselinear_left_{axis}"] = t_pose * (i + 1)
    for axis, value in zip("xyzw", (0.0, 0.6, 0.0, 0.8), strict=True):
        poses[f"poseangle_left_{axis}"] = np.full(N, value)
    write(folder / "runJA.csv", table(angles))
    write(folder / "runEE.csv", table({name: values[:rows] for name, values in poses.items()}))
    return folder / "runJA.csv"


@pytest.mark.parametrize("name", ["runJA.csv", "runEE.csv", "runJA", "runEE"])
def test_angles_and_poses_of_two_files_come_together(tmp_path: Path, name: str) -> None:
    pair(tmp_path)
    if "." not in name:
        for one in ("runJA", "runEE"):
            (tmp_path / f"{one}.csv").rename(tmp_path / one)
    rec = recording.load(tmp_path / name)
    t, q, _, _ = motion()
    np.testing.assert_array_equal(rec.q, q)
    assert_close(rec.position, t[:, None] * [1.0, 2.0, 3.0], RESAMPLED)
    assert_close(rec.quaternion[0], [0.0, 0.6, 0.0, 0.8], 0.0)


def test_a_pose_stored_late_is_brought_to_the_time_of_its_angles(tmp_path: Path) -> None:
    rec = recording.load(pair(tmp_path, late=0.004))
    assert_close(rec.position, rec.t[:, None] * [1.0, 2.0, 3.0], RESAMPLED)
    assert rec.notes[:-1] == (  # the last: positions are made up
        "line 52: the pose was stored up to 0.004 s beside its angles; interpolated to their time",
    )


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    path = pair(tmp_path, rows=150)
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{tmp_path / 'runEE.csv'}: 150 rows do not match the 200 of {path}"


def test_a_klampt_path_holds_both_arms(tmp_path: Path) -> None:
    values = np.arange(54.0) / 100.0
    lines = ["\t".join(map(repr, [0.01 * i, 54.0, *(values + i).tolist()])) for i in range(3)]
    rec = recording.load(write(tmp_path / "a.path", "\n".join(lines)), "right")
    assert_close(rec.q[0], [0.35, 0.36, 0.37, 0.38, 0.39, 0.41, 0.42], RESAMPLED)
    assert_close(rec.t, [0.0, 0.01, 0.02], RESAMPLED)


def broken(line: int, change: dict[str, str]) -> str:
    """joint_recorder's file with cells of one line changed."""
    lines = joint_recorder().splitlines()
    header = lines[0].split(",")
    words = lines[line - 1].split(",")
    for name, value in change.items():
        words[header.index(name)] = value
    lines[line - 1] = ",".join(words)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("line", "change", "what"),
    [
        (17, {"left_s1": "nan"}, "q_s1 is nan"),
        (17, {"left_s1": "inf"}, "q_s1 is inf"),
        (2, {"time": "nan"}, "time is nan"),
        (201, {"left_w2": ""}, "left_w2: the cell is empty"),
        (9, {"left_w2": "0.1.2"}, "left_w2: '0.1.2' is not a number"),
        (30, {"left_e0": "75.0"}, "q_e0 = 75 rad is beyond ±6.28 rad"),
        (40, {"time": "0.1"}, "time 0.1 s is not after 0.37 s, the time before it"),
    ],
)
def test_a_broken_row_is_named_and_the_others_kept_on_request(
    tmp_path: Path, line: int, change: dict[str, str], what: str
) -> None:
    path = write(tmp_path / "a.csv", broken(line, change))
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}, line {line}: {what} (1 broken row in all); load(..., bad_rows='drop') keeps the "
        "other 199"
    )
    assert caught.value.row == f"line {line}"
    rec = recording.load(path, "left", bad_rows="drop")
    kept = np.delete(np.arange(N), line - 2)
    np.testing.assert_array_equal(rec.q, motion()[1][kept])
    np.testing.assert_array_equal(rec.t, motion()[0][kept])
    assert rec.notes == (f"dropped line {line}: {what}",)


def test_a_row_with_cells_missing_is_named(tmp_path: Path) -> None:
    lines = joint_recorder().splitlines()
    lines[11] = ",".join(lines[11].split(",")[:9])
    path = write(tmp_path / "a.csv", "\n".join(lines))
    with pytest.raises(RecordingError, match=r"line 12: 17 numbers expected, got 9 \(1 broken"):
        recording.load(path, "left")


def test_dropped_rows_leave_their_time_where_it_is_counted(tmp_path: Path) -> None:
    _, q, qd, tau = motion()
    rows = [" ".join(map(repr, row)) for row in np.hstack([q, qd, tau]).tolist()]
    rows[5] = "broken"
    path = write(tmp_path / "a.txt", "\n".join(rows))
    rec = recording.load(path, rate=100.0, bad_rows="drop")
    assert_close(rec.t, np.delete(np.arange(N), 5) / 100.0, RESAMPLED)


def test_a_missing_joint_is_named(tmp_path: Path) -> None:
    t, q, _, _ = motion()
    columns = {"time": t, **dict(zip(joint_names("left"), q.T, strict=True))}
    del columns["left_w0"], columns["left_e1"]
    path = write(tmp_path / "a.csv", table(columns))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}: q lacks q_e1, q_w0; a recording needs all of "
        "q_s0, q_s1, q_e0, q_e1, q_w0, q_w1, q_w2"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file holds no rows"),
        ("\n\n", "the file holds no rows"),
        ("time,left_s0,left_s1\n", "the file has a header and no rows"),
        (
            "1 2 3\n4 5 6\n",
            "3 columns without names; a file without header must hold q, qd, tau (7 each, s0..w2), "
            "with or without time before them",
        ),
        (
            "left_s0 left_s1\nx y\n1 2 3\n",
            "q lacks q_e0, q_e1, q_w0, q_w1, q_w2; a recording needs all of q_s0, q_s1, q_e0, "
            "q_e1, q_w0, q_w1, q_w2",
        ),
        ("a,b\n1,2\n", "no column is known among a, b; joints are named left_s0 or q_s0"),
        (
            "time,position_x,position_y,position_z\n0,1,2,3\n",
            "no joint positions: columns must be named left_s0 ... left_w2 or q_s0 ... q_w2, or be "
            "the 21 columns q qd tau; it has time, position_x, position_y, position_z",
        ),
    ],
)
def test_files_that_hold_no_recording_say_why(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_of_broken_rows_only_names_the_first(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ",".join(joint_names("left")) + "\na\nb\n")
    for bad_rows in ("raise", "drop"):
        with pytest.raises(RecordingError) as caught:
            recording.load(path, bad_rows=bad_rows)
        assert str(caught.value) == (
            f"{path}, line 2: no good row is left; the first problem: 7 numbers expected, got 1"
        )


def test_binary_files_and_cut_off_gzip_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"time,left_s0\n\xff\xfe\x00")
    with pytest.raises(RecordingError, match=r"a\.csv, line 2: this is not text \(UTF-8\)"):
        recording.load(path)
    path.write_bytes(b"time,left_s0\n0,1\0\n")
    with pytest.raises(RecordingError, match=r"a\.csv, line 2: this is not text \(UTF-8\)"):
        recording.load(path)
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(joint_recorder().encode())[:-50])
    with pytest.raises(RecordingError, match=r"b\.csv\.gz: the gzip data is cut off or damaged"):
        recording.load(packed, "left")


def test_wrong_options_and_places_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", joint_recorder())
    with pytest.raises(UnknownNameError, match="unknown unit of angles 'grad'"):
        recording.load(path, "left", angles="grad")
    with pytest.raises(UnknownNameError, match="unknown treatment of bad rows 'keep'"):
        recording.load(path, "left", bad_rows="keep")
    with pytest.raises(InputError, match=r"rate \[Hz\] = 0 must be positive"):
        recording.load(path, "left", rate=0)
    with pytest.raises(RecordingError, match="this is a folder; name one file in it"):
        recording.load(tmp_path)
    with pytest.raises(RecordingError, match=r"a\.bag: endpoint= goes with text files; this kind"):
        recording.load(tmp_path / "a.bag", endpoint=path)
    for name in ("none.csv", "none.bag", "none.mat", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            recording.load(tmp_path / name)


def test_damaged_text_raises_no_other_error(tmp_path: Path) -> None:
    data = joint_recorder(40).encode()
    rng = np.random.default_rng(0)
    path = tmp_path / "a.csv"
    errors = []
    for k in range(150):
        broken = bytearray(data[: int(rng.integers(1, len(data)))] if k % 3 else data)
        for place in rng.integers(0, len(broken), 1 + k % 30):
            broken[place] = int(rng.integers(256))
        path.write_bytes(bytes(broken))
        for bad_rows in ("raise", "drop"):
            try:
                recording.load(path, "left", bad_rows=bad_rows)
            except RecordingError as error:
                errors.append(str(error))
    assert errors
    assert all(str(path) in error for error in errors)


def test_recordings_of_a_folder_are_found(tmp_path: Path) -> None:
    for name in ("b.bag", "a_JA.csv", "a_EE.csv", "c.CSV.GZ", "notes.md"):
        (tmp_path / name).write_text("")
    assert [p.name for p in recording.find(tmp_path)] == ["a_JA.csv", "b.bag", "c.CSV.GZ"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError) as caught:
        recording.find(empty)
    assert str(caught.value).startswith(f"{empty} holds no recording; known endings: .bag ")
    with pytest.raises(MissingFileError) as missing:
        recording.find(tmp_path / "gone")
    assert str(missing.value) == f"{tmp_path / 'gone'}: there is no such folder"


def test_joints_by_number_are_listed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "t,q1,q2\n0,1,2\n")
    with pytest.raises(RecordingError, match=r"or be the 21 columns q qd tau; it has t, q1, q2$"):
        recording.load(path)


def test_a_rate_that_is_not_needed_is_noted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", joint_recorder())
    assert recording.load(path, "left", rate=100.0).notes == ()
    assert recording.load(path, "left", rate=50.0).notes == (
        "the file has times, at 100 Hz; the rate of 50 Hz that was given does not count",
    )


def test_one_file_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", joint_recorder())
    with pytest.raises(InputError, match="path must name one file, got list; load one at a time"):
        recording.load([path, path], "left")  # type: ignore[arg-type]


def test_poses_as_fk_prints_them_are_read(tmp_path: Path) -> None:
    t, q, _, _ = motion(30)
    T = Arm("left").fk(q)
    quaternion = matrix_to_quaternion(T[:, :3, :3])
    columns = {"time": t, **dict(zip(joint_names("left"), q.T, strict=True))}
    poses = dict(
        zip(("x", "y", "z", "qx", "qy", "qz", "qw"), [*T[:, :3, 3].T, *quaternion.T], strict=True)
    )
    rec = recording.load(write(tmp_path / "a.csv", table(columns | poses)))
    assert_close(rec.T_base_tip, T, 1e-12)
    del poses["qw"]  # no pose, and none of our names
    assert recording.load(write(tmp_path / "b.csv", table(columns | poses))).fields == ("q",)


def test_a_row_that_sums_up_the_others_is_broken(tmp_path: Path) -> None:
    t, q, _, _ = motion(30)
    rows = [",".join(map(repr, row)) for row in np.column_stack([t, q]).tolist()]
    lines = [f"{row},ok" for row in rows[:-2]] + [f"{rows[-2]},mean", f"{rows[-1]},std"]
    text = "\n".join([",".join(["time", *joint_names("left"), "note"]), *lines, ""])
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(RecordingError, match="line 30: 'mean' under note says that this row sums"):
        recording.load(path)
    assert len(recording.load(path, bad_rows="drop")) == 28
    path = write(path, text.replace(",std", ",ok").replace("ok", "max", 5))
    with pytest.raises(RecordingError, match=r"line 30: 'mean' .*1 broken row in all"):
        recording.load(path)  # a status that some rows have is none


def test_a_line_for_excel_names_the_separator(tmp_path: Path) -> None:
    t, q, _, _ = motion(30)
    text = table({"time": t, **dict(zip(joint_names("left"), q.T, strict=True))})
    assert len(recording.load(write(tmp_path / "a.csv", "sep=,\n" + text))) == 30
    given = min_jerk(Arm("left"), q[0], q[-1], 2.0).save(tmp_path / "m.csv")
    motion_text = "sep=,\n" + given.read_text()
    assert Trajectory.load(write(tmp_path / "m.csv", motion_text)).duration == 2.0

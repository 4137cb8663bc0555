from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.spatial import quaternion_to_matrix, rpy_to_matrix
from baxterkit.trajectory import min_jerk, save_playback

NEUTRAL = ["0", "-0.55", "0", "0.75", "0", "1.26", "0"]
ATOL = 1e-12  # the same kernel, through a decimal that keeps every digit


def poses(text: str) -> list[dict[str, float]]:
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]


def test_json_holds_the_pose_in_every_form(cli: Any) -> None:
    done = cli("fk", *NEUTRAL, "--json").json
    T = Arm("left").fk([float(x) for x in NEUTRAL])
    np.testing.assert_allclose(done["matrix"], T, rtol=0, atol=ATOL)
    np.testing.assert_allclose(done["position"], T[:3, 3], rtol=0, atol=ATOL)
    R = quaternion_to_matrix(done["quaternion"])
    np.testing.assert_allclose(R, T[:3, :3], rtol=0, atol=ATOL)
    np.testing.assert_allclose(rpy_to_matrix(done["rpy"]), T[:3, :3], rtol=0, atol=ATOL)


def test_text_names_position_quaternion_and_rpy(cli: Any) -> None:
    done = cli("fk", "neutral", "--side", "right")
    assert (done.status, done.err) == (0, "")
    x = Arm("right").fk(Arm("right").configuration("neutral"))[0, 3]
    assert f"{x:.6f}" in done.out
    for word in ("right arm", "position [m]", "quaternion", "x y z w", "rpy [rad]"):
        assert word in done.out


@pytest.mark.parametrize(
    "words",
    [
        ["neutral"],
        NEUTRAL,
        [",".join(NEUTRAL)],
        [" ".join(NEUTRAL)],
        ["--deg", *(str(np.degrees(float(x))) for x in NEUTRAL)],
    ],
)
def test_every_way_to_give_angles_gives_the_same_pose(cli: Any, words: list[str]) -> None:
    done = cli("fk", *words, "--json").json
    T = Arm("left").fk(Arm("left").configuration("neutral"))
    np.testing.assert_allclose(done["position"], T[:3, 3], rtol=0, atol=ATOL)


def test_first_angle_may_be_negative(cli: Any) -> None:
    q = [-0.5, -0.25, -1.0, 0.5, -0.125, -1e-3, -2.0]
    done = cli("fk", *q, "--json").json
    assert done["q"] == q
    assert cli("fk", ",".join(map(str, q)), "--json").json["q"] == q


def test_degrees_go_in_and_come_out(cli: Any) -> None:
    rad, deg = (cli("fk", "untuck", *flag, "--json").json for flag in ([], ["--deg"]))
    np.testing.assert_allclose(np.radians(deg["rpy"]), rad["rpy"], rtol=0, atol=ATOL)
    np.testing.assert_allclose(np.radians(deg["q"]), rad["q"], rtol=0, atol=ATOL)
    assert (rad["angle_unit"], deg["angle_unit"]) == ("rad", "deg")
    assert deg["position"] == rad["position"]


def test_links_lists_every_frame_and_the_tip(cli: Any) -> None:
    arm = Arm("left")
    done = cli("fk", "neutral", "--links", "--json").json
    assert list(done["links"]) == [*arm.joint_names, "tip"]
    got = [pose["matrix"] for pose in done["links"].values()]
    np.testing.assert_allclose(got, arm.link_poses(arm.configuration("neutral")), rtol=0, atol=ATOL)
    assert "left_e1" in cli("fk", "neutral", "--links").out


def test_tool_moves_the_tip_along_the_hands_z(cli: Any) -> None:
    hand = np.array(cli("fk", "tuck", "--json").json["matrix"])
    tip = np.array(cli("fk", "tuck", "--tool", "vacuum", "--json").json["matrix"])
    np.testing.assert_allclose(tip[:3, 3], hand[:3, 3] + 0.08 * hand[:3, 2], rtol=0, atol=ATOL)


def test_batch_from_stdin_gives_csv(cli: Any) -> None:
    rng = np.random.default_rng(7)
    q = rng.uniform(-1.0, 1.0, (5, 7))
    text = "".join(",".join(map(repr, row)) + "\n" for row in q.tolist())
    done = cli("fk", "-", stdin=text)
    assert (done.status, done.err) == (0, "")
    T = Arm("left").fk(q)
    rows = poses(done.out)
    for name, expected in zip("xyz", T[:, :3, 3].T, strict=True):
        np.testing.assert_allclose([row[name] for row in rows], expected, rtol=0, atol=ATOL)
    R = quaternion_to_matrix([[row[k] for k in ("qx", "qy", "qz", "qw")] for row in rows])
    np.testing.assert_allclose(R, T[:, :3, :3], rtol=0, atol=ATOL)


def test_batch_as_json(cli: Any) -> None:
    done = cli("fk", "-", "--json", stdin="0 0 0 0 0 0 0\n# a comment\n\n0 1 0 1 0 1 0\n").json
    assert [pose["q"] for pose in done["poses"]] == [[0.0] * 7, [0, 1, 0, 1, 0, 1, 0]]


def test_header_finds_columns_by_joint_name(cli: Any, tmp_path: Path) -> None:
    # The robot's recorder: a time column, both arms, names in any order.
    names = [
        "time",
        *(f"{s}_{j}" for s in ("left", "right") for j in sorted(JOINTS)),
    ]
    values = np.round(np.random.default_rng(3).uniform(-1, 1, (4, len(names))), 6)
    text = ",".join(names) + "\n" + "\n".join(",".join(map(str, row)) for row in values.tolist())
    file = tmp_path / "recording.csv"
    file.write_text(text, encoding="utf-8")
    order = [f"right_{j}" for j in JOINTS]
    q = values[:, [names.index(name) for name in order]]
    done = cli("fk", file, "--side", "right")
    got = [[row[k] for k in "xyz"] for row in poses(done.out)]
    np.testing.assert_allclose(got, Arm("right").fk(q)[:, :3, 3], rtol=0, atol=ATOL)


def test_a_binary_file_is_one_line_and_status_2(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "bin.csv"
    file.write_bytes(bytes(range(256)))
    for verb in (["fk"], ["jacobian"], ["ik"], ["dynamics", "neutral", "--qd"]):
        cli(*verb, file).fails_with(f"{file}: line 1: this is not text (UTF-8)")


@pytest.mark.parametrize(
    "text", ["0 -0.55 0 0.75 0 1.26 0\n", "s1,s0,e0,e1,w0,w1,w2\n0,0,0,1,0,0,0"]
)
def test_a_byte_order_mark_is_skipped(cli: Any, tmp_path: Path, text: str) -> None:
    file = tmp_path / "bom.csv"
    file.write_text(text, encoding="utf-8-sig")
    expected = cli("fk", "-", stdin=text)
    assert (expected.status, expected.err) == (0, "")
    assert cli("fk", file) == expected
    assert cli("fk", "-", stdin=text.encode("utf-8-sig")) == expected


def test_real_recording_is_read_as_it_is(cli: Any, data_dir: Path) -> None:
    file = data_dir / "replay" / "baxterArmMotion1.csv"
    done = cli("fk", file, "--side", "right")
    assert done.err == ""
    rows = len(file.read_text(encoding="utf-8").splitlines())
    assert len(done.out.splitlines()) == rows


def test_a_robots_own_urdf_has_its_own_mount(cli: Any, urdf_dir: Path) -> None:
    file = urdf_dir / "baxter_calibrated_robot_a.urdf"
    nominal = np.array(cli("fk", "neutral", "--json").json["position"])
    own = np.array(cli("fk", "neutral", "--urdf", file, "--json").json["position"])
    assert 5e-3 < float(np.linalg.norm(own - nominal)) < 4e-2


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (["1", "2", "3"], "", "7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 3"),
        (
            ["0", "0", "zero", "0", "0", "0", "0"],
            "",
            "'zero' is not a number; Q is 7 numbers, a configuration's name, a file, or -",
        ),
        (
            ["home"],
            "",
            "unknown configuration 'home'; available: neutral, tuck, untuck; "
            "or give 7 numbers, a file, or - for stdin",
        ),
        (["missing.csv"], "", "missing.csv: there is no such file"),
        (["-"], "", "stdin holds no joint angles"),
        (["-"], "1 2 3 4 5 6 7\n1 2\n", "stdin, line 2: 7 numbers expected, got 2"),
        (["-"], "0 0 0 0 0 0 0\na b\n", "stdin, line 2: 'a' is not a number"),
        (["-"], "0 0 0 O 0 0 0\n0 0 0 0 0 0 0\n", "stdin, line 1: 'O' is not a number"),
        (["-"], "\n# angles\n0,0,zero,0,0,0,0\n", "stdin, line 3: 'zero' is not a number"),
        (["-"], "s0 s1 e0 e1 w0 w1 w2\ns0 s1\n", "stdin, line 2: 's0' is not a number"),
        (["-"], f"0 {'x' * 999}\n", f"stdin, line 1: 'xxx{'x' * 53}... is not a number"),
        (["-"], b"0 0 0 0 0 0 0\n\xff\xfe\x00", "stdin: line 2: this is not text (UTF-8)"),
        (
            ["-"],
            "s0 s1 e0 e1 w0 w1\n0 0 0 0 0 0\n",
            "stdin lacks the joint left_w2; it has left_s0, left_s1, left_e0, left_e1, left_w0, "
            "left_w1",
        ),
        (["0", "nan", "0", "0", "0", "0", "0"], "", "q[1] = nan; every value of q must be finite"),
        (
            ["neutral", "--tool", "hammer"],
            "",
            "unknown tool 'hammer'; available: hand, electric_standard_narrow, "
            "electric_standard_wide, electric_extended_narrow, electric_extended_wide, vacuum, "
            "electric_standard, electric_extended",
        ),
        (
            ["-", "--links"],
            "0 0 0 0 0 0 0\n",
            "--links takes one configuration, not a batch (see: baxterkit fk --help)",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    cli: Any, args: list[str], stdin: str | bytes, message: str
) -> None:
    cli("fk", *args, stdin=stdin).fails_with(message)


@pytest.mark.parametrize("args", [[], ["neutral", "--quux"]])
def test_wrong_usage_is_one_line_that_points_to_the_help(cli: Any, args: list[str]) -> None:
    done = cli("fk", *args)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert done.err.endswith(" (see: baxterkit fk --help)\n")
    assert done.err.count("\n") == 1
    assert (args[-1] if args else "Q") in done.err


def test_the_answers_of_ik_are_read(cli: Any) -> None:
    poses_in = cli("fk", "-", stdin="0.1 -0.5 0 0.75 0.2 1 0\n0 0 0 0.5 0 0.5 0\n").out
    answers = cli("ik", "-", stdin=poses_in).out
    assert ",SOLVED\n" in answers
    again = cli("fk", "-", stdin=answers)
    assert (again.status, again.err) == (0, "")
    for one, other in zip(poses(poses_in), poses(again.out), strict=True):
        assert other == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("nan," * 7 + "OUT_OF_REACH", "s0 is nan (OUT_OF_REACH); leave such rows out"),
        ("0,,0,0,0,0,0,no answer", "s1 is empty (no answer); leave such rows out"),
        ("0,inf,0,0,0,0,0,", "s1 is inf; leave such rows out"),
        ("0,x,0,0,0,0,0,", "'x' is not a number"),
    ],
)
def test_a_row_without_angles_is_named(cli: Any, row: str, message: str) -> None:
    text = f"{','.join(JOINTS)},status\n0,0,0,0,0,0,0,SOLVED\n{row}\n"
    cli("fk", "-", stdin=text).fails_with(f"stdin, line 3: {message}")


def test_a_bare_row_that_is_not_finite_is_named(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "nan.csv"
    file.write_text("0,0,0,0,0,0,0\n0,nan,0,0,0,0,0\n")
    cli("fk", file).fails_with(f"{file}, line 2: s1 is nan; leave such rows out")


def test_semicolons_separate_and_commas_are_decimal_points_then(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "angles.csv"
    file.write_text("# a; comment\n" + ";".join(JOINTS) + "\n" + ";".join(NEUTRAL) + "\n")
    x = Arm("left").fk(Arm("left").configuration("neutral"))[0, 3]
    assert poses(cli("fk", str(file)).out)[0]["x"] == pytest.approx(x, rel=0, abs=ATOL)
    file.write_text(file.read_text().replace(".", ","))
    assert poses(cli("fk", str(file)).out)[0]["x"] == pytest.approx(x, rel=0, abs=ATOL)
    file.write_text(";".join(NEUTRAL).replace(".", ",") + "\n")
    assert poses(cli("fk", str(file)).out)[0]["x"] == pytest.approx(x, rel=0, abs=ATOL)


ROW = ",".join(NEUTRAL)
NAMES = ",".join(f"right_{joint}" for joint in JOINTS)


@pytest.mark.parametrize(
    "text",
    [
        '"",' + ",".join(f'"{name}"' for name in NAMES.split(",")) + f'\n"1",{ROW}\n',  # R
        f"sep=,\n{NAMES}\n{ROW}\n",  # Excel
        f"sep=;\n{NAMES}\n{ROW}\n".replace(",", ";").replace(".", ","),
        f'note,{NAMES}\n"go, stop",{ROW}\n',
        '"' + NAMES.replace(",", '" "') + f'"\n{ROW.replace(",", " ")}\n',
    ],
)
def test_tables_of_r_and_excel_are_read(cli: Any, tmp_path: Path, text: str) -> None:
    file = tmp_path / "angles.csv"
    file.write_text(text)
    found = poses(cli("fk", str(file), "--side", "right").out)
    x = Arm("right").fk(Arm("right").configuration("neutral"))[0, 3]
    assert [row["x"] for row in found] == pytest.approx([x], rel=0, abs=ATOL)


def test_files_that_are_no_csv_are_told_apart(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "angles.csv"
    file.write_text(f"{NAMES}\n{ROW}\n", encoding="utf-16")
    cli("fk", file).fails_with(
        f"{file}: this text is in UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)"
    )
    path = tmp_path / "arm.parquet"
    Recording(t=[0.0], q=[[float(x) for x in NEUTRAL]], side="left").save(path)
    cli("fk", path).fails_with(
        f"{path} is no CSV, and rows are read from CSV only; make one in Python: from baxterkit "
        f"import recording; recording.load('{path}').save('rows.csv')"
    )


@pytest.mark.parametrize("word", ["mean", "Std", "25%"])
def test_a_row_that_sums_up_the_others_is_no_pose(cli: Any, tmp_path: Path, word: str) -> None:
    file = tmp_path / "angles.csv"
    rows = "".join(f"{note},{ROW}\n" for note in ("go", "go", word))
    file.write_text(f"note,{','.join(JOINTS)}\n{rows}")
    cli("fk", file).fails_with(
        f"{file}, line 4: '{word}' under note says that this row sums up others, and is none of "
        "the robot's; leave such rows out"
    )
    file.write_text(file.read_text().replace("go", word))  # a status
    assert len(poses(cli("fk", file).out)) == 3


def test_joints_beyond_their_limits_are_noted(cli: Any) -> None:
    done = cli("fk", "9,0,0,0,0,0,0", "--json")
    assert done.status == 0
    assert (
        done.err
        == "Note: left_s0 = 9.000 rad is above its limit 1.702 rad; the arm cannot be there\n"
    )


def rows_of(names: list[str], values: Any) -> str:
    return ",".join(names) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in values)


@pytest.mark.parametrize("form", ["q_right_{}", "right_{} [rad]", "Right_{}", "ang_right_{}"])
def test_our_own_columns_are_found_by_name(cli: Any, form: str) -> None:
    q = np.random.default_rng(5).uniform(0.1, 1.0, (3, 7))
    names = [form.format(joint) for joint in JOINTS]
    order = [3, 0, 6, 1, 5, 2, 4]
    velocities = [f"qd_right_{joint}" for joint in JOINTS]
    text = rows_of(
        [*velocities, *(names[i] for i in order)], np.hstack([9.0 * q, q[:, order]]).tolist()
    )
    done = cli("fk", "-", "--side", "right", stdin=text)
    got = [[row[k] for k in "xyz"] for row in poses(done.out)]
    np.testing.assert_allclose(got, Arm("right").fk(q)[:, :3, 3], rtol=0, atol=ATOL)


def test_columns_in_degrees_need_the_option(cli: Any) -> None:
    text = rows_of([f"left_{joint} [deg]" for joint in JOINTS], [[1.0] * 7])
    cli("fk", "-", stdin=text).fails_with(
        "stdin: the column left_s0 [deg] is in degrees; say --deg"
    )
    cli("fk", "-", "--deg", stdin=text.replace("deg", "rad")).fails_with(
        "stdin: the column left_s0 [rad] is in radians; leave out --deg"
    )
    assert cli("fk", "-", "--deg", stdin=text).status == 0


def test_decimal_commas_of_seven_words_are_told(cli: Any) -> None:
    cli("fk", "0,1", "0,2", "0", "1", "0", "0,5", "0").fails_with(
        "7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 10; decimal points are needed, not "
        "commas"
    )


def test_a_motion_of_ours_is_not_read_in_degrees(cli: Any, tmp_path: Path) -> None:
    arm, file = Arm("left"), tmp_path / "m.csv"
    min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral")).save(file)
    assert cli("fk", file).status == 0
    for verb in (("fk", file), ("collide", file), ("trajectory", "through", file)):
        cli(*verb, "--deg").fails_with(
            f"{file}: baxterkit wrote this motion in radians; leave out --deg"
        )
    save_playback(file, min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral")))
    assert cli("fk", file, "--deg").status == 2


def test_a_recording_of_ours_is_not_read_in_degrees(cli: Any, tmp_path: Path) -> None:
    q = np.tile([float(x) for x in NEUTRAL], (3, 1))
    path = Recording(t=np.arange(3.0), q=q, side="right").save(tmp_path / "own.csv")
    cli("fk", str(path), "--side", "right", "--deg").fails_with(
        f"{path}: baxterkit wrote this recording in radians; leave out --deg"
    )


@pytest.mark.filterwarnings("always::baxterkit.errors.UnitsWarning")
def test_a_lone_wrong_number_in_a_batch_is_noted(cli: Any) -> None:
    done = cli("fk", "-", stdin="999,0,0,0,0,0,0\n0,0,0,0,0,0,0\n")
    assert "Warning: q holds 999 rad, 159.0 turns, too many in degrees too" in done.err
    zeros = "0,0,0,0,0,0,0\n"
    done = cli("fk", "-", stdin=f"{zeros}2,0,0,0,0,0,0\n{zeros}{zeros}0,0,0,0,0,99,0\n{zeros}")
    assert done.status == 0
    assert len(done.out.splitlines()) == 7
    assert done.err == (
        "Note: angles of 1 of 6 rows; row 5: left_w1 = 99.000 rad is above its limit 2.094 rad; "
        "the arm cannot be there\n"
    )

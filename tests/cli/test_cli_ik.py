"""`baxterkit ik`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.cli.status import NO_ANSWER
from baxterkit.spatial import matrix_to_quaternion, rpy_to_matrix, transform

POSE = ("0.6", "0.3", "0.2", "--rpy", "3.1416", "0", "0")


def test_a_pose_is_solved(cli: Any) -> None:
    done = cli("ik", *POSE)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("left arm: exact\n")
    assert [line.split()[0] for line in done.out.splitlines()[3:10]] == list(
        Arm("left").joint_names
    )
    assert done.out.rstrip().endswith("rad")


@pytest.mark.parametrize("objective", ["quick", "nearest", "gravity"])
def test_json_holds_a_solution_with_every_digit(cli: Any, objective: str) -> None:
    answer = cli("ik", *POSE, "--side", "right", "--objective", objective, "--json").json
    arm = Arm("right")
    T = transform(rpy_to_matrix([3.1416, 0.0, 0.0]), [0.6, 0.3, 0.2])
    assert answer["status"] == "SOLVED"
    assert np.abs(arm.fk(answer["q"]) - T).max() < 1e-11
    assert answer["position_error"] < 1e-11


def test_negative_numbers_quaternion_seed_and_degrees(cli: Any) -> None:
    arm = Arm("right", tool="vacuum")
    q = arm.configuration("neutral")
    T = arm.fk(q)
    quat = matrix_to_quaternion(T[:3, :3])
    args = (*T[:3, 3], "--quat", *(-quat), "--seed", *np.degrees(q), "--deg", "--json")
    answer = cli("ik", *args, "--side", "right", "--tool", "vacuum").json
    assert np.abs(np.radians(answer["q"]) - q).max() < 1e-9


def test_without_orientation_it_is_free(cli: Any) -> None:
    answer = cli("ik", 0.7, 0.2, 0.1, "--json").json
    assert np.abs(Arm("left").fk(answer["q"])[:3, 3] - [0.7, 0.2, 0.1]).max() < 1e-8
    answer = cli("ik", 0.7, 0.2, 0.1, "--point", 0, 0, -1, "--json").json
    assert np.abs(Arm("left").fk(answer["q"])[:3, 2] - [0, 0, -1]).max() < 1e-8


@pytest.mark.parametrize("seed", ["untuck", "0.1,-0.5,0,0.8,0,1.2,0", "0.1 -0.5 0 0.8 0 1.2 0"])
def test_seed_is_a_pose_or_seven_numbers(cli: Any, seed: str) -> None:
    arm = Arm("left")
    q = arm.configuration("untuck") if seed == "untuck" else [0.1, -0.5, 0.0, 0.8, 0.0, 1.2, 0.0]
    wanted = arm.ik(transform(rpy_to_matrix([3.1416, 0.0, 0.0]), [0.6, 0.3, 0.2]), q).q
    answer = cli("ik", "--seed", *seed.split(), *POSE, "--json").json
    np.testing.assert_array_equal(answer["q"], wanted)


def test_an_e0_without_solutions_is_told_those_that_have_some(cli: Any) -> None:
    cli("ik", *POSE, "--all", "--e0", "2.9").fails_with(
        "no solution within the limits at e0 = 2.9000 rad; there are some at e0 from "
        "-2.0026 to -0.1319 and 0.0111 to 2.0026 rad",
        NO_ANSWER,
    )
    done = cli("ik", *POSE, "--all", "--e0", "2.9", "--json")
    answer = json.loads(done.out)
    assert (done.status, answer["solutions"]) == (NO_ANSWER, [])
    for low, high in answer["e0_intervals"]:
        middle = 0.5 * (low + high)
        assert cli("ik", *POSE, "--all", "--e0", middle, "--json").json["solutions"]
    cli("ik", 3, 0, 0, "--rpy", 0, 0, 0, "--all").fails_with(
        "no solution within the limits at e0 = 0.0000 rad; nor at any other", NO_ANSWER
    )


def test_every_solution_at_an_e0(cli: Any) -> None:
    answer = cli("ik", *POSE, "--all", "--e0", "-0.5", "--json").json
    assert len(answer["solutions"]) == 2
    assert all(abs(q[2] + 0.5) < 1e-12 for q in answer["solutions"])
    assert "solutions with e0 = -0.5000 rad" in cli("ik", *POSE, "--all", "--e0", "-0.5").out


def test_poses_from_fk_come_back(cli: Any) -> None:
    rows = "0 -0.55 0 0.75 0 1.26 0\n0.1 0.1 0.1 1 0.1 0.1 0.1\n"
    poses = cli("fk", "-", stdin=rows).out
    done = cli("ik", "-", stdin=poses + "9,9,9,0,0,0,1,0,0,0\n")
    assert (done.status, done.err) == (
        NO_ANSWER,
        "1 of 3 rows have no solution: see their status\n",
    )
    lines = done.out.splitlines()
    joints = ",".join(Arm("left").joint_names)
    assert lines[0] == f"{joints},position_error,orientation_error,status"
    assert [line.split(",")[-1] for line in lines[1:]] == ["SOLVED", "SOLVED", "OUT_OF_REACH"]
    q = np.array([line.split(",")[:7] for line in lines[1:3]], dtype=float)
    expected = Arm("left").fk(np.array([row.split() for row in rows.splitlines()], dtype=float))
    assert np.abs(Arm("left").fk(q) - expected).max() < 1e-9
    answer = cli("ik", "-", "--json", stdin="0.6 0.3 0.2 1 0 0 0\n").json
    assert answer["status"] == ["SOLVED"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("0.6 0.3 0.2 1 0 0 O\n", "stdin, line 1: 'O' is not a number"),
        ("\nx,y,z\n0.6,0.3,0.2\n", "stdin has no column qx; needed: x y z qx qy qz qw"),
        ("0.6 0.3 0.2 1 0 0 0\n\n0.6 0.3\n", "stdin, line 3: 7 numbers expected, got 2"),
    ],
)
def test_bad_rows_are_one_line(cli: Any, rows: str, message: str) -> None:
    cli("ik", "-", stdin=rows).fails_with(message)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("1", "2"), "the position is 3 numbers, got 2"),
        (("1", "2", "x"), "the position: 'x' is not a number"),
        ((*POSE, "--quat", "0", "0", "0", "1"),
         "give one of --rpy, --quat and --point (see: baxterkit ik --help)"),
        (("1", "1", "1", "--quat", "0", "0", "0", "0"),
         "the quaternion 0 0 0 0 is not an orientation; no rotation is x y z w = 0 0 0 1"),
        (("1", "1", "1", "--all"),
         "--all needs a whole pose: give --rpy or --quat (see: baxterkit ik --help)"),
        ((*POSE, "--all", "--e0", "3.1"), "--e0 3.1: left_e0 goes from -3.0542 to 3.0542 rad"),
        ((*POSE, "--all", "--e0", "-200", "--deg"),
         "--e0 -200: left_e0 goes from -174.9916 to 174.9916 deg"),
        *(
            ((*POSE, "--all", option, value),
             f"{option} does not go with --all, which lists every solution "
             "(see: baxterkit ik --help)")
            for option, value in
            (("--objective", "gravity"), ("--method", "lm"), ("--seed", "untuck"))
        ),
        ((*POSE, "--e0", "0.5"), "--e0 is for --all: give that too (see: baxterkit ik --help)"),
        (("-", "--rpy", "0", "0", "0"),
         "--rpy is for one pose; rows of a file hold their own (see: baxterkit ik --help)"),
        (("-", "--all"),
         "--all is for one pose; rows of a file hold their own (see: baxterkit ik --help)"),
        ((*POSE, "--seed", "nowhere"),
         "--seed: unknown configuration 'nowhere'; available: neutral, tuck, untuck; "
         "or give 7 numbers"),
        ((*POSE, "--seed", "1", "2", "--json"),
         "--seed: 7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 2"),
        ((*POSE, "--seed", "1", "2", "3", "4", "5", "6", "z"), "--seed: 'z' is not a number"),
        (("-",), "stdin holds no poses"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(cli: Any, args: tuple[str, ...], message: str) -> None:
    cli("ik", *args).fails_with(message)


def test_posture_chooses_among_the_solutions(cli: Any) -> None:
    pose = ("ik", 0.6, 0.3, 0.2, "--rpy", 3.1416, 0, 0)
    arm = Arm("left")
    T = transform(rpy_to_matrix([3.1416, 0.0, 0.0]), [0.6, 0.3, 0.2])
    got = cli(*pose, "--posture", "elbow_out", "--json").json
    np.testing.assert_allclose(got["q"], arm.ik(T, posture="elbow_out").q, rtol=0, atol=1e-12)
    every = cli(*pose, "--all", "--e0", 0.5, "--posture", "elbow_up", "--json").json["solutions"]
    assert len(every) == len(arm.ik_all(T, 0.5, posture="elbow_up"))


def test_a_whole_pose_is_sixteen_numbers_or_seven_in_a_named_order(cli: Any) -> None:
    T = transform(rpy_to_matrix([3.0, 0.1, -0.4]), [0.6, 0.3, 0.2])
    x, y, z, w = matrix_to_quaternion(T[:3, :3])
    wanted = Arm("left").ik(T).q
    for words in (
        T.ravel().tolist(),
        [",".join(map(repr, T.ravel().tolist()))],
        [0.6, 0.3, 0.2, x, y, z, w, "--order", "xyzw"],
        [0.6, 0.3, 0.2, w, x, y, z, "--order", "wxyz"],
        [0.6, 0.3, 0.2, "--quat", w, x, y, z, "--order", "wxyz"],
        [0.6, 0.3, 0.2, "--quat", x, y, z, w],
    ):
        got = cli("ik", *words, "--json").json["q"]
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)
    see = "(see: baxterkit ik --help)"
    cli("ik", 0.6, 0.3, 0.2, x, y, z, w).fails_with(
        "seven numbers are a position and a quaternion, whose order must be said: --order xyzw "
        f"(ROS) or --order wxyz {see}"
    )
    cli("ik", *T.ravel().tolist(), "--rpy", 0, 0, 0).fails_with(
        f"a whole pose has its orientation: leave --rpy, --quat, --point out {see}"
    )
    cli("ik", 0.6, 0.3, 0.2, "--order", "xyzw").fails_with(
        f"--order is of a quaternion: give --quat, or seven numbers {see}"
    )
    bent = T.copy()
    bent[0, 0] += 0.1
    assert cli("ik", *bent.ravel().tolist()).status == 2


def test_solutions_say_their_arm_and_unit(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text(cli("ik", "-", "--side", "right", stdin="0.6 -0.3 0.2 1 0 0 0\n").out)
    assert "right arm" in cli("fk", file).err
    there = cli("fk", file, "--side", "right").out.splitlines()[1]
    np.testing.assert_allclose(
        [float(x) for x in there.split(",")[:3]], [0.6, -0.3, 0.2], rtol=0, atol=1e-8
    )
    file.write_text(cli("ik", "-", "--side", "right", "--deg", stdin="0.6 -0.3 0.2 1 0 0 0\n").out)
    assert file.read_text().startswith("right_s0 [deg],right_s1 [deg],")
    assert "is in degrees; say --deg" in cli("fk", file, "--side", "right").err
    again = cli("fk", file, "--side", "right", "--deg").out.splitlines()[1]
    np.testing.assert_allclose(
        [float(x) for x in again.split(",")[:3]], [0.6, -0.3, 0.2], rtol=0, atol=1e-8
    )

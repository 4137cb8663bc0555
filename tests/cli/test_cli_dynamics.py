from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Payload
from baxterkit.model.names import JOINTS
from baxterkit.trajectory import min_jerk

ATOL = 1e-12  # the same kernel, through a decimal that keeps every digit
QD = [-0.1, 0.5, 0.0, -0.5, 0.2, 0.0, 1.0]
QDD = [1.0, -2.0, 0.5, 0.0, 0.0, 3.0, -1.0]
TERMS = ("inertia", "coriolis", "gravity", "torque")


def words(values: Any) -> str:
    return ",".join(map(repr, np.asarray(values).tolist()))


def text(rows: Any) -> str:
    return "".join(words(row) + "\n" for row in rows)


def expected(arm: Arm, q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
    return {
        "inertia": arm.inertia(q),
        "coriolis": arm.coriolis(q, qd),
        "gravity": arm.gravity(q),
        "torque": arm.inverse_dynamics(q, qd, qdd),
    }


def assert_same(done: dict[str, Any], wanted: dict[str, Any]) -> None:
    for term in TERMS:
        np.testing.assert_allclose(done[term], wanted[term], rtol=0, atol=ATOL)


def test_json_holds_every_term(cli: Any) -> None:
    arm = Arm("right")
    q = arm.configuration("untuck")
    args = ("untuck", "--side", "right", "--qd", words(QD), "--qdd", words(QDD))
    done = cli("dynamics", *args, "--json").json
    assert_same(done, expected(arm, q, QD, QDD))
    parts = np.array([done[k] for k in ("inertia_torque", "coriolis_torque", "gravity")])
    np.testing.assert_allclose(parts.sum(axis=0), done["torque"], rtol=0, atol=ATOL)
    assert (done["side"], done["angle_unit"], done["payload"]) == ("right", "rad", None)
    assert (done["qd"], done["qdd"]) == (QD, QDD)


def test_at_rest_torque_is_gravity(cli: Any) -> None:
    done = cli("dynamics", "neutral", "--json").json
    np.testing.assert_allclose(done["torque"], done["gravity"], rtol=0, atol=ATOL)
    assert not np.any(done["coriolis"])


def test_text_shows_matrices_torques_and_limits(cli: Any) -> None:
    arm = Arm("left")
    q = arm.configuration("neutral")
    still = cli("dynamics", "neutral")
    assert (still.status, still.err) == (0, "")
    for word in ("left arm: M  [kg m²]", "torques  [N m]", "M qdd", "C qd", "tau", "limit"):
        assert word in still.out
    assert f"{arm.inertia(q)[0, 0]:.6f}" in still.out
    assert f"{arm.gravity(q)[1]:.6f}" in still.out
    assert "C  [kg m²/s]" not in still.out
    moving = cli("dynamics", "neutral", "--qd", words(QD)).out
    assert "C  [kg m²/s]" in moving
    assert f"{arm.coriolis(q, QD)[0, 1]:.6f}" in moving


def test_degrees_go_in_and_come_out_and_torques_stay(cli: Any) -> None:
    rad = cli("dynamics", "tuck", "--qd", words(QD), "--qdd", words(QDD), "--json").json
    in_degrees = ("--qd", words(np.degrees(QD)), "--qdd", words(np.degrees(QDD)))
    deg = cli("dynamics", *np.degrees(rad["q"]), *in_degrees, "--deg", "--json").json
    assert_same(deg, rad)
    np.testing.assert_allclose(np.radians(deg["qd"]), QD, rtol=0, atol=ATOL)
    assert deg["angle_unit"] == "deg"


@pytest.mark.parametrize(
    ("option", "payload"),
    [("1.5", Payload(1.5)), ("1.5,0.01,-0.02,0.05", Payload(1.5, np.array([0.01, -0.02, 0.05])))],
)
def test_payload_hangs_on_the_tip(cli: Any, option: str, payload: Payload) -> None:
    args = ("neutral", "--tool", "vacuum", "--qd", words(QD), "--payload", option)
    done = cli("dynamics", *args, "--json").json
    arm = Arm("left", "vacuum", payload=payload)
    assert_same(done, expected(arm, arm.configuration("neutral"), QD, np.zeros(7)))
    assert done["payload"] == {"mass": 1.5, "com": payload.com.tolist()}


def test_batch_gives_csv_of_gravity_and_torque(cli: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 5, 7))
    files = [tmp_path / "qd.csv", tmp_path / "qdd.csv"]
    files[0].write_text(text(qd), encoding="utf-8")
    # Columns are found by name, in the order of the robot's messages.
    order = [JOINTS.index(name) for name in sorted(JOINTS)]
    named = ",".join(sorted(JOINTS)) + "\n" + text(qdd[:, order])
    files[1].write_text(named, encoding="utf-8")
    done = cli("dynamics", "-", "--qd", files[0], "--qdd", files[1], stdin=text(q))
    assert (done.status, done.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    arm = Arm("left")
    for name, values in (("G", arm.gravity(q)), ("tau", arm.inverse_dynamics(q, qd, qdd))):
        got = [[float(row[f"{name}_left_{joint}"]) for joint in JOINTS] for row in rows]
        np.testing.assert_allclose(got, values, rtol=0, atol=ATOL)


def test_batch_as_json_and_one_velocity_for_all_rows(cli: Any) -> None:
    q = np.array([[0.0] * 7, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]])
    done = cli("dynamics", "-", "--qd", words(QD), "--json", stdin=text(q)).json
    assert (done["side"], done["angle_unit"], len(done["states"])) == ("left", "rad", 2)
    for state, row in zip(done["states"], q, strict=True):
        assert_same(state, expected(Arm("left"), row, QD, np.zeros(7)))


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (["1", "2"], "", "7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 2"),
        (["neutral", "--qd", "1,2"], "", "--qd takes 7 numbers or a file, got '1,2'"),
        (["neutral", "--qdd", "-1 2"], "", "--qdd takes 7 numbers or a file, got '-1 2'"),
        (["neutral", "--qdd", "fast"], "", "--qdd takes 7 numbers or a file, got 'fast'"),
        (["neutral", "--qd", "missing.csv"], "", "missing.csv: there is no such file"),
        (
            ["neutral", "--qd", "0,0,nan,0,0,0,0"],
            "",
            "qd[2] = nan; every value of qd must be finite",
        ),
        (
            ["neutral", "--payload", "1,2"],
            "",
            "--payload is MASS or MASS,X,Y,Z in kg and m, got '1,2'",
        ),
        (
            ["neutral", "--payload", "heavy"],
            "",
            "--payload is MASS or MASS,X,Y,Z in kg and m, got 'heavy'",
        ),
        (["neutral", "--payload", "-1"], "", "payload mass is -1 kg; it must not be negative"),
        (
            ["neutral", "--payload", "1,0,nan,0"],
            "",
            "payload com[1] = nan; every value of payload com must be finite",
        ),
        (["-"], "", "stdin holds no joint angles"),
        (["-"], "1 2 3 4 5 6 7\n1 2\n", "stdin, line 2: 7 numbers expected, got 2"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    cli: Any, args: list[str], stdin: str, message: str
) -> None:
    cli("dynamics", *args, stdin=stdin).fails_with(message)


def test_rows_that_do_not_match_are_refused(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "qd.csv"
    file.write_text(text(np.zeros((3, 7))), encoding="utf-8")
    done = cli("dynamics", "-", "--qd", file, stdin=text(np.zeros((2, 7))))
    assert (done.status, done.out) == (2, "")
    assert "(2, 7)" in done.err
    assert "(3, 7)" in done.err
    assert done.err.count("\n") == 1


def test_effects_of_a_robot_file_are_a_term_of_their_own(cli: Any, tmp_path: Path) -> None:
    robot = tmp_path / "robot.toml"
    arm = Arm("left").with_effects(bias=np.arange(7.0), coulomb=np.ones(7))
    arm.to_file(robot)
    args = ("neutral", "--qd", words(QD), "--robot", str(robot))
    done = cli("dynamics", *args, "--json").json
    q = arm.configuration("neutral")
    assert arm.effects is not None
    np.testing.assert_allclose(done["effects_torque"], arm.effects.torque(q, QD), atol=ATOL)
    np.testing.assert_allclose(done["torque"], arm.inverse_dynamics(q, QD, 0 * q), atol=ATOL)
    assert "joints" in cli("dynamics", *args).out
    assert "joints" not in cli("dynamics", "neutral").out


def test_numbers_of_an_option_need_commas(cli: Any) -> None:
    cli("dynamics", "untuck", "--payload", 1, 0, 0, 0.1).fails_with(
        "'untuck' is not a number; Q is 7 numbers, a configuration's name, a file, or -; "
        "put commas between the numbers of an option: 1,2,3"
    )
    for words in (
        ("trajectory", "move", "untuck", 0, 0, -1, 0, 0, 0, 0),
        ("workspace", "table", "map.zarr", "--size", 0.5, 0.9),
    ):
        assert "; put commas between numbers: 1,2,3 (see: baxterkit " in cli(*words).err


def test_velocities_may_be_seven_words(cli: Any) -> None:
    spread = cli("dynamics", "untuck", "--qd", *QD, "--qdd", *QDD, "--json").json
    joined = cli("dynamics", "untuck", "--qd", words(QD), "--qdd", words(QDD), "--json").json
    assert spread == joined
    cli("dynamics", "untuck", "--qd", 1, 2, 3).fails_with(
        "--qd takes 7 numbers or a file, got '1,2,3'"
    )


def test_a_recording_gives_positions_and_velocities_by_name(cli: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(0.1, 1.0, (3, 4, 7))
    names = [f"{field}_{joint}" for field in ("q", "qd", "qdd") for joint in JOINTS]
    file = tmp_path / "rec.csv"
    file.write_text(",".join(names) + "\n" + text(np.hstack([q, qd, qdd])), encoding="utf-8")
    done = cli("dynamics", file, "--qd", file, "--qdd", file, "--json").json
    tau = [state["torque"] for state in done["states"]]
    np.testing.assert_allclose(tau, Arm("left").inverse_dynamics(q, qd, qdd), rtol=0, atol=ATOL)
    bare = tmp_path / "only.csv"
    bare.write_text(",".join(names[:7]) + "\n" + text(q), encoding="utf-8")
    done = cli("dynamics", file, "--qd", bare)
    assert done.status == 2
    assert done.err.startswith(f"Error: {bare} lacks the joints left_s0, left_s1")


def test_rates_of_the_same_rows_count(cli: Any, tmp_path: Path) -> None:
    arm = Arm("right")
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"))
    file = motion.save(tmp_path / "motion.csv", 10.0)
    _, q, qd, qdd = motion.at_rate(10.0)

    def torques(*options: object, stdin: str = "", source: object = file) -> Any:
        done = cli("dynamics", source, "--side", "right", *options, stdin=stdin)
        rows = np.array([line.split(",") for line in done.out.splitlines()[1:]], dtype=float)
        return rows[:, 7:], done.err

    tau, err = torques()
    assert err == ""
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, qdd), rtol=0, atol=ATOL)
    tau, _ = torques(stdin=file.read_text(), source="-")
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, qdd), rtol=0, atol=ATOL)
    tau, _ = torques("--qd", words([0.0] * 7))
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, 0.0 * qd, qdd), rtol=0, atol=ATOL)
    file.write_text(file.read_text().replace("qdd_", "x_").replace("pieces:", "y"))
    tau, err = torques()
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, 0.0 * qd), rtol=0, atol=ATOL)
    assert err == (
        "Note: the rows hold velocities and no accelerations, which count as zero; give --qdd\n"
    )


def test_velocities_that_seem_to_be_in_degrees_are_noted(cli: Any) -> None:
    done = cli("dynamics", "neutral", "--qd", words([90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert "--qd is 60 times the limit of left_s0: are these degrees? give --deg" in done.err
    done = cli("dynamics", "neutral", "--deg", "--qd", words([60.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert done.err == ""

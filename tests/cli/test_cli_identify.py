from __future__ import annotations

import dataclasses
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Payload, identify, recording
from baxterkit.cli.status import NO_ANSWER
from baxterkit.errors import InputError
from baxterkit.experiments.synthetic import pose_recording

sys.path.insert(0, str(Path(__file__).parent.parent / "identify"))
import known_robot


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three recordings of a known robot, with torques."""
    folder = tmp_path_factory.mktemp("motions")
    for seed in (1, 2, 3):
        known_robot.recording(seed, 20.0).save(folder / f"motion{seed}.csv")
    return folder


@pytest.mark.slow
def test_folder_becomes_a_robot_file_and_a_report(cli: Any, motions: Path, tmp_path: Path) -> None:
    robot, report = tmp_path / "robot.toml", tmp_path / "report.html"
    args = (str(motions), "--side", "left", "-o", str(robot), "--date", "2016-09-08")
    done = cli("identify", *args, "--report", str(report), "--json").json
    assert done["side"] == "left"
    assert done["robot"] == str(robot)
    assert done["seconds"] > 0.0
    assert done["dynamics"]["date"] == "2016-09-08"
    assert len(done["dynamics"]["sources"]) == 3
    assert min(done["held_out"]["memory"]["r2"][:6]) > 0.99
    assert max(done["dynamics"]["scores"]["before"]["r2"][:2]) < 0.9
    arm = Arm.from_file(robot)
    q = arm.configuration("neutral")
    still = np.zeros(7)
    true = known_robot.robot().inverse_dynamics(q, still, still)
    assert np.abs(arm.inverse_dynamics(q, still, still) - true).max() < 0.3
    page = report.read_text()
    assert "How well torques are predicted" in page
    assert page.count("<img") == 4


@pytest.mark.slow
@pytest.mark.usefixtures("pictures_not_drawn")
def test_python_writes_the_same_robot_file_and_report(
    cli: Any, motions: Path, tmp_path: Path
) -> None:
    pose_recording("left").save(tmp_path / "poses.csv")
    files = [motions / "motion1.csv", tmp_path / "poses.csv"]
    before = tmp_path / "before.toml"
    Arm("left", tool="vacuum").to_file(before)
    shell = [tmp_path / "shell.toml", tmp_path / "shell.html"]
    words = [*map(str, files), "--side", "left", "--robot", str(before), "--date", "2016-09-08"]
    cli("identify", *words, "-o", str(shell[0]), "--report", str(shell[1]))
    fit = identify.robot([recording.load(path, side="left") for path in files], before)
    ours = [tmp_path / "python.toml", tmp_path / "python.html"]
    fit.save(ours[0], date="2016-09-08")
    fit.report(ours[1])
    assert fit.mount is not None
    assert fit.dynamics is not None
    assert [path.read_bytes() for path in ours] == [path.read_bytes() for path in shell]
    assert str(fit) == f"{fit.mount}\n{fit.dynamics}"
    assert fit.advice == (*fit.mount.advice, *fit.dynamics.advice)


def test_both_sides_or_none_are_refused(cli: Any, motions: Path, tmp_path: Path) -> None:
    left = recording.load(motions / "motion1.csv")
    right = dataclasses.replace(left, side="right")
    unknown = dataclasses.replace(left, side=None)
    with pytest.raises(InputError, match="the recordings are of both arms; identify one at a time"):
        identify.robot([left, right])
    path = tmp_path / "unknown.csv"
    unknown.save(path)
    words = "the recordings do not say which arm they are of; load them with side='left' or 'right'"
    with pytest.raises(InputError, match=words):
        identify.robot([left, unknown])
    told = "the recordings do not say which arm they are of; say --side left or --side right"
    cli("identify", str(path)).fails_with(told)


def test_text_shows_scores_and_where_the_files_are(cli: Any, motions: Path, tmp_path: Path) -> None:
    robot = tmp_path / "robot.toml"
    files = [str(motions / f"motion{seed}.csv") for seed in (1, 2)]
    done = cli("identify", *files, "--side", "left", "-o", str(robot)).out
    assert "left arm: 2 recordings, 0.6 min" in done
    assert "R² identified" in done
    assert "left out" not in done
    assert re.search(rf"\ntime: \d+\.\d s\nrobot: {re.escape(str(robot))}\n$", done)
    again = cli("identify", *files, "--robot", str(robot), "--side", "left", "-o", str(robot))
    assert "R² nominal" in again.out


def test_poses_give_the_mount(cli: Any, tmp_path: Path) -> None:
    data, robot = tmp_path / "poses.csv", tmp_path / "robot.toml"
    pose_recording("right").save(data)
    words = ("identify", str(data), "--side", "right", "-o", str(robot), "--date", "2026-11-19")
    done = cli(*words, "--json").json
    assert done["mount"]["position_error_mean"] < 1e-3
    assert done["mount"]["date"] == "2026-11-19"
    assert "2026-11-19" in robot.read_text(encoding="utf-8")
    assert "dynamics" not in done
    assert Arm.from_file(robot).tool.name == "electric_gripper"


def test_what_cannot_be_identified_is_refused(cli: Any, tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    rec = known_robot.recording(1, 30.0)
    type(rec)(t=rec.t, q=rec.q).save(plain)
    cli("identify", str(plain), "--side", "left").fails_with(
        "none of the recordings holds tip poses or torques"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    failed = cli("identify", str(empty))
    assert failed.status == 2
    assert failed.err.startswith(f"Error: {empty} holds no recording; known endings: .bag ")


def test_a_tare_is_kept_in_the_robot_file(cli: Any, motions: Path, tmp_path: Path) -> None:
    robot, data = tmp_path / "robot.toml", tmp_path / "today.csv"
    known_robot.robot().to_file(robot)
    rec = recording.load(motions / "motion1.csv").slice(4.0, 8.0)
    zero = np.array([1.0, -1.0, 0.5, 0.3, 0.1, -0.1, 0.2])
    dataclasses.replace(rec, tau=rec.required("tau") + zero).save(data)
    words = ("identify", str(data), "--tare", "--robot", str(robot))
    done = cli(*words, "--json").json
    assert np.abs(np.array(done["tau"]) - zero).max() < 0.15
    assert done["still"] == [False] * 7
    arm = Arm.from_file(robot)
    assert arm.effects is not None
    assert np.abs(arm.effects.bias - known_robot.EFFECTS.bias - zero).max() < 0.15
    shown = cli(*words).out
    assert "zero [N m]" in shown
    assert shown.endswith(f"robot: {robot}\n")
    cli("identify", str(motions), "--tare", "--robot", str(robot)).fails_with(
        "--tare takes one recording (see: baxterkit identify --help)"
    )


def test_a_tare_goes_where_it_is_wanted(cli: Any, motions: Path, tmp_path: Path) -> None:
    robot, out, data = tmp_path / "robot.toml", tmp_path / "today.toml", motions / "motion1.csv"
    known_robot.robot().to_file(robot)
    before = robot.read_text(encoding="utf-8")
    words = ("identify", str(data), "--tare", "--robot", str(robot), "-o", str(out))
    assert cli(*words).out.endswith(f"robot: {out}\n")
    assert robot.read_text(encoding="utf-8") == before
    assert "tare" in out.read_text(encoding="utf-8")
    cli(*words).fails_with(
        f"{out} is there already; --tare keeps the zero in --robot, or in a new file by -o "
        "(see: baxterkit identify --help)"
    )


@pytest.mark.slow
def test_swapped_joints_are_not_written_unless_accepted(
    cli: Any, motions: Path, tmp_path: Path
) -> None:
    rec = recording.load(motions / "motion1.csv")
    data, robot = tmp_path / "swapped.csv", tmp_path / "robot.toml"
    order = [0, 1, 3, 2, 4, 5, 6]
    dataclasses.replace(rec, tau=rec.required("tau")[:, order]).save(data)
    words = (str(data), "--side", "left", "-o", str(robot))
    done = cli("identify", *words)
    assert (done.status, done.out) == (NO_ANSWER, "")
    assert re.search(r"robot\.toml was not written: .*torques of e1 \(R² = ", done.err)
    assert done.err.endswith("; --accept writes it nevertheless\n")
    assert not robot.exists()
    assert cli("identify", *words, "--accept").status == 0
    assert robot.exists()


def test_an_exchange_of_joints_is_named_and_not_written(
    cli: Any, motions: Path, tmp_path: Path
) -> None:
    order, robot = [0, 1, 4, 3, 2, 5, 6], tmp_path / "robot.toml"
    files = []
    for seed in (1, 2):
        rec = recording.load(motions / f"motion{seed}.csv")
        qd, tau = rec.required("qd")[:, order], rec.required("tau")[:, order]
        files.append(tmp_path / f"exchanged{seed}.csv")
        dataclasses.replace(rec, q=rec.q[:, order], qd=qd, tau=tau).save(files[-1])
    done = cli("identify", *map(str, files), "--side", "left", "-o", str(robot))
    assert (done.status, done.out) == (NO_ANSWER, "")
    assert re.search(r"was not written: exchanging e0 and w0 .* far better", done.err)
    assert re.search(r"torques of e0 \(R² = .*; --accept writes it nevertheless\n$", done.err)
    assert not robot.exists()


def test_a_mount_that_does_not_fit_is_not_written_unless_accepted(cli: Any, tmp_path: Path) -> None:
    rec, data, robot = pose_recording("left"), tmp_path / "poses.csv", tmp_path / "robot.toml"
    assert rec.position is not None
    dataclasses.replace(rec, position=rec.position[:, [1, 0, 2]]).save(data)
    words = ("identify", str(data), "--side", "left", "-o", str(robot))
    done = cli(*words)
    assert (done.status, done.out) == (NO_ANSWER, "")
    told = r"robot\.toml was not written: positions miss the fit by \d+ mm .*are axes exchanged"
    assert re.search(told, done.err)
    assert done.err.endswith("; --accept writes it nevertheless\n")
    assert not robot.exists()
    assert cli(*words, "--accept").status == 0
    assert robot.exists()


def test_a_damaged_matlab_file_is_one_line(cli: Any, tmp_path: Path) -> None:
    import scipy.io

    path = tmp_path / "arm.mat"
    scipy.io.savemat(path, {"q": np.full((7, 30), 0.1), "time": np.arange(30.0)[None]})
    data = bytearray(path.read_bytes())
    data[176] = 0  # the type of the numbers
    path.write_bytes(bytes(data))
    cli("identify", str(path), "-o", str(tmp_path / "robot.toml")).fails_with(
        f"{path}: this is not a MATLAB v5 file, or it is damaged "
        "(q holds values of an unknown type)"
    )


def other(seconds: float = 20.0, **changed: Any) -> recording.Recording:
    """A third motion, made by another robot."""
    arm = known_robot.robot()
    motion = identify.exciting_motion(arm, seconds, part=0.6, seed=3)
    return identify.simulated_recording(arm.replace(**changed), motion, seed=3)


def with_torques(change: Any) -> recording.Recording:
    rec = known_robot.recording(3, 20.0)
    tau = rec.required("tau").copy()
    change(tau)
    return dataclasses.replace(rec, tau=tau)


def stick(tau: np.ndarray) -> None:
    tau[500:900, 2] = tau[500, 2]


def saturate(tau: np.ndarray) -> None:
    np.clip(tau[:, 3], None, np.quantile(tau[:, 3], 0.8), out=tau[:, 3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("third", "words"),
    [
        (
            lambda: dataclasses.replace(
                other(), tau=other().required("tau") + 3.0 * np.sin(other().q)
            ),
            r"the torques of \w\d in \S*third\.csv .*not belong .* at row \d+\): another robot",
        ),
        (
            lambda: other(payload=Payload(1.2, [0.0, 0.0, 0.1])),
            r"the torques of \w\d in \S*third\.csv .*do not belong .*row \d+\): .*another payload",
        ),
        (
            lambda: other(payload=None),
            r"the torques of \w\d in \S*third\.csv .*not belong .*row \d+\): .*gripper taken off\?",
        ),
        (
            lambda: with_torques(stick),
            r"the torque of e0 stays at \S+ N m from row 500 to 899 of \S*third\.csv",
        ),
        (
            lambda: with_torques(saturate),
            r"the torque of e1 stays at \S+ N m from row \d+ to \d+ of \S*third\.csv .*saturated\?",
        ),
    ],
    ids=["robot", "payload", "gripper", "stuck", "saturated"],
)
def test_recordings_that_do_not_belong_are_named_with_joint_and_row(
    cli: Any, motions: Path, tmp_path: Path, third: Any, words: str
) -> None:
    third().save(tmp_path / "third.csv")
    files = [str(motions / f"motion{seed}.csv") for seed in (1, 2)]
    robot = tmp_path / "robot.toml"
    args = [*files, str(tmp_path / "third.csv"), "--side", "left", "--no-check", "-o", str(robot)]
    done = cli("identify", *args)
    assert (done.status, done.out) == (NO_ANSWER, "")
    assert re.search(words, done.err), done.err
    assert not robot.exists()


def test_a_clock_that_jumps_is_told_with_its_row(cli: Any, motions: Path, tmp_path: Path) -> None:
    rec = known_robot.recording(3, 20.0)
    late = np.where(np.arange(len(rec)) >= 1000, rec.t + 5.0, rec.t)
    dataclasses.replace(rec, t=late).save(tmp_path / "third.csv")
    args = [str(motions / "motion1.csv"), str(tmp_path / "third.csv"), "--side", "left"]
    done = cli("identify", *args, "--no-check", "-o", str(tmp_path / "robot.toml"))
    assert done.status == 0
    assert "jumps by 5.01 s at row 1000" in " ".join(done.out.split())  # lines are wrapped


def test_poses_of_the_other_arm_are_told(cli: Any, tmp_path: Path) -> None:
    dataclasses.replace(pose_recording("right"), side=None).save(tmp_path / "poses.csv")
    out = str(tmp_path / "r.toml")
    done = cli("identify", str(tmp_path / "poses.csv"), "--side", "left", "-o", out)
    assert "right" in done.out + done.err


@pytest.mark.slow
def test_notes_of_the_recordings_are_told(cli: Any, motions: Path, tmp_path: Path) -> None:
    rec = recording.load(motions / "motion1.csv", side="left")
    assert rec.qd is not None
    path = dataclasses.replace(rec, qd=rec.qd * [-1, 1, 1, 1, 1, 1, 1]).save(tmp_path / "bad.csv")
    note = f"{path}: velocities contradict the positions: opposite signs in s0"
    words = (str(path), "--side", "left", "-o", str(tmp_path / "robot.toml"))
    done = cli("identify", *words, "--accept", "--no-check", "--json").json
    assert done["notes"] == [note]
    assert note in done["dynamics"]["advice"]
    words = ("torques", str(path), "--side", "left", "-o", str(tmp_path / "torques.png"))
    assert cli("plot", *words, "--json").json["notes"] == [note]
    assert cli("plot", *words).err == f"Note: {note}\n"


def test_a_robot_file_of_another_ending_is_refused_before_the_fit(cli: Any, tmp_path: Path) -> None:
    pose_recording("left").save(tmp_path / "poses.csv")
    out = tmp_path / "robot.json"
    done = cli("identify", str(tmp_path / "poses.csv"), "-o", str(out))
    done.fails_with(f"{out}: a robot is a .toml file; call it robot.toml")
    assert not out.exists()


def test_copies_of_one_file_have_no_score_left_out(cli: Any, motions: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("train.csv", "copy1.csv", "copy2.csv")]
    for file in files:
        shutil.copy(motions / "motion1.csv", file)
    robot = tmp_path / "robot.toml"
    done = cli("identify", *files, "--side", "left", "-o", robot)
    assert done.status == 0
    assert "R² left out" not in done.out
    assert "note: recording 2 (copy1.csv) and recording 3 (copy2.csv) hold the rows of" in done.out

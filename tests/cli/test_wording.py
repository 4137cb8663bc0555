"""Errors name options of the command line, not Python's arguments; names that are nearly right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, recording, workspace
from baxterkit.cli.wording import in_options
from baxterkit.errors import RecordingError, UnknownNameError
from baxterkit.ik import IkStatus

HEAD = ",".join(f"left_{name}" for name in ("s0", "s1", "e0", "e1", "w0", "w1", "w2"))


def write_rows(path: Path, q: np.ndarray, with_time: bool = True) -> Path:
    rows = np.column_stack([np.arange(len(q)) / 100.0, q]) if with_time else q
    head = f"time,{HEAD}" if with_time else HEAD
    np.savetxt(path, rows, delimiter=",", header=head, comments="", fmt="%.6f")
    return path


def moving(rows: int = 300) -> np.ndarray:
    t = np.arange(rows)[:, None] / 100.0
    wave: np.ndarray = Arm("left").configuration("neutral") + 0.3 * np.sin(t + np.arange(7))
    return wave


def test_recordings_are_read_with_options_that_errors_name(cli: Any, tmp_path: Path) -> None:
    degrees = write_rows(tmp_path / "degrees.csv", np.degrees(moving()))
    with pytest.raises(RecordingError, match=r"load\(\.\.\., angles='deg'\)"):
        recording.load(degrees)
    done = cli("identify", degrees)
    assert done.status == 2
    assert done.err.endswith("all angles make sense as degrees; say --deg\n")
    assert "--deg" not in cli("identify", degrees, "--deg").err  # but it has no torques
    no_time = write_rows(tmp_path / "no_time.csv", moving(), with_time=False)
    assert "say the rate: --rate 100" in cli("identify", no_time).err
    assert "--rate" not in cli("identify", no_time, "--rate", "100").err
    torques = tmp_path / "torques.csv"
    torques.write_text(write_rows(torques, moving()).read_text().replace("\n1.0", "\nhello", 1))
    broken = cli("plot", "torques", torques, "--out", tmp_path / "x.png")
    assert "--drop-bad-rows keeps the other 299" in broken.err


def test_a_map_without_the_body_says_which_option_makes_one(cli: Any, tmp_path: Path) -> None:
    workspace.make_map(tmp_path / "m.zarr", workspace.Question(step=0.6, orientations=2))
    done = cli("workspace", "table", tmp_path / "m.zarr")
    assert "make the map with --body or --full" in done.err
    assert "level=" not in done.err


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        (
            "the file holds both arms; say side='left' or side='right'",
            "--side left or --side right",
        ),
        ("robot.toml holds both arms; say which with side='left' or 'right'", "--side left or"),
        (
            "left_e1 = 2.700 rad is above its limit 2.618 rad; clip with arm.limits.clip(q)",
            "give it",
        ),
        ("this motion is the right arm's, not the left arm's", "the left arm's: say --side right"),
        (IkStatus.NOT_CONVERGED.advice, "give another --seed, or --method exact"),
        (
            f"{IkStatus.COLLISION.advice}; left_w2 touches torso",
            "touches itself or the world; left_w2 touches torso",
        ),
        (f"{IkStatus.LIMITS.advice}; left_s1 is", "all of them violate a limit; left_s1 is"),
        ("3 chunks are damaged; repair=True (--repair) computes them again", "; --repair computes"),
    ],
)
def test_advice_is_in_the_words_of_the_command_line(python: str, shell: str) -> None:
    told = in_options(python)
    assert shell in told
    assert "='" not in told
    assert "(q)" not in told
    assert "`" not in told


def test_a_folder_may_hold_other_files(cli: Any, tmp_path: Path) -> None:
    import sys

    sys.path.insert(0, str(Path(__file__).parent.parent / "identify"))
    import known_robot

    known_robot.recording(1, 20.0).save(tmp_path / "motion.csv")
    (tmp_path / "shopping.csv").write_text("apples,pears\n3,4\n5,6\n")
    (tmp_path / "notes.md").write_text("not a recording")
    done = cli("identify", tmp_path, "--side", "left", "-o", tmp_path / "robot.toml")
    assert done.status == 0, done.err
    assert f"skipped {tmp_path / 'shopping.csv'}: " in done.err
    assert "notes.md" not in done.err
    assert (tmp_path / "robot.toml").exists()
    named = cli("identify", tmp_path / "motion.csv", tmp_path / "shopping.csv", "--side", "left")
    assert named.status == 2  # a file that is named must be one
    (tmp_path / "motion.csv").unlink()
    assert cli("identify", tmp_path, "--side", "left").status == 2


def test_a_plan_in_degrees_is_printed_in_degrees(cli: Any) -> None:
    words = ("plan", "untuck", "--to", "neutral", "--side", "left")
    radians, degrees = (cli(*words, *more, "--json").json for more in ((), ("--deg",)))
    np.testing.assert_allclose(np.radians(degrees["path"]), radians["path"], rtol=0, atol=1e-9)
    assert (radians["angle_unit"], degrees["angle_unit"]) == ("rad", "deg")
    printed = cli(*words, "--deg").out
    assert "from [deg]" in printed
    assert "[rad]" not in printed
    assert " rad " not in printed


def test_names_that_are_nearly_right_are_guessed(cli: Any) -> None:
    assert "no verb 'idenfity'; did you mean 'identify'? available: info, fk" in cli("idenfity").err
    assert "no plot 'torque'; did you mean 'torques'? available" in cli("plot", "torque").err
    assert "did you mean" not in cli("fly").err
    assert str(UnknownNameError("configuration", "Nuetral", ("neutral", "tuck"))) == (
        "unknown configuration 'Nuetral'; did you mean 'neutral'? available: neutral, tuck"
    )
    assert "did you mean" not in str(UnknownNameError("configuration", None, ("neutral", "tuck")))

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import Arm, identify, recording
from baxterkit.cli.status import NO_ANSWER
from baxterkit.scene import Scene
from baxterkit.sim import opengl
from baxterkit.trajectory import both_arms, min_jerk


@pytest.fixture(autouse=True)
def _needs_mujoco() -> None:
    components.require("mujoco")


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    """A motion of a second, so that tests are quick."""
    arm = Arm("right")
    q = arm.configuration("untuck")
    path = tmp_path / "motion.json"
    min_jerk(arm, q, q + 0.1, 1.0).save(path)
    return path


def test_a_file_is_followed_and_judged(cli: Any, motion: Path) -> None:
    done = cli("twin", motion, "--side", "right")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "right arm: minimum jerk, 1.00 s, computed-torque"
    assert any(line.startswith("tracking error, RMS [mrad]") for line in lines)
    assert lines[-1].startswith("tip off by 0.")


def test_a_file_moves_its_own_arm(cli: Any, motion: Path) -> None:
    words = ("twin", motion, "--payload", "0.5", "--json")
    facts = cli(*words).json
    assert facts["side"] == "right"
    assert facts == cli(*words, "--side", "right").json
    cli("twin", motion, "--side", "left").fails_with(
        f"{motion}: this motion is the right arm's, not the left arm's: say --side right"
    )


@pytest.mark.parametrize("controller", ["computed-torque", "velocity"])
def test_a_file_of_both_arms_moves_both(cli: Any, tmp_path: Path, controller: str) -> None:
    parts = []
    for arm in (Arm("left"), Arm("right")):
        q = arm.configuration("untuck")
        parts.append(min_jerk(arm, q, q + 0.1, 1.0))
    file = both_arms(*parts).save(tmp_path / "both.npz")
    drive = ("twin", file, "--controller", controller)
    arms = cli(*drive, "--json").json["arms"]
    assert [arm["side"] for arm in arms] == ["left", "right"]
    assert all(0.0 < arm["tip_rms"] < 0.03 for arm in arms)
    assert cli(*drive, "--side", "right", "--json").json["side"] == "right"
    cli(*drive, "--record", tmp_path / "run.csv").fails_with(
        f"--record is for one arm, and {file} moves both: say --side (see: baxterkit twin --help)"
    )


@pytest.mark.parametrize(
    "controller",
    ["computed-torque", "double-loop-pid", "pd-gravity", "adaptive", "sliding-mode", "predictive",
     "joint-impedance", "cartesian-impedance", "position", "raw-position", "velocity"],
)  # fmt: skip
def test_every_controller_follows(cli: Any, motion: Path, controller: str) -> None:
    facts = cli("twin", motion, "--side", "right", "--controller", controller, "--json").json
    assert facts["controller"] == controller
    assert facts["held"] == 0.0
    assert facts["duration"] == 1.0
    lagging = controller == "position"  # by 0.4 s times the speed, as the robot does
    assert facts["tip_rms"] <= facts["tip_max"] < (0.1 if lagging else 0.03)
    assert len(facts["joint_rms"]) == len(facts["torque_mae"]) == 7


def test_a_run_that_fails_ends_with_status_1_and_says_why(
    cli: Any, motion: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nan:
        def reset(self) -> None: ...

        def update(self, state: object, reference: object, dt: float) -> np.ndarray:
            return np.full(7, np.nan)

    monkeypatch.setattr("baxterkit.cli.twin.controller_by_name", lambda name, arm: Nan())
    done = cli("twin", motion, "--side", "right")
    assert (done.status, done.err) == (NO_ANSWER, "")
    assert done.out.splitlines()[-2].startswith(
        "not a success: t = 0.000 s: torque command refused: right_s0 = nan N m is not finite"
    )
    done = cli("twin", motion, "--side", "right", "--json")
    facts = json.loads(done.out)
    assert (done.status, facts["succeeded"], len(facts["faults"])) == (NO_ANSWER, False, 2)


def test_exciting_motions_differ_by_seed_and_are_those_of_identify(
    cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = identify.exciting_motion, []

    def short(arm: Arm, scene: Scene, seed: int) -> Any:
        asked.append((arm.side, scene.arm("right").tool.name, seed))
        return real(arm, 5.0, part=0.1, seed=seed)

    monkeypatch.setattr(identify, "exciting_motion", short)
    run = ("twin", "exciting", "--side", "right", "--tool", "vacuum", "--controller", "velocity")
    first, second = (cli(*run, "--seed", seed, "--json").json for seed in (1, 2))
    assert asked == [("right", "vacuum", 1), ("right", "vacuum", 2)]
    assert first["duration"] == second["duration"] == 5.0
    assert first["joint_rms"] != second["joint_rms"]


def test_the_rigid_twin_is_exact(cli: Any, motion: Path) -> None:
    facts = cli("twin", motion, "--side", "right", "--rigid", "--json").json
    assert max(facts["joint_max"]) < 1e-4
    assert max(facts["torque_mae"]) < 0.05


def test_what_was_sensed_is_recorded(cli: Any, motion: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    done = cli("twin", motion, "--side", "right", "--record", path, "--rate", "50")
    assert done.out.splitlines()[-1] == f"wrote {path}"
    rec = recording.load(path)
    assert (len(rec), rec.side) == (51, "right")
    assert rec.rate == pytest.approx(50.0)
    assert rec.tau is not None
    assert np.abs(rec.q / (2 * np.pi / 16384) - np.rint(rec.q / (2 * np.pi / 16384))).max() < 1e-6


def test_the_same_seed_gives_the_same_run(cli: Any, motion: Path) -> None:
    runs = [
        cli("twin", motion, "--side", "right", "--seed", seed, "--json").json["joint_rms"]
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["circle", "neutral"])
def test_shapes_and_poses_have_names(cli: Any, what: str) -> None:
    facts = cli("twin", what, "--json").json
    assert facts["side"] == "left"
    assert facts["tip_rms"] < 1e-3


def test_other_words_are_refused(cli: Any) -> None:
    cli("twin", "circl").fails_with(
        "'circl' is neither a shape (circle, square, eight, spiral, smith1, smith2, smith3, "
        "exciting), nor a "
        "configuration (neutral, tuck, untuck), nor a file of `baxterkit trajectory`"
    )


def test_a_rate_that_does_not_divide_is_refused(cli: Any, motion: Path) -> None:
    cli("twin", motion, "--side", "right", "--rate", "30").fails_with(
        "record_rate = 30 Hz must divide 1000 Hz, as 1000, 500, 100 or 50"
    )


def test_without_mujoco_the_extra_is_named(
    cli: Any, motion: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    cli("twin", motion, "--side", "right").fails_with(
        "Simulation needs MuJoCo: pip install '.[sim]' in a clone of baxterkit"
    )


def test_without_opengl_it_is_said(
    cli: Any, motion: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "INSTALL", {"egl": opengl.INSTALL["egl"]})

    def absent(name: str) -> None:
        raise OSError("no library")

    monkeypatch.setattr(opengl, "import_module", absent)
    cli("twin", motion, "--side", "right", "--png", tmp_path / "x.png").fails_with(
        "pictures of the twin need off-screen OpenGL, and none works here (egl: no library); on "
        "Debian: apt install libegl1 libgl1-mesa-dri"
    )


def test_a_file_that_is_not_there(cli: Any) -> None:
    cli("twin", "nofile.csv").fails_with("the file 'nofile.csv' does not exist")

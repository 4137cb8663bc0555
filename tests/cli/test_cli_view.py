from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.recording import Recording


@pytest.fixture(autouse=True)
def _viser() -> None:
    components.require("viser")


def test_says_its_address_and_stops_by_itself(cli: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    done = cli("view", "--port", "0", "--seconds", "0.1")
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(r"Baxter is at http://127\.0\.0\.1:\d+  \(Ctrl-C stops it\)\n", done.out)
    assert signal.getsignal(signal.SIGTERM) is before


def test_address_as_json(cli: Any) -> None:
    answer = cli("view", "--port", "0", "--seconds", "0", "--json").json
    assert answer["address"].startswith("http://127.0.0.1:")
    assert answer["pid"] > 0


def test_robot_tool_and_motions_are_taken_over(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baxterkit.viewer import app

    made = []
    start = app.Viewer.__init__

    def watched(self: Any, robot: Any, **options: Any) -> None:
        made.append((robot, options))
        start(self, robot, **options)

    monkeypatch.setattr(app.Viewer, "__init__", watched)
    arm = Arm("right")
    rows = np.linspace(arm.configuration("neutral"), arm.configuration("untuck"), 20)
    path = tmp_path / "move.csv"
    Recording(t=np.arange(20) / 100.0, q=rows, side="right").save(path)
    options = ("--tool", "vacuum", "--play", path, "--port", "0", "--seconds", "0")
    assert cli("view", *options).status == 0
    ((robot, given),) = made
    assert (robot.left.tool.name, robot.right.tool.name) == ("vacuum", "vacuum")
    assert [motion.name for motion in given["motions"]] == ["move.csv"]
    assert list(given["motions"][0].q) == ["right"]
    assert given["host"] == "127.0.0.1"


def test_an_identified_arm_is_shown_with_its_mount(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baxterkit.viewer import app

    made = []
    monkeypatch.setattr(app.Viewer, "__init__", lambda self, robot, **_: made.append(robot))
    monkeypatch.setattr(app.Viewer, "__enter__", lambda self: self)
    monkeypatch.setattr(app.Viewer, "stop", lambda self: None)
    monkeypatch.setattr(app.Viewer, "address", "http://nowhere")
    path = tmp_path / "robot.toml"
    arm = Arm("right", mount="pykdl_robot")
    arm.to_file(path)
    assert cli("view", "--robot", path, "--seconds", "0").status == 0
    np.testing.assert_array_equal(made[0].right.model.T_base_s0, arm.model.T_base_s0)
    np.testing.assert_array_equal(made[0].left.model.T_base_s0, Arm("left").model.T_base_s0)


def test_bad_input_is_one_line(cli: Any, tmp_path: Path) -> None:
    cli("view", "--tool", "spoon").fails_with(
        "unknown tool 'spoon'; available: hand, electric_standard_narrow, electric_standard_wide, "
        "electric_extended_narrow, electric_extended_wide, vacuum, "
        "electric_standard, electric_extended"
    )
    cli("view", "--port", "99999").fails_with("port must be between 0 and 65535, got 99999")
    path = tmp_path / "note.json"
    path.write_text(json.dumps({"format": "other"}), encoding="utf-8")
    done = cli("view", "--play", path)
    assert done.status == 2
    assert "does not hold a trajectory" in done.err


def test_help_has_an_example(cli: Any) -> None:
    assert "baxterkit view --tool electric_standard --open" in cli("view", "--help").out


@pytest.mark.parametrize(
    ("words", "moves"),
    [((), True), (("--host", "0.0.0.0"), False), (("--allow-host", "proxy.example.org"), False)],
)
@pytest.mark.usefixtures("ros_robot")
def test_a_robot_is_moved_from_this_machine_only(
    cli: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], moves: bool
) -> None:
    given: dict[str, Any] = {}

    class Shown:
        address = "http://127.0.0.1:1"

        def __init__(self, robot: object, **options: Any) -> None:
            given.update(options)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def show_robot(self, *_: object) -> None:
            return None

        def show_screen(self, *_: object) -> None:
            return None

        def add_hardware(self, hardware: object) -> None:
            given["hardware"] = hardware

    monkeypatch.setattr("baxterkit.viewer.Viewer", Shown)
    done = cli("view", "--ros", os.environ["ROS_MASTER_URI"], "--seconds", "0", *words)
    assert (done.status, done.err) == (0, "")
    assert (given["live"] is not None) is moves
    assert ("hardware" in given) is moves  # the robot is a twin
    given.clear()
    done = cli("view", *words, "--seconds", "0", "--ros")  # ROS_MASTER_URI
    assert (done.status, "live" in given) == (0, True)

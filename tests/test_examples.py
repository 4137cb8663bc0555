"""Every example runs, prints something, and complains of nothing."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import components
import numpy as np
import pytest

EXAMPLES = sorted((components.ROOT / "examples").glob("*.py"))

SAID = {
    "19_five_lines_each": (
        "file for the robot: time,left_s0,left_s1,lef",
        "box carried, nothing touched: True",
        "own gripper: Arm('left', tool='claw'",
        "for C++: ['baxter_ik.hpp', 'torques.hpp']",
        "paused at 0.50 s",
    ),
    "20_pick_and_place": (
        "in the hand: carton",
        "in the shelf, less than 5 mm off: True; what touches: [('carton', 'bottom')]",
    ),
    "25_a_robot_acts": (
        "nothing moves before it is enabled: True",
        "follow a plan: True",
        "grip: True",
        "stop and go on: (True, True)",
    ),
    "23_planning": ("clear by 10 mm: True", "untucked: True", "GOAL_BLOCKED True"),
}
"""Lines that an example must print."""


def test_examples_are_numbered_without_a_gap() -> None:
    numbers = [int(path.name[:2]) for path in EXAMPLES]
    assert numbers == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.stem == "22_robot_over_ros" else ())
        for path in EXAMPLES
    ],
    ids=lambda path: path.stem,
)
def test_example_runs(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In this process, where everything is imported already; warnings are errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with np.printoptions():  # an example that sets them does so for itself
        runpy.run_path(str(path), run_name="__main__")
    out, err = capsys.readouterr()
    assert out.strip()
    assert err == ""
    for line in SAID.get(path.stem, ()):
        assert line in out


@pytest.mark.parametrize("name", ["19_five_lines_each", "25_a_robot_acts"])
def test_each_function_takes_five_lines_at_most(name: str) -> None:
    text = (components.ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    tasks = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(tasks) == 12
    for task in tasks:
        last = task.body[-1].end_lineno
        assert last is not None
        assert last - task.body[0].lineno < 5, task.name


def test_urdf_example_reads_a_real_robots_file(urdf_dir: Path) -> None:
    example = components.ROOT / "examples" / "04_your_robots_urdf.py"
    command = [sys.executable, str(example), str(urdf_dir / "baxter_calibrated_robot_a.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # The facts on record: this robot's mounts are 8-12 mm and up to 1.2 deg off the nominal ones.
    millimetres = float(done.stdout.split("hand is ")[1].split(" mm")[0])
    assert 5.0 < millimetres < 40.0

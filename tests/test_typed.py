"""A user's script is checked with our types: `py.typed` ships, README's lines pass strictly."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

NAMED = """
from baxterkit import Arm, Baxter, planning, trajectory
from baxterkit.sim import Twin

arm, robot = Arm("left"), Baxter()
q = dict.fromkeys(arm.joint_names, 0.1)
both = q | dict.fromkeys(robot.right.joint_names, 0.2)
rest = dict.fromkeys(arm.joint_names, 0.0)
arm.ik(arm.fk(q), seed=q)
arm.jacobian([q, q])
arm.inverse_dynamics(q, rest, rest)
robot.clearance(q, robot.right.configuration("untuck"))
planning.plan(robot, both, both, group="both")
trajectory.min_jerk(arm, q, arm.configuration("untuck"))
Twin().move_to(left=q)
"""
"""A script that gives joints by name."""

REVEALED = {
    'Arm("left").fk(np.zeros(7))': "numpy.ndarray",
    'Arm("left").ik(np.eye(4))': "baxterkit.ik.result.IkResult",
    'recording.load("run.csv")': "baxterkit.recording.recording.Recording",
    "Baxter().left": "baxterkit.arm.Arm",
    "planning.plan(Baxter(), np.zeros(14), np.zeros(14))": "baxterkit.planning.result.PlanResult",
}


def blocks(page: Path) -> list[str]:
    """The Python of a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What `mypy --strict` says of scripts that lie outside the project."""
    folder = tmp_path_factory.mktemp("scripts")
    lines = [
        "from baxterkit import Baxter, planning, recording",
        *(f"reveal_type({call})" for call in REVEALED),
        'Arm("left").fk(np.zeros(7), frame=3)',
    ]
    scripts = {"readme": blocks(ROOT / "README.md")[0] + "\n".join(lines) + "\n"}
    tasks = blocks(ROOT / "docs" / "tasks.md")
    scripts |= {f"task_{number}": script for number, script in enumerate(tasks)}
    scripts["named"] = NAMED
    for name, script in scripts.items():
        (folder / f"{name}.py").write_text(script, encoding="utf-8")
    files = [f"{name}.py" for name in scripts]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *files]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("baxterkit") / "py.typed").is_file()


@pytest.mark.slow
def test_a_users_script_is_checked_with_our_types(told: list[str]) -> None:
    kinds = [found[1] for line in told if (found := re.search(r'Revealed type is "(.*)"', line))]
    assert len(kinds) == len(REVEALED), told
    for (call, wanted), kind in zip(REVEALED.items(), kinds, strict=True):
        assert kind.startswith(wanted), call
    errors = [line for line in told if line.startswith("readme.py") and ": error:" in line]
    assert len(errors) == 1, told
    assert 'Unexpected keyword argument "frame" for "fk"' in errors[0]


@pytest.mark.slow
def test_joints_by_name_are_typed(told: list[str]) -> None:
    assert [line for line in told if line.startswith("named.py")] == []


@pytest.mark.slow
def test_every_script_of_the_fourteen_tasks_is_typed(told: list[str]) -> None:
    count = len(blocks(ROOT / "docs" / "tasks.md"))
    assert count > 10
    assert f"Found 1 error in 1 file (checked {count + 2} source files)" in told, told

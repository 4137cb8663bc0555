"""A user's script is checked with our types: `py.typed` ships, README's lines pass strictly."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

REVEALED = {
    'Arm("left").fk(np.zeros(7))': "numpy.ndarray",
    'Arm("left").ik(np.eye(4))': "baxterkit.ik.result.IkResult",
    'recording.load("run.csv")': "baxterkit.recording.recording.Recording",
    "Baxter().left": "baxterkit.arm.Arm",
    "planning.plan(Baxter(), np.zeros(14), np.zeros(14))": "baxterkit.planning.result.PlanResult",
}


def checked(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What `mypy --strict` says of a script that lies outside the project."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "script.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("baxterkit") / "py.typed").is_file()


def test_a_users_script_is_checked_with_our_types(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert first is not None
    lines = [
        "from baxterkit import Baxter, planning, recording",
        *(f"reveal_type({call})" for call in REVEALED),
        'Arm("left").fk(np.zeros(7), frame=3)',
    ]
    done = checked(first[1] + "\n".join(lines) + "\n", tmp_path)
    told = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert len(told) == len(REVEALED), done.stdout
    for (call, wanted), kind in zip(REVEALED.items(), told, strict=True):
        assert kind.startswith(wanted), call
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert 'Unexpected keyword argument "frame" for "fk"' in errors[0]

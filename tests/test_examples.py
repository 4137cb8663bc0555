"""Every example runs, prints something, and complains of nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import components
import pytest

EXAMPLES = sorted((components.ROOT / "examples").glob("*.py"))


def test_examples_are_numbered_without_a_gap() -> None:
    numbers = [int(path.name[:2]) for path in EXAMPLES]
    assert numbers == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(path)]
    env = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert done.stderr == ""


def test_urdf_example_reads_a_real_robots_file(urdf_dir: Path) -> None:
    example = components.ROOT / "examples" / "04_your_robots_urdf.py"
    command = [sys.executable, str(example), str(urdf_dir / "baxter_calibrated_robot_a.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # The facts on record: this robot's mounts are 8-12 mm and up to 1.2 deg off the nominal ones.
    millimetres = float(done.stdout.split("hand is ")[1].split(" mm")[0])
    assert 5.0 < millimetres < 40.0

"""The workflows of .github parse, and what they run is there and runs."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import components
import pytest

yaml = pytest.importorskip("yaml")
FILES = sorted((components.ROOT / ".github" / "workflows").glob("*.yml"))
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")
PROJECT = tomllib.loads((components.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGET = re.compile(r"^([\w-]+):", re.MULTILINE)
TARGETS = TARGET.findall((components.ROOT / "Makefile").read_text(encoding="utf-8"))


def jobs() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in FILES:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert content["name"] == path.stem
        assert True in content or "on" in content  # YAML reads a bare "on" as true
        for name, job in content["jobs"].items():
            yield f"{path.stem}/{name}", job


def cells(job: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The matrix of a job, cell by cell."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in itertools.product(*matrix.values()):
        yield {f"matrix.{key}": value for key, value in zip(matrix, values, strict=True)}


def commands() -> Iterator[tuple[str, str]]:
    """Every command of every cell, with its job."""
    for name, job in jobs():
        for cell in cells(job):
            for step in job["steps"]:
                if "run" in step:
                    yield name, EXPRESSION.sub(lambda m, cell=cell: cell[m[1]], step["run"])


COMMANDS = sorted({command for _, command in commands()})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_there(command: str) -> None:
    subprocess.run(["bash", "-n", "-c", command], check=True)
    words = [word for word in shlex.split(command) if not word.startswith("-")]
    words = words[1:] if words[0] == "sudo" else words
    if words[0] == "make":
        assert words[1] in TARGETS
    elif words[0] == "python":
        assert (components.ROOT / words[1]).exists()
        spoken = [sys.executable, words[1], "--help"]
        if "argparse" in (components.ROOT / words[1]).read_text(encoding="utf-8"):
            subprocess.run(spoken, check=True, cwd=components.ROOT, stdout=subprocess.DEVNULL)
    elif words[0] != "apt-get":
        assert os.access(components.ROOT / words[0], os.X_OK)


def test_actions_have_a_version_and_names_of_the_matrix_exist() -> None:
    for name, job in jobs():
        text = yaml.safe_dump(job)
        known = {key for cell in cells(job) for key in cell}
        for used in EXPRESSION.findall(text):
            assert used in known or used.split(".")[0] in ("github", "vars"), (name, used)
        uses = [step["uses"] for step in job["steps"] if "uses" in step]
        assert all(re.search(r"@v\d", one) for one in uses), name
        assert uses[0].startswith("actions/checkout@"), name


def test_pythons_from_the_oldest_to_the_newest_and_both_processors_are_tested() -> None:
    every = dict(jobs())
    for name in ("test/suite", "test/core"):
        matrix = every[name]["strategy"]["matrix"]
        oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
        assert matrix["python"][0] == oldest
        assert matrix["python"] == [f"3.{minor}" for minor in range(11, 15)]
        assert {"ubuntu-24.04", "ubuntu-24.04-arm"} <= set(matrix["os"])
    assert every["nightly/long"]["strategy"]["matrix"]["run"] == [
        "acceptance",
        "sanitize",
        "claims",
    ]
    assert "cp311-*" in PROJECT["tool"]["cibuildwheel"]["build"]


@pytest.mark.acceptance
def test_the_core_job_runs_here(tmp_path: Path) -> None:
    """Its steps in a clone with this Python: a build, and the core tests with the oldest NumPy."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", components.ROOT, clone], check=True)
    (cell,) = [
        cell
        for cell in cells(dict(jobs())["test/core"])
        if cell["matrix.python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
        and cell["matrix.numpy"] == "oldest"
        and cell["matrix.os"] == "ubuntu-24.04"
    ]
    assert shutil.which("g++")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for step in dict(jobs())["test/core"]["steps"]:
        if "run" in step:
            command = EXPRESSION.sub(lambda m: cell[m[1]], step["run"])
            subprocess.run(
                ["bash", "-ec", command], check=True, cwd=clone, env={**os.environ, "PATH": path}
            )

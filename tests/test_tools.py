"""The scripts under tools/: what a bare machine is told, and what is tried again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import components
import pytest

TOOLS = components.ROOT / "tools"
FULL = ("python3", "g++", "make")

# A python3 that lacks what Debian ships in other packages; the rest it asks of the real one.
BARE_PYTHON = f"""#!/bin/sh
case "$2" in
    *ensurepip*|*Python.h*) exit 1 ;;
esac
exec {sys.executable} "$@"
"""
OLD_PYTHON = """#!/bin/sh
case "$1" in
    -V) echo "Python 3.10.12" ;;
    *) exit 1 ;;
esac
"""


def machine(folder: Path, programs: tuple[str, ...], **scripts: str) -> dict[str, str]:
    """The environment of a machine whose PATH holds these programs only."""
    for name in programs:
        real = sys.executable if name == "python3" else shutil.which("true")
        assert real
        (folder / name).symlink_to(real)
    for name, text in scripts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def check_system(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(TOOLS / "check-system.sh"), "python3"]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def test_complete_machine_passes_in_silence(tmp_path: Path) -> None:
    done = check_system(machine(tmp_path, FULL))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("programs", "packages"),
    [
        (("python3", "make"), "g++"),
        (("python3", "g++"), "make"),
        (("python3",), "g++ make"),
        (("g++", "make"), "python3 python3-venv python3-dev"),
    ],
)
def test_missing_program_is_named_with_its_apt_line(
    tmp_path: Path, programs: tuple[str, ...], packages: str
) -> None:
    done = check_system(machine(tmp_path, programs))
    assert done.returncode == 1
    assert done.stderr == (
        f"baxterkit cannot be built yet; missing: {packages}\n"
        f"On Debian or Ubuntu:  sudo apt-get install {packages}\n"
    )


def test_python_without_venv_and_headers_is_told_the_packages(tmp_path: Path) -> None:
    done = check_system(machine(tmp_path, ("g++", "make"), python3=BARE_PYTHON))
    assert done.returncode == 1
    assert "sudo apt-get install python3-venv python3-dev\n" in done.stderr


def test_old_python_is_told_the_version_it_needs(tmp_path: Path) -> None:
    done = check_system(machine(tmp_path, ("g++", "make"), python3=OLD_PYTHON))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; python3 is Python 3.10.12." in done.stderr


def retry(tmp_path: Path, script: str) -> tuple[int, int]:
    """Exit status of `retry.sh 3 SCRIPT`, and how often the script ran."""
    count = tmp_path / "count"
    command = [str(TOOLS / "retry.sh"), "3", "sh", "-c", f"echo x >>{count}; {script}"]
    env = {**os.environ, "RETRY_WAIT": "0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    return done.returncode, len(count.read_text().splitlines())


def test_network_fault_is_tried_again(tmp_path: Path) -> None:
    assert retry(tmp_path, "echo 'Read timed out.' >&2; exit 7") == (7, 3)


def test_recovered_network_fault_succeeds(tmp_path: Path) -> None:
    once = f"test -e {tmp_path}/again && exit 0; touch {tmp_path}/again"
    assert retry(tmp_path, f"{once}; echo 'Connection reset by peer'; exit 1") == (0, 2)


def test_other_failures_are_returned_at_once(tmp_path: Path) -> None:
    assert retry(tmp_path, "echo 'error: expected ;'; exit 2") == (2, 1)


def test_success_runs_once(tmp_path: Path) -> None:
    assert retry(tmp_path, "exit 0") == (0, 1)


def test_makefile_brings_what_the_build_needs() -> None:
    """`make` builds without pip's isolation, so it must install the tools itself."""
    pyproject = tomllib.loads((components.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    makefile = (components.ROOT / "Makefile").read_text(encoding="utf-8")
    line = re.search(r"^BUILD_TOOLS := (.*)$", makefile, re.MULTILINE)
    assert line
    tools = [word.strip("'") for word in line.group(1).split()]
    cmake = pyproject["tool"]["scikit-build"]["cmake"]["version"]
    assert set(tools) >= {*pyproject["build-system"]["requires"], f"cmake{cmake}"}


def configure(build: Path, **environment: str) -> str:
    """What CMake says when it configures the extension's build."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    cmake, ninja = shutil.which("cmake", path=path), shutil.which("ninja", path=path)
    assert cmake
    assert ninja, "make test installs both"
    options = {"CMAKE_MAKE_PROGRAM": ninja, "Python_EXECUTABLE": sys.executable}
    done = subprocess.run(
        [cmake, "-G", "Ninja", "-S", components.ROOT, "-B", build]
        + [f"-D{name}={value}" for name, value in options.items()],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_without_a_compiler_there_is_a_build_and_a_compiler_that_comes_later_is_found(
    tmp_path: Path,
) -> None:
    said = configure(tmp_path, CXX=shutil.which("false") or "")
    assert "no C++ compiler" in said
    assert "NumPy will compute" in said
    assert "_native" not in (tmp_path / "build.ninja").read_text()
    said = configure(tmp_path)
    assert "NumPy will compute" not in said
    assert "_native" in (tmp_path / "build.ninja").read_text()

"""A test of a real component skips where it is missing, and fails where it was promised."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import components
import optional_parts
import pytest


@pytest.fixture(autouse=True)
def _nothing_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_HIDE", raising=False)


def test_missing_component_skips_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)
    monkeypatch.delenv("BAXTERKIT_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs data: BAXTERKIT_DATA is not set"):
        components.require("data")


def test_missing_component_fails_when_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAXTERKIT_DATA", "/nonexistent/folder")
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "urdf, data")
    with pytest.raises(pytest.fail.Exception) as caught:
        components.require("data")
    assert str(caught.value) == (
        "data is required by BAXTERKIT_REQUIRE, but BAXTERKIT_DATA=/nonexistent/folder is no folder"
    )


def test_missing_program_fails_when_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "graphviz")
    with pytest.raises(pytest.fail.Exception, match="no program dot on the PATH"):
        components.require("graphviz")


def test_present_component_passes(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("BAXTERKIT_DATA", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "data")
    components.require("data")


def test_unknown_component_is_a_mistake() -> None:
    with pytest.raises(
        ValueError, match="unknown component 'no-such-thing'; known: av, casadi, cc"
    ):
        components.require("no-such-thing")


def test_everything_required_is_a_known_component() -> None:
    assert components.required() <= set(components.checks())


def run_suite(folder: Path, files: dict[str, str], *options: str, **environment: str) -> str:
    """What pytest says of test files, in this suite's settings."""
    tests = folder / "tests"
    tests.mkdir(exist_ok=True)
    for name in ("components.py", "optional_parts.py", "conftest.py"):
        shutil.copy(components.ROOT / "tests" / name, tests)
    shutil.copytree(components.ROOT / "tests" / "hooks", tests / "hooks", dirs_exist_ok=True)
    shutil.copytree(components.ROOT / "tools", folder / "tools", dirs_exist_ok=True)
    for name, text in files.items():
        (tests / name).write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n", encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BAXTERKIT_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "xdist", *options],
        cwd=folder,
        env={**kept, **environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


PARTS = """
import importlib.util, os, shutil, subprocess, sys
import components, pytest

def test_program():
    assert shutil.which("a-program") is None
    with pytest.raises(FileNotFoundError):
        subprocess.run(["a-program"])
    assert shutil.which("another-program")

def test_module():
    with pytest.raises(ModuleNotFoundError):
        import optik
    assert importlib.util.find_spec("optik") is None

def test_module_in_a_child():
    code = "import importlib.util; print(importlib.util.find_spec('optik'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "None\\n"

def test_folder():
    assert "BAXTERKIT_DATA" not in os.environ
    assert os.environ["BAXTERKIT_URDF"]

def test_required():
    components.require("data")

def test_nothing():
    assert sys.argv
"""


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, str]:
    """An environment that has a program, a module and two folders."""
    programs, modules, data = (tmp_path / name for name in ("programs", "modules", "data"))
    for folder in (programs, modules, data):
        folder.mkdir()
    (data / "numbers").write_text("", encoding="utf-8")
    for name in ("a-program", "another-program"):
        (programs / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    (modules / "optik.py").write_text("", encoding="utf-8")
    return {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": str(modules),
        "CC": "a-program",
        "BAXTERKIT_DATA": str(data),
        "BAXTERKIT_URDF": str(data),
    }


@pytest.mark.slow
def test_hidden_parts_are_really_hidden(tmp_path: Path, parts: dict[str, str]) -> None:
    files = {"test_parts.py": PARTS}
    said = run_suite(tmp_path, files, **parts, BAXTERKIT_HIDE="cc,data,optik")
    assert "5 passed, 1 skipped" in said, said
    assert "needs data: BAXTERKIT_HIDE hides it" in said


def test_hiding_all_spares_what_every_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAXTERKIT_HIDE", "all")
    assert {"data", "urdf", "kdl", "octave", "chromium", "pinocchio", "rtb"} <= components.hidden()
    assert not components.hidden() & {"cxx", "mujoco", "scipy"}
    monkeypatch.setenv("BAXTERKIT_HIDE", "scipy, all")
    assert components.hidden() & {"cxx", "mujoco", "scipy"} == {"scipy"}


def test_hiding_an_unknown_part_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAXTERKIT_HIDE", "ocatve")
    with pytest.raises(ValueError, match="BAXTERKIT_HIDE: unknown component 'ocatve'; known: all"):
        components.hidden()


USES = """
import subprocess, sys
import components

def test_asks():
    components.require("urdf")

def test_imports():
    import optik

def test_imports_again():
    import optik

def test_opens():
    open(components.os.environ["BAXTERKIT_DATA"] + "/numbers").close()

def test_looks_for_a_program():
    components.shutil.which("ffmpeg")

def test_child_imports():
    subprocess.run([sys.executable, "-c", "import optik"], check=True)

def test_child_does_not():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_asks_for_what_every_machine_has():
    components.require("cxx")

def test_nothing():
    import json
"""
USERS = ["asks", "imports", "imports_again", "opens", "looks_for_a_program", "child_imports"]


TOP = "import optik\n\ndef test_one():\n    pass\n\ndef test_two():\n    pass\n"


@pytest.mark.slow
def test_tests_that_use_optional_parts_are_noted_and_chosen(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    notes, files = tmp_path / "notes", {"test_parts.py": USES, "test_top.py": TOP}
    said = run_suite(tmp_path, files, f"--note-optional={notes}", "-n", "2", **parts)
    assert "11 passed" in said, said
    assert set(notes.read_text().splitlines()) == {
        "tests/test_top.py",  # an import at the top counts for the whole file
        *(f"tests/test_parts.py::test_{name}" for name in USERS),
    }
    said = run_suite(tmp_path, files, f"--only={notes}", **parts)
    assert "8 passed, 3 deselected" in said, said


def test_a_module_loaded_by_path_is_hidden_too() -> None:
    """As Debian's PyKDL is, which lies where a virtual environment does not look."""
    import _ctypes  # an extension module that every Python has

    code = (
        "import part_hooks, importlib.util, importlib.machinery\n"
        "part_hooks.hide_modules(['_ctypes'])\n"
        f"spec = importlib.util.spec_from_file_location('_ctypes', {_ctypes.__file__!r})\n"
        "try: importlib.util.module_from_spec(spec)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=optional_parts.HOOKS,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "No module named '_ctypes' (hidden)\n", done.stderr

"""What a wheel and the sdist hold."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

from baxterkit import Arm
from baxterkit.codegen.ik_standalone import _ARM, _NATIVE, _SOURCE, _Source

ROOT = Path(__file__).parents[1]
SOURCES = (".cpp", ".hpp", ".h", ".map")


def test_a_wheel_holds_the_native_sources_that_are_exported_and_no_others() -> None:
    source = _Source(Arm("left").model)
    source.expand(_NATIVE / _SOURCE)
    exported = {path.relative_to(ROOT / "src") for path in source._seen if path.name != _ARM}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    patterns = [pattern.removeprefix("**") for pattern in settings["wheel"]["exclude"]]
    every = {f.relative_to(ROOT / "src") for f in _NATIVE.rglob("*") if f.suffix in SOURCES}
    left_out = {f for f in every if any(fnmatch(f"/{f}", f"*{p}*") for p in patterns)}
    assert exported == every - left_out, "see wheel.exclude in pyproject.toml"


def test_every_extra_is_tried_and_weighed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {*project["optional-dependencies"]} - {"bench", "check", "docs", "test"}  # developers'
    assert {*runpy.run_path(str(ROOT / "tools" / "try_extras.py"))["USES"]} - {""} == extras
    table = (ROOT / "docs" / "concepts.md").read_text("utf-8")
    assert {*re.findall(r"^\| `\[(\w+)\]` \|.*\| [\d,]+.*\|$", table, re.MULTILINE)} == extras


def test_without_a_compiler_a_build_compiles_nothing_and_succeeds(
    tmp_path: Path, require: Callable[[str], None]
) -> None:
    require("cmake")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path],
        env={**os.environ, "PATH": path, "CXX": "/nowhere/c++"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "baxterkit: no C++ compiler, or BAXTERKIT_NATIVE=OFF: NumPy will compute" in done.stderr
    assert "_native" not in (tmp_path / "build.ninja").read_text("utf-8")


def test_wheels_are_compiled_with_a_python_of_debian(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its pyconfig.h includes <x86_64-linux-gnu/python3.11/pyconfig.h>, beside the C library's.
    there = tmp_path / "usr" / "x86_64-linux-gnu" / "python3.11" / "pyconfig.h"
    there.parent.mkdir(parents=True)
    there.write_text("#define SIZEOF_LONG 8\n")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "usr" / "python3.11"))
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: "x86_64-linux-gnu")
    compiler = runpy.run_path(str(ROOT / "tools" / "wheels.py"))["compiler"]
    for platform in ("x86_64", "aarch64"):
        toolchain = compiler(platform, tmp_path / platform).read_text("utf-8")
        (found,) = re.findall(r"-isystem \\\"(.*)\\\"", toolchain)
        own = Path(found, f"{platform}-linux-gnu", "python3.11", "pyconfig.h")
        assert own.read_text("utf-8") == there.read_text("utf-8")


def test_numpys_headers_come_before_pythons() -> None:
    # Debian's python3-numpy puts its own, of NumPy 1, among Python's.
    files = sorted(ROOT.glob("build/cp*/build.ninja"))
    if not files:
        pytest.skip("the extension was not built here")
    text = files[-1].read_text("utf-8")
    flags = re.search(r"_native.dir/\S*/arguments.cpp.o:.*?INCLUDES = ([^\n]*)", text, re.DOTALL)
    assert flags
    numpy, python = re.findall(r"-isystem (\S+)", flags[1])
    assert numpy.endswith("numpy/_core/include")
    assert Path(python, "Python.h").exists()

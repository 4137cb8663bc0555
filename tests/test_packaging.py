"""What a wheel and the sdist hold."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

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

"""Importing baxterkit is cheap, and brings in NumPy and the standard library only."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import components
import pytest

import baxterkit

INTERNAL = {"backend", "checks", "cli", "disk", "facade", "kernels", "look", "native"}
PARTS = sorted(
    path.parent.name
    for path in Path(baxterkit.__file__).parent.glob("*/__init__.py")
    if path.parent.name not in INTERNAL
)
IMPORT_BUDGET_MS = 30.0  # what `import baxterkit` may add to NumPy's import
IMPORT_BUDGET_MODULES = 60  # and how many modules, counted so that no busy machine matters

PROBE = """
import json, sys, time
import numpy
before = set(sys.modules)
start = time.process_time()
import baxterkit
milliseconds = 1e3 * (time.process_time() - start)
print(json.dumps({"ms": milliseconds, "modules": sorted(set(sys.modules) - before)}))
"""


def printed(code: str) -> dict[str, Any]:
    """The JSON that a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def probe() -> tuple[float, list[str]]:
    """Import baxterkit after NumPy in a new process: processor milliseconds, and the modules."""
    result = printed(PROBE)
    return result["ms"], result["modules"]


@pytest.mark.acceptance  # of a quiet machine
@pytest.mark.timing
def test_import_adds_less_than_30_ms_to_numpy() -> None:
    # Processor time, the best of several: what else the machine does only ever adds to it.
    times: list[float] = []
    for _ in range(20):
        times.append(probe()[0])
        if times[-1] < IMPORT_BUDGET_MS and len(times) >= 2:
            break
    assert min(times) < IMPORT_BUDGET_MS, times


def test_import_brings_in_a_few_modules_of_numpy_and_the_standard_library_only() -> None:
    _, modules = probe()
    assert len(modules) <= IMPORT_BUDGET_MODULES, modules
    assert "pathlib" not in modules  # a tenth of the time, for paths that few give
    assert any(name.startswith("baxterkit.") for name in modules)
    packages = {name.split(".")[0] for name in modules}
    assert packages - set(sys.stdlib_module_names) - {"numpy", "baxterkit"} == set()


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((components.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert baxterkit.__version__ == project["project"]["version"]


ALL_MODULES = """
import importlib, json, pkgutil, sys
import baxterkit
for found in pkgutil.walk_packages(baxterkit.__path__, "baxterkit."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
hidden = []
for name in sorted(sys.modules):
    package, _, module = name.rpartition(".")
    if package.split(".")[0] == "baxterkit":
        if getattr(sys.modules[package], module, None) is not sys.modules[name]:
            hidden.append(name)
print(json.dumps({"hidden": hidden, "count": sum(n.startswith("baxterkit.") for n in sys.modules)}))
"""


def test_no_module_is_hidden_by_something_of_its_name() -> None:
    components.require("gymnasium")
    # `import baxterkit.plot.skeleton as m` must not give a function.
    result = printed(ALL_MODULES)
    assert result["count"] > 200
    assert result["hidden"] == []


FRESH = """
import os, sys
import numpy

def check(name):
    import baxterkit
    part = getattr(baxterkit, name)
    assert part is sys.modules["baxterkit." + name], part
    missing = [one for one in getattr(part, "__all__", []) if not hasattr(part, one)]
    assert not missing, missing

for name in sys.argv[1:]:
    assert "baxterkit" not in sys.modules
    child = os.fork()
    if not child:
        check(name)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, name
    print(name)
"""


@pytest.mark.slow
def test_every_part_is_there_on_a_fresh_import() -> None:
    components.require("gymnasium")
    # Each in a process that has imported NumPy alone: what was imported before must not matter.
    done = subprocess.run(
        [sys.executable, "-c", FRESH, *PARTS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == PARTS


def test_the_top_has_few_names_and_those_that_others_build_on() -> None:
    names = set(dir(baxterkit))
    assert len(names) <= 33
    assert {"codegen", "control", "identify", "ik", "model", "plot", "sim"} <= set(PARTS)
    assert {"Arm", "Baxter", "Payload", "recording", "identify", "set_threads"} <= names
    assert set(baxterkit.__all__) <= names
    assert all(hasattr(baxterkit, name) for name in names)
    with pytest.raises(AttributeError, match="module 'baxterkit' has no attribute 'magic'"):
        baxterkit.magic  # noqa: B018

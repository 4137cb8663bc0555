"""What the environment chooses: instruction set, threads, and life without the extension."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import components
import pytest

from baxterkit import _native, native
from baxterkit.errors import ExtensionError
from baxterkit.types import OLDEST_NUMPY

FK = """
import hashlib, json
import numpy as np
import baxterkit
arm = baxterkit.Arm("left")
q = np.linspace(-1.0, 1.0, 70_000).reshape(-1, 7)
digest = hashlib.sha256(arm.fk(q).tobytes()).hexdigest()
print(json.dumps({**baxterkit.backend_info(), "digest": digest}))
"""

BLOCKED = """
import sys, warnings
import numpy as np

class Block:
    def find_spec(self, name, path=None, target=None):
        if name == "baxterkit._native":
            raise ModuleNotFoundError("blocked", name=name)

sys.meta_path.insert(0, Block())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import baxterkit
    arms = [baxterkit.Arm("left"), baxterkit.Arm("right"), baxterkit.Baxter().left]
    quiet = baxterkit.Arm("left", backend="numpy")
assert [arm.backend for arm in arms] == ["numpy"] * 3
baxterkit.set_threads(2)
q = np.full((2, 7), 0.5)
arm = arms[0]
assert arm.fk(q).shape == (2, 4, 4)
assert arm.jacobian(q, "tip").shape == (2, 6, 7)
assert np.allclose(arm.twist(q, arm.joint_velocity(q, np.ones(6))), 1.0)
assert arm.nullspace(q).shape == (2, 7, 7)
assert baxterkit.backend_info() == {"backend": "numpy", "isa": None, "isas": [], "threads": 1}
for warning in caught:
    print(warning.category.__name__, "|", warning.message, "|", warning.filename)
"""


REBUILD = "rebuild it (pip install -e . in the clone of baxterkit), or reinstall the wheel"
ANOTHER_PROCESSOR = (
    "the compiled extension cannot be loaded (it was compiled for another processor: this one has "
    f"none of its instruction sets); {REBUILD}"
)
REPLACED = """
import importlib.util, sys

class Replace:
    def find_spec(self, name, path=None, target=None):
        if name == "baxterkit._native":
            return importlib.util.spec_from_file_location(name, sys.argv[1])

sys.meta_path.insert(0, Replace())
import baxterkit
baxterkit.Arm("left")
"""


def run(code: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("BAXTERKIT_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env={**env, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def info(**environment: str) -> dict[str, object]:
    done = run(FK, **environment)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_best_instruction_set_and_all_cores_are_the_default() -> None:
    result = info()
    assert result["backend"] == "native"
    assert result["isa"] == _native.isas()[0]
    assert result["isas"] == _native.isas()
    assert result["threads"] == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("isa", _native.isas())
def test_instruction_set_is_forced_and_reproducible(isa: str) -> None:
    one = info(BAXTERKIT_ISA=isa, BAXTERKIT_THREADS="1")
    three = info(BAXTERKIT_ISA=isa, BAXTERKIT_THREADS="3")
    assert (one["isa"], one["threads"]) == (isa, 1)
    assert (three["isa"], three["threads"]) == (isa, 3)
    assert one["digest"] == three["digest"]


def test_unknown_instruction_set_lists_those_that_run_here() -> None:
    done = run(FK, BAXTERKIT_ISA="mmx")
    assert done.returncode == 1
    assert done.stderr.rstrip().splitlines()[-1] == (
        "baxterkit.errors.UnknownNameError: unknown instruction set BAXTERKIT_ISA 'mmx'; "
        f"available: {', '.join(_native.isas())}"
    )


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "4097"])
def test_bad_thread_count_is_refused(value: str) -> None:
    done = run(FK, BAXTERKIT_THREADS=value)
    assert done.returncode == 1
    assert done.stderr.rstrip().splitlines()[-1] == (
        f"baxterkit.errors.InputError: BAXTERKIT_THREADS={value} must be an integer from 1 to 4096"
    )


def test_empty_variables_count_as_unset() -> None:
    assert info(BAXTERKIT_ISA="", BAXTERKIT_THREADS="")["isa"] == _native.isas()[0]


def test_importing_does_not_load_the_extension() -> None:
    done = run("import sys, baxterkit; print('baxterkit._native' in sys.modules)")
    assert done.stdout == "False\n"


def test_without_the_extension_numpy_serves_with_exactly_one_warning() -> None:
    done = run(BLOCKED)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1
    assert lines[0] == (
        "BackendWarning | the native kernels were not built (no C++ compiler at install time?), "
        "so NumPy computes: correct, but slower; install g++ and reinstall baxterkit | <string>"
    )


def test_an_extension_of_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = ModuleType("baxterkit._native")
    stale.__file__ = "/somewhere/_native.so"
    for interface in (None, "0123456789abcdef"):
        if interface:
            stale.interface = interface  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "baxterkit._native", stale)
        with pytest.raises(ExtensionError) as caught:
            native.load.__wrapped__()
        assert str(caught.value) == (
            "the compiled extension /somewhere/_native.so was built from other sources than this "
            f"code; {REBUILD}"
        )


def test_an_extension_that_cannot_be_loaded_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        raise ImportError("_native.so: undefined symbol: bk_fk", name=name)

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(ImportError) as caught:
        native.load.__wrapped__()
    assert isinstance(caught.value, ExtensionError)
    assert str(caught.value) == (
        f"the compiled extension cannot be loaded (_native.so: undefined symbol: bk_fk); {REBUILD}"
    )


def test_an_old_numpy_is_refused_with_the_way_out() -> None:
    done = run("import numpy; numpy.__version__ = '1.24.4'; import baxterkit")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: baxterkit needs NumPy 1.26 or later, and 1.24.4 is installed: "
        "pip install --upgrade numpy"
    )


def test_the_oldest_numpy_is_that_of_the_project() -> None:
    project = tomllib.loads((components.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == ["numpy>=" + ".".join(map(str, OLDEST_NUMPY))]


def test_nothing_is_written_beside_the_package() -> None:
    # A read-only site-packages is all right: everything but Python's own caches only reads there.
    done = run(
        "import os, sys, baxterkit\n"
        "own = os.path.dirname(baxterkit.__file__)\n"
        "writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT\n"
        "def watch(event, args):\n"
        "    if event == 'open' and isinstance(args[0], str) and args[2] & writes:\n"
        "        assert not args[0].startswith(own), args[0]\n"
        "    assert event not in ('os.mkdir', 'os.rename') or not str(args[0]).startswith(own)\n"
        "sys.dont_write_bytecode = True\n"
        "sys.addaudithook(watch)\n"
        "from baxterkit import Arm, Baxter, codegen, planning\n"
        "robot = Baxter()\n"
        "both = [*robot.left.configuration('untuck'), *robot.right.configuration('untuck')]\n"
        "neutral = [*robot.left.configuration('neutral'), *robot.right.configuration('neutral')]\n"
        "print(robot.left.ik(robot.left.fk(both[:7])).solved)\n"
        "print(planning.plan(robot, both, neutral).path is not None)\n"
    )
    assert done.stdout == "True\nTrue\n", done.stderr


def test_on_another_processor_it_runs_what_that_has_or_asks_for_a_rebuild(
    require: Callable[[str], None],
) -> None:
    require("qemu")
    code = (
        "from baxterkit import native\n"
        "from baxterkit.errors import ExtensionError\n"
        "try: print(*native.load().isas())\n"
        "except ExtensionError as error: print(error)\n"
    )
    command = ["qemu-x86_64", "-cpu", "Haswell", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    there = [isa for isa in _native.isas() if isa != "avx512"]
    assert done.stdout.strip() == (" ".join(there) or ANOTHER_PROCESSOR)


def test_an_extension_without_a_set_of_this_processor_asks_for_a_rebuild(
    tmp_path: Path, require: Callable[[str], None]
) -> None:
    require("cxx")
    # This build's own objects, linked again with a choice among no instruction sets.
    source = components.ROOT / "src" / "baxterkit" / "native"
    built = [*components.ROOT.glob("build/cp*/CMakeFiles/_native.dir/src/baxterkit/native")]
    if not built:
        pytest.skip("the extension was not built here")
    others = [file for file in built[-1].rglob("*.o") if file.name != "dispatch.cpp.o"]
    module = tmp_path / "_native.abi3.so"
    options = ["-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden"]
    compiler = os.environ.get("CXX", "g++").split()
    command = [*compiler, *options, source / "dispatch.cpp", *others, "-o", module]
    subprocess.run(command, check=True)
    done = run(REPLACED, module)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"baxterkit.errors.ExtensionError: {ANOTHER_PROCESSOR}"

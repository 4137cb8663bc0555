"""Parts that a test may need and a machine may lack: recordings, programs, peer libraries.

`require("data")` skips the test where the part is missing, and fails it where the part was promised
in `BAXTERKIT_REQUIRE` (a comma-separated list, set by `.ci/run`), so that a real-component test
cannot quietly stop running. `BAXTERKIT_HIDE` (a list too, or "all") hides parts, so that a machine
that has them can show what happens on one that has not.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SYSTEM_PACKAGES = ROOT / "tools" / "system-packages.txt"

# Component -> module that shows it is there.
MODULES = {
    "av": "av",
    "casadi": "casadi",
    "optik": "optik",
    "tracik": "pytracik",
    "pinocchio": "pinocchio",
    "foxglove": "foxglove",
    "gymnasium": "gymnasium",
    "mujoco": "mujoco",
    "ompl": "ompl",
    "rtb": "roboticstoolbox",
    "matplotlib": "matplotlib",
    "mpmath": "mpmath",
    "pandas": "pandas",
    "piqp": "piqp",
    "scipy": "scipy",
    "ruckig": "ruckig",
    "sphinx": "sphinx",
    "sympy": "sympy",
    "toppra": "toppra",
    "trimesh": "trimesh",
    "viser": "viser",
    "zarr": "zarr",
}

FOLDERS = {
    "data": "BAXTERKIT_DATA",
    "urdf": "BAXTERKIT_URDF",
    "meshes": "BAXTERKIT_MESHES",
    "tool_meshes": "BAXTERKIT_TOOL_MESHES",
}
# What the suite stands on wherever it runs; hidden only by name.
ALWAYS = frozenset(
    {
        "cc",
        "cmake",
        "cxx",
        "matplotlib",
        "mpmath",
        "mujoco",
        "pandas",
        "piqp",
        "ruckig",
        "scipy",
        "sphinx",
    }
    | {"sympy", "toppra", "trimesh", "viser", "zarr"}
)


def asked(component: str) -> None:
    """Called with each component that a test requires; `optional_parts.Noter` takes its place."""


def _folder(variable: str) -> str | None:
    """Why the folder named by an environment variable cannot be used; None if it can."""
    value = os.environ.get(variable)
    if not value:
        return f"{variable} is not set"
    if not Path(value).is_dir():
        return f"{variable}={value} is no folder"
    return None


def _module(name: str) -> str | None:
    return None if importlib.util.find_spec(name) else f"no Python module {name}"


def _program(name: str) -> str | None:
    if "/" in name:
        pattern = name.replace("@PY@", f"{sys.version_info.major}{sys.version_info.minor}")
        return None if glob.glob(pattern) else f"no file {pattern}"
    return None if shutil.which(name) else f"no program {name} on the PATH"


def system_programs() -> dict[str, str]:
    """Component -> program or file, as `tools/system-packages.txt` lists them."""
    lines = SYSTEM_PACKAGES.read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {row[0]: row[1] for row in words}


def programs() -> dict[str, str]:
    """Component -> program or file."""
    return {
        "cc": os.environ.get("CC", "gcc").split()[0],
        "cxx": os.environ.get("CXX", "g++").split()[0],
        "cmake": "cmake",
        "ffmpeg": "ffmpeg",
        "latex": "pdflatex",
        "lerobot": os.environ.get("BAXTERKIT_LEROBOT", "/no-python-with-lerobot"),
        **system_programs(),
    }


def checks() -> dict[str, Callable[[], str | None]]:
    """Component -> function that says why it is missing, or None."""
    table: dict[str, Callable[[], str | None]] = {
        component: lambda variable=variable: _folder(variable)  # type: ignore[misc]
        for component, variable in FOLDERS.items()
    }
    for component, module in MODULES.items():
        table[component] = lambda module=module: _module(module)  # type: ignore[misc]
    for component, program in programs().items():
        table[component] = lambda program=program: _program(program)  # type: ignore[misc]
    for component in hidden():
        table[component] = lambda: "BAXTERKIT_HIDE hides it"
    return table


def _listed(variable: str) -> frozenset[str]:
    names = os.environ.get(variable, "").split(",")
    return frozenset(name.strip() for name in names if name.strip())


def hidden() -> frozenset[str]:
    """The components that `BAXTERKIT_HIDE` hides."""
    names = _listed("BAXTERKIT_HIDE")
    known = {*FOLDERS, *MODULES, *programs()}
    if unknown := names - known - {"all"}:
        raise ValueError(
            f"BAXTERKIT_HIDE: unknown component {min(unknown)!r}; "
            f"known: all, {', '.join(sorted(known))}"
        )
    return (names - {"all"}) | (known - ALWAYS if "all" in names else frozenset())


def required() -> frozenset[str]:
    """The components promised in `BAXTERKIT_REQUIRE`."""
    return _listed("BAXTERKIT_REQUIRE")


def require(component: str) -> None:
    """Skip the test if the component is missing; fail it if it is missing although required.

    Args:
        component: A name of `checks()`, e.g. "data", "urdf", "pinocchio", "graphviz".
    """
    asked(component)
    table = checks()
    if component not in table:
        raise ValueError(f"unknown component {component!r}; known: {', '.join(sorted(table))}")
    reason = table[component]()
    if reason is None:
        return
    if component in required():
        pytest.fail(f"{component} is required by BAXTERKIT_REQUIRE, but {reason}", pytrace=False)
    pytest.skip(f"needs {component}: {reason}")

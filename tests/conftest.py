"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import components
import numpy as np
import optional_parts
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

# One thread for BLAS and OpenMP, in workers and children too: the tests themselves use all cores.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# Compiled modules are kept, whatever the environment says: each worker and each child would compile
# them again, and pytest would rewrite the asserts of every file in each worker of each run.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
MOST_WORKERS = 8
"""Each worker takes some 0.6 GB."""

optional_parts.hide()

# Deterministic: the same examples on every run and machine, and no time limit on a noisy one.
settings.register_profile(
    "baxterkit",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("baxterkit")
# At night (--hypothesis-profile=nightly): other examples each time, after those that failed once.
settings.register_profile(
    "nightly",
    settings.get_profile("baxterkit"),
    derandomize=False,
    database=DirectoryBasedExampleDatabase(components.ROOT / ".hypothesis" / "examples"),
)
# On an emulated processor (tools/try_wheels.py aarch64): an example takes thirty times as long.
settings.register_profile("emulated", settings.get_profile("baxterkit"), max_examples=10)

MARKERS = {
    "slow": "takes seconds, and quicker tests cover most of it; runs with --slow, and so in CI",
    "acceptance": "a long run; only with `pytest -m acceptance` (make acceptance)",
    "site": "builds the documents' site; only with `pytest -m site` (make check)",
    "timing": "measures time; left out under the sanitizers",
    "real_clock": "waits by the machine's clock: sockets, other processes, a browser",
    "gpu": "needs an accelerator",
    "ros": "needs ROS",
    "sim": "needs a simulator",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="the tests marked slow too, as in CI")
    group = parser.getgroup("optional parts")
    group.addoption("--note-optional", metavar="FILE", help="list the tests that use such parts")
    group.addoption("--only", metavar="FILE", help="run the tests that a file lists, no others")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.args = worker_files(config, int(config.workerinput["workerid"].removeprefix("gw")))
    elif any(Path(given.partition("::")[0]).is_file() for given in config.args):
        config.option.slow = True  # who names a file means all of its tests
    notes = config.getoption("note_optional")
    if notes and not hasattr(config, "workerinput"):
        Path(notes).write_text("", encoding="utf-8")
    if notes:
        config.pluginmanager.register(optional_parts.Noter(Path(notes).resolve()))
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def worker_files(config: pytest.Config, worker: int) -> list[str]:
    """What a worker collects: of the whole suite, each begins with another part of the files.

    A file is compiled by the worker that comes to it first. Were the order the same in all, all
    would compile all files, side by side.
    """
    if [Path(given).resolve() for given in config.args] != [components.ROOT / "tests"]:
        return config.args
    files = [str(path) for path in sorted((components.ROOT / "tests").rglob("test_*.py"))]
    first = worker * len(files) // config.workerinput["workercount"]
    return files[first:] + files[:first]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Workers of `-n auto`: one for each core that this process may use, hyperthreads included."""
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


def pytest_collection_finish() -> None:
    """What collecting has made stays until the end: the garbage collector need not walk over it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long runs out unless they are asked for: by the mark expression, or by --slow."""
    items.sort(key=lambda item: item.path.parts)  # the workers must agree, see `worker_files`
    asked_for = config.option.markexpr or ""
    left_out = {mark for mark in ("acceptance", "site") if mark not in asked_for}
    if not (config.option.slow or asked_for):
        left_out.add("slow")
    if os.environ.get("BAXTERKIT_SANITIZE"):
        left_out.add("timing")
    deselected = [item for item in items if any(item.get_closest_marker(m) for m in left_out)]
    if config.getoption("only"):
        deselected += optional_parts.select(items, Path(config.getoption("only")))[1]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        gone = set(deselected)
        items[:] = [item for item in items if item not in gone]


@pytest.fixture
def require() -> Callable[[str], None]:
    """`require(component)`: skip where the component is missing, fail where it was promised."""
    return components.require


@pytest.fixture
def data_dir() -> Path:
    """The folder of recordings (`BAXTERKIT_DATA`)."""
    components.require("data")
    return Path(os.environ["BAXTERKIT_DATA"])


@pytest.fixture
def urdf_dir() -> Path:
    """The folder of Rethink's URDF files (`BAXTERKIT_URDF`)."""
    components.require("urdf")
    return Path(os.environ["BAXTERKIT_URDF"])


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return components.ROOT


@pytest.fixture
def pictures_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are made, but a line of text is written in place of each: drawing takes seconds."""
    from matplotlib.figure import Figure

    from baxterkit.plot import style

    def savefig(figure: Figure, file: Any, **_: Any) -> None:
        titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
        file.write(f"{figure.get_size_inches()} {titles}".encode())

    def whole(axes: Any) -> Any:  # measuring how large things come out draws them too
        size = axes.figure.get_size_inches() * axes.figure.dpi
        return np.stack([0.0 * size, size])

    monkeypatch.setattr(Figure, "savefig", savefig)
    monkeypatch.setattr(style, "drawn_box", whole)

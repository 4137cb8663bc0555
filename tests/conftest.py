"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import components
import pytest
from hypothesis import HealthCheck, settings

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

MARKERS = {
    "slow": "takes more than a few seconds",
    "acceptance": "a long run; only with `pytest -m acceptance` (make acceptance)",
    "timing": "measures time; left out under the sanitizers",
    "gpu": "needs an accelerator",
    "ros": "needs ROS",
    "sim": "needs a simulator",
}


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long runs out unless the mark expression asks for them."""
    left_out = set()
    if "acceptance" not in (config.option.markexpr or ""):
        left_out.add("acceptance")
    if os.environ.get("BAXTERKIT_SANITIZE"):
        left_out.add("timing")
    deselected = [item for item in items if any(item.get_closest_marker(m) for m in left_out)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in deselected]


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
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which Python keeps compiled modules, as it does unless told not to."""
    cache = str(tmp_path_factory.mktemp("bytecode"))
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": cache}


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return components.ROOT

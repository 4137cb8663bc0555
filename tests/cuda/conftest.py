from __future__ import annotations

from pathlib import Path

import pytest
from emulator import EmulatedDriver

from baxterkit.cuda import driver as cuda_driver
from baxterkit.cuda import gpu as cuda_gpu


@pytest.fixture(scope="session")
def emulated_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled kernels, shared by the workers of one run."""
    root = tmp_path_factory.getbasetemp()
    return root.parent if root.name.startswith("popen-") else root


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, emulated_folder: Path) -> EmulatedDriver:
    """Two emulated GPUs in the place of the driver."""
    driver = EmulatedDriver(emulated_folder)
    monkeypatch.setattr(cuda_driver, "load_driver", lambda: driver)
    monkeypatch.setattr(cuda_gpu, "_devices", {})
    return driver


def pytest_itemcollected(item: pytest.Item) -> None:
    """What needs the emulated GPU is slow: its kernels compile for some seconds."""
    if "gpu" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.slow)

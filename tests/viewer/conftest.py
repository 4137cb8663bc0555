"""A viewer, a client of it, and a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import components
import pytest
from clock_guard import only_simulated_time as only_simulated_time
from viewer_client import SOCKETS, Client, opened, wait_for

from baxterkit.viewer import Viewer

CHROMIUM_FLAGS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
)


def pytest_itemcollected(item: pytest.Function) -> None:
    """Marks the tests that have a server or a browser."""
    if SOCKETS & set(item.fixturenames):
        item.add_marker("real_clock")


@pytest.fixture
def viewer(request: pytest.FixtureRequest) -> Iterator[Viewer]:
    with opened(request) as viewer:
        yield viewer


@pytest.fixture
def client(viewer: Viewer) -> Iterator[Client]:
    """A client of the viewer, known to the server."""
    client = Client(viewer)
    client.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 1, "the client is known")
    yield client
    client.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's chromium with a software renderer."""
    components.require("chromium")
    from playwright.sync_api import sync_playwright

    path = shutil.which(components.system_programs()["chromium"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()

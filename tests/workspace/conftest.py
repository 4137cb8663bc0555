"""Small maps that several tests share."""

from __future__ import annotations

import pytest
from workspace_maps import SMALL, table

from baxterkit import Baxter, workspace


@pytest.fixture(scope="session")
def robot() -> Baxter:
    return Baxter()


@pytest.fixture(scope="session")
def reach_map(tmp_path_factory: pytest.TempPathFactory, robot: Baxter) -> workspace.Map:
    """What the left arm reaches within its limits."""
    path = tmp_path_factory.mktemp("maps") / "reach.zarr"
    return workspace.make_map(path, workspace.Question(**SMALL), robot)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def full_map(tmp_path_factory: pytest.TempPathFactory, robot: Baxter) -> workspace.Map:
    """A full map of both arms, with a table."""
    path = tmp_path_factory.mktemp("maps") / "full.zarr"
    return workspace.make_map(
        path, workspace.Question("both", level="full", **SMALL), robot.scene(table())
    )  # type: ignore[arg-type]

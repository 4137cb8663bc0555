from __future__ import annotations

import components
import pytest


@pytest.fixture(autouse=True)
def _needs_mujoco() -> None:
    components.require("mujoco")

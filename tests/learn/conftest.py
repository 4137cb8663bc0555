from __future__ import annotations

import sys
from pathlib import Path

import components
import pytest

sys.path.append(str(Path(__file__).parents[1] / "ros"))  # the fake robot and its problems


@pytest.fixture(autouse=True)
def _needs_gymnasium() -> None:
    components.require("mujoco")
    components.require("gymnasium")

"""Optional dependencies are imported when needed, and a missing one says how to get it."""

from __future__ import annotations

import math

import components
import pytest

from baxterkit.errors import MissingExtraError
from baxterkit.extras import load_extra


def test_an_installed_module_is_returned() -> None:
    assert load_extra("math", feature="Counting", package="math", extra="none") is math


def test_a_missing_module_names_the_extra_that_brings_it() -> None:
    with pytest.raises(MissingExtraError) as caught:
        load_extra("no_such_module_xyz", feature="Simulation", package="MuJoCo", extra="sim")
    assert (
        str(caught.value) == "Simulation needs MuJoCo: pip install '.[sim]' in a clone of baxterkit"
    )
    assert caught.value.extra == "sim"


def test_nothing_says_to_install_from_an_index_where_nothing_is_published() -> None:
    pages = [components.ROOT / "README.md", *(components.ROOT / "docs").rglob("*.md")]
    sources = (components.ROOT / "src").rglob("*.py")
    said = [p.name for p in (*pages, *sources) if "pip install 'baxterkit" in p.read_text("utf-8")]
    assert said == []

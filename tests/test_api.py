"""A change of the public interface comes with a line in the changelog."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import components
import pytest

import baxterkit

RELEASED = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)
TWO_MINUTES = 700
"""Words that are read in two to three minutes."""


@pytest.fixture(scope="module")
def api() -> ModuleType:
    path = components.ROOT / "tools" / "api.py"
    spec = importlib.util.spec_from_file_location("api", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_changed_since_the_release_is_in_the_changelog(api: ModuleType) -> None:
    components.require("gymnasium")
    text = (components.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    missing = api.unnamed(api.kept(), api.interface(), api.notes(text))
    assert missing == [], api.WAY_OUT


def test_the_interface_has_methods_arguments_and_options(api: ModuleType) -> None:
    now = api.interface()
    assert now["baxterkit.Arm.ik"].startswith("(self, T, seed=None")
    assert now["baxterkit.set_threads"].startswith("(")
    assert now["$ baxterkit ik --objective"] == "option"
    assert "baxterkit.papers.kumar.printed" in now
    assert not any("0x" in what for what in now.values())  # no addresses: the same in every run


BEFORE = {"b.A": "(x)", "b.A.m": "(self)", "b.f": "(x)", "$ b v": "verb", "$ b v --old": "option"}


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (BEFORE, []),
        ({**BEFORE, "b.f": "(x, y=1)"}, ["b.f changed: (x) -> (x, y=1)"]),
        ({**BEFORE, "b.A.n": "(self)"}, ["b.A.n is new: - -> (self)"]),
        ({**BEFORE, "b.B": "()", "b.B.m": "(self)"}, ["b.B is new: - -> ()"]),
        (
            {k: v for k, v in BEFORE.items() if "--old" not in k},
            ["$ b v --old is gone: option -> -"],
        ),
        ({k: v for k, v in BEFORE.items() if ".A" not in k}, ["b.A is gone: (x) -> -"]),
    ],
)
def test_a_change_that_is_not_named_is_found(
    api: ModuleType, now: dict[str, str], found: list[str]
) -> None:
    assert api.unnamed(BEFORE, now, "") == found
    assert api.unnamed(BEFORE, now, "of `A`, `A.n`, `B` and `f(x, y)`; `b v --old` went") == []
    assert api.unnamed(BEFORE, now, "sin --older of f_n AB") == found


def test_the_newest_release_is_this_version_and_can_be_read_in_two_minutes() -> None:
    text = (components.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, day = RELEASED.findall(text)[0]
    assert version == baxterkit.__version__
    citation = (components.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {version}\n" in citation
    assert f"date-released: {day}\n" in citation
    assert f"version = {{{version}}}" in (components.ROOT / "README.md").read_text(encoding="utf-8")
    parts = RELEASED.split(text)
    assert len(parts[3].split()) <= TWO_MINUTES

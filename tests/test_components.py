"""A test of a real component skips where it is missing, and fails where it was promised."""

from __future__ import annotations

import components
import pytest


def test_missing_component_skips_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)
    monkeypatch.delenv("BAXTERKIT_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs data: BAXTERKIT_DATA is not set"):
        components.require("data")


def test_missing_component_fails_when_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAXTERKIT_DATA", "/nonexistent/folder")
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "urdf, data")
    with pytest.raises(pytest.fail.Exception) as caught:
        components.require("data")
    assert str(caught.value) == (
        "data is required by BAXTERKIT_REQUIRE, but BAXTERKIT_DATA=/nonexistent/folder is no folder"
    )


def test_missing_program_fails_when_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "graphviz")
    with pytest.raises(pytest.fail.Exception, match="no program dot on the PATH"):
        components.require("graphviz")


def test_present_component_passes(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("BAXTERKIT_DATA", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("BAXTERKIT_REQUIRE", "data")
    components.require("data")


def test_unknown_component_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="unknown component 'no-such-thing'; known: casadi, cc"):
        components.require("no-such-thing")


def test_everything_required_is_a_known_component() -> None:
    assert components.required() <= set(components.checks())

"""A fixture that runs a test on every instruction set, and puts the setting back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from baxterkit import _native


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set that this machine runs, in turn."""
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)

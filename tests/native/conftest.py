"""Fixtures that choose the instruction set and the number of threads, and put them back."""

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


@pytest.fixture
def threads() -> Iterator[None]:
    """Leaves the number of threads as it was."""
    before = _native.get_threads()
    yield
    _native.set_threads(before)

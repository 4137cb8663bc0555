"""Damaged files of every kind end in the package's own errors, soon, and with little memory.

The cases are the same in every run. To see one: `python tests/fuzz/worker.py NAME CASE 1 --keep F`.
"""

from __future__ import annotations

import pytest
from hunt import hunt
from targets import TARGETS

FEW, MANY = 30, 4000
"""Cases of a reader: in every run of the suite, and in the long one."""
SLOW = {"map": 15}
"""Cases of readers whose files are folders of many files."""
each_reader = pytest.mark.parametrize("name", TARGETS)


def check(name: str, first: int, count: int) -> None:
    found = hunt(name, first, count)
    assert not found, "\n".join(found[:10])


@pytest.mark.slow
@each_reader
def test_damaged_files_are_refused_in_words(name: str) -> None:
    check(name, 0, SLOW.get(name, FEW))


@pytest.mark.acceptance
@each_reader
def test_thousands_of_damaged_files_are_refused_in_words(name: str) -> None:
    check(name, FEW, MANY)

"""Plain numbers and single rows: what passes, and what each refusal says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from baxterkit.checks.arrays import joint_row, one
from baxterkit.checks.numbers import count, one_or_each, time_step
from baxterkit.errors import InputError, ShapeError


def refuses(error: type[Exception], text: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(text)}$")


def test_a_row_is_taken_and_a_batch_refused() -> None:
    q = np.zeros(7)
    assert joint_row(q, "q") is q
    with refuses(ShapeError, "q must have shape (7,), one at a time, got (2, 7)"):
        joint_row(np.zeros((2, 7)), "q")
    with refuses(ShapeError, "T must have shape (4, 4), one at a time, got (1, 4, 4)"):
        one(np.zeros((1, 4, 4)), "T", 2)


@pytest.mark.parametrize("n", [-1, 1.5, None, "3", np.float64(2.0)])
def test_a_count_is_a_whole_number(n: object) -> None:
    assert count(np.int64(3), "n") == 3
    assert count(0, "n") == 0
    with refuses(InputError, f"n must be a whole number, 0 or above, got {n!r}"):
        count(n, "n")


@pytest.mark.parametrize("dt", [0.0, -0.1, np.inf, np.nan, None])
def test_a_time_step_is_positive_and_finite(dt: float) -> None:
    assert time_step(0.01) == 0.01
    with refuses(InputError, f"dt = {dt} s; a time step must be positive and finite"):
        time_step(dt)


def test_one_number_serves_all_joints() -> None:
    assert one_or_each(2, "k").tolist() == [2.0] * 7
    assert one_or_each(range(7), "k").tolist() == list(range(7))  # type: ignore[arg-type]
    assert not one_or_each(2, "k").flags.writeable
    given = np.ones(7)
    kept = one_or_each(given, "k")
    given[0] = 5.0
    assert kept[0] == 1.0
    with refuses(ShapeError, "k must be one number or have shape (7,), got (2,)"):
        one_or_each([1, 2], "k")
    with refuses(InputError, "k must not be negative, got -1"):
        one_or_each(-1.0, "k")
    with refuses(InputError, "k must be positive, got 0"):
        one_or_each(0.0, "k", zero=False)

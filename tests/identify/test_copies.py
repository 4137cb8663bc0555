"""A recording that is given twice is no recording to test a fit with."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from known_robot import recording

from baxterkit import identify
from baxterkit.errors import InputError
from baxterkit.identify.copies import copies, grouped
from baxterkit.recording import Recording


def named(seed: int, name: str) -> Recording:
    return dataclasses.replace(recording(seed, 20.0), source=name)


def test_recordings_with_equal_rows_are_one_group() -> None:
    one, two, three = (named(seed, f"{seed}.csv") for seed in (1, 2, 3))
    assert grouped([one, two, three]) == [[0], [1], [2]]
    assert grouped([one, two, one, three, two]) == [[0, 2], [1, 4], [3]]
    half = two[np.arange(len(two)) < len(two) // 2]
    assert grouped([one, half, two]) == [[0], [1, 2]]
    later = one[np.arange(len(one)) > len(one) // 2]
    earlier = one[np.arange(len(one)) <= len(one) // 2]
    assert grouped([earlier, later]) == [[0], [1]]  # parts of one recording share no row
    assert grouped([earlier, later, one]) == [[0, 1, 2]]
    assert grouped([]) == []


def test_a_robot_from_copies_has_no_score_left_out_and_says_so() -> None:
    train, copy = named(1, "data/train.csv"), named(1, "data/copy.csv")
    fit = identify.robot([train, copy, copy])
    assert not fit.held_out
    assert "left out" not in fit.scores
    assert fit.advice[0] == (
        "recording 2 (copy.csv) and recording 3 (copy.csv) hold the rows of recording 1 "
        "(train.csv) again: they count twice, and a score of recordings left out would be that of "
        "the fit; give every recording once"
    )


def test_cross_validation_refuses_copies_unless_left_out_together() -> None:
    one, two = named(1, "1.csv"), named(2, "2.csv")
    words = "recordings 1 and 0, counted from 0, hold the same rows"
    with pytest.raises(InputError, match=words):
        identify.cross_validate([one, one])
    with pytest.raises(InputError, match=words):
        identify.cross_validate([one, one, two], folds=[[2], [0]])
    assert identify.cross_validate([one, one, two], folds=[[0, 1]])["memory"].rows > 0


def test_without_copies_nothing_is_said() -> None:
    assert copies([named(1, "1.csv"), named(2, "2.csv")]) == []
    assert len(copies([named(1, ""), named(1, "")])) == 1

"""Degrees for radians and millimetres for metres are said, where it costs nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.errors import UnitsWarning

NEUTRAL_DEGREES = [0.0, -31.5, 0.0, 43.0, 0.0, 72.0, 0.0]


@pytest.fixture(params=["native", "numpy"])
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm("left", backend=request.param)


@pytest.mark.parametrize("shape", [(7,), (1, 7), (3, 1, 7)])
def test_degrees_are_said(arm: Arm, shape: tuple[int, ...]) -> None:
    q = np.broadcast_to(NEUTRAL_DEGREES, shape).tolist()
    with pytest.warns(UnitsWarning, match=r"q holds 72 rad, 11.5 turns: .*np.deg2rad\(q\)") as said:
        arm.fk(q)
    assert [w.filename for w in said] == [__file__]
    with pytest.warns(UnitsWarning):
        arm.gravity(q)


def test_turns_and_nonsense_are_left_alone(arm: Arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for q in ([9.9] * 7, [1e4] * 7, np.empty((0, 7)), [[0.0] * 7]):
            arm.fk(q)
        arm.inverse_dynamics([0.0] * 7, [50.0] * 7, [50.0] * 7)  # these are no positions


def test_a_warning_made_an_error_stops_the_call(arm: Arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnitsWarning, match="degrees"):
            arm.fk([NEUTRAL_DEGREES])


@pytest.mark.parametrize("batch", [(), (2,)])
def test_millimetres_are_said(arm: Arm, batch: tuple[int, ...]) -> None:
    T = np.broadcast_to(np.eye(4), (*batch, 4, 4)).copy()
    T[..., :3, 3] = 650.0, 200.0, 150.0
    with pytest.warns(UnitsWarning, match="T is 650 m away: are these millimetres") as said:
        arm.ik(T)
    assert [w.filename for w in said] == [__file__]
    T[..., :3, 3] = 3.0, 0.0, 0.0  # out of reach, as it is meant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.ik(T)

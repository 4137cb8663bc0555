"""The other arm is untucked unless it is given, as `plan` takes it."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Baxter

ROBOT = Baxter()


@pytest.mark.parametrize(("side", "rest"), [("left", "right"), ("right", "left")])
def test_the_other_arm_is_untucked_unless_it_is_given(side: str, rest: str) -> None:
    arm, still = getattr(ROBOT, side), getattr(ROBOT, rest).configuration("untuck")
    T = arm.fk(arm.configuration("neutral"))
    np.testing.assert_array_equal(ROBOT.ik(side, T).q, ROBOT.ik(side, T, still).q)
    Ts = np.stack([T, T])
    Ts[1, 2, 3] += 0.02
    np.testing.assert_array_equal(ROBOT.ik_path(side, Ts).q, ROBOT.ik_path(side, Ts, still).q)

"""The other arm is untucked unless it is given, as `plan` takes it."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.errors import InputError, ShapeError

ROBOT = Baxter()


@pytest.mark.parametrize(("side", "rest"), [("left", "right"), ("right", "left")])
def test_the_other_arm_is_untucked_unless_it_is_given(side: str, rest: str) -> None:
    arm, still = getattr(ROBOT, side), getattr(ROBOT, rest).configuration("untuck")
    T = arm.fk(arm.configuration("neutral"))
    np.testing.assert_array_equal(ROBOT.ik(side, T).q, ROBOT.ik(side, T, still).q)
    Ts = np.stack([T, T])
    Ts[1, 2, 3] += 0.02
    np.testing.assert_array_equal(ROBOT.ik_path(side, Ts).q, ROBOT.ik_path(side, Ts, still).q)


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        ("untuck", InputError, r"other is the text 'untuck'; .* arm.configuration\('untuck'\)"),
        ([0.0, 0.0, 0.0], ShapeError, "other must have 7 values"),
    ],
)
def test_what_is_no_other_arm_is_called_other(other: object, error: type, message: str) -> None:
    T = ROBOT.right.fk(ROBOT.right.configuration("untuck"))
    for robot in (ROBOT, ROBOT.scene()):
        with pytest.raises(error, match=message):
            robot.ik("right", T, other=other)  # type: ignore[arg-type]

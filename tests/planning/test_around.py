"""One arm moves around the motion of the other one."""

from __future__ import annotations

import numpy as np
import pytest
from plan_problems import ROBOT, UNTUCK

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.planning import PlanError, SearchSettings, plan, plan_around
from baxterkit.trajectory import Trajectory

LEFT, RIGHT = UNTUCK[:7], UNTUCK[7:]
MIRROR = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
MIDDLE = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
"""The left hand in front of the robot, where the right one passes too."""


def there_and_back() -> Trajectory:
    result = plan(ROBOT, LEFT, [MIDDLE, LEFT], group="left", search=SearchSettings(timeout=10.0))
    motion = result.trajectory()
    assert isinstance(motion, Trajectory)
    return motion


def swept_free(left: Trajectory, right: Trajectory) -> bool:
    ends = max(left.duration, right.duration)
    t = np.linspace(0.0, ends, int(ends * 1000) + 2)
    return ROBOT.first_contact(left.sample(t).q, right.sample(t).q) is None


def test_it_waits_or_goes_around() -> None:
    left = there_and_back()
    alone = plan(
        ROBOT, RIGHT, MIDDLE * MIRROR, group="right", search=SearchSettings(timeout=10.0)
    ).trajectory()
    assert isinstance(alone, Trajectory)
    assert not swept_free(left, alone)
    right = plan_around(
        ROBOT, RIGHT, MIDDLE * MIRROR, left, side="right", search=SearchSettings(timeout=10.0)
    )
    assert swept_free(left, right)
    assert np.abs(right.end - MIDDLE * MIRROR).max() < 1e-9
    assert np.abs(right.start - RIGHT).max() == 0.0
    right.check(ROBOT.right.limits, arm=ROBOT.right)


def test_what_is_free_begins_at_once() -> None:
    left = there_and_back()
    right = plan_around(
        ROBOT, RIGHT, RIGHT + 0.05, left, side="right", search=SearchSettings(timeout=10.0)
    )
    alone = plan(ROBOT, RIGHT, RIGHT + 0.05, group="right").trajectory()
    assert isinstance(alone, Trajectory)
    assert right.duration <= alone.duration + 1e-9


def test_it_says_why_there_is_no_motion() -> None:
    to_the_middle = plan(
        ROBOT, LEFT, MIDDLE, group="left", search=SearchSettings(timeout=10.0)
    ).trajectory()
    assert isinstance(to_the_middle, Trajectory)
    with pytest.raises(PlanError, match="GOAL_IN_COLLISION"):
        plan_around(ROBOT, RIGHT, MIDDLE * MIRROR, to_the_middle, side="right")
    stays = plan_around(ROBOT, RIGHT, RIGHT, there_and_back(), side="right")
    assert np.abs(stays.end - RIGHT).max() == 0.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="both"):
        plan_around(ROBOT, RIGHT, RIGHT, there_and_back(), side="both")
    with pytest.raises(InputError, match="Trajectory"):
        plan_around(ROBOT, RIGHT, RIGHT, MIDDLE, side="right")  # type: ignore[arg-type]


def test_long_motions_and_blocked_starts_end_soon() -> None:
    back = plan(ROBOT, MIDDLE, LEFT, group="left", search=SearchSettings(timeout=10.0))
    slow = back.trajectory(velocity=0.04)  # most of a minute
    assert isinstance(slow, Trajectory)
    with pytest.raises(PlanError, match="START_IN_COLLISION: where both motions start") as caught:
        plan_around(ROBOT, MIDDLE * MIRROR, RIGHT, slow, side="right")
    assert caught.value.result is not None
    assert "right_w0" in (caught.value.result.pair or ())
    right = plan_around(
        ROBOT, RIGHT, MIDDLE * MIRROR, slow, side="right", search=SearchSettings(timeout=10.0)
    )
    assert 0.0 < right.duration < slow.duration  # as soon as the left arm has gone far enough
    slower = back.trajectory(velocity=1e-4)
    assert isinstance(slower, Trajectory)
    with pytest.raises(InputError, match=r"motion takes \S+ s; 3600 s at most"):
        plan_around(ROBOT, RIGHT, RIGHT, slower, side="right")
    with pytest.raises(InputError, match="seed must be a whole number"):
        plan_around(ROBOT, RIGHT, RIGHT, slow, side="right", search=SearchSettings(seed="x"))  # type: ignore[arg-type]

"""Tucking by a plan, and the way out of a slight collision."""

from __future__ import annotations

import numpy as np
import pytest
from plan_problems import ROBOT, UNTUCK

from baxterkit.collision import RetreatError, World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.planning import PlanStatus, SearchSettings, plan, tuck, untuck

TUCK = np.concatenate([ROBOT.left.configuration("tuck"), ROBOT.right.configuration("tuck")])


def test_the_arms_are_tucked_and_untucked_from_where_they_are() -> None:
    there = tuck(ROBOT, UNTUCK, search=SearchSettings(timeout=10.0)).raise_if_failed()
    assert (there.path[-1] == TUCK).all()
    back = untuck(ROBOT, TUCK, search=SearchSettings(timeout=10.0, seed=1)).raise_if_failed()
    assert (back.path[-1] == UNTUCK).all()
    motion = back.trajectory()
    assert motion.side == "both"
    assert motion.duration < 10.0
    world = World()
    world.add_plane("ceiling", [0.0, 0.0, -1.0], -0.2)
    assert untuck(ROBOT.scene(world), TUCK).status is PlanStatus.START_IN_COLLISION


def touching(depth: float) -> World:
    """A ball that the left hand touches."""
    world = World()
    near = ROBOT.left.fk(UNTUCK[:7])[:3, 3]
    world.add_sphere("ball", 0.05, near)
    start = ROBOT.scene(world).clearance(UNTUCK[:7], UNTUCK[7:])
    world = World()
    world.add_sphere("ball", 0.05, near + np.array([1.0, 0.0, 0.0]) * (0.06 - float(start) - depth))
    return world


@pytest.mark.parametrize("side", [None, "left"])
def test_a_hand_retreats_from_what_it_touches(side: str | None) -> None:
    world = touching(0.07)
    assert ROBOT.scene(world).in_collision(UNTUCK[:7], UNTUCK[7:])
    assert plan(ROBOT.scene(world), UNTUCK, TUCK).status is PlanStatus.START_IN_COLLISION
    way = ROBOT.scene(world).retreat(UNTUCK, side)
    assert (way[0] == UNTUCK).all()
    gaps = ROBOT.scene(world).clearance(way[:, :7], way[:, 7:])
    assert (np.diff(gaps) > 0.0).all()
    assert gaps[-1] >= 0.002
    assert np.linalg.norm(np.diff(way, axis=0), axis=-1).sum() < 0.5
    if side == "left":
        assert (way[:, 7:] == UNTUCK[7:]).all()
    result = plan(ROBOT.scene(world), way[-1], TUCK, search=SearchSettings(timeout=20.0))
    assert result.status is not PlanStatus.START_IN_COLLISION


def test_there_is_nothing_to_retreat_from() -> None:
    assert ROBOT.retreat(UNTUCK).shape == (1, 14)


def test_there_may_be_no_way_out() -> None:
    world = World()
    world.add_box("block", (2.0, 2.0, 2.0), ROBOT.left.fk(UNTUCK[:7])[:3, 3])
    with pytest.raises(RetreatError, match="no path to a clearance of 2 mm: left_") as caught:
        ROBOT.scene(world).retreat(UNTUCK)
    assert "block" in caught.value.pair
    assert caught.value.clearance < 0.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ShapeError, match="14 values"):
        ROBOT.retreat(UNTUCK[:7])
    with pytest.raises(UnknownNameError, match="middle"):
        ROBOT.retreat(UNTUCK, "middle")
    with pytest.raises(InputError, match="most = 0"):
        ROBOT.retreat(UNTUCK, most=0.0)

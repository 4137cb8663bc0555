"""Pick and place: the stages touch nothing but what they must, and the object arrives."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.planning import PickSettings, PlanError, PlanStatus, pick_and_place

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
START = np.concatenate([ROBOT.left.pose("untuck"), ROBOT.right.pose("untuck")])
GRASP = np.array([[1.0, 0, 0, 0], [0, -1.0, 0, 0], [0, 0, -1.0, 0.03], [0, 0, 0, 1.0]])
"""From above, at the carton's upper part."""
MARGIN = 0.003


def surroundings(sign: float = 1.0) -> World:
    """A carton on a table, and a post between it and its place; mirrored with sign = -1."""
    world = World()
    world.add_table("table", -0.15)
    world.add_box("carton", (0.04, 0.04, 0.12), (0.75, sign * 0.25, -0.09), mass=0.2)
    world.add_box("post", (0.05, 0.05, 0.4), (0.75, sign * 0.45, 0.05))
    return world


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_the_stages_follow_each_other_and_touch_nothing(side: str, sign: float) -> None:
    scene, place = ROBOT.scene(surroundings(sign), margin=MARGIN), (0.75, sign * 0.65, -0.09)
    found = pick_and_place(scene, START, "carton", GRASP, place, side=side).raise_if_failed()
    assert [one.name for one in found.stages] == [
        "go", "approach", "lift", "carry", "lower", "retreat",
    ]  # fmt: skip
    assert [one.opening for one in found.stages] == [None, 0.0, None, None, 1.0, None]
    columns = slice(0, 7) if side == "left" else slice(7, 14)
    here = START[columns]
    other = START[7:] if side == "left" else START[:7]
    for stage in found.stages:
        np.testing.assert_allclose(stage.motion.sample(0.0).q, here, rtol=0.0, atol=1e-9)
        stage.motion.check(scene=stage.scene.replace(margin=0.0), other=other)
        here = stage.motion.sample(stage.motion.duration).q
    arm = scene.arm(side)
    lower = found.stages[4].motion
    tip = arm.fk(lower.sample(lower.duration).q)
    np.testing.assert_allclose((tip @ np.linalg.inv(GRASP))[:3, 3], place, rtol=0.0, atol=1e-6)
    assert found.stages[3].scene.world["carton"].held == side
    assert found.stages[5].scene.world["carton"].held is None
    assert found.stages[5].scene.without == ((f"{side}_fingers", "carton"),)
    assert "go" in repr(found)
    assert found.duration == sum(stage.motion.duration for stage in found.stages)


def test_the_twin_does_it() -> None:
    pytest.importorskip("mujoco")
    from baxterkit.sim import Twin

    twin = Twin(ROBOT, world=surroundings(), noise=0.0).enable()
    scene, place = twin.scene.replace(margin=MARGIN), (0.75, 0.65, -0.09)
    for stage in pick_and_place(scene, START, "carton", GRASP, place).raise_if_failed().stages:
        assert twin.follow(stage.motion)
        if stage.opening is not None:
            twin.left.move_gripper(stage.opening)
            assert twin.left.holds == ("carton" if stage.opening == 0.0 else None)
    np.testing.assert_allclose(twin.object_pose("carton")[:3, 3], place, rtol=0.0, atol=2e-3)


def test_a_failure_names_its_stage() -> None:
    scene = ROBOT.scene(surroundings(), margin=MARGIN)
    high = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.65, 3.0))
    assert high.status is PlanStatus.OUT_OF_REACH
    assert high.reason.startswith("lower: the straight line ends after 0.000 m")
    assert [one.name for one in high.stages] == ["go", "approach", "lift"]
    with pytest.raises(PlanError, match="lower: the straight line"):
        high.raise_if_failed()
    inside = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.45, -0.09))
    assert inside.status is PlanStatus.GOAL_BLOCKED
    assert "post" in inside.reason


def test_bad_arguments_are_refused() -> None:
    world = surroundings()
    with pytest.raises(UnknownNameError, match="unknown obstacle 'cup'; available: table, carton"):
        pick_and_place(ROBOT.scene(world), START, "cup", GRASP, (0.75, 0.65, -0.09))
    world.attach("carton", "right", np.eye(4))
    with pytest.raises(InputError, match="the right hand holds carton already"):
        pick_and_place(ROBOT.scene(world), START, "carton", GRASP, (0.75, 0.65, -0.09))
    with pytest.raises(InputError, match="approach = 2 m; it must be at most 1 m"):
        PickSettings(approach=2.0)

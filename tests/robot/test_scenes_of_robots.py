"""Plans and searches take a robot that acts as they take a scene: as it is at the call."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import baxterkit
from baxterkit import Baxter, identify, planning, workspace
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.robot import Robot
from baxterkit.scene.scene import as_scene
from baxterkit.sim import Twin
from baxterkit.types import JointVector

GRASP = np.diag([1.0, -1.0, -1.0, 1.0])
GRASP[2, 3] = 0.02


def surroundings() -> World:
    world = World()
    world.add_table("table", height=-0.15)
    world.add_box("carton", (0.04, 0.04, 0.12), (0.7, 0.2, -0.09), mass=0.2)
    return world


@pytest.fixture(params=["twin", "link"])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    twin = Twin(tool="electric_standard", noise=0.0, world=surroundings())
    body = twin if request.param == "twin" else baxterkit.connect(twin, world=surroundings())
    with body as made:
        yield made


def both(robot: Robot) -> JointVector:
    return np.concatenate([robot.left.q, robot.right.q])


def test_a_robot_is_planned_for_among_what_stands_around_it(robot: Robot) -> None:
    start = both(robot)
    through = robot.left.arm.fk(robot.left.q)
    through[:3, 3] = (0.7, 0.2, -0.3)  # below the table's top
    for given in (robot, robot.scene):
        plan = planning.plan(given, start, through, group="left")
        assert plan.status is not planning.PlanStatus.SOLVED
    goal = robot.left.q + 0.2 * np.eye(7)[0]
    mine = planning.plan(robot, start, goal, group="left").raise_if_failed()
    same = planning.plan(robot.scene, start, goal, group="left")
    assert np.array_equal(mine.path, same.path)
    assert planning.tuck(robot, start).solved == planning.tuck(robot.scene, start).solved
    mine.trajectory().check(scene=robot, other=robot.right.q)


def test_a_robot_picks_among_its_own_objects(robot: Robot) -> None:
    found = planning.pick_and_place(robot, both(robot), "carton", GRASP, (0.7, 0.3, -0.09))
    scene = robot.scene
    same = planning.pick_and_place(scene, both(robot), "carton", GRASP, (0.7, 0.3, -0.09))
    assert found.status == same.status
    assert [stage.name for stage in found.stages] == [stage.name for stage in same.stages]


def test_exciting_motions_and_calibration_poses_keep_off_what_stands_around(robot: Robot) -> None:
    arm, still = robot.left.arm, robot.right.q
    motion = identify.exciting_motion(arm, 4.0, part=0.2, scene=robot, other=still)
    assert robot.scene.first_contact(motion.q, still) is None
    poses = identify.planned_poses(robot, "left", 5, other=still)
    assert not robot.scene.replace(margin=0.03).in_collision(poses, still).any()
    blind = identify.planned_poses(robot.robot, "left", 40, other=still)
    assert robot.scene.in_collision(blind, still).any()  # the table counts


def test_a_workspace_is_that_of_the_robot_in_its_place(robot: Robot) -> None:
    found = workspace.sample_reach(robot.left.arm, 2000, scene=robot)
    same = workspace.sample_reach(robot.left.arm, 2000, scene=robot.scene)
    alone = workspace.sample_reach(robot.left.arm, 2000, scene=robot.robot)
    assert np.array_equal(found.free, same.free)
    assert found.free.sum() < alone.free.sum()


def test_what_is_no_robot_is_refused() -> None:
    assert as_scene(Baxter()).world.names == ()

    class Odd:
        scene = 3

    for wrong in (Odd(), 7, "lab.toml", Twin, Baxter, None):
        with pytest.raises(InputError, match="give a Scene, a Baxter"):
            as_scene(wrong)

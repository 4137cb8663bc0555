"""A motion with openings picks a cube up: on the twin, over the link, from a playback file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.ros import InProcess, RefusedError, in_process
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, save_playback
from baxterkit.types import Array

TABLE, SIDE = -0.15, 0.036
MODEL = Baxter(left=Arm("left", "electric_extended"))


def above(height: float, seed: Array) -> Array:
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.7, 0.3, TABLE + height
    right = MODEL.right.configuration("untuck")
    return MODEL.scene(margin=0.1).ik("left", T, seed=seed, other=right).raise_if_failed().q


HIGH = above(0.225, MODEL.left.configuration("neutral"))
LOW = above(0.025, HIGH)


def surroundings() -> World:
    world = World()
    world.add_table("table", TABLE)
    world.add_box("cube", (SIDE, SIDE, SIDE), (0.7, 0.3, TABLE + SIDE / 2), mass=0.1)
    return world


@pytest.fixture(scope="module")
def lift() -> Trajectory:
    """Down to the cube, a second there while the fingers close, and up again."""
    rest = np.zeros((4, 7))
    motion = Trajectory.from_points(
        [0.0, 2.5, 3.5, 6.0], [HIGH, LOW, LOW, HIGH], rest, rest, limits=MODEL.left.limits
    )
    return motion.with_grippers(left=[(0.0, 1.0), (2.6, 0.0)])


def test_the_twin_lifts_a_cube_at_any_speed(lift: Trajectory) -> None:
    for speed in (1.0, 0.5):
        twin = Twin(MODEL, world=surroundings()).enable()
        twin.place(left=HIGH)
        assert twin.follow(lift, speed=speed)
        assert twin.left.holds == "cube"
        assert twin.object_pose("cube")[2, 3] > TABLE + 0.2
    twin.place(left=HIGH)
    assert twin.follow(lift.with_grippers(left=[(1.0, 1.0)]))  # it opens, and the cube falls
    assert twin.left.holds is None


def test_a_hand_without_fingers_follows_openings_that_never_change(lift: Trajectory) -> None:
    bare = Twin().enable()
    bare.place(left=HIGH)
    with pytest.raises(InputError, match=r"the motion moves the left gripper, and the left arm's"):
        bare.follow(lift)
    assert bare.t == 0.0
    assert bare.follow(lift.with_grippers(left=1.0))


@pytest.fixture(scope="module")
def linked() -> Iterator[InProcess]:
    twin = Twin(MODEL, world=surroundings())
    twin.place(left=HIGH)
    with in_process(twin, enabled=True) as both:
        both.link.take_control()
        both.clock.sleep(0.1)
        yield both


def test_over_the_link_nothing_moves_before_the_gripper_can(
    linked: InProcess, lift: Trajectory
) -> None:
    with pytest.raises(RefusedError, match=r"ros calibrate-gripper\), or follow motion\.with"):
        linked.link.follow(lift)
    assert np.abs(linked.twin.left.q - HIGH).max() < 0.01


@pytest.mark.slow
def test_over_the_link_a_playback_file_lifts_a_cube(
    linked: InProcess, lift: Trajectory, tmp_path: Path
) -> None:
    link, twin = linked.link, linked.twin
    link.left.calibrate_gripper(20.0)
    file = save_playback(tmp_path / "lift.csv", lift, right=link.right.q)
    motion = Trajectory.load(file, "left")
    before = link.scene
    link.scene = before.replace(world=surroundings(), margin=0.002)
    with pytest.raises(RefusedError, match=r"left_fingers and cube.*between two motions, by move_"):
        link.follow(motion)
    assert np.abs(twin.left.q - HIGH).max() < 0.01
    link.scene = before
    assert link.follow(motion)
    assert twin.left.holds == "cube"
    assert link.left.gripping
    assert twin.object_pose("cube")[2, 3] > TABLE + 0.2

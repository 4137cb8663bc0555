"""The scene as obstacles to check and to plan in, and obstacles as a scene."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import RELATIVE_POSE, assert_close

from baxterkit import spatial
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.sim import Item, Scene, Twin


def test_the_scene_now_is_a_world() -> None:
    cube = Item("cube", "box", np.full(3, 0.05), np.array([0.7, 0.3, 0.0]), mass=0.2)
    can = Item("can", "cylinder", np.array([0.06, 0.12]), np.array([0.9, 0.0, -0.09]), mass=0.3)
    ball = Item("ball", "sphere", np.array([0.06]), np.array([0.8, -0.3, -0.12]))
    twin = Twin(scene=Scene.with_table(-0.15, cube, can, ball), noise=0.0).enable()
    twin.step(500)
    world = twin.world()
    assert world.names == ("table", "cube", "can", "ball")
    assert world["can"].size == (0.12, 0.03)
    assert world["ball"].size == (0.03,)
    assert world["cube"].T[2, 3] == pytest.approx(-0.125, abs=1e-3)  # it has fallen
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = twin.item_pose("cube")[:3, 3] + np.array([0.0, 0.0, 0.05])
    twin.place(left=twin.left.arm.ik(T).q)
    twin.left.pick_up("cube")
    held = twin.world()["cube"]
    assert held.held == "left"
    assert_close(twin.left.tip @ held.T, twin.item_pose("cube"), RELATIVE_POSE)


def test_what_the_twin_touches_the_world_touches() -> None:
    world = World()
    T = np.eye(4)
    T[:3, :3] = spatial.so3_exp(np.array([0.3, -0.2, 0.5]))
    robot = Twin().enable().robot
    q = robot.left.pose("untuck"), robot.right.pose("untuck")
    for gap, touches in ((-0.005, True), (0.02, False)):
        world = World()
        near = robot.left.fk(q[0])[:3, 3]
        T[:3, 3] = near + (0.05 + 0.03 + gap) * np.array([0.0, 0.0, -1.0])
        world.add_box("block", [0.4, 0.4, 0.06], T)
        twin = Twin(scene=Scene.from_world(world), tool="electric_extended").enable()
        assert_close(twin.world()["block"].T, T, RELATIVE_POSE)
        there = bool(twin.robot.scene(twin.world()).in_collision(*q))
        assert there == any("block" in pair for pair in twin.contacts)
        assert there or not touches


def test_a_scene_takes_what_the_twin_has() -> None:
    world = World()
    world.add_box("box", [0.1, 0.2, 0.3], [1.0, 0.0, 0.0])
    world.add_cylinder("tin", 0.2, 0.03, [1.0, 0.5, 0.0])
    world.add_sphere("held", 0.02, [0.0, 0.0, 0.0])
    world.attach("held", "left", np.eye(4))
    scene = Scene.from_world(world)
    assert [item.name for item in scene.items] == ["box", "tin"]
    assert scene.items[1].size.tolist() == [0.06, 0.2]
    world.add_plane("floor", [0.0, 0.0, 1.0], -0.9)
    with pytest.raises(InputError, match="floor is a plane; the twin has box, sphere, cylinder"):
        Scene.from_world(world)
    for wrong in (np.eye(4), np.ones((3, 3))):
        with pytest.raises(InputError, match="rotation of x"):
            Item("x", "sphere", np.array([0.1]), np.zeros(3), rotation=wrong)

"""A world goes into the twin and comes back: every kind of obstacle, and what the hands hold."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import RELATIVE_POSE, assert_close

from baxterkit import Arm, Baxter, spatial
from baxterkit.collision import FLOOR, World
from baxterkit.errors import InputError
from baxterkit.sim import Twin

RIDGE = np.array([[0.1, 0.2, np.nan], [0.1, -1.0, 0.3]])
"""Heights: a cell is missing, and one is below the bottom [m]."""


def one_of_each() -> World:
    """Every kind of obstacle, away from the robot."""
    world, T = World(), np.eye(4)
    T[:3, :3] = spatial.so3_exp(np.array([0.3, -0.2, 0.5]))
    T[:3, 3] = 1.4, 0.0, 0.5
    world.add_box("box", [0.1, 0.2, 0.3], T)
    world.add_sphere("ball", 0.05, [1.4, 0.5, 0.5])
    world.add_capsule("rod", 0.3, 0.02, T @ spatial.transform(np.eye(3), [0.5, 0.0, 0.0]))
    world.add_cylinder("tin", 0.2, 0.03, [1.4, 1.0, 0.5], color=(0.1, 0.2, 0.3))
    world.add_plane("floor", [0.1, 0.0, 1.0], FLOOR + 0.1)
    world.add_height_field("ridge", RIDGE, 0.1, [1.5, -1.0, 0.0], bottom=0.0)
    world.add_points("cloud", np.random.default_rng(0).uniform(1.2, 1.6, (20, 3)), 0.01)
    return world


def test_a_world_of_every_kind_comes_back() -> None:
    world = one_of_each()
    world.add_box("cube", [0.05, 0.05, 0.05], [0.7, 0.3, 0.0], mass=0.2)
    back = Twin(world=world).world()
    assert back.names == world.names
    for name in world.names:
        there, here = back[name], world[name]
        assert (there.kind, there.size, there.mass, there.color, there.held) == (
            here.kind, here.size, here.mass, here.color, here.held,
        )  # fmt: skip
        assert_close(there.T, here.T, RELATIVE_POSE)
        assert (there.data is None) == (here.data is None)
        if here.data is not None:
            np.testing.assert_array_equal(there.data, here.data)


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("box", (1.4, 0.0)),
        ("ball", (1.4, 0.5)),
        ("rod", None),
        ("tin", (1.4, 1.0)),
        ("floor", (0.0, 1.5)),
        ("ridge", (1.55, -0.95)),
        ("cloud", None),
    ],
)
def test_a_marble_falls_onto_each(name: str, above: tuple[float, float] | None) -> None:
    """It touches the obstacle where the obstacle's boxes and rounding say that it is."""
    world = World.of([one_of_each()[name]])
    if above is None:  # over the highest end
        boxes = world[name].boxes()
        along = boxes.axes.reshape(3, 3)[2] * boxes.half[..., 2:]
        ends = np.concatenate([boxes.centers - along, boxes.centers + along])
        above = tuple(ends[np.argmax(ends[:, 2]), :2])
    world.add_sphere("marble", 0.01, [*above, 1.7], mass=0.01)
    twin = Twin(world=world).enable()
    touched = set[str]()
    while name not in touched and twin.t < 1.2:
        twin.step(5)
        touched |= {part for pair in twin.contacts for part in pair}
    assert touched == {name, "marble"}


def test_a_height_field_is_solid_where_it_is_known() -> None:
    twin = Twin(world=World.of([one_of_each()["ridge"]]))
    assert twin.model.body("ridge").geomnum[0] == 4
    for i, j, there in ((0, 0, True), (1, 2, True), (0, 2, False), (1, 1, False)):
        world = World.of([one_of_each()["ridge"]])
        world.add_sphere("marble", 0.01, [1.55 + 0.1 * i, -0.95 + 0.1 * j, 0.05], mass=0.01)
        touches = Twin(world=world).enable()
        touches.step(2)
        assert any("ridge" in pair for pair in touches.contacts) == there


def test_the_objects_now_are_a_world() -> None:
    world = World()
    world.add_table("table", -0.15)
    world.add_box("cube", (0.05, 0.05, 0.05), (0.7, 0.3, 0.0), mass=0.2)
    world.add_sphere("ball", 0.03, (0.8, -0.3, -0.12))
    twin = Twin(world=world, noise=0.0).enable()
    twin.step(500)
    now = twin.world()
    assert now.names == ("table", "cube", "ball")
    assert now["cube"].T[2, 3] == pytest.approx(-0.125, abs=1e-3)  # it has fallen
    assert world["cube"].T[2, 3] == 0.0
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = twin.object_pose("cube")[:3, 3] + np.array([0.0, 0.0, 0.05])
    twin.place(left=twin.left.arm.ik(T).q)
    twin.left.pick_up("cube")
    held = twin.world()["cube"]
    assert held.held == "left"
    assert_close(twin.left.true_tip @ held.T, twin.object_pose("cube"), RELATIVE_POSE)


def test_a_held_object_starts_in_the_hand_and_stays_there() -> None:
    world, T = World(), np.eye(4)
    T[2, 3] = 0.03
    world.add_cylinder("can", 0.1, 0.02, [1.0, 0.0, 0.0], mass=0.1)
    world.attach("can", "right", T)
    twin = Twin(world=world, tool="electric_standard", start="neutral").enable()
    for _ in range(2):
        assert twin.right.holds == "can"
        assert_close(twin.world()["can"].T, T, RELATIVE_POSE)
        twin.place(right=twin.right.arm.configuration("untuck"))  # it goes with the arm
        assert_close(twin.right.true_tip @ T, twin.object_pose("can"), RELATIVE_POSE)
        twin.step(100)
        assert_close(twin.world()["can"].T, T, 5e-3)  # the weld yields a little
        twin.reset()
    twin.right.release()
    twin.step(300)
    assert twin.object_pose("can")[2, 3] < twin.right.true_tip[2, 3] - 0.2
    light = World()
    light.add_sphere("held", 0.02, [1.0, 0.0, 0.0])
    light.attach("held", "left", np.eye(4))
    with pytest.raises(InputError, match=r"left hand holds held, which has no mass; give it one"):
        Twin(world=light)


def test_what_the_twin_touches_the_world_touches() -> None:
    T = np.eye(4)
    T[:3, :3] = spatial.so3_exp(np.array([0.3, -0.2, 0.5]))
    robot = Twin().enable().robot
    q = robot.left.configuration("untuck"), robot.right.configuration("untuck")
    for gap, touches in ((-0.005, True), (0.02, False)):
        world = World()
        near = robot.left.fk(q[0])[:3, 3]
        T[:3, 3] = near + (0.05 + 0.03 + gap) * np.array([0.0, 0.0, -1.0])
        world.add_box("block", [0.4, 0.4, 0.06], T)
        twin = Twin(world=world, tool="electric_extended").enable()
        assert_close(twin.world()["block"].T, T, RELATIVE_POSE)
        there = bool(twin.scene.in_collision(*q))
        assert there == any("block" in pair for pair in twin.contacts)
        assert there or not touches


INSIDE = [("hand", 0.0), ("hand", 0.06), ("vacuum", 0.0), ("electric_standard", 0.0)]


@pytest.mark.parametrize(("tool", "away"), INSIDE)
def test_a_held_object_does_not_touch_its_hand(tool: str, away: float) -> None:
    """As in a scene; contact with w2 turned it by up to 22 degrees in the hand."""
    T = spatial.transform(np.eye(3), [0.0, 0.0, away])
    robot, world = Baxter(Arm("left", tool)), World()
    world.add_cylinder("can", 0.12, 0.033, [2, 0, 0], mass=0.3)
    world.attach("can", "left", T)
    twin = Twin(robot, world=world, noise=0.0).enable()
    twin.step(500)
    assert_close(twin.world()["can"].T, T, 1e-4)
    assert twin.contacts == []

    # Released in there it falls out of the hand, and is not thrown away by it.
    start = twin.object_pose("can")[:3, 3]
    twin.left.release()
    twin.step(200)
    moved = twin.object_pose("can")[:3, 3] - start
    assert abs(moved[2] + 0.5 * 9.81 * 0.2**2) < 0.02
    assert np.abs(moved[:2]).max() < 0.02


def test_what_one_hand_holds_the_other_hand_and_its_own_arm_touch() -> None:
    world = World()
    world.add_sphere("ball", 0.05, [2, 0, 0], mass=0.2)
    world.attach("ball", "left", np.eye(4))
    twin = Twin(world=world, noise=0.0).enable()
    model = twin.model

    def meet(one: str, other: str) -> bool:
        a, b = model.body(one).geomadr[0], model.body(other).geomadr[0]
        kind, with_ = model.geom_contype, model.geom_conaffinity
        return bool((kind[a] & with_[b]) | (kind[b] & with_[a]))

    for link in ("left_w1_link", "left_w2_link"):
        assert not meet("ball", link)
    for link in ("left_w0_link", "right_w1_link", "right_w2_link", "world"):
        assert meet("ball", link)
    assert meet("left_w2_link", "right_w2_link")
    assert meet("left_w2_link", "left_e0_link")
    twin.left.release()
    twin.step(1000)
    assert meet("ball", "left_w2_link")
    twin.reset()
    assert not meet("ball", "left_w2_link")

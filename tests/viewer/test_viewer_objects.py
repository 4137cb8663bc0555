"""Objects around the robot, without a browser."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baxterkit.collision import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.spatial import rpy_to_matrix
from baxterkit.viewer import Session
from baxterkit.viewer.state.forms import FORMS, NEW
from baxterkit.viewer.state.objects import LENGTHS, MOST, PlacedObjects, placed_object


@pytest.mark.parametrize("kind", FORMS)
def test_the_boxes_of_a_thing_fill_its_sides_and_no_more(kind: str) -> None:
    objects = PlacedObjects()
    placed = objects.add(kind)
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
    points = np.concatenate(
        [(corners * part.size) @ part.T[:3, :3].T + part.T[:3, 3] for part in placed.parts()]
    )
    local = (points - placed.T[:3, 3]) @ placed.T[:3, :3]
    assert_allclose(local.max(axis=0), np.array(placed.size) / 2.0, rtol=0.0, atol=1e-12)
    assert_allclose(local.min(axis=0), -np.array(placed.size) / 2.0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", NEW)
def test_new_objects_do_not_touch_the_robot(kind: str) -> None:
    session = Session()
    session.objects.add(kind)
    left, right = (session.limb(side).q for side in ("left", "right"))
    assert not session.scene.in_collision(left, right)


def test_a_turned_shelf_turns_as_one() -> None:
    objects = PlacedObjects()
    shelf = objects.add("shelf")
    before = {part.name: part.T for part in shelf.parts()}
    T = shelf.T.copy()
    T[:3, :3] = rpy_to_matrix([0.2, -0.1, 1.3])
    T[:3, 3] += [0.1, -0.2, 0.3]
    objects.move(shelf.name, T)
    moved = T @ np.linalg.inv(shelf.T)
    for part in objects[shelf.name].parts():
        assert_allclose(part.T, moved @ before[part.name], rtol=0.0, atol=1e-12)
        assert_allclose(objects.world[part.name].T, part.T, rtol=0.0, atol=1e-12)


def test_the_world_is_another_one_after_each_change_and_the_old_one_stays() -> None:
    objects = PlacedObjects()
    objects.add("box")
    world = objects.world
    objects.resize("box 1", [0.1, 0.2, 0.3])
    assert objects.world is not world
    assert world["box 1"].size == (0.12, 0.12, 0.40)
    assert objects.world["box 1"].size == (0.1, 0.2, 0.3)
    objects.remove("box 1")
    assert len(objects.world) == 0
    assert len(world) == 1


def test_names_are_free_again_and_there_is_an_end() -> None:
    objects = PlacedObjects()
    assert [objects.add("box").name for _ in range(3)] == ["box 1", "box 2", "box 3"]
    objects.remove("box 2")
    assert objects.add("box").name == "box 2"
    middles = [objects[name].T[1, 3] for name in objects.names]
    assert len(set(middles)) == 3  # beside each other
    while len(objects) < MOST:
        objects.add("box")
    with pytest.raises(InputError) as caught:
        objects.add("table")
    assert str(caught.value) == f"there are {MOST} objects already; remove one first"
    objects.clear()
    assert objects.names == ()


def test_bad_objects_are_refused_and_nothing_changes() -> None:
    objects = PlacedObjects()
    objects.add("box")
    world = objects.world
    for action, message in (
        (
            lambda: objects.resize("box 1", [0.1, -1.0, 0.1]),
            "the side of box 1 would be -1 m; lengths are 0.001 to 10 m",
        ),
        (
            lambda: objects.resize("box 1", [0.1, 0.1]),
            "size of box 1 must be 3 lengths [m], got [0.1, 0.1]",
        ),
        (
            lambda: objects.move("box 1", np.diag([1.0, 1, 1, 1]) + 25.0 * np.eye(4, k=3)),
            "box 1 would be 25.00 m away along an axis; keep it within 10 m",
        ),
    ):
        with pytest.raises(InputError) as caught:
            action()
        assert str(caught.value) == message
    with pytest.raises(InputError):
        objects.move("box 1", np.full((4, 4), np.nan))
    with pytest.raises(UnknownNameError):
        objects.remove("box 9")
    with pytest.raises(UnknownNameError):
        objects.add("elephant")
    assert objects.world is world


def every_kind() -> World:
    """A world with an object of every kind, away from the robot."""
    world = World()
    world.add_box("crate", (0.2, 0.1, 0.3), (1.5, 0.0, 0.0), color=(0.1, 0.5, 0.9))
    world.add_sphere("ball", 0.1, (1.5, 0.5, 0.0), mass=0.3)
    world.add_capsule("rod", 0.3, 0.02, (1.5, 1.0, 0.0))
    world.add_cylinder("can", 0.2, 0.05, (1.5, -0.5, 0.0))
    world.add_plane("floor", (0.0, 0.0, 1.0), -0.93)
    rng = np.random.default_rng(0)
    world.add_points("cloud", rng.uniform((1.4, -1.1, -0.1), (1.6, -0.9, 0.1), (500, 3)), 0.01)
    hills = 0.1 * rng.random((8, 5))
    hills[0, 0] = np.nan
    world.add_height_field("hills", hills, 0.05, (1.5, -1.8, -0.5))
    return world


def test_every_kind_of_a_world_stands_around_the_robot_and_is_checked() -> None:
    session, world = Session(), every_kind()
    session.objects.put_world(world)
    q = [session.limb(side).q for side in ("left", "right")]
    alone = session.robot.scene(world, opening=(1.0, 1.0))
    assert session.scene.nearest(*q).names == alone.nearest(*q).names
    assert float(session.scene.clearance(*q)) == float(alone.clearance(*q))
    for one, other in zip(session.objects.world.state, world.state, strict=True):
        assert (one.kind, one.size, one.name, one.mass, one.color) == (
            other.kind, other.size, other.name, other.mass, other.color
        )  # fmt: skip
        assert (one.T == other.T).all()
        np.testing.assert_array_equal(one.data, other.data)
    before = session.objects.world
    T = np.eye(4)
    T[:3, 3] = session.limb("left").T_base_tip[:3, 3]
    session.objects.move("ball", T)
    assert session.scene.in_collision(*q)
    assert session.objects.world["cloud"] is before["cloud"]  # nothing large is copied


@pytest.mark.parametrize("kind", NEW)
def test_every_kind_is_sized_by_its_own_lengths(kind: str) -> None:
    objects = PlacedObjects()
    placed = objects.add(kind)
    assert placed.lengths == LENGTHS["box" if kind in FORMS else kind]
    objects.resize(placed.name, [0.5] * len(placed.lengths))
    assert objects[placed.name].size == (0.5,) * len(placed.lengths)
    with pytest.raises(InputError, match=r"size of .* must be \d lengths"):
        objects.resize(placed.name, [0.5] * 4)


def test_what_a_hand_holds_and_part_names_that_clash_are_refused() -> None:
    objects = PlacedObjects()
    held = every_kind()
    held.attach("can", "left", np.eye(4))
    with pytest.raises(InputError, match=r"'can' is held by a hand"):
        objects.put_world(held)
    objects.add("table")
    clash = World()
    clash.add_box("table 1 top", (0.1, 0.1, 0.1), (2.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"two objects have a part that is called 'table 1 top'"):
        objects.put([placed_object(clash["table 1 top"])])
    objects.put_world(every_kind())
    with pytest.raises(InputError, match="is a height field; its cells have the size"):
        objects.resize("hills", [0.1, 0.0])

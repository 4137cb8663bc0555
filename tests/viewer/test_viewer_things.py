"""Things around the robot, without a browser."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.spatial import rpy_to_matrix
from baxterkit.viewer import Session
from baxterkit.viewer.state.things import KINDS, MOST, Things


@pytest.mark.parametrize("kind", KINDS)
def test_the_boxes_of_a_thing_fill_its_sides_and_no_more(kind: str) -> None:
    things = Things()
    thing = things.add(kind)
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
    points = np.concatenate(
        [(corners * part.size) @ part.T[:3, :3].T + part.T[:3, 3] for part in thing.parts()]
    )
    local = (points - thing.T[:3, 3]) @ thing.T[:3, :3]
    assert_allclose(local.max(axis=0), thing.size / 2.0, rtol=0.0, atol=1e-12)
    assert_allclose(local.min(axis=0), -thing.size / 2.0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_new_things_do_not_touch_the_robot(kind: str) -> None:
    session = Session()
    session.things.add(kind)
    left, right = (session.limb(side).q for side in ("left", "right"))
    assert not session.scene.in_collision(left, right)


def test_a_turned_shelf_turns_as_one() -> None:
    things = Things()
    shelf = things.add("shelf")
    before = {part.name: part.T for part in shelf.parts()}
    T = shelf.T.copy()
    T[:3, :3] = rpy_to_matrix([0.2, -0.1, 1.3])
    T[:3, 3] += [0.1, -0.2, 0.3]
    things.move(shelf.name, T)
    moved = T @ np.linalg.inv(shelf.T)
    for part in things[shelf.name].parts():
        assert_allclose(part.T, moved @ before[part.name], rtol=0.0, atol=1e-12)
        assert_allclose(things.world[part.name].T, part.T, rtol=0.0, atol=1e-12)


def test_the_world_is_another_one_after_each_change_and_the_old_one_stays() -> None:
    things = Things()
    things.add("box")
    world = things.world
    things.resize("box 1", [0.1, 0.2, 0.3])
    assert things.world is not world
    assert world["box 1"].size == (0.12, 0.12, 0.40)
    assert things.world["box 1"].size == (0.1, 0.2, 0.3)
    things.remove("box 1")
    assert len(things.world) == 0
    assert len(world) == 1


def test_names_are_free_again_and_there_is_an_end() -> None:
    things = Things()
    assert [things.add("box").name for _ in range(3)] == ["box 1", "box 2", "box 3"]
    things.remove("box 2")
    assert things.add("box").name == "box 2"
    middles = [things[name].T[1, 3] for name in things.names]
    assert len(set(middles)) == 3  # beside each other
    while len(things) < MOST:
        things.add("box")
    with pytest.raises(InputError) as caught:
        things.add("table")
    assert str(caught.value) == f"there are {MOST} things already; remove one first"
    things.clear()
    assert things.names == ()


def test_bad_things_are_refused_and_nothing_changes() -> None:
    things = Things()
    things.add("box")
    world = things.world
    for action, message in (
        (
            lambda: things.resize("box 1", [0.1, -1.0, 0.1]),
            "a side of box 1 would be -1 m; sides are 0.005 to 4 m long",
        ),
        (
            lambda: things.resize("box 1", [0.1, 0.1]),
            "size of box 1 must be 3 lengths [m], got [0.1, 0.1]",
        ),
        (
            lambda: things.move("box 1", np.diag([1.0, 1, 1, 1]) + 5.0 * np.eye(4, k=3)),
            "box 1 would be 5.00 m away along an axis; keep it within 4 m",
        ),
    ):
        with pytest.raises(InputError) as caught:
            action()
        assert str(caught.value) == message
    with pytest.raises(InputError):
        things.move("box 1", np.full((4, 4), np.nan))
    with pytest.raises(UnknownNameError):
        things.remove("box 9")
    with pytest.raises(UnknownNameError):
        things.add("elephant")
    assert things.world is world

"""A scene is a value: it is checked when made, does not change, copies and travels."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Scene
from baxterkit.collision import World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.scene.checks import MOST_CHECKERS
from baxterkit.scene.scene import as_scene

ROBOT = Baxter()
LEFT, RIGHT = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")
BOTH = np.concatenate([LEFT, RIGHT])
ACROSS = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
MIRROR = np.array([-1, 1, -1, 1, -1, 1, -1])


def ball() -> World:
    world = World()
    world.add_sphere("ball", 0.1, ROBOT.left.fk(LEFT)[:3, 3])
    return world


def test_a_later_change_of_the_world_does_not_change_the_scene() -> None:
    world = ball()
    scene = ROBOT.scene(world)
    assert scene.in_collision(LEFT, RIGHT)
    world.remove("ball")
    assert scene.in_collision(LEFT, RIGHT)
    assert scene.world.names == ("ball",)
    assert not scene.replace(world=world).in_collision(LEFT, RIGHT)
    with pytest.raises(InputError, match=r"'cup': the world of a scene does not change.*replace"):
        scene.world.add_sphere("cup", 0.1, [1.0, 0.0, 0.0])
    with pytest.raises(InputError, match="does not change"):
        scene.world.remove("ball")


def test_scenes_of_the_same_values_are_equal() -> None:
    world = ball()
    first, second = ROBOT.scene(world, margin=0.01), ROBOT.scene(world, margin=0.01)
    assert first == second
    assert hash(first) == hash(second)
    assert first != second.replace(margin=0.02)
    assert first.replace(opening=np.array([0.2, 0.4])) == second.replace(opening=(0.2, 0.4))
    world.add_sphere("other", 0.1, [2.0, 0.0, 0.0])
    assert first != ROBOT.scene(world, margin=0.01)
    assert ROBOT.scene(World()) == ROBOT.scene() == Scene(ROBOT) == as_scene(ROBOT)
    with pytest.raises(AttributeError):
        first.margin = 0.0  # type: ignore[misc]


def test_scenes_share_the_checks_that_they_have_in_common() -> None:
    scene = ROBOT.scene(ball(), opening=0.5)
    assert scene.replace(head=0.4, margin=0.1).checker is scene.checker
    assert scene.of_arm("left").checker is scene.replace(head=0.4).of_arm("left").checker
    assert scene.replace(opening=0.6).checker is not scene.checker
    assert scene.of_arm("both") is scene
    robot = Baxter()
    for n in range(2 * MOST_CHECKERS):
        robot.scene(opening=n / 100.0).checker.pairs  # noqa: B018 (it is made)
        assert len(robot.scene()._kept.checkers) <= MOST_CHECKERS


def test_parts_of_a_scene_keep_its_head_and_margin() -> None:
    scene = ROBOT.scene(margin=0.02)
    for head in (0.0, 0.3, 0.5):
        part = scene.replace(head=head, margin=head).of_arm("right")
        assert (part.head, part.margin) == (head, head)
        assert set(part.checker.pairs) < set(scene.checker.pairs)
    with pytest.raises(UnknownNameError, match="unknown arm 'middle'"):
        scene.of_arm("middle")


def test_the_head_of_a_scene_counts_unless_another_is_given() -> None:
    q = np.random.default_rng(0).uniform(ROBOT.left.limits.lower, ROBOT.left.limits.upper, (50, 7))
    scene = ROBOT.scene(head=0.9)
    turned = ROBOT.clearance(q, RIGHT, 0.9)
    np.testing.assert_array_equal(scene.clearance(q, RIGHT), turned)
    np.testing.assert_array_equal(scene.clearance(q, RIGHT, 0.0), ROBOT.clearance(q, RIGHT))
    np.testing.assert_array_equal(scene.in_collision(q, RIGHT), turned < 0.0)
    assert not np.array_equal(turned, ROBOT.clearance(q, RIGHT))


def test_a_margin_counts_in_every_check() -> None:
    gap = float(ROBOT.clearance(LEFT, RIGHT))
    for margin, hit in ((0.99 * gap, False), (1.01 * gap, True)):
        scene = ROBOT.scene(margin=margin)
        assert scene.in_collision(LEFT, RIGHT) is hit
        assert scene.edge_free(BOTH, BOTH) is not hit
        assert (scene.first_contact(LEFT[None], RIGHT) is not None) is hit


def test_a_scene_travels() -> None:
    scene = ROBOT.scene(
        ball(), head=0.2, opening=(0.1, 0.9), margin=0.01, without=[("left", "head")]
    )
    scene.in_collision(LEFT, RIGHT)
    again = pickle.loads(pickle.dumps(scene))
    assert (again.head, again.opening, again.margin) == (0.2, (0.1, 0.9), 0.01)
    assert again.without == (("left", "head"),)
    assert again.clearance(LEFT, RIGHT) == scene.clearance(LEFT, RIGHT)
    assert again.of_arm("left").in_collision(LEFT, RIGHT)


def test_it_shows_what_is_unusual() -> None:
    bare = f"Scene(robot={ROBOT!r})"
    assert repr(ROBOT.scene()) == bare
    assert repr(ROBOT.scene(ball(), margin=0.01)) == bare[:-1] + (
        ", world=World(ball (sphere)), margin=0.01)"
    )


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"head": np.nan}, InputError, "head = nan"),
        ({"head": [0.0, 1.0]}, ShapeError, "head must be one number"),
        ({"opening": -0.1}, InputError, r"opening = -0\.1 must be from 0"),
        ({"opening": (0.0, 0.5, 1.0)}, InputError, "opening must be one number or two"),
        ({"margin": np.inf}, InputError, "margin = inf"),
        ({"margin": -0.001}, InputError, "margin = -0.001 m must not be negative"),
        ({"margin": "wide"}, InputError, "margin"),
        ({"without": (("left", "cat"),)}, UnknownNameError, "unknown link 'cat'"),
        ({"without": ("left", "right")}, InputError, "must hold pairs of names"),
        ({"world": {}}, InputError, r"world must be a collision\.World, got dict"),
    ],
)
def test_a_scene_is_checked_when_it_is_made(given: dict, error: type, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(error, match=message):
        ROBOT.scene(**given)
    with pytest.raises(error, match=message):
        ROBOT.scene().replace(**given)


def test_what_is_neither_scene_nor_robot_is_refused() -> None:
    with pytest.raises(InputError, match=r"give a Scene, a Baxter.*got Arm \(Baxter\(left=arm\)"):
        as_scene(Arm("left"))  # type: ignore[arg-type]


def test_short_forms_are_those_of_the_bare_scene() -> None:
    scene, right = ROBOT.scene(), ACROSS * MIRROR
    T = ROBOT.left.fk(ACROSS)
    assert ROBOT.in_collision(ACROSS, right) is scene.in_collision(ACROSS, right) is True
    assert ROBOT.nearest(ACROSS, right).names == scene.nearest(ACROSS, right).names
    np.testing.assert_array_equal(ROBOT.ik("left", T, RIGHT).q, scene.ik("left", T, RIGHT).q)
    pairs = [x.ik_pair(ROBOT.left.fk(LEFT), ROBOT.right.fk(RIGHT)) for x in (ROBOT, scene)]
    np.testing.assert_array_equal(pairs[0].q_left, pairs[1].q_left)
    assert ROBOT.first_contact(np.stack([LEFT, ACROSS]), right) == scene.first_contact(
        np.stack([LEFT, ACROSS]), right
    )
    np.testing.assert_array_equal(
        ROBOT.repulsion("left", right, 0.3)(LEFT), scene.repulsion("left", right, 0.3)(LEFT)
    )


@pytest.mark.parametrize("pan", [1.6, 3.0, -1.6])
def test_a_head_beyond_its_limits_is_refused(pan: float) -> None:
    """It was taken, and configurations that touch the head there were called clear."""
    text = "head_pan = .* its limit .*; the head turns from -1.3963 to 1.3963 rad"
    q = [ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")]
    with pytest.raises(InputError, match=text):
        ROBOT.scene(head=pan)
    for check in (ROBOT.in_collision, ROBOT.clearance, ROBOT.nearest):
        with pytest.raises(InputError, match=text):
            check(*q, head=pan)
    assert ROBOT.scene(head=1.42).head == 1.42  # within the proofs of what can never touch

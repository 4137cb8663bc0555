"""What a newcomer gives to the planner by mistake, and robots and worlds at their limits."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from plan_problems import plan_with

from baxterkit import Arm, Baxter
from baxterkit.collision import Checker, RetreatError, World
from baxterkit.errors import BaxterkitError, InputError, ShapeError, UnitsWarning, UnknownNameError
from baxterkit.model import baxter_arm
from baxterkit.planning import OnPlane, PlanError, PlanStatus, SameGrasp, Upright, plan, tuck

ROBOT = Baxter()
LEFT, RIGHT = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")
BOTH = np.concatenate([LEFT, RIGHT])
GOAL = np.array([-1.1, 0.1, 0.0, 0.9, 0.0, 0.6, 0.0])
NAMES = (*ROBOT.left.joint_names, *ROBOT.right.joint_names)


def ask(start: Any = LEFT, goal: Any = GOAL, **options: Any) -> Any:
    return plan_with(ROBOT, start, goal, **{"group": "left", **options})


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"timeout": None}, "timeout must hold real numbers"),
        ({"timeout": "1"}, "timeout must hold real numbers"),
        ({"timeout": [1.0, 2.0]}, "timeout must be one number"),
        ({"timeout": np.inf}, "timeout = inf"),
        ({"timeout": 0}, "timeout = 0 s must be positive"),
        ({"head": [0.0, 1.0]}, "head must be one number"),
        ({"margin": [0.0, 1.0]}, "margin must be one number"),
        ({"without": None}, "without = None must hold pairs of names"),
        ({"without": 3}, "without = 3 must hold pairs"),
        ({"without": [1, 2]}, "must hold pairs"),
        ({"without": (([], {}),)}, "must hold pairs"),
        ({"opening": {"left": 1.0}}, "opening must hold real numbers"),
        ({"constraints": None}, "constraints must be Upright"),
        ({"constraints": Upright}, "constraints must be Upright"),
        ({"constraints": [SameGrasp]}, "constraints must be Upright"),
        ({"method": ["RRT"]}, "unknown method"),
        ({"group": ["left"]}, "unknown group"),
        ({"goal": None}, "goal is None"),
        ({"goal": [GOAL, None]}, "goal is None"),
        ({"goal": "tuck"}, r"goal = 'tuck' is a text; .* robot.left.configuration\('tuck'\)"),
        ({"goal": [[1.0, 2.0], [3.0]]}, "goal is ragged"),
        ({"goal": np.empty((0, 7))}, "goal is a sequence without a goal"),
        ({"start": "untuck"}, "start = 'untuck' is a text"),
        ({"start": [[1.0], [2.0, 3.0]], "other": RIGHT}, "start is ragged"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], what: str) -> None:
    with pytest.raises((InputError, ShapeError, UnknownNameError), match=what):
        ask(**options)


def test_limits_of_samples_may_be_anything_from_zero() -> None:
    post = World()
    post.add_box("post", (0.08, 0.08, 1.2), [0.8, 0.15, 0.3])
    assert ask(world=post, samples=2**80).solved
    nothing = ask(world=post, samples=0)
    assert nothing.status is PlanStatus.NO_PATH
    assert nothing.search.samples == 0
    assert ask(samples=0).solved  # the straight line is free


def test_a_message_says_where_the_arm_that_stays_is() -> None:
    elsewhere = np.array([0.5, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0])
    message = SimpleNamespace(
        name=["head_pan", *NAMES, "torso_t0"], position=[0.0, *LEFT, *elsewhere, 0.0]
    )
    np.testing.assert_array_equal(ask(message).configurations[0, 7:], elsewhere)
    other = ask(message, other=RIGHT)
    np.testing.assert_array_equal(other.configurations[0, 7:], RIGHT)
    whole = plan(ROBOT, message, (GOAL, None))
    np.testing.assert_array_equal(whole.path[0], [*LEFT, *elsewhere])
    with pytest.raises(InputError, match="start lacks the joint"):
        plan(ROBOT, dict(zip(NAMES[:13], BOTH, strict=False)), BOTH)
    moved = ROBOT.retreat(message)
    np.testing.assert_array_equal(moved[0], [*LEFT, *elsewhere])


def test_tucking_one_arm() -> None:
    np.testing.assert_array_equal(
        tuck(ROBOT, BOTH, group="right").path[-1], ROBOT.right.configuration("tuck")
    )


def test_robots_results_and_errors_cross_process_boundaries() -> None:
    ROBOT.in_collision(LEFT, RIGHT)
    again = pickle.loads(pickle.dumps(ROBOT))
    assert again.clearance(LEFT, RIGHT) == copy.deepcopy(ROBOT).clearance(LEFT, RIGHT)
    world = World()
    world.add_box("post", (0.08, 0.08, 1.2), [0.8, 0.15, 0.3])
    result = ask(world=world)
    other = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(other.path, result.path)
    np.testing.assert_array_equal(
        other.trajectory(margin=0.005).coefficients, result.trajectory(margin=0.005).coefficients
    )
    with pytest.raises(PlanError) as caught:
        ask(goal=np.eye(4)).raise_if_failed()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def with_limits(joints: tuple[int, ...] = tuple(range(7)), **limits: float) -> Baxter:
    changed = [
        dataclasses.replace(joint, **limits) if i in joints else joint
        for i, joint in enumerate(baxter_arm("left").joints)
    ]
    return Baxter(Arm.from_model(dataclasses.replace(baxter_arm("left"), joints=tuple(changed))))


def test_motions_of_joints_without_limits() -> None:
    limited = plan(ROBOT, LEFT, GOAL, group="left").trajectory(velocity=100.0, torque=1e6)
    robot = with_limits(velocity=np.inf, effort=np.inf)
    free = plan(robot, LEFT, GOAL, group="left").trajectory()
    assert free.duration == pytest.approx(limited.duration)  # accelerations are limited
    rubs = Baxter(with_limits(velocity=np.inf).left.with_effects(viscous=np.full(7, 0.1)))
    assert plan(rubs, LEFT, GOAL, group="left").trajectory().duration < 1.5
    still = plan(with_limits((6,), velocity=0.0), LEFT, GOAL, group="left")
    with pytest.raises(InputError, match="the velocity limit of left_w2 is 0; nothing can move"):
        still.trajectory()
    turned = GOAL + 18.0 * np.pi * np.eye(7)[6]
    with pytest.raises(InputError, match="planned within two turns of the start"):
        plan(with_limits((6,), lower=-np.inf, upper=np.inf), LEFT, turned, group="left")


def test_joints_that_turn_farther_are_checked_for_what_can_never_touch() -> None:
    joints = [
        dataclasses.replace(joint, lower=2.0 * joint.lower, upper=2.0 * joint.upper)
        for joint in baxter_arm("left").joints
    ]
    wide = Arm.from_model(dataclasses.replace(baxter_arm("left"), joints=tuple(joints)))
    q = np.random.default_rng(5).uniform(wide.limits.lower, wide.limits.upper, (3000, 7))
    robot = Baxter(wide)
    kernels = (robot.left._kernels, robot.right._kernels)
    models = (robot.left.model, robot.right.model)
    every = Checker(models, robot.head, kernels, proven=False).in_collision(q, RIGHT)
    np.testing.assert_array_equal(robot.in_collision(q, RIGHT), every)
    assert np.any(every & ~np.asarray(ROBOT.in_collision(q, RIGHT)))


@pytest.mark.parametrize(
    ("add", "what"),
    [
        (lambda w: w.add_sphere("s", 1e12, [1e12 + 0.6, 0, 0]), "radius: 1e.12 m is more than"),
        (lambda w: w.add_box("s", (1, 1, 1), [1e9, 0, 0]), "T: 1e.09 m is more than 1e.06 m"),
        (lambda w: w.add_points("s", [[1e7, 0, 0]], 0.1), "points: "),
        (lambda w: w.add_height_field("s", [[1e7]], 0.1, [0, 0, 0]), "heights: "),
        (lambda w: w.add_height_field("s", [[1], [2, 3]], 0.1, [0, 0, 0]), "heights is ragged"),
        (lambda w: w.add_height_field("s", [["a"]], 0.1, [0, 0, 0]), "heights must hold real"),
        (lambda w: w.add_height_field("s", [[1]], 0.1, [0, 0, 0], [1, 2]), "bottom must be one"),
        (lambda w: w.add_plane("s", [0, 0, 1], [1, 2]), "offset must be one number"),
        (lambda w: w.remove(["s"]), "available: none, the world is empty"),
    ],
)
def test_worlds_refuse_what_is_not_resolved(add: Any, what: str) -> None:
    with pytest.raises(BaxterkitError, match=what):
        add(World())


def test_a_normal_of_any_length() -> None:
    for size in (1e-300, 1e300):
        world = World()
        world.add_plane("floor", [0, 0, size], -1.0)
        np.testing.assert_allclose(world["floor"].T[:3, 2:], [[0, 0], [0, 0], [1, -1]])
        np.testing.assert_allclose(
            OnPlane([0, 0, 0], [size, size, 0]).normal, [0.5**0.5, 0.5**0.5, 0]
        )


def test_degrees_are_told_from_a_joint_beyond_its_limits() -> None:
    asked = r"left_e1 = 111.15.* rad is outside .*; are these degrees\? .*np.deg2rad\({}\)"
    with pytest.raises(InputError, match=asked.format("start")):
        plan(ROBOT, np.degrees(LEFT), LEFT, group="left")
    with pytest.raises(InputError, match=asked.format("goal")):
        plan(ROBOT, LEFT, np.degrees(LEFT), group="left")
    with pytest.raises(
        InputError, match=r"left_e1 = 4.94.* rad is outside .*; move it inside first"
    ):
        plan(ROBOT, LEFT + 3.0, LEFT, group="left")


def test_a_retreat_says_how_far_it_came() -> None:
    with pytest.raises(RetreatError, match=r"no path to a clearance of 500 mm: .* mm apart after"):
        ROBOT.retreat(BOTH, clearance=0.5)
    with pytest.raises(InputError, match=r"left_e1 = 3.940000 rad is outside its limits"):
        ROBOT.retreat(BOTH + 2.0)
    with pytest.raises(InputError, match="most must hold real numbers"):
        ROBOT.retreat(BOTH, most="far")  # type: ignore[arg-type]
    ball = World()
    ball.add_sphere("ball", 0.05, ROBOT.left.fk(LEFT)[:3, 3])
    with pytest.raises(RetreatError, match=r"mm inside each other after 0.0\d rad"):
        ROBOT.scene(ball).retreat(BOTH, most=0.03)


def test_nothing_is_nearest_where_nothing_is_checked() -> None:
    parts = ("left", "right", "torso", "head", "pedestal")
    near = ROBOT.scene(without=tuple((a, b) for a in parts for b in parts)).nearest(LEFT, RIGHT)
    with pytest.raises(InputError, match="no pair of links is checked"):
        _ = near.names


def test_a_limit_in_single_precision_is_inside() -> None:
    goal = GOAL.copy()
    goal[5] = ROBOT.left.limits.upper[5]
    single = np.nextafter(goal.astype(np.float32), np.float32(9.0))
    result = ask(goal=single)
    assert result.path[-1, 5] == goal[5]
    with pytest.raises(InputError, match=r"left_w1 = 2.094010 .* by 1e-05 rad; move it inside"):
        ask(goal=goal + 1e-5 * np.eye(7)[5])


TURNED = np.degrees(RIGHT + 0.01)


@pytest.mark.parametrize(
    "given", [{"start": np.concatenate([LEFT, TURNED])}, {"start": LEFT, "other": TURNED}]
)
def test_degrees_of_the_arm_that_stays_are_told(given: dict[str, Any]) -> None:
    """The limits that are checked are those of the arm that moves."""
    with pytest.warns(UnitsWarning, match=r"other holds .* are these degrees\?") as caught:
        plan(ROBOT, goal=GOAL, group="left", **given)
    assert len(caught) == 1

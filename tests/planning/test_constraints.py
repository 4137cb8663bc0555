"""Paths on which the hand keeps what it must."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_problems import ROBOT, UNTUCK

from baxterkit.collision import World
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import Position
from baxterkit.planning import OnLine, OnPlane, SameGrasp, SearchSettings, Upright, plan
from baxterkit.planning.constrained import EXACT, TOLERANCE
from baxterkit.spatial import inverse, pose_error, so3_exp, transform
from baxterkit.trajectory import Trajectory

RIGHT = UNTUCK[7:]
DOWN = np.diag([1.0, -1.0, -1.0])
DEVIATION = 1e-7
"""Near half a turn an angle by the arc sine of its half has only half of the digits [rad]."""


def down(x: float, y: float, z: float) -> np.ndarray:
    return transform(DOWN, np.array([x, y, z]))


def start() -> np.ndarray:
    q: np.ndarray = ROBOT.ik("left", down(0.65, 0.4, 0.2), other=RIGHT).q
    return q


def tips(motion: object) -> np.ndarray:
    assert isinstance(motion, Trajectory)
    return ROBOT.left.fk(motion.at_rate(200.0)[1])


def test_the_tool_stays_upright_around_an_obstacle() -> None:
    world = World()
    world.add_box("post", (0.06, 0.06, 0.6), [0.72, 0.2, 0.2])
    free = plan(ROBOT.scene(world), start(), down(0.65, 0.0, 0.2), group="left").trajectory()
    assert tips(free)[:, 2, 2].max() > -1.0 + 1e-3  # without the constraint it tilts
    result = plan(
        ROBOT.scene(world),
        start(),
        down(0.65, 0.0, 0.2),
        group="left",
        constraints=[Upright()],
        search=SearchSettings(seed=3, timeout=60.0),
    )
    assert result.solved, result.reason
    tilt = np.arccos(np.clip(-tips(result.trajectory())[:, 2, 2], -1.0, 1.0))
    assert tilt.max() < 2.0 * TOLERANCE
    checker = ROBOT.scene(world).of_arm("left").checker
    q = result.configurations
    assert np.all(checker.edge_free(q[:-1], q[1:]))


def test_the_tip_stays_on_a_line_and_on_a_plane() -> None:
    line = OnLine([0.65, 0.0, 0.2], [0.0, 2.0, 0.0])
    result = plan(
        ROBOT,
        start(),
        down(0.65, 0.2, 0.2),
        group="left",
        constraints=[line],
        search=SearchSettings(timeout=60.0),
    )
    T = tips(result.trajectory())
    assert np.abs(T[:, [0, 2], 3] - [0.65, 0.2]).max() < 2.0 * TOLERANCE
    plane = OnPlane([0.0, 0.0, 0.2], [0.0, 0.0, 1.0])
    result = plan(
        ROBOT,
        start(),
        down(0.55, 0.3, 0.2),
        group="left",
        constraints=[Upright(), plane],
        search=SearchSettings(timeout=60.0),
    )
    T = tips(result.trajectory())
    assert np.abs(T[:, 2, 3] - 0.2).max() < 2.0 * TOLERANCE
    assert T[:, 2, 2].max() < -np.cos(2.0 * TOLERANCE)


def test_both_hands_keep_their_grasp() -> None:
    T_left = transform(so3_exp([np.pi / 2, 0.0, 0.0]), np.array([0.6, 0.27, 0.2]))
    T_right = transform(so3_exp([-np.pi / 2, 0.0, 0.0]), np.array([0.6, -0.27, 0.2]))
    pair = ROBOT.hands.ik(T_left, T_right)
    q = np.concatenate([pair.q_left, pair.q_right])
    lift = np.eye(4)
    lift[:3, 3] = 0.05, 0.0, 0.12
    there = ROBOT.hands.ik(lift @ T_left, lift @ T_right, seed=(pair.q_left, pair.q_right))
    goal = np.concatenate([there.q_left, there.q_right])
    result = plan(ROBOT, q, goal, constraints=[SameGrasp()], search=SearchSettings(timeout=60.0))
    assert result.solved, result.reason
    motion = result.trajectory()
    assert motion.side == "both"
    t = np.linspace(0.0, motion.duration, 300)
    q = motion.sample(t).q
    grasp = ROBOT.hands.relative_pose(q[:, :7], q[:, 7:])
    wanted = np.broadcast_to(inverse(T_left) @ T_right, grasp.shape)
    assert max(error.max() for error in pose_error(grasp, wanted)) < 2.0 * TOLERANCE


def test_the_same_seed_gives_the_same_bits() -> None:
    paths = [
        plan(
            ROBOT,
            start(),
            down(0.65, 0.36, 0.22),
            group="left",
            constraints=[Upright()],
            search=SearchSettings(seed=3, timeout=60.0),
        ).path
        for _ in range(2)
    ]
    assert np.array_equal(*paths)


@pytest.mark.parametrize(
    "constraint", [Upright(), OnPlane([0, 0, 0.1], [0, 1, 1]), OnLine([0, 0, 1], [1, 0, 0])]
)
def test_a_projection_stays_where_it_is(constraint: Upright | OnPlane | OnLine) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        T = transform(so3_exp(rng.normal(size=3)), rng.normal(size=3))
        once = constraint.project(T)
        assert np.abs(constraint.project(once) - once).max() < 1e-12
    flipped = transform(np.eye(3), np.zeros(3))
    assert np.abs(Upright().project(flipped)[:3, 2] - [0.0, 0.0, -1.0]).max() < 1e-12


def test_an_axis_by_its_letter_is_told_its_numbers() -> None:
    with pytest.raises(
        InputError, match=r"axis = 'z'; it must be three numbers, such as \[0, 0, 1"
    ):
        Upright(axis="z")


@pytest.mark.parametrize(
    "constraint", [Upright(), OnPlane([0, 0, 0.1], [0, 1, 1]), OnLine([0, 0, 1], [1, 0, 0])]
)
def test_a_deviation_is_the_distance_to_the_projection(
    constraint: Upright | OnPlane | OnLine,
) -> None:
    rng = np.random.default_rng(3)
    sizes = np.repeat([1e-6, 1e-3, 1.0, 3.0], 10)[:, None]
    Ts = transform(so3_exp(sizes * rng.normal(size=(40, 3))) @ DOWN, rng.normal(size=(40, 3)))
    wanted = np.stack([constraint.project(T) for T in Ts])
    assert np.abs(np.linalg.det(wanted) - 1.0).max() < 1e-12
    farthest = np.maximum(*pose_error(Ts, wanted))
    assert np.abs(constraint.deviation(Ts) - farthest).max() < DEVIATION


class Custom:
    """A constraint of somebody else's: it only knows how to project."""

    def project(self, T: np.ndarray) -> np.ndarray:
        return Upright().project(T)


def test_a_constraint_that_only_projects_is_kept_too() -> None:
    ask: Any = {"group": "left", "search": SearchSettings(timeout=60.0, seed=1)}
    goal = down(0.65, 0.36, 0.22)
    own = plan(ROBOT, start(), goal, constraints=[Custom()], **ask)
    assert own.solved, own.reason
    assert np.array_equal(own.path, plan(ROBOT, start(), goal, constraints=Upright(), **ask).path)


def test_what_cannot_be_kept_is_refused() -> None:
    for start_at, goal in ((UNTUCK[:7], down(0.6, 0.3, 0.2)), (start(), UNTUCK[:7])):
        with pytest.raises(InputError, match=r"violates .*Upright of the left hand by 0\.\d+ "):
            plan(ROBOT, start_at, goal, group="left", constraints=[Upright([0.0, 1.0, -1.0])])
    with pytest.raises(InputError, match="SameGrasp is for group"):
        plan(ROBOT, start(), start(), group="left", constraints=[SameGrasp()])
    with pytest.raises(InputError, match="normal must not be zero"):
        OnPlane([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(ShapeError, match="point"):
        OnLine([0.0, 0.0], [1.0, 0.0, 0.0])


def test_planes_that_cut_each_other_are_both_kept() -> None:
    at = [0.65, 0.4, 0.2]
    planes = [OnPlane(at, [0.0, 0.0, 1.0]), OnPlane(at, [0.0, np.sin(0.3), np.cos(0.3)])]
    ball = World()
    ball.add_sphere("ball", 0.03, [0.75, 0.4, 0.32])
    result = plan(
        ROBOT.scene(ball),
        start(),
        down(0.85, 0.4, 0.2),
        group="left",
        constraints=planes,
        search=SearchSettings(timeout=60.0),
    )
    assert result.solved, result.reason
    T = ROBOT.left.fk(result.path)
    assert max(plane.deviation(T).max() for plane in planes) < EXACT
    T = tips(result.trajectory())
    assert max(plane.deviation(T).max() for plane in planes) < TOLERANCE


def test_a_position_is_reached_as_the_constraints_want_it() -> None:
    there = Position([0.65, 0.2, 0.2])
    result = plan(
        ROBOT,
        start(),
        there,
        group="left",
        constraints=Upright(),
        search=SearchSettings(timeout=60.0),
    )
    assert result.solved, result.reason
    T = tips(result.trajectory())
    assert np.abs(T[-1, :3, 3] - there.p).max() < DEVIATION
    assert Upright().deviation(T).max() < TOLERANCE
    sideways = OnPlane([0.0, 0.4, 0.0], [0.0, 1.0, 0.0])
    with pytest.raises(InputError, match=r"by 0.2 \(m or rad\) at least; .* give a pose that"):
        plan(ROBOT, start(), there, group="left", constraints=sideways)

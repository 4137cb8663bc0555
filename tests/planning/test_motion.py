"""Motions along plans: free, within all limits, and as fast as they allow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from oracles import planner
from plan_problems import ROBOT, UNTUCK, Problem, all_but, double, single
from tolerances import TIMED

from baxterkit import Arm, Baxter, Payload, _native
from baxterkit.collision import World
from baxterkit.errors import ExtensionError, InputError, ShapeError
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning import PlanError, PlanResult, SearchSettings, plan
from baxterkit.planning.rounding import round_pieces
from baxterkit.trajectory import Trajectory
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.speeds import numpy_speeds

LEFT, RIGHT = UNTUCK[:7], UNTUCK[7:]
ACROSS = np.array([-1.1, 0.1, 0.0, 0.9, 0.0, 0.6, 0.0])


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


def post() -> World:
    world = World()
    world.add_box("post", (0.08, 0.08, 1.2), [0.8, 0.15, 0.3])
    return world


def solve(problem: Problem) -> PlanResult:
    return plan(
        ROBOT.scene(problem.world),
        problem.start,
        problem.goal,
        group=problem.group,
        search=SearchSettings(timeout=20.0),
    ).raise_if_failed()


def least_clearance(problem: Problem, motion: Trajectory) -> float:
    """Of 1 kHz samples, by our distances [m]."""
    t, moved, _, _ = motion.at_rate(1000.0)
    q = np.tile(problem.start, (len(t), 1))
    columns = ARM_COLUMNS[problem.group]
    q[:, columns] = moved
    scene = ROBOT.scene(problem.world).of_arm(problem.group)
    return float(scene.clearance(q[:, :7], q[:, 7:]).min())


@pytest.mark.parametrize("problem", [*single(2), *double(1)], ids=lambda problem: problem.kind)
def test_a_motion_is_free_and_within_all_limits(problem: Problem) -> None:
    result = solve(problem)
    motion = result.trajectory()
    assert least_clearance(problem, motion) >= 0.0
    assert motion.side == problem.group
    for side in motion.sides:
        motion.check(acceleration=ACCELERATION, arm=getattr(ROBOT, side))
    path = result.path
    for got, wanted in zip((motion.start, motion.end), (path[0], path[-1]), strict=True):
        assert np.abs(got - wanted).max() < 1e-9
    rest = [motion.sample(t).qd for t in (0.0, motion.duration)]
    assert np.abs(rest).max() < 1e-9


def test_it_is_near_what_toppra_needs_for_the_same_path() -> None:
    pytest.importorskip("toppra")
    from baxterkit.trajectory import time_optimal

    motion = plan(ROBOT.scene(post()), LEFT, ACROSS, group="left").trajectory()
    assert isinstance(motion, Trajectory)
    best = time_optimal(ROBOT.left, motion)
    assert motion.duration < 1.02 * best.duration + 0.01


def test_some_limit_is_always_reached() -> None:
    motion = plan(ROBOT.scene(post()), LEFT, ACROSS, group="left").trajectory()
    assert isinstance(motion, Trajectory)
    t = np.linspace(0.0, motion.duration, 500)
    q, qd, qdd = motion.sample(t)
    shares = np.concatenate(
        [
            np.abs(qd) / ROBOT.left.limits.velocity,
            np.abs(qdd) / ACCELERATION,
            np.abs(ROBOT.left.inverse_dynamics(q, qd, qdd)) / ROBOT.left.limits.effort,
        ],
        axis=-1,
    ).max(axis=-1)
    assert np.median(shares) > 0.98


def test_given_limits_are_kept() -> None:
    result = plan(ROBOT.scene(post()), LEFT, ACROSS, group="left")
    usual = result.trajectory()
    assert isinstance(usual, Trajectory)
    slow = result.trajectory(velocity=0.3, acceleration=np.full(7, 1.0))
    assert isinstance(slow, Trajectory)
    _, _, qd, qdd = slow.at_rate(1000.0)
    assert np.abs(qd).max() <= 0.3 * (1 + TIMED)
    assert np.abs(qdd).max() <= 1.0 + TIMED
    assert slow.duration > 2.0 * usual.duration
    _t, q, qd, qdd = usual.at_rate(1000.0)
    hold = np.abs(ROBOT.left.gravity(q)).max(axis=0)
    most = 1.1 * hold + 0.5
    assert (np.abs(ROBOT.left.inverse_dynamics(q, qd, qdd)) > most).any()
    weak = result.trajectory(torque=most)
    assert isinstance(weak, Trajectory)
    _, q, qd, qdd = weak.at_rate(1000.0)
    assert (np.abs(ROBOT.left.inverse_dynamics(q, qd, qdd)) <= most + TIMED).all()
    assert weak.duration > usual.duration


def test_joint_effects_and_payload_count() -> None:
    from baxterkit import sim

    pytest.importorskip("mujoco")
    heavy = sim.with_known_effects(ROBOT.left.replace(payload=Payload(1.5)))
    robot = Baxter(heavy, ROBOT.right)
    motion = plan(robot.scene(post()), LEFT, ACROSS, group="left").trajectory()
    assert isinstance(motion, Trajectory)
    _, q, qd, qdd = motion.at_rate(1000.0)
    tau = heavy.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau) <= heavy.limits.effort * (1 + 1e-9)).all()


def test_torques_that_cannot_hold_the_arm_are_refused() -> None:
    result = plan(ROBOT.scene(post()), LEFT, ACROSS, group="left")
    with pytest.raises(InputError, match="cannot hold the arm on the path"):
        result.trajectory(torque=np.array([50.0, 1.0, 50.0, 50.0, 15.0, 15.0, 15.0]))


def test_a_margin_is_kept_and_another_path_is_planned_where_it_must() -> None:
    world = post()
    problem = Problem("post", "left", UNTUCK, ACROSS, world)
    result = plan(ROBOT.scene(world), LEFT, ACROSS, group="left")
    assert least_clearance(problem, result.trajectory(margin=0.015)) >= 0.015
    with pytest.raises(PlanError, match="GOAL_IN_COLLISION with a margin of 50 mm"):
        result.trajectory(margin=0.05)
    with pytest.raises(InputError, match="margin = -0\\.1 m"):
        result.trajectory(margin=-0.1)


def test_a_sequence_rests_at_its_goals() -> None:
    result = plan(ROBOT.scene(post()), LEFT, [ACROSS, LEFT], group="left")
    motion = result.trajectory()
    assert isinstance(motion, Trajectory)
    t, q, qd, _ = motion.at_rate(1000.0)
    there = int(np.argmin(np.abs(q - ACROSS).max(axis=-1)))
    assert np.abs(q[there] - ACROSS).max() < 1e-3
    assert np.abs(qd[there]).max() < 0.02
    assert 0.2 < t[there] / motion.duration < 0.8


def test_there_is_no_motion_without_a_path_or_a_way() -> None:
    with pytest.raises(PlanError, match="NO_PATH"):
        plan(
            ROBOT.scene(post()), LEFT, ACROSS, group="left", search=SearchSettings(samples=1)
        ).trajectory()
    for nearly in (LEFT, LEFT + 1e-16, LEFT + 1e-12):
        with pytest.raises(InputError, match="nothing would move"):
            plan(ROBOT, LEFT, nearly, group="left").trajectory()
    twice = plan(ROBOT, LEFT, [LEFT + 0.1, LEFT + 0.1 + 1e-14, LEFT], group="left").trajectory()
    assert isinstance(twice, Trajectory)
    assert twice.duration < 1.5
    result = plan(ROBOT.scene(post()), LEFT, ACROSS, group="left")
    with pytest.raises(ShapeError, match="velocity"):
        result.trajectory(velocity=np.ones(3))
    with pytest.raises(InputError, match="acceleration"):
        result.trajectory(acceleration=0.0)


def test_both_arms_start_and_end_together() -> None:
    goal = np.concatenate([ACROSS, RIGHT])
    motion = plan(
        ROBOT.scene(post()), UNTUCK, goal, search=SearchSettings(timeout=10.0)
    ).trajectory()
    assert motion.side == "both"
    assert motion.duration == motion.of("left").duration == motion.of("right").duration


def test_the_readable_smoothing_cuts_the_same_corners(isa: str) -> None:
    world = post()
    result = plan(ROBOT.scene(world), LEFT, ACROSS, group="left", search=SearchSettings(seed=2))
    checker = ROBOT.scene(world).of_arm("left").checker
    assert checker.native is not None
    ask = {
        "path": np.ascontiguousarray(result.configurations),
        "head": 0.0,
        "margin": 0.0,
        "step": 0.1,
    }
    ask |= {"rounds": 60, "most": 0.5, "seed": 7}
    corners, room = checker.native.smooth(**ask)
    slow_corners, slow_room = planner.smooth(checker, **ask)
    assert corners.shape == slow_corners.shape
    assert np.array_equal(corners, slow_corners)
    assert np.abs(room - slow_room).max() < 1e-12
    assert (room[1:-1] > 0.0).any()


def test_the_readable_timing_finds_the_same_speeds() -> None:
    rng = np.random.default_rng(5)
    lengths, most = rng.uniform(0.02, 0.1, 80), rng.uniform(0.5, 4.0, 81)
    most[[0, 40, 80]] = 0.0
    a, b, c = (scale * rng.normal(size=(80, 2, 14)) for scale in (0.5, 0.3, 0.2))
    c = np.clip(c, -0.9, 0.9)
    fast, slow = (
        _native.speeds(lengths, a, b, c, most),
        numpy_speeds(lengths, a, b, c, most),
    )
    assert fast is not None
    assert slow is not None
    assert np.abs(fast - slow).max() < 1e-9
    assert (fast <= most).all()
    u = np.diff(fast) / (2.0 * lengths)
    for end, x in enumerate((fast[:-1], fast[1:])):
        rows = a[:, end] * u[:, None] + b[:, end] * x[:, None] + c[:, end]
        assert np.abs(rows).max() < 1.0 + 1e-9


def test_no_speed_is_found_where_rest_is_impossible() -> None:
    rows = np.zeros((3, 2, 1))
    assert _native.speeds(np.ones(3), rows + 1.0, rows, rows + 3.0, np.zeros(4)) is None
    assert numpy_speeds(np.ones(3), rows + 1.0, rows, rows + 3.0, np.zeros(4)) is None
    with pytest.raises(
        ValueError,
        match=r"^speeds: most must be .* of shape \(n\+1,\), not float64 of shape \(3,\)$",
    ):
        _native.speeds(np.ones(3), rows, rows, rows, np.zeros(3))


def test_round_pieces_join_smoothly() -> None:
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.5]])
    pieces = round_pieces(corners, np.array([0.0, 0.3, 0.0, 0.0]))
    q, slope, _ = pieces.derivatives()
    assert np.abs(q[:-1, 1] - q[1:, 0]).max() < 1e-15
    smooth = ~pieces.stops[1:]
    assert np.abs(slope[:-1, 1] - slope[1:, 0])[smooth].max() < 1e-15
    assert pieces.stops.tolist() == [True, False, False, True]
    fine = pieces.split(0.05, 4)
    q, _, bend = fine.derivatives()
    assert np.abs(q[:-1, 1] - q[1:, 0]).max() < 1e-12
    assert np.abs(bend[:, 1] - bend[:, 0]).max() < 1e-12
    assert fine.length.max() <= 0.05 + 1e-12
    assert fine.stops.sum() == 2


def test_planning_on_numpy_says_what_it_needs() -> None:
    plain = Baxter(Arm("left", backend="numpy"), Arm("right", backend="numpy"))
    without = all_but("left_fingers", "torso")
    with pytest.raises(ExtensionError) as caught:
        plan(plain.scene(without=without), LEFT, LEFT + 0.1, group="left")
    assert str(caught.value) == (
        "planning needs the compiled extension, and NumPy computes here; use "
        'Arm(..., backend="native"), or install a C++ compiler and baxterkit again'
    )

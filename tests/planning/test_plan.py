"""Plans: paths are free all the way, and where there is none the reason is the right one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from oracles import planner
from plan_problems import GATE, all_but, gate, infeasible, plan_with

from baxterkit import Arm, Baxter, _native
from baxterkit.collision import World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import Pointing, Position
from baxterkit.model.names import joint_names
from baxterkit.planning import PlanError, PlanResult, PlanStatus, SearchSettings, Upright, plan

ROBOT = Baxter()
PLAIN = Baxter(Arm("left", backend="numpy"), Arm("right", backend="numpy"))
LEFT, RIGHT = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")
BOTH = np.concatenate([LEFT, RIGHT])
ACROSS = np.array([-1.1, 0.1, 0.0, 0.9, 0.0, 0.6, 0.0])
"""The left arm in front of the robot, beyond the post."""
OUTSIDE = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0])
MIRROR = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])


def post() -> World:
    """A post that stands between the left arm untucked and in front."""
    world = World()
    world.add_box("post", (0.08, 0.08, 1.2), [0.8, 0.15, 0.3])
    return world


def is_free(result: PlanResult, world: World | None = None, margin: float = 0.0) -> bool:
    q = result.configurations
    return bool(np.all(ROBOT.scene(world, margin=margin).edge_free(q[:-1], q[1:])))


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


def test_a_path_goes_around_what_blocks_the_straight_line(isa: str) -> None:
    world = post()
    start = np.concatenate([LEFT, RIGHT])
    end = np.concatenate([ACROSS, RIGHT])
    assert not ROBOT.scene(world).edge_free(start, end)
    result = plan(ROBOT.scene(world), LEFT, ACROSS, group="left")
    assert result.solved
    assert result.status is PlanStatus.SOLVED
    assert result.reason == ""
    assert result.path.shape[1] == 7
    assert len(result.path) > 2
    assert (result.path[0] == LEFT).all()
    assert (result.path[-1] == ACROSS).all()
    assert is_free(result, world)
    assert (result.configurations[:, 7:] == RIGHT).all()
    limits = ROBOT.left.limits
    assert ((result.path >= limits.lower) & (result.path <= limits.upper)).all()


def test_a_free_straight_line_is_the_path() -> None:
    result = plan(ROBOT, LEFT, LEFT + 0.1, group="left")
    assert len(result.path) == 2
    assert result.search.samples == 0


def test_start_and_goal_may_be_one() -> None:
    result = plan(ROBOT, LEFT, LEFT, group="left")
    assert result.solved
    assert (result.path == LEFT).all()


def test_both_arms_pass_each_other() -> None:
    world = post()
    world.add_box("post on the right", (0.08, 0.08, 1.2), [0.8, -0.15, 0.3])
    goal = np.concatenate([[0.6, -0.9, -1.0, 1.9, 0.5, 0.9, 0.0], ACROSS * MIRROR + 0.1])
    result = plan(ROBOT.scene(world), BOTH, goal, search=SearchSettings(timeout=20.0))
    assert result.solved, result.reason
    assert result.path.shape[1] == 14
    assert (result.path[-1] == goal).all()
    assert is_free(result, world)


def test_the_same_seed_gives_the_same_bits_and_another_one_another_path() -> None:
    paths = [
        plan(ROBOT.scene(post()), LEFT, ACROSS, group="left", search=SearchSettings(seed=seed)).path
        for seed in (3, 3, 4)
    ]
    assert paths[0].tobytes() == paths[1].tobytes()
    assert paths[0].tobytes() != paths[2].tobytes()


@pytest.mark.parametrize("group", ["left", "right", "both"])
def test_the_readable_search_finds_the_same_path(group: str) -> None:
    world = post()
    world.add_box("post on the right", (0.08, 0.08, 1.2), [0.8, -0.15, 0.3])
    checker = ROBOT.scene(world).of_arm(group).checker
    goal = np.concatenate([ACROSS, RIGHT] if group == "left" else [LEFT, ACROSS * MIRROR])
    limits = np.stack([np.tile(x, 2) for x in (ROBOT.left.limits.lower, ROBOT.left.limits.upper)])
    for seed in range(3):
        ask = {
            "start": BOTH,
            "goals": goal[None],
            "limits": limits,
            "moves": {"left": 1, "right": 2, "both": 3}[group],
            "head": 0.0,
            "margin": 0.0,
            "range": 0.5,
            "samples": 5000,
            "seconds": 60.0,
            "seed": seed,
            "step": 0.1,
            "one_arm": 0.3,
            "patience": 1,
            "keep_trees": True,
        }
        assert checker.native is not None
        fast = checker.native.connect(**ask)
        slow = planner.connect(checker, **ask)
        assert fast.end == slow.end == 0
        assert len(fast.points) > 2
        verdicts = {"verdicts": 0}  # they come in groups
        for name, here, there in zip(
            fast._fields, fast._replace(**verdicts), slow._replace(**verdicts), strict=True
        ):
            assert np.array_equal(here, there), name


def test_the_trees_are_kept_on_request_and_the_path_runs_along_them() -> None:
    ask = {"world": post(), "group": "left", "seed": 3}
    bare, kept = (
        plan_with(ROBOT, LEFT, ACROSS, **ask),
        plan_with(ROBOT, LEFT, ACROSS, keep_tree=True, **ask),
    )
    assert [len(edges) for edges in bare.tree] == [0, 0]
    assert bare.path.tobytes() == kept.path.tobytes()
    assert bare.search == kept.search
    edges = np.concatenate([kept.tree[0], kept.tree[1][:, ::-1]])[:, :, :7]
    assert sum(kept.search.nodes) - 2 >= len(edges) >= len(kept.path) - 1
    for edge in zip(kept.path[:-1], kept.path[1:], strict=True):
        assert (edges == np.stack(edge)).all(axis=(1, 2)).any()
    for start, tree in (
        (kept.configurations[0], kept.tree[0]),
        (kept.configurations[-1], kept.tree[1]),
    ):
        grown = {start.tobytes()}
        for parent, child in tree:
            assert parent.tobytes() in grown
            grown.add(child.tobytes())
    assert (kept.tree[0][:, :, 7:] == kept.configurations[0, 7:]).all()  # the right arm stays
    assert not kept.tree[0].flags.writeable


def test_numpy_refuses_too() -> None:
    world = World()
    world.add_sphere("ball", 0.1, ROBOT.left.fk(LEFT)[:3, 3])
    without = all_but("left_w2", "ball", world)
    result = plan(PLAIN.scene(world, without=without), LEFT, ACROSS, group="left")
    assert result.status is PlanStatus.START_IN_COLLISION


def test_the_numpy_search_cuts_what_a_refuted_edge_carries() -> None:
    tree = planner.Tree()
    rows = np.arange(6.0)[:, None] * np.ones(14)
    for row, parent in zip(rows, (-1, 0, 1, 1, 0, 3), strict=True):
        tree.add(row, parent)
    tree.cut(1)
    assert [tree.nearest(row, 0, 14) for row in rows] == [0, 0, 0, 4, 4, 4]


def test_a_margin_is_kept() -> None:
    world = post()
    result = plan(ROBOT.scene(world, margin=0.015), LEFT, ACROSS, group="left")
    assert result.solved
    assert is_free(result, world, margin=0.015)


@pytest.mark.parametrize("side", ["left", "right"])
def test_what_a_hand_holds_counts(side: str) -> None:
    start, goal = (LEFT, ACROSS) if side == "left" else (RIGHT, ACROSS * MIRROR)
    world = World()
    arm = ROBOT.left if side == "left" else ROBOT.right
    world.add_sphere("ball", 0.02, (arm.fk(0.5 * (start + goal)) @ [0.0, 0.0, 0.33, 1.0])[:3])
    world.add_box("rod", (0.04, 0.04, 0.3), [0.0, 0.0, 0.0])
    T = np.eye(4)
    T[:3, 3] = 0.0, 0.0, 0.2
    world.attach("rod", side, T)
    middle = np.split(0.5 * (BOTH + np.concatenate([ACROSS, ACROSS * MIRROR])), 2)
    q = (middle[0], RIGHT) if side == "left" else (LEFT, middle[1])
    assert "rod" in ROBOT.scene(world).nearest(*q).names
    result = plan(ROBOT.scene(world), start, goal, group=side, search=SearchSettings(timeout=20.0))
    assert result.solved, result.reason
    assert is_free(result, world)


class TestGoals:
    """What a goal may be."""

    def test_a_pose_is_reached_by_any_free_solution(self) -> None:
        T = ROBOT.left.fk(ACROSS)
        result = plan(ROBOT.scene(post()), LEFT, T, group="left")
        assert result.solved
        assert result.search.goals > 5
        assert np.abs(ROBOT.left.fk(result.path[-1]) - T).max() < 1e-9

    def test_a_pose_whose_quick_solution_touches_is_reached_by_another(self) -> None:
        T = ROBOT.left.fk(ACROSS)
        world = post()
        elbow = ROBOT.left.link_poses(ROBOT.left.ik(T, LEFT).q)[3, :3, 3]
        world.add_sphere("at the elbow", 0.03, elbow)
        assert ROBOT.scene(world).in_collision(ROBOT.left.ik(T, LEFT).q, RIGHT)
        result = plan(
            ROBOT.scene(world), LEFT, T, group="left", search=SearchSettings(timeout=10.0)
        )
        assert result.solved, result.reason
        assert np.abs(ROBOT.left.fk(result.path[-1]) - T).max() < 1e-9
        assert is_free(result, world)

    def test_a_position(self) -> None:
        p = ROBOT.left.fk(ACROSS)[:3, 3]
        result = plan(ROBOT.scene(post()), LEFT, Position(p), group="left")
        assert result.solved
        assert np.abs(ROBOT.left.fk(result.path[-1])[:3, 3] - p).max() < 1e-6

    def test_a_direction(self) -> None:
        p = ROBOT.left.fk(ACROSS)[:3, 3]
        goal = Pointing(p, [1.0, 0.0, -1.0])
        result = plan(ROBOT.scene(post()), LEFT, goal, group="left")
        assert result.solved, result.reason
        T = ROBOT.left.fk(result.path[-1])
        assert np.abs(T[:3, 3] - p).max() < 1e-6
        assert T[:3, 2] @ np.array([1.0, 0.0, -1.0]) > np.sqrt(2.0) - 1e-6

    def test_two_poses(self) -> None:
        reach = np.array([-0.5, -0.2, 0.0, 1.0, 0.0, 0.8, 0.0])
        poses = (ROBOT.left.fk(reach), ROBOT.right.fk(reach * MIRROR))
        result = plan(ROBOT, BOTH, poses, search=SearchSettings(timeout=10.0))
        assert result.solved, result.reason
        for arm, T, columns in zip(
            (ROBOT.left, ROBOT.right), poses, (slice(7), slice(7, 14)), strict=True
        ):
            assert np.abs(arm.fk(result.path[-1][columns]) - T).max() < 1e-9

    def test_an_arm_without_a_goal_ends_where_it_began(self) -> None:
        result = plan(
            ROBOT, BOTH, {"left": ROBOT.left.fk(ACROSS)}, search=SearchSettings(timeout=10.0)
        )
        assert result.solved
        assert (result.path[-1][7:] == RIGHT).all()
        also = plan(ROBOT, BOTH, (ROBOT.left.fk(ACROSS), None), search=SearchSettings(timeout=10.0))
        assert np.array_equal(also.path, result.path)

    def test_a_sequence_is_reached_in_order(self) -> None:
        T = ROBOT.left.fk(ACROSS)
        result = plan(ROBOT.scene(post()), LEFT, [T, Position(T[:3, 3] + 0.05), LEFT], group="left")
        assert result.solved
        assert len(result.legs) == 3
        assert result.legs[-1] == len(result.path) - 1
        tips = ROBOT.left.fk(result.path[list(result.legs)])
        assert np.abs(tips[0] - T).max() < 1e-9
        assert np.abs(tips[1, :3, 3] - T[:3, 3] - 0.05).max() < 1e-6
        assert (result.path[-1] == LEFT).all()
        assert is_free(result, post())

    def test_rows_of_joint_positions_are_a_sequence(self) -> None:
        rows = np.stack([ACROSS, LEFT])
        result = plan(ROBOT.scene(post()), LEFT, rows, group="left")
        assert (result.path[list(result.legs)] == rows).all()

    def test_joints_have_names(self) -> None:
        names = joint_names("left")
        result = plan(
            ROBOT,
            dict(zip((*names, *joint_names("right")), BOTH, strict=True)),
            dict(zip(reversed(names), ACROSS[::-1], strict=True)),
            group="left",
        )
        assert result.solved
        assert (result.path[-1] == ACROSS).all()


class TestReasons:
    """Every status, with the names in its reason."""

    def test_the_start_touches(self) -> None:
        world = World()
        world.add_sphere("ball", 0.1, ROBOT.left.fk(LEFT)[:3, 3])
        result = plan(ROBOT.scene(world), LEFT, ACROSS, group="left")
        assert result.status is PlanStatus.START_IN_COLLISION
        assert not result
        assert result.pair is not None
        assert "ball" in result.pair
        assert result.reason.startswith("at the start left_")
        assert "ball" in result.reason
        assert result.path.shape == (0, 7)
        with pytest.raises(PlanError, match="START_IN_COLLISION: at the start") as caught:
            result.raise_if_failed()
        assert caught.value.result is result

    def test_the_other_arm_may_touch_the_world_where_it_stays(self) -> None:
        world = World()
        world.add_sphere("ball", 0.1, ROBOT.right.fk(RIGHT)[:3, 3])
        assert plan(ROBOT.scene(world), LEFT, ACROSS, group="left").solved
        result = plan(ROBOT.scene(world), BOTH, np.concatenate([ACROSS, RIGHT]))
        assert result.status is PlanStatus.START_IN_COLLISION

    def test_the_goal_touches(self) -> None:
        inside = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
        result = plan(ROBOT, BOTH, np.concatenate([inside, inside * MIRROR]))
        assert result.status is PlanStatus.GOAL_IN_COLLISION
        assert result.pair is not None
        assert result.reason.startswith("at the goal left_")

    def test_the_goal_is_out_of_reach(self) -> None:
        T = np.eye(4)
        T[:3, 3] = 2.0, 0.0, 0.0
        result = plan(ROBOT, LEFT, T, group="left")
        assert result.status is PlanStatus.OUT_OF_REACH
        assert "out of reach" in result.reason
        result = plan(ROBOT, LEFT, Position([2.0, 0.0, 0.0]), group="left")
        assert result.status is PlanStatus.OUT_OF_REACH
        beyond = ROBOT.left.fk(np.array([1.9, -0.3, 0.0, 0.05, 0.0, 0.1, 0.0]))
        result = plan(ROBOT, LEFT, beyond, group="left")
        assert result.status is PlanStatus.OUT_OF_REACH
        assert "violate a limit" in result.reason

    def test_every_solution_of_the_goal_touches(self) -> None:
        T = ROBOT.left.fk(ACROSS)
        world = World()
        world.add_sphere("ball", 0.05, T[:3, 3])
        result = plan(ROBOT.scene(world), LEFT, T, group="left")
        assert result.status is PlanStatus.GOAL_BLOCKED
        assert result.pair is not None
        assert "ball" in result.pair
        assert "ball" in result.reason

    def test_there_is_no_path_in_so_many_samples(self) -> None:
        result = plan(
            ROBOT.scene(post()), LEFT, ACROSS, group="left", search=SearchSettings(samples=1)
        )
        assert result.status is PlanStatus.NO_PATH
        assert "in 1 samples" in result.reason

    def test_the_time_is_up(self) -> None:
        result = plan(
            ROBOT.scene(gate()), BEFORE, BEHIND, group="left", search=SearchSettings(timeout=0.05)
        )
        assert result.status is PlanStatus.NO_PATH
        assert "0.05 s" in result.reason

    def test_a_leg_of_a_sequence_is_named(self) -> None:
        result = plan(ROBOT, LEFT, [LEFT + 0.1, Position([2.0, 0.0, 0.0])], group="left")
        assert result.status is PlanStatus.OUT_OF_REACH
        assert result.reason.startswith("goal 1 of the sequence: left arm")


BEFORE, BEHIND = (np.array([s0, -0.3, 0.0, 1.0, 0.0, 0.8, 0.0]) for s0 in (0.4, -1.0))


def test_no_path_leads_through_a_gate_that_is_closed_for_every_configuration() -> None:
    """At s0 = GATE the upper arm touches the gate whatever s1 is; no other joint moves it there."""
    world, limits = gate(), ROBOT.left.limits
    q = np.zeros((2000, 7))
    q[:, 0], q[:, 1] = GATE, np.linspace(limits.lower[1], limits.upper[1], 2000)
    names = ROBOT.scene(world).checker.names
    upper = [name for name in names if name not in ("left_s1", "left_e0", "gate")]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    without = tuple(pair for pair in pairs if {*upper} & {*pair})
    step = (
        np.ptp(q[:, 1]) / 1999 * 0.5
    )  # no point of the upper arm moves farther between samples [m]
    assert ROBOT.scene(world, without=without).clearance(q, RIGHT).max() < -step
    result = plan(
        ROBOT.scene(world),
        BEFORE,
        BEHIND,
        group="left",
        search=SearchSettings(samples=2000, timeout=60.0),
    )
    assert result.status is PlanStatus.NO_PATH
    assert result.search.samples == 2000


def test_infeasible_problems_end_with_their_reason() -> None:
    kinds = set()
    for problem in infeasible(6):
        result = plan(
            ROBOT.scene(problem.world),
            problem.start,
            problem.goal,
            group=problem.group,
            search=SearchSettings(samples=500, timeout=60.0),
        )
        assert result.status is problem.status, f"{problem.kind}: {result}"
        assert result.reason
        kinds.add(result.status)
    assert len(kinds) == 5


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"group": "arms"}, UnknownNameError, "group"),
        ({"start": LEFT[:6]}, ShapeError, "7 values"),
        ({"start": BOTH[:13], "group": "both"}, ShapeError, "14 values"),
        ({"start": BOTH, "other": RIGHT}, InputError, "both arms already"),
        ({"start": LEFT + OUTSIDE}, InputError, "left_w2 = .* outside its limits"),
        ({"goal": LEFT + OUTSIDE}, InputError, "goal: left_w2 = .* outside"),
        ({"goal": np.full(7, np.nan)}, InputError, "finite"),
        ({"goal": np.zeros(5)}, ShapeError, "shape \\(5,\\)"),
        ({"goal": (LEFT, RIGHT)}, InputError, 'group="both"'),
        ({"goal": {"right": RIGHT}}, InputError, "right arm, which stays"),
        ({"goal": {}}, InputError, "goal is empty"),
        ({"goal": np.eye(4), "start": BOTH, "group": "both"}, InputError, "a goal of each arm"),
        ({"goal": 2.0 * np.eye(4)}, InputError, "goal"),
        ({"seed": -1}, InputError, "seed"),
        ({"seed": 2**64}, InputError, "2\\*\\*64"),
        ({"timeout": 0.0}, InputError, "timeout = 0"),
        ({"margin": -0.1}, InputError, "margin = -0.1"),
        ({"world": "table"}, InputError, "collision.World"),
        ({"without": (("left_s9", "torso"),)}, UnknownNameError, "left_s9"),
        ({"without": ("left", "torso")}, InputError, "pairs of names"),
        ({"constraints": ["upright"]}, InputError, "Upright, OnPlane, OnLine or SameGrasp"),
        ({"constraints": Upright(), "method": "ompl:RRTstar"}, InputError, "knows no constraints"),
    ],
)
def test_wrong_input_is_refused(changes: dict, error: type, message: str) -> None:  # type: ignore[type-arg]
    arguments = {"start": LEFT, "goal": ACROSS, "group": "left"} | changes
    with pytest.raises(error, match=message):
        plan_with(ROBOT, **arguments)


def test_an_arm_is_not_a_robot() -> None:
    with pytest.raises(InputError, match=r"a Baxter, which knows the whole body.*got Arm"):
        plan(ROBOT.left, LEFT, ACROSS, group="left")  # type: ignore[arg-type]


def test_the_start_of_both_arms_may_be_a_pair() -> None:
    goal = (ACROSS, RIGHT)
    one = plan(ROBOT, BOTH, goal)
    for start in ((LEFT, RIGHT), [LEFT, RIGHT], {"right": RIGHT, "left": LEFT}):
        np.testing.assert_array_equal(plan(ROBOT, start, goal).path, one.path)  # type: ignore[arg-type]


@pytest.mark.parametrize("joints", [(2,), (0, 6), range(7)])
def test_joints_without_limits(joints: Sequence[int]) -> None:
    model = ROBOT.left.model
    free = {"lower": -np.inf, "upper": np.inf}
    joint_list = [replace(j, **free) if i in joints else j for i, j in enumerate(model.joints)]
    robot = Baxter(left=Arm.from_model(replace(model, joints=tuple(joint_list))))
    for goal in (ROBOT.left.fk(ACROSS), ACROSS, ACROSS + 2.0 * np.pi * (np.arange(7) == joints[0])):
        search = SearchSettings(timeout=20.0)
        result = plan(robot.scene(post()), LEFT, goal, group="left", search=search)
        assert result.solved, result.reason
        assert is_free(result, post())
        assert result.trajectory().end.shape == (7,)


def test_a_margin_that_the_start_lacks_is_said() -> None:
    result = plan(ROBOT, LEFT, ACROSS, group="left")
    with pytest.raises(PlanError, match=r"START_IN_COLLISION .*is too near to .*mm apart"):
        result.trajectory(margin=1.0)


INTERRUPTED = """
import os, signal, sys, threading
sys.path[:0] = [{folder!r}, {folder!r} + "/.."]
from test_plan import BEFORE, BEHIND, ROBOT, gate, plan_with

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    plan_with(ROBOT, BEFORE, BEHIND, world=gate(), group="left", samples=10**9, timeout=60.0)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_a_search() -> None:
    code = INTERRUPTED.format(folder=str(__file__).rpartition("/")[0])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout.strip() == "stopped", done.stderr

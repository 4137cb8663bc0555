"""Planning problems of the viewer, without a browser."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tolerances as tol
from numpy.testing import assert_allclose, assert_array_equal

from baxterkit.errors import InputError
from baxterkit.planning import PlanStatus
from baxterkit.viewer import Session
from baxterkit.viewer.state.route import REMEDIES, Route, problem_of
from baxterkit.viewer.state.twin_run import run_in_twin

MARGIN = 0.005  # m


def aimed(*sides: str) -> Session:
    """A session in which a box stands before the robot, and these arms have a goal."""
    session = Session()
    session.limb("right").set_joints(session.limb("right").arm.configuration("neutral"))
    session.objects.add("box")
    session.aim(sides)
    settle(session)
    return session


def settle(session: Session) -> None:
    for _ in range(500):
        if not session.step(1.0 / 30.0):
            break
    session.examine()


def drag(session: Session, side: str, position: list[float]) -> None:
    T = session.goals[side].T_base_tip.copy()
    T[:3, 3] = position
    session.goals[side].drag(T)
    settle(session)


def solve(session: Session, any_elbow: bool = True) -> Route:
    return problem_of(session, any_elbow=any_elbow, timeout=5.0, margin=MARGIN).solve()


def test_a_new_goal_is_above_the_hand_and_the_arm_stays() -> None:
    session = aimed("left")
    limb, goal = session.limb("left"), session.goals["left"]
    assert_array_equal(limb.q, limb.arm.configuration("untuck"))
    assert_allclose(
        goal.T_base_tip[:3, 3] - limb.T_base_tip[:3, 3], [0.10, 0.0, 0.15], rtol=0.0, atol=1e-9
    )
    session.aim(("right",))
    assert list(session.goals) == ["right"]
    session.aim(())
    assert not session.goals


def test_the_motion_goes_around_the_box_from_the_arm_to_the_goal() -> None:
    session = aimed("left")
    drag(session, "left", [0.72, -0.14, 0.15])
    route = solve(session)
    assert route.solved
    assert route.short == ""
    assert route.result.group == "left"
    assert route.motion is not None
    rows = route.motion.q["left"]
    assert_allclose(rows[0], session.limb("left").q, rtol=0.0, atol=1e-9)
    arm = session.limb("left").arm
    assert_allclose(arm.fk(rows[-1]), session.goals["left"].target, rtol=0.0, atol=1e-6)
    assert_allclose(route.traces["left"], arm.fk(rows)[:, :3, 3], rtol=0.0, atol=1e-12)
    right = session.limb("right").q
    gap = session.scene.clearance(rows, right)
    assert gap.min() > MARGIN - tol.CLEARANCE_NATIVE
    straight = np.linspace(rows[0], rows[-1], 100)
    assert session.scene.clearance(straight, right).min() < 0.0
    assert route.words.startswith("Found in ")
    here, there = route.trees["left"]
    assert len(here) + len(there) > 0
    tip = session.limb("left").T_base_tip[:3, 3]
    assert_allclose(here[0, 0], tip, rtol=0.0, atol=1e-9)
    assert here.shape[1:] == there.shape[1:] == (2, 3)
    assert f"The motion takes {route.motion.duration:.1f} s." in route.words


def test_a_straight_path_has_no_corners_to_tell_of() -> None:
    session = aimed("left")
    session.objects.remove("box 1")
    drag(session, "left", [0.72, 0.25, 0.15])
    words = solve(session).words
    assert re.fullmatch(
        r"Found in \d+ ms: the straight path is clear. The motion takes \d\.\d s\.", words
    )


def test_both_arms_move_together() -> None:
    session = aimed("left", "right")
    drag(session, "right", [0.7, -0.5, 0.3])
    route = solve(session)
    assert route.result.group == "both"
    assert route.motion is not None
    assert sorted(route.motion.q) == sorted(route.traces) == ["left", "right"]
    assert {"left velocity [rad/s]", "right velocity [rad/s]"} <= set(route.motion.signals)
    for side in ("left", "right"):
        arm = session.limb(side).arm
        end = arm.fk(route.motion.q[side][-1])
        assert_allclose(end, session.goals[side].T_base_tip, rtol=0.0, atol=1e-6)
        assert np.abs(np.diff(route.motion.q[side][[0, -1]], axis=0)).max() > 0.1


def test_the_ghosts_own_configuration_is_the_goal_where_the_elbow_counts() -> None:
    session = aimed("left")
    route = solve(session, any_elbow=False)
    assert_allclose(route.result.path[-1], session.goals["left"].q, rtol=0.0, atol=1e-12)


def test_a_goal_at_the_hand_is_reached_already() -> None:
    session = aimed("left")
    session.goals["left"].set_joints(session.limb("left").q)
    for any_elbow in (True, False):
        route = solve(session, any_elbow)
        assert route.solved
        assert route.motion is None
        assert route.words == "The hand is at its goal already."


def test_what_is_impossible_is_said_with_the_pair_and_a_way_out() -> None:
    session = aimed("left")
    drag(session, "left", [0.75, 0.0, 0.10])
    blocked = solve(session)
    assert blocked.result.status is PlanStatus.GOAL_BLOCKED
    assert "touches box 1" in blocked.words
    assert blocked.words.endswith("Move the goal or the obstacle.")
    assert blocked.short.startswith("no path: left_")
    assert blocked.short.endswith("touches box 1")
    assert blocked.motion is None
    drag(session, "left", [2.5, 0.0, 0.1])
    far = solve(session)
    assert far.words.startswith(
        "No path: left arm: the goal is out of reach, even beyond the joint limits; the tip comes "
    )
    assert far.words.endswith(" m. Move the goal nearer, or turn it.")
    assert far.short == "no path: out of reach"
    assert blocked.of_each_goal == {"left": blocked.short}  # the right goal is not to blame
    assert far.of_each_goal == {"left": far.short}
    session.objects.move("box 1", session.limb("left").T_base_tip)
    start = solve(session)
    assert start.result.status is PlanStatus.START_IN_COLLISION
    assert start.short.startswith("no path: at the start left_")
    assert start.words.endswith("Move the arm or the obstacle away.")


def test_bad_requests_are_refused_in_words() -> None:
    session = Session()
    with pytest.raises(InputError) as caught:
        problem_of(session).solve()
    assert str(caught.value) == "choose the arms that have a goal first"
    session.aim(("left",))
    with pytest.raises(InputError) as caught:
        problem_of(session, timeout=0.0).solve()
    assert str(caught.value) == "the time limit is 0 s; it must be above 0 and at most 60"
    for bad in ({"timeout": np.nan}, {"timeout": "soon"}, {"seed": -3}, {"seed": "x"}):
        with pytest.raises(InputError):
            problem_of(session, **bad).solve()  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        problem_of(session, margin=1.0)
    assert str(caught.value) == "the margin is 1000 mm; it must be from 0 to 200"


def test_a_changed_tool_is_the_goals_too() -> None:
    session = aimed("left")
    session.change_tool("left", "vacuum")
    assert session.goals["left"].arm.tool.name == "vacuum"


@pytest.mark.sim
def test_the_twin_runs_a_plan_among_the_same_obstacles(require) -> None:  # type: ignore[no-untyped-def]
    require("mujoco")
    session = aimed("left")
    drag(session, "left", [0.72, -0.14, 0.15])
    route = solve(session)
    at = {side: limb.q for side, limb in session.limbs.items()}
    run = run_in_twin(session.scene, route.trajectories, at=at)
    assert list(run.records) == ["left"]
    assert run.tip_errors["left"].max() < 5e-3
    truth = run.records["left"].truth.q
    gap = session.scene.clearance(truth, at["right"])
    assert run.clearance == pytest.approx(gap.min(), abs=1e-3)
    assert 0.0 < run.clearance < 2.0 * MARGIN


def test_every_failure_has_a_way_out() -> None:
    assert set(REMEDIES) == {*PlanStatus} - {PlanStatus.SOLVED}

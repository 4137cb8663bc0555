"""Planners by name: whatever finds a path, all of it is free."""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
import pytest
from components import require
from plan_problems import ROBOT, UNTUCK, Problem, gate, plan_with, single

from baxterkit.errors import MissingExtraError, UnknownNameError
from baxterkit.planning import PlanStatus, SearchSettings, plan
from baxterkit.planning.ompl_planners import ompl_planner

OMPL = ("RRT", "RRTConnect", "PRM", "FMT", "BFMT", "KPIECE1", "BKPIECE1", "LBKPIECE1")
"""Planners of OMPL that end with the first path ..."""
OMPL_ALL_TIME = ("RRTstar", "InformedRRTstar", "SORRTstar", "BITstar", "AORRTC", "PRMstar")
"""... and those that optimise until the time is up."""


def check(problem: Problem, method: str, timeout: float) -> None:
    result = plan(
        ROBOT.scene(problem.world),
        problem.start,
        problem.goal,
        group=problem.group,
        search=SearchSettings(method=method, timeout=timeout, seed=1),
    )
    assert result.solved, f"{method}, {problem.kind}: {result}"
    assert (result.path[-1] == problem.goal).all()
    q = result.configurations
    assert (q[0] == problem.start).all()
    checker = ROBOT.scene(problem.world).of_arm(problem.group).checker
    assert np.all(checker.edge_free(q[:-1], q[1:]))


@functools.cache
def table() -> Problem:
    """The first whose straight line is blocked."""
    for problem in single(20):
        options = {"world": problem.world, "group": problem.group}
        if len(plan_with(ROBOT, problem.start, problem.goal, **options).path) > 2:
            return problem
    raise AssertionError("all lines are free")


@pytest.mark.parametrize(
    "method", ["rrt_connect", "rrt_pseudo_inverse", *(f"ompl:{name}" for name in OMPL)]
)
def test_a_path_of_any_planner_is_free(method: str) -> None:
    if method.startswith("ompl:"):
        require("ompl")
    check(table(), method, 30.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        "rrt_connect_anytime",
        "ompl:BITstar",
        "ompl:PRMstar",
        *(
            pytest.param(f"ompl:{name}", marks=pytest.mark.acceptance)
            for name in OMPL_ALL_TIME
            if name not in ("BITstar", "PRMstar")
        ),
    ],
)
def test_a_path_of_a_planner_that_takes_all_its_time_is_free(method: str) -> None:
    if method.startswith("ompl:"):
        require("ompl")
    check(table(), method, 1.0)


def test_more_time_gives_a_shorter_path() -> None:
    problem = table()
    options = {"world": problem.world, "group": problem.group}
    first = plan_with(ROBOT, problem.start, problem.goal, **options)
    options |= {"method": "rrt_connect_anytime", "timeout": 0.3}
    best = plan_with(ROBOT, problem.start, problem.goal, **options)
    assert best.length < 0.9 * first.length
    near = plan(
        ROBOT,
        UNTUCK,
        UNTUCK[:7] + 0.1,
        group="left",
        search=SearchSettings(method="rrt_connect_anytime", timeout=60.0),
    )
    assert len(near.path) == 2


def test_a_straight_line_is_the_best_there_is() -> None:
    require("ompl")
    goal = UNTUCK[:7] + 0.2
    result = plan(
        ROBOT,
        UNTUCK,
        goal,
        group="left",
        search=SearchSettings(method="ompl:SORRTstar", timeout=0.2),
    )
    assert len(result.path) == 2


def test_the_pseudo_inverse_leads_the_tip_to_a_pose() -> None:
    T = ROBOT.left.fk(np.array([-0.6, -0.3, -0.2, 1.1, 0.1, 0.9, 0.0]))
    result = plan(
        ROBOT,
        UNTUCK[:7],
        T,
        group="left",
        search=SearchSettings(method="rrt_pseudo_inverse", timeout=20.0),
    )
    assert result.solved
    assert np.abs(ROBOT.left.fk(result.path[-1]) - T).max() < 1e-9
    again = plan(
        ROBOT,
        UNTUCK[:7],
        T,
        group="left",
        search=SearchSettings(method="rrt_pseudo_inverse", timeout=20.0),
    )
    assert np.array_equal(result.path, again.path)


@pytest.mark.parametrize("method", ["rrt_pseudo_inverse", "ompl:RRTConnect"])
def test_no_planner_passes_the_gate(method: str) -> None:
    if method.startswith("ompl:"):
        require("ompl")
    before, behind = (np.array([s0, -0.3, 0.0, 1.0, 0.0, 0.8, 0.0]) for s0 in (0.4, -1.0))
    result = plan(
        ROBOT.scene(gate()),
        before,
        behind,
        group="left",
        search=SearchSettings(method=method, timeout=0.2),
    )
    assert result.status is PlanStatus.NO_PATH
    assert result.reason


def test_an_unknown_planner_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="rrt_connect"):
        plan(ROBOT, UNTUCK, UNTUCK, search=SearchSettings(method="A*"))


def test_an_unknown_planner_of_ompl_is_refused_with_those_there_are() -> None:
    require("ompl")
    with pytest.raises(UnknownNameError, match="ompl:RRTConnect"):
        plan(ROBOT, UNTUCK, UNTUCK, search=SearchSettings(method="ompl:Planner9"))


def test_without_ompl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ompl", None)
    monkeypatch.setitem(sys.modules, "ompl.base", None)
    with pytest.raises(MissingExtraError, match=r"\[plan\]"):
        ompl_planner("RRTstar")


def test_ompl_leaves_nothing_behind() -> None:
    require("ompl")
    code = (
        "from baxterkit import Baxter; from baxterkit.planning import SearchSettings, plan;"
        "r = Baxter(); q = r.left.configuration('untuck');"
        "how = SearchSettings(method='ompl:RRTConnect');"
        "print(plan(r, q, q + 0.1, group='left', search=how).solved)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("True", "")

"""Planning: our RRT-Connect beside OMPL's with a Python callback, on the same body.

Problems are those of `tests/plan_problems.py`, and the bookshelf problems of MotionBenchMaker where
`BAXTERKIT_DATA` holds them (fingers may touch cans there: the goals are grasps by wider hands than
the robot's). A time is the processor time of one thread for one problem, checkers made before; each
row is over all problems and seeds. Every path is swept again, and every motion sampled at 1 kHz.
OMPL's planner asks for configurations through a Python function and sweeps nothing: every 0.1 rad
of an edge, as ours looks before it sweeps one, and every 0.02 rad; with `BAXTERKIT_MESHES` also on
the robot's meshes by coal. With these steps its range is ours, and its time that of its search
alone; as it comes (its own range and resolution) it is that of setting it up and of the search.
Ours is that of the whole call.

Usage: python benchmarks/bench_plan.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import ROOT, Report, Timing, parse_options

import baxterkit
from baxterkit.collision import World
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning import PlanResult, SearchSettings, plan
from baxterkit.planning.connect import RANGE
from baxterkit.planning.request import CLEAR

sys.path.insert(0, str(ROOT / "tests"))

import bookshelf
import plan_problems
from plan_problems import ROBOT, Problem

EACH, DOUBLES, PEER, MESH_PEER = 40, 15, 40, 8
"""Problems of each kind of one arm, and of both; those that OMPL solves; those on the meshes."""
STEPS = (0.1, 0.02)
"""Between the configurations of an edge that OMPL asks for [rad]; our edges are swept."""
PATIENCE = 1.0
"""Time limit of OMPL [s]."""
Without = tuple[tuple[str, str], ...]


def shelves() -> list[tuple[Problem, Without]]:
    """The bookshelf problems whose start and goal a plan accepts, or none."""
    if bookshelf.folder() is None:
        return []
    found = []
    for one in bookshelf.problems():
        cans = [name for name in one.world.names if one.world[name].kind == "cylinder"]
        without = tuple((f"{side}_fingers", can) for side in ("left", "right") for can in cans)
        ends = np.stack([one.start, one.goal])
        scene = ROBOT.scene(one.world, margin=CLEAR, without=without)
        if not np.any(scene.in_collision(ends[:, :7], ends[:, 7:])):
            found.append((Problem(one.name, "both", one.start, one.goal, one.world), without))
    return found


def solve(problem: Problem, without: Without, seed: int) -> tuple[PlanResult, float, float, float]:
    """The plan, and what plan and motion took [s], and the motion's duration [s]."""
    scene = ROBOT.scene(problem.world, without=without)
    checker = scene.of_arm(problem.group).checker  # made before the time is taken
    start = time.thread_time()
    result = plan(
        scene,
        problem.start,
        problem.goal,
        group=problem.group,
        search=SearchSettings(seed=seed),
    )
    middle = time.thread_time()
    if not result.solved:
        return result, middle - start, np.nan, np.nan
    motion = result.trajectory()
    end = time.thread_time()
    q = result.configurations
    if not np.all(checker.edge_free(q[:-1], q[1:])):
        raise SystemExit(f"{problem.kind}: the path is not free")
    return result, middle - start, end - middle, motion.duration


def measure_set(
    report: Report, name: str, rows: list[tuple[Problem, Without]], seeds: int
) -> tuple[Timing, dict[str, Any]]:
    """Times a set of problems; the timing of its plans, and notes."""
    plans, motions, lengths, durations, failed = [], [], [], [], 0
    for seed in range(seeds):
        for problem, without in rows:
            result, spent, more, duration = solve(problem, without, seed)
            plans.append(1e9 * spent)
            failed += not result.solved
            if result.solved:
                motions.append(1e9 * more)
                lengths.append(result.length)
                durations.append(duration)
    timing = Timing(f"{name}: plan", np.array(plans))
    report.add(f"{name}: motion", Timing(f"{name}: motion", np.array(motions)))
    return timing, {
        "problems": len(rows),
        "solved": f"{len(plans) - failed} of {len(plans)}",
        "plan p95 [ms]": round(float(np.quantile(plans, 0.95)) / 1e6, 2),
        "motion p95 [ms]": round(float(np.quantile(motions, 0.95)) / 1e6, 2),
        "path, median [rad]": round(float(np.median(lengths)), 2),
        "duration, median [s]": round(float(np.median(durations)), 2),
    }


def ompl_times(
    rows: list[tuple[Problem, Without]],
    is_free: Callable[[Problem, Without], Callable[[np.ndarray], bool]],
    step: float | None = STEPS[0],
) -> np.ndarray | None:
    """What OMPL's RRT-Connect takes with a Python function that says what is free [ns].

    Args:
        rows: The problems.
        is_free: Makes that function.
        step: Between the configurations of an edge [rad], and our range, setting up not counted;
            None: all as OMPL comes, and counted.
    """
    try:
        from ompl import base, geometric, util
    except ImportError:
        return None
    util.setLogLevel(util.LogLevel.LOG_NONE)
    util.RNG.setSeed(1)
    spent = []
    for problem, without in rows:
        both = problem.group == "both"
        first, n = (0, 14) if both else ((0 if problem.group == "left" else 7), 7)
        free, q = is_free(problem, without), problem.start.copy()
        begin = time.thread_time()
        space, bounds = base.RealVectorStateSpace(n), base.RealVectorBounds(n)
        for j in range(n):
            bounds.setLow(j, float(plan_problems.LOWER[j % 7]))
            bounds.setHigh(j, float(plan_problems.UPPER[j % 7]))
        space.setBounds(bounds)
        info = base.SpaceInformation(space)

        def valid(state: Any, q: np.ndarray = q, n: int = n, first: int = first) -> bool:
            for j in range(n):
                q[first + j] = state[j]
            return free(q)  # noqa: B023

        info.setStateValidityChecker(valid)
        if step is not None:
            info.setStateValidityCheckingResolution(step / space.getMaximumExtent())
        info.setup()
        start, goal = space.allocState(), space.allocState()
        for j in range(n):
            start[j] = float(problem.start[first + j])
            goal[j] = float(np.asarray(problem.goal)[j])
        definition = base.ProblemDefinition(info)
        definition.setStartAndGoalStates(start, goal)
        planner = geometric.RRTConnect(info)
        if step is not None:
            planner.setRange(RANGE)
        planner.setProblemDefinition(definition)
        planner.setup()
        if step is not None:
            begin = time.thread_time()
        planner.solve(base.timedPlannerTerminationCondition(PATIENCE))
        spent.append(1e9 * (time.thread_time() - begin))
    return np.array(spent)


def on_the_body(problem: Problem, without: Without) -> Callable[[np.ndarray], bool]:
    """A Python function that asks our checks."""
    scene = ROBOT.scene(problem.world, without=without).of_arm(problem.group)
    return lambda q: not scene.in_collision(q[:7], q[7:])


def on_the_meshes() -> Callable[[Problem, Without], Callable[[np.ndarray], bool]] | None:
    """A Python function that asks coal about the robot's meshes, if they can be had."""
    if "BAXTERKIT_MESHES" not in os.environ:
        return None
    try:
        from oracles.mesh_robot import MeshRobot
    except ImportError:
        return None
    robot = MeshRobot()

    def of(problem: Problem, without: Without) -> Callable[[np.ndarray], bool]:
        robot.stand_in(problem.world, tuple(("finger", thing) for _, thing in without))
        return lambda q: not robot.touches(q[None])[0]

    return of


def solid(world: World) -> bool:
    """Whether the oracle of the meshes knows all kinds of a world."""
    return all(world[name].kind in ("box", "cylinder") for name in world.names)


def main() -> int:
    """Solves, checks and times."""
    options = parse_options(__doc__ or "")
    baxterkit.set_threads(1)
    seeds = max(1, min(options.rounds, 3))
    report, notes = Report("Planning"), {}
    single = [(problem, ()) for problem in plan_problems.single(EACH)]
    sets: dict[str, list[tuple[Problem, Without]]] = {
        "one arm": single,
        "both arms": [(problem, ()) for problem in plan_problems.double(DOUBLES)],
        "bookshelf": shelves(),
    }
    blocked = [_straight_blocked(problem) for problem, _ in single]
    for name, rows in sets.items():
        if not rows:
            continue
        timing, notes[name] = measure_set(report, name, rows, seeds)
        some = rows[:: max(1, len(rows) // PEER)][:PEER]
        report.add(timing.name, timing)
        spent = [1e9 * solve(*row, seed)[1] for row in some for seed in range(3)]
        same = Timing(f"{name}: plan", np.array(spent))
        for step in (None, *STEPS):
            theirs = ompl_times(some, on_the_body, step)
            if theirs is not None:
                how = "as it comes" if step is None else f"every {step} rad"
                peer = Timing(f"OMPL RRTConnect, Python callback, {how}", theirs)
                report.add(f"{name}, {len(some)} of them: plan", same, peer, target=10.0)
    notes["one arm"]["straight line blocked"] = f"{100.0 * np.mean(blocked):.0f} %"
    meshes = on_the_meshes()
    if meshes is not None:
        few = [row for row in single if solid(row[0].world)][::20][:MESH_PEER]
        theirs = ompl_times(few, meshes)
        if theirs is not None:
            report.add(
                f"one arm, {len(few)} of them: plan",
                Timing("ours", np.array([1e9 * solve(*row, 0)[1] for row in few])),
                Timing("OMPL RRTConnect, meshes by coal", theirs),
            )
    return report.finish(options, notes)


def _straight_blocked(problem: Problem) -> bool:
    goal = problem.start.copy()
    goal[ARM_COLUMNS[problem.group]] = problem.goal
    return not ROBOT.scene(problem.world).edge_free(problem.start, goal)


if __name__ == "__main__":
    sys.exit(main())

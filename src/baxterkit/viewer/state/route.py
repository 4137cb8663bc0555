"""A planning problem as it stands in the viewer, and its answer: words, lines to draw, a motion."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.planning import PlanResult, PlanStatus, SearchSettings, plan
from baxterkit.scene.scene import Scene
from baxterkit.types import Array, JointVector, Transform, Vector3
from baxterkit.viewer.state.motion import RATE, Motion

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory
    from baxterkit.viewer.state.session import Session

LONGEST = 60.0
"""Longest time limit of a search [s]."""
WIDEST = 0.2
"""Greatest margin [m]."""
NO_LENGTH = 1e-6
"""Paths shorter than this have no length [rad]."""
STEP = 0.05
"""Between the configurations at which a path's tip is drawn [rad]."""
MOST_EDGES = 3000
"""Edges of a tree that are drawn, the oldest."""
REMEDIES = {
    PlanStatus.START_IN_COLLISION: "Move the arm or the obstacle away.",
    PlanStatus.GOAL_IN_COLLISION: "Move the goal, or allow any elbow.",
    PlanStatus.OUT_OF_REACH: "Move the goal nearer, or turn it.",
    PlanStatus.GOAL_BLOCKED: "Move the goal or the obstacle.",
    PlanStatus.NO_PATH: "Raise the time limit, try another seed, or make room.",
    PlanStatus.NO_GRASP: "Move or turn the grasp, or take a gripper that opens wider.",
    PlanStatus.TOO_HEAVY: "Carry less, or hold it nearer to the body.",
}
"""What to do in the viewer where there is no path."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is asked of the planner.

    Attributes:
        scene: The robot among its obstacles.
        start: Joint positions of both arms, left then right [rad], shape (14,).
        goals: Of each arm that has one: a pose of its tip, shape (4, 4), or joint positions [rad],
            shape (7,).
        search: How long, and with which seed.
    """

    scene: Scene
    start: Array
    goals: Mapping[str, Transform | JointVector]
    search: SearchSettings

    @property
    def group(self) -> str:
        """What moves: "left", "right" or "both"."""
        return next(iter(self.goals)) if len(self.goals) == 1 else "both"

    def solve(self) -> Route:
        """Plans. May take a while: for a thread of its own.

        Raises:
            InputError: If there is no goal, or an arm is beyond its limits.
        """
        if not self.goals:
            raise InputError("choose the arms that have a goal first")
        goal = dict(self.goals) if self.group == "both" else self.goals[self.group]
        begin = time.perf_counter()
        result = plan(self.scene, self.start, goal, group=self.group, search=self.search)
        seconds, trees = time.perf_counter() - begin, _trees(self.scene.robot, result)
        if not result.solved:
            return Route(self, result, _why_not(result), trees)
        return _timed(self, result, trees, seconds)


@dataclass(frozen=True, eq=False)
class Route:
    """The planner's answer.

    Attributes:
        problem: The problem.
        result: The result of `plan`.
        words: The outcome in a sentence or two.
        trees: Of each arm that moves, edges of the search's trees at the start and at the goals as
            segments of the tip's positions in base [m], shape (n, 2, 3) each.
        traces: Of each arm that moves, where the tip goes in base [m], shape (n, 3).
        trajectories: Of each arm that moves, its motion; empty if there is none.
        motion: The motion to play; None if there is none.
    """

    problem: Problem
    result: PlanResult
    words: str
    trees: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    traces: Mapping[str, Vector3] = field(default_factory=dict)
    trajectories: Mapping[str, Trajectory] = field(default_factory=dict)
    motion: Motion | None = None

    @property
    def short(self) -> str:
        """Why there is no path, in a few words; empty if there is one."""
        if self.solved:
            return ""
        pair = self.result.pair
        why = self.result.status.name.replace("_", " ").lower()
        if pair is not None and self.result.status is PlanStatus.START_IN_COLLISION:
            why = f"at the start {pair[0]} touches {pair[1]}"
        elif pair is not None:
            why = f"{pair[0]} touches {pair[1]}"
        return why if why.startswith("no path") else f"no path: {why}"

    @property
    def of_each_goal(self) -> dict[str, str]:
        """The same for the goal of each arm that it concerns: of both if it names neither arm."""
        if self.solved:
            return {}
        named = " ".join(self.result.pair or ()) or self.result.reason.partition(":")[0]
        sides = [side for side in SIDES if re.search(rf"\b{side}(_| arm)", named)]
        return dict.fromkeys(sides or SIDES, self.short)

    @property
    def solved(self) -> bool:
        """Whether the planner has found a path."""
        return self.result.solved


def problem_of(
    session: Session,
    *,
    any_elbow: bool = True,
    timeout: float = 2.0,
    margin: float = 0.0,
    seed: int = 0,
) -> Problem:
    """The problem as it stands: from where the arms are to their goals.

    Args:
        session: The session.
        any_elbow: Whether all joint positions that bring the hand to its goal will do; else only
            those of the ghost.
        timeout: Time limit of the search [s].
        margin: Safety margin [m]: anything closer counts as a collision.
        seed: Random seed, a non-negative integer.

    Raises:
        InputError: If a number is not what it must be.
    """
    seconds, gap = float(finite_array(timeout, "time limit")), float(finite_array(margin, "margin"))
    if not 0.0 < seconds <= LONGEST:
        raise InputError(
            f"the time limit is {seconds:g} s; it must be above 0 and at most {LONGEST:g}"
        )
    if not 0.0 <= gap <= WIDEST:
        raise InputError(f"the margin is {1e3 * gap:g} mm; it must be from 0 to {1e3 * WIDEST:g}")
    goals: dict[str, Transform | JointVector] = {}
    for side, goal in session.goals.items():
        goals[side] = goal.wanted if any_elbow else goal.q
    start = np.concatenate([session.limbs[side].q for side in SIDES])
    search = SearchSettings(seed, seconds, keep_tree=True)
    return Problem(session.scene.replace(margin=gap), start, goals, search)


def _why_not(result: PlanResult) -> str:
    """Why there is no path, and what to do about it."""
    return f"No path: {result.reason}. {REMEDIES[result.status]}"


def _timed(
    problem: Problem,
    result: PlanResult,
    trees: Mapping[str, tuple[Array, Array]],
    seconds: float,
) -> Route:
    """The path's motion, with the paths of its tips; the path took `seconds`."""
    path, sides = result.path, SIDES if result.group == "both" else (result.group,)
    if result.length < NO_LENGTH:
        return Route(problem, result, "The hand is at its goal already.", trees)
    try:
        motion = result.trajectory()
    except BaxterkitError as error:
        dense = dict(zip(sides, np.split(_dense(path), len(sides), axis=-1), strict=True))
        words = f"There is a path of {len(path)} corners, but no motion along it: {error}"
        return Route(problem, result, words, trees, _traces(problem.scene.robot, dense))
    motions: dict[str, Trajectory] = {side: motion.of(side) for side in sides}
    samples = {side: one.at_rate(RATE) for side, one in motions.items()}
    q = {side: rows[1] for side, rows in samples.items()}
    of = {side: f"{side} " if len(sides) == 2 else "" for side in sides}
    signals = {f"{of[side]}velocity [rad/s]": rows[2] for side, rows in samples.items()}
    shown = Motion("planned motion", next(iter(samples.values()))[0], q, signals)
    words = (
        f"Found in {1e3 * seconds:.0f} ms: {_took(result)}. "
        f"The motion takes {shown.duration:.1f} s."
    )
    return Route(problem, result, words, trees, _traces(problem.scene.robot, q), motions, shown)


def _took(result: PlanResult) -> str:
    nodes, samples = sum(result.search.nodes), result.search.samples
    if not samples:
        return "the straight path is clear"
    return f"{len(result.path)} corners, {samples} samples, {nodes} nodes"


def _dense(path: Array) -> Array:
    """Configurations along a path, at most `STEP` apart."""
    rows = [path[:1]]
    for a, b in pairwise(path):
        count = int(np.ceil(np.linalg.norm(b - a) / STEP)) or 1
        rows.append(a + np.arange(1, count + 1)[:, None] / count * (b - a))
    return np.concatenate(rows)


def _trees(robot: Baxter, result: PlanResult) -> dict[str, tuple[Array, Array]]:
    """The edges of the search as segments of the tips' positions: straight, unlike the motion."""
    trees: dict[str, tuple[Array, Array]] = {}
    for side, arm in (("left", robot.left), ("right", robot.right)):
        if result.group in (side, "both"):
            own = ARM_COLUMNS[side]
            here, there = (arm.fk(x[:MOST_EDGES, :, own])[..., :3, 3] for x in result.tree)
            trees[side] = (here, there)
    return trees


def _traces(robot: Baxter, q: Mapping[str, JointVector]) -> dict[str, Vector3]:
    arms = {"left": robot.left, "right": robot.right}
    return {side: arms[side].fk(rows)[:, :3, 3] for side, rows in q.items()}

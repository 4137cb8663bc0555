"""`plan`: a clear path from a start to a goal, or to several, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from baxterkit.checks.named import Given
from baxterkit.clock import Deadline
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.planning.connect import LEAST_TIME, connect, connect_anytime
from baxterkit.planning.constrained import connect_constrained
from baxterkit.planning.constraints import SameGrasp, TipConstraint, constraint_tuple
from baxterkit.planning.goals import find_goals, is_sequence
from baxterkit.planning.load import bearable, between, holding, too_heavy
from baxterkit.planning.ompl_planners import PREFIX, ompl_planner
from baxterkit.planning.outcome import Blocked, PlanStatus, Search
from baxterkit.planning.pseudo_inverse import rrt_pseudo_inverse
from baxterkit.planning.request import CLEAR, Request
from baxterkit.planning.result import PlanResult
from baxterkit.planning.settings import SearchSettings
from baxterkit.planning.start import make_request
from baxterkit.scene.scene import SceneLike, as_scene
from baxterkit.types import Array, JointsLike, frozen

USUAL = SearchSettings()
Method = Callable[[Request, Array, Array, float], tuple[Array | None, Search, str]]
"""From the request, a start (14,), goals (n, 14) and a time limit [s] to the corners of a path
(k, 14) or None, what it took, and why there is no path."""
_OWN: dict[str, Method] = {
    "rrt_connect": connect,
    "rrt_connect_anytime": connect_anytime,
    "rrt_pseudo_inverse": rrt_pseudo_inverse,
}
METHODS = tuple(_OWN)
"""Names of our planners; those of OMPL are "ompl:RRTstar" and so on (extra `[plan]`)."""


def plan(
    scene: SceneLike,
    start: JointsLike,
    goal: Given,
    *,
    group: str = "both",
    other: JointsLike | None = None,
    constraints: TipConstraint | SameGrasp | Sequence[TipConstraint | SameGrasp] = (),
    search: SearchSettings = USUAL,
) -> PlanResult:
    """A path in joint space that touches neither the robot nor the world.

    The default planner is RRT-Connect, in the extension. The same arguments give the same path to
    the last bit on one instruction set, unless the time runs out.

    Args:
        scene: The robot among its obstacles, a `Baxter` for no obstacles, or a robot that acts.
        start: Joint positions of both arms [rad], shape (14,), left then right, or (left, right);
            or of the arm that moves, shape (7,). Values may be named, {"left_s0": ...}, or be the
            robot's message; where that names the arm that stays too, this is where it is.
        goal: Of one arm: joint positions [rad], shape (7,), or a pose of the tip in base, shape
            (4, 4), a `Position` or a `Pointing` of `baxterkit.ik`. Of both arms: joint positions,
            shape (14,), or a goal for each, (left, right) or {"left": ..., "right": ...}; an arm
            without one keeps its joint positions at the end, but may move meanwhile. For poses,
            positions and directions every clear solution that is found is a goal, not one guess. A
            list of goals, or an array with one more axis, is a sequence: they are reached one after
            the other.
        group: What moves: "left", "right" or "both" arms.
        other: With 7 values as start, joint positions of the arm that stays [rad], shape (7,);
            untucked if None.
        constraints: What the tips must keep along the path, within 2 mm and 2 mrad: `Upright`,
            `OnPlane`, `OnLine` (of the arm or arms that move), `SameGrasp` (of both). Start and
            goal must respect them; the planner is then an RRT-Connect of its own, and no other
            method can be had.
        search: Seed, time limit, planner: `SearchSettings(timeout=10.0)`.

    Returns:
        The path, or a status and a reason. Never raises because there is no path.

    Raises:
        InputError: If an argument is not finite, or start or goal are beyond the joint limits.
        ShapeError: If an argument has another shape.
        UnknownNameError: If there is no such group or method.
    """
    if not isinstance(search, SearchSettings):
        raise InputError(f"search must be SearchSettings(...), got {type(search).__name__}")
    kept = constraint_tuple(constraints, search.method)
    request = make_request(scene, start, group, other, kept, search)
    goals = list(goal) if is_sequence(goal, group) else [goal]
    if not goals:
        raise InputError("goal is a sequence without a goal; give one at least")
    check_method(search.method)
    return _answer(request, goals)


def _answer(request: Request, goals: Sequence[Given]) -> PlanResult:
    blocked = _start_blocked(request) or _too_heavy(request, request.start[None], "at the start")
    return _legs(request, goals) if blocked is None else _failure(request, blocked)


def _start_blocked(request: Request) -> Blocked | None:
    q = request.start
    if not request.touches(q[None])[0]:
        return None
    pair, gap = request.nearest(q)
    verb = "touches" if gap < CLEAR else "is too near to"
    where = f"{-1e3 * gap:.1f} mm inside" if gap < 0.0 else f"{1e3 * gap:.2f} mm apart"
    reason = f"at the start {pair[0]} {verb} {pair[1]} ({where})"
    return Blocked(PlanStatus.START_IN_COLLISION, reason, pair)


def _too_heavy(request: Request, q: Array, where: str) -> Blocked | None:
    """Whether an arm cannot hold what its hand holds at one of some configurations (n, 14)."""
    for side in holding(request.scene, request.sides):
        reason = too_heavy(request.scene, side, q[:, ARM_COLUMNS[side]])
        if reason is not None:
            return Blocked(PlanStatus.TOO_HEAVY, f"{where} {reason}")
    return None


def _legs(request: Request, goals: Sequence[Given]) -> PlanResult:
    """Plans one leg after the other; each starts where the one before ends."""
    deadline = Deadline(request.search.timeout)
    path, legs, search = request.start[None], [], Search()
    search_path = (
        connect_constrained if request.constraints else choose_method(request.search.method)
    )
    for n, goal in enumerate(goals):
        here = path[-1]
        found: Array | None = None
        try:
            targets = find_goals(request, goal, here, deadline)
            light = bearable(request.scene, request.sides, targets)
            heavy = None if light.any() else _too_heavy(request, targets, "at the goal")
            if heavy is not None:
                raise heavy
            targets = targets[light]
            left = max(deadline.left, LEAST_TIME)
            found, took, why = search_path(request, here, targets, left)
            search = search + took
            problem = Blocked(PlanStatus.NO_PATH, why)
            if found is not None and holding(request.scene, request.sides):
                heavy = _too_heavy(request, between(found), "on the path that was found")
                if heavy is not None:
                    found, problem = None, heavy
        except Blocked as blocked:
            problem = blocked
        if found is None:
            if len(goals) > 1:
                problem.reason = f"goal {n} of the sequence: {problem.reason}"
            return _failure(request, problem, search)
        path = np.concatenate([path, found[1:]])
        legs.append(len(path) - 1)
    own = frozen(np.ascontiguousarray(path[:, request.columns]))
    found_by = (search, request, _answer, tuple(goals))
    return PlanResult(PlanStatus.SOLVED, "", own, request.group, tuple(legs), None, *found_by)


def _failure(request: Request, blocked: Blocked, search: Search | None = None) -> PlanResult:
    empty = frozen(np.empty((0, request.columns.stop - request.columns.start)))
    return PlanResult(
        blocked.status,
        blocked.reason,
        empty,
        request.group,
        (),
        blocked.pair,
        search or Search(),
        request,
    )


def tuck(
    scene: SceneLike, start: JointsLike, group: str = "both", search: SearchSettings = USUAL
) -> PlanResult:
    """A plan that tucks both arms: folded in front of the robot, for transport.

    Args:
        scene: The robot among its obstacles, a `Baxter` for no obstacles, or a robot that acts.
        start: Joint positions of both arms, left then right [rad], shape (14,).
        group: What moves: "left", "right" or "both" arms.
        search: Seed, time limit, planner.
    """
    return plan(scene, start, _named(scene, "tuck", group), group=group, search=search)


def untuck(
    scene: SceneLike, start: JointsLike, group: str = "both", search: SearchSettings = USUAL
) -> PlanResult:
    """A plan that brings both arms from anywhere to where they are ready for work; see `tuck`."""
    return plan(scene, start, _named(scene, "untuck", group), group=group, search=search)


def _named(scene: SceneLike, name: str, group: str) -> Array:
    robot = as_scene(scene).robot
    both = [robot.left.configuration(name), robot.right.configuration(name)]
    return both[SIDES.index(group)] if group in SIDES else np.concatenate(both)


def check_method(name: str) -> None:
    """Raises UnknownNameError if no planner can have this name."""
    if not isinstance(name, str) or not (name in _OWN or name.startswith(PREFIX)):
        raise UnknownNameError("method", name, (*METHODS, f"{PREFIX}RRTConnect"))


def choose_method(name: str) -> Method:
    """The planner of this name.

    Raises:
        UnknownNameError: If there is none.
    """
    check_method(name)
    return _OWN[name] if name in _OWN else ompl_planner(name.removeprefix(PREFIX))

"""What a goal means: all joint positions that reach it and touch nothing.

A goal of one arm is a joint vector, a pose, a `Position` or a `Pointing`; of both arms a joint
vector of 14, or one goal each. Poses are solved exactly: solutions at values of e0 over the whole
self-motion, few first and then many. A position or a direction alone is a set of poses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, joint_array, one
from baxterkit.checks.named import Given
from baxterkit.clock import Deadline
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.partial import orientations
from baxterkit.ik.result import IkStatus
from baxterkit.ik.target import Pointing, Pose, Position, as_target
from baxterkit.model.names import ARM_COLUMNS, SIDES, joint_names
from baxterkit.planning.constraints import projected, tip_constraints
from baxterkit.planning.outcome import Blocked, PlanStatus
from baxterkit.planning.request import ONE_ARM, Request, refuse_text
from baxterkit.types import Array

FEW, MANY = 16, 400
"""Number of e0 values at which a pose is solved, first and at the end."""
TOGETHER = 24
"""Solutions of each arm that are combined first, where both have a pose."""
MOST_PAIRS = 200_000
"""Combinations of both arms' solutions that are tried before the goal counts as blocked."""
AT_ONCE = 4096
"""Joint positions that are looked at together, between two looks at the clock."""
MOST_GOALS = 512
"""Goals that are kept, those nearest to the start."""

STILL_MET = 1e-9
"""Largest error of a pose that meets a position or a direction and the constraints [m, rad]."""


def is_sequence(goal: Given, group: str) -> bool:
    """Whether a goal is several, one after the other."""
    if type(goal) is np.ndarray and goal.ndim == 1:
        return False
    if isinstance(goal, Mapping | Position | Pointing | tuple):
        return False
    plain: Given = list | int | float | np.number
    if isinstance(goal, list) and any(not isinstance(item, plain) for item in goal):
        return True
    try:
        shape = np.shape(goal)
    except ValueError as error:
        raise ShapeError("goal is ragged: its rows must have equal length") from error
    width = 14 if group == "both" else 7
    return (len(shape) == 2 and shape[1] == width) or len(shape) == 3


class _Sieved(NamedTuple):
    """Joint positions of both arms that were looked at.

    Attributes:
        free: Those where nothing touches, shape (n, 14).
        touching: The first of the others, shape (m, 14).
        looked: Number of all.
        late: Whether the time was up before all were looked at.
    """

    free: Array
    touching: Array
    looked: int
    late: bool


def find_goals(request: Request, goal: Given, seed: Array, deadline: Deadline) -> Array:
    """Free joint positions of both arms at the goal, the nearest to the seed first, shape (n, 14).

    Args:
        request: The problem.
        goal: One goal, as `plan` takes it.
        seed: Joint positions of both arms before [rad], shape (14,).
        deadline: When the time is up. A few solutions are looked at in any
            case, in milliseconds.

    Raises:
        Blocked: If there are none, or none was found in time: says why.
    """
    goals = _of_each_arm(request, goal)
    if not isinstance(goals, dict):
        q = request.within_limits(goals, request.columns, "goal")
        return _free_joints(request, q[None])
    for side, target in goals.items():
        if not isinstance(target, Pose | Position | Pointing):
            q = seed.copy()
            columns = ARM_COLUMNS[side]
            q[columns] = target
            goals[side] = request.within_limits(q, columns, "goal")[columns]
    if all(isinstance(target, np.ndarray) for target in goals.values()):
        q = seed.copy()
        for side, target in goals.items():
            q[ARM_COLUMNS[side]] = target
        return _free_joints(request, q[None])
    for fine in (False, True):
        candidates = {
            side: _solutions(request, side, goals[side], seed, fine, deadline) for side in goals
        }
        found = _sieved(request, _combined(candidates, seed, fine), deadline)
        if len(found.free):
            order = np.argsort(np.linalg.norm(found.free - seed, axis=-1), kind="stable")
            return np.ascontiguousarray(found.free[order[:MOST_GOALS]])
        if found.late:
            break
    pair = request.worst(found.touching)
    reach = f"{found.looked} joint positions within the limits reach the goal"
    if found.late:
        reach = (
            f"{found.looked} joint positions that reach the goal were tried before the time limit "
            f"of {request.search.timeout:g} s"
        )
    some = "of them" if found.looked <= AT_ONCE else "of those nearest to the start"
    raise Blocked(
        PlanStatus.GOAL_BLOCKED,
        f"{reach}, and in each of them something touches; in the best {some} {_touching(pair)}",
        pair,
    )


def _sieved(request: Request, batches: Iterator[Array], deadline: Deadline) -> _Sieved:
    """Looks at joint positions (n, 14) until the time is up; at the first batch in any case."""
    free: list[Array] = []
    touching = np.empty((0, 14))
    count = 0
    for q in batches:
        if count and deadline.passed:
            return _Sieved(np.concatenate(free), touching, count, True)
        hits = request.touches(q)
        free.append(q[~hits])
        if not count:
            touching = q[hits]
        count += len(q)
    return _Sieved(np.concatenate(free), touching, count, deadline.passed)


def _of_each_arm(request: Request, goal: Given) -> Given:
    """Joint positions of both arms (14,), or a goal for each arm that moves."""
    both = request.group == "both"
    if not both and type(goal) is np.ndarray and goal.shape == (7,):
        return {request.group: finite_array(goal, "goal")}
    if isinstance(goal, tuple) and len(goal) == 2:
        goal = dict(zip(SIDES, goal, strict=True))
        if not both:
            raise InputError(f'a pair of goals is for group="both"; the group is {request.group!r}')
    if isinstance(goal, Mapping) and {*goal} <= {*SIDES}:
        wrong = [side for side in goal if side not in request.sides and goal[side] is not None]
        if wrong:
            raise InputError(
                f'goal has a part for the {wrong[0]} arm, which stays; use group="both" or '
                f'group="{wrong[0]}"'
            )
        goals = {side: _arm_goal(goal[side], side) for side in request.sides if side in goal}
        goals = {side: target for side, target in goals.items() if target is not None}
        if not goals:
            raise InputError("goal is empty; give one for an arm that moves")
        return goals
    if goal is None:
        raise InputError("goal is None; give joint positions, a pose, a Position or a Pointing")
    if not both:
        return {request.group: _arm_goal(goal, request.group)}
    refuse_text(goal, "goal", "left")
    if isinstance(goal, Position | Pointing) or np.shape(goal) == (4, 4):
        raise InputError(
            'with group="both" a goal is 14 joint positions, or a goal of each arm, such as '
            '{"left": T_base_tip, "right": None}; None: the arm may stay where it is'
            f"{ONE_ARM}"
        )
    names = (*joint_names("left"), *joint_names("right"))
    return one(joint_array(goal, "goal", 14, names), "goal")


def _arm_goal(goal: Given, side: str) -> Given:
    refuse_text(goal, "goal", side)
    if goal is None or isinstance(goal, Pose | Position | Pointing):
        if goal is not None and goal.batch_shape != ():
            raise ShapeError(f"goal must be one target, got a batch of shape {goal.batch_shape}")
        return goal
    try:
        shape = np.shape(goal) if not isinstance(goal, Mapping) else ()
    except ValueError as error:
        raise ShapeError(f"goal of the {side} arm is ragged: its rows differ in length") from error
    if shape == (7,) or (isinstance(goal, Mapping) and not {"position", "p"} & {*goal}):
        return one(joint_array(goal, "goal", names=joint_names(side)), "goal")
    if shape not in ((4, 4), ()):
        raise ShapeError(
            f"goal of the {side} arm must be 7 joint positions, a pose of shape (4, 4), a Position "
            f"or a Pointing; got shape {shape}"
        )
    target = as_target(goal, "goal")
    return _arm_goal(target, side)


def _free_joints(request: Request, q: Array) -> Array:
    if request.touches(q)[0]:
        pair, gap = request.nearest(q[0])
        reason = f"at the goal {_touching(pair)}{_how_deep(gap, request.scene.margin)}"
        raise Blocked(PlanStatus.GOAL_IN_COLLISION, reason, pair)
    return q


def _solutions(
    request: Request, side: str, target: Given, seed: Array, fine: bool, deadline: Deadline
) -> Array:
    """Joint positions of one arm at its goal, shape (n, 7), n of 1 or more."""
    if isinstance(target, np.ndarray):
        return target[None]
    arm, near = request.arm(side), seed[ARM_COLUMNS[side]]
    quick = arm.ik(target if not isinstance(target, Pose) else target.T, near)
    if isinstance(target, Pose):
        if quick.status is not IkStatus.SOLVED:
            why = f"{_ik_reason(arm, quick)}; {arm.shortfall(target.T, near)}"
            raise Blocked(PlanStatus.OUT_OF_REACH, f"{side} arm: {why}")
        e0 = np.linspace(*_one_turn(arm, near[2]), MANY if fine else FEW)
        every = arm.ik_all(target.T[None], e0).reshape(-1, 7)
        return np.concatenate([quick.q[None], every[np.isfinite(every[:, 0])]])
    Ts = orientations(target.flat(()))
    if not fine:
        Ts = Ts[:: max(1, len(Ts) // 64)]
    kept = tip_constraints(request.constraints, side)
    if kept:
        found_in_time: list[Array] = []
        for T in Ts:
            if found_in_time and deadline.passed:
                break
            found_in_time.append(projected(kept, T))
        Ts = np.stack(found_in_time)
        Ts = Ts[np.maximum(*target.sizes(Ts)) <= STILL_MET]
    answers = arm.ik(Ts, near)
    found: Array = answers.q[np.asarray(answers.solved)]
    if quick.solved and (not kept or not len(Ts)):
        found = np.concatenate([quick.q[None], found])
    if not len(found):
        if not (fine or deadline.passed):
            return _solutions(request, side, target, seed, True, deadline)
        why = f"{_ik_reason(arm, quick)}; {arm.shortfall(target, near)}"
        if quick.solved:
            why = "no joint positions that reach the goal and respect the constraints were found"
        if not fine:
            why += f" before the time limit of {request.search.timeout:g} s"
        raise Blocked(PlanStatus.OUT_OF_REACH, f"{side} arm: {why}")
    return found


def _one_turn(arm: Arm, e0: float) -> tuple[float, float]:
    """The limits of e0 [rad], or where they are wider than a turn, the turn around a value."""
    low, high = float(arm.limits.lower[2]), float(arm.limits.upper[2])
    if high - low <= 2.0 * np.pi:
        return low, high
    low = min(max(low, e0 - np.pi), high - 2.0 * np.pi)
    return low, low + 2.0 * np.pi


def _ik_reason(arm: Arm, result: Given) -> str:
    if result.status is IkStatus.LIMITS:
        return "joint positions reach the goal, but all of them violate a limit"
    if result.status is IkStatus.NOT_CONVERGED:
        return "no joint positions that reach the goal were found, over all directions of the hand"
    return "the goal is out of reach, even beyond the joint limits"


def _combined(candidates: dict[str, Array], seed: Array, fine: bool) -> Iterator[Array]:
    """All combinations of the arms' solutions, or the nearest of them, in batches (n, 14)."""
    rows: dict[str, Array] = {}
    for side, found in candidates.items():
        order = np.argsort(np.linalg.norm(found - seed[ARM_COLUMNS[side]], axis=-1), kind="stable")
        rows[side] = found[order]
    if len(rows) == 2:
        most = int(MOST_PAIRS**0.5) if fine else TOGETHER
        left, right = (rows[side][:: max(1, len(rows[side]) // most)][:most] for side in SIDES)
        some = max(1, AT_ONCE // len(right))
        for first in range(0, len(left), some):
            part = left[first : first + some]
            both = np.repeat(part, len(right), axis=0), np.tile(right, (len(part), 1))
            yield np.concatenate(both, axis=-1)
        return
    ((side, found),) = rows.items()
    for first in range(0, len(found), AT_ONCE):
        q = np.tile(seed, (len(found[first : first + AT_ONCE]), 1))
        q[:, ARM_COLUMNS[side]] = found[first : first + AT_ONCE]
        yield q


def _touching(pair: tuple[str, str]) -> str:
    return f"{pair[0]} touches {pair[1]}"


def _how_deep(gap: float, margin: float) -> str:
    if gap < 0.0:
        return f" ({-1e3 * gap:.1f} mm inside)"
    if margin > 0.0:
        return f" ({1e3 * gap:.1f} mm apart, with a margin of {1e3 * margin:.1f} mm)"
    return f" ({1e3 * gap:.2f} mm apart)"

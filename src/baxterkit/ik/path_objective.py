"""A joint path that minimises an objective by shifts along the self-motions of its poses.

Every pose leaves one freedom, the shift along its self-motion. The path is moved down the slope
of the objective by shifts that are alike for neighbouring poses, and tracked back onto the poses
exactly; a move is accepted only if every joint stays within its limits and steps, and the mean
objective has decreased.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from baxterkit.errors import InputError
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.objectives import Cost, Objective, check_objective, cost_of, sound_cost
from baxterkit.ik.path import PathResult
from baxterkit.ik.posture import UNWANTED, PostureRule
from baxterkit.ik.result import IkStatus
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.limits import Limits
from baxterkit.types import Array, JointVector, Transform

ROUNDS = 60
"""Largest number of moves."""
FIRST_SHIFT, LONGEST_SHIFT, LEAST_SHIFT = 0.1, 0.3, 1e-3
"""Largest shift of any pose in one move [rad]: the first, the greatest, and the last one."""
_DIFFERENCE = 1e-4  # [rad] for the slope of the objective
_GAIN = 1e-7  # of the mean objective, relative to its spread, that a move must bring
_ALIKE = 12  # poses to either side over which shifts are averaged


def path_cost(
    objective: Objective | None,
    rule: PostureRule | None,
    seed: JointVector | None,
    limits: Limits,
    kernels: Kernels,
) -> Cost:
    """The cost of a path: the objective within the posture, or that of the posture."""
    if objective is None:
        assert rule is not None
        return rule.cost
    check_objective(objective)
    if objective == "quick":
        raise InputError(
            "a path has no objective 'quick'; leave it out for the shortest path, or give "
            "nearest, limits, manipulability, gravity or a function"
        )
    if not isinstance(objective, str):
        objective = sound_cost(objective)
    cost = cost_of(objective, limits.middle if seed is None else seed, limits, kernels)
    return cost if rule is None else rule.among(cost)


def path_starts(solver: ExactSolver, poses: Transform, cost: Cost) -> list[JointVector | None]:
    """Starts of a path: anywhere, or at the best point of each part of the self-motion."""
    if not len(poses):
        return []
    segments = [s.q for s in solver.motion(poses[0]).feasible]
    return [None, *(q[int(np.argmin(cost(q)))] for q in segments if len(q))]


def best_path(
    found: PathResult,
    starts: Sequence[JointVector | None],
    solve: Callable[[JointVector | None], PathResult],
    slide: Callable[[JointVector, bool], JointVector],
    cost: Cost,
    rule: PostureRule | None,
) -> PathResult:
    """The path of least cost from several starts.

    Args:
        found: The path from the first start.
        starts: Joint positions at which paths start, shape (7,); None: anywhere.
        solve: A path from a start.
        slide: A path of less cost; and whether its first joint positions stay.
        cost: Joint positions (n, 7) -> costs (n,).
        rule: The posture that is kept; any if None.
    """
    best, least = found, np.inf
    for k, start in enumerate(starts):
        path = solve(start) if k else found
        if not path.solved:
            continue
        held = k == 0 and start is not None and bool((path.q[:1] == start).all())
        q = slide(path.q, held)
        value = float(np.mean(cost(q))) if rule is None else _mean_within(q, cost, rule)
        if value < least:
            best, least = PathResult(q), value
    return best if rule is None else _broken_where_it_leaves(best, rule)


def slide_path(
    solver: ExactSolver,
    kernels: Kernels,
    Ts: Transform,
    bounds: Array,
    cost: Cost,
    q: JointVector,
    keep_start: bool = False,
) -> JointVector:
    """The path after a descent of the objective.

    Args:
        solver: The arm's exact solver.
        kernels: The arm's kernels.
        Ts: Poses, shape (n, 4, 4).
        bounds: Largest step of each joint from pose to pose [rad], shape (n - 1, 7).
        cost: Joint positions (n, 7) -> costs (n,).
        q: A path through them [rad], shape (n, 7).
        keep_start: Whether the first joint positions stay.

    Returns:
        The path, shape (n, 7), as good as it was or better.
    """
    shift = FIRST_SHIFT
    room = np.ones(len(q))  # less where a limit is near
    if keep_start:
        room = np.minimum(1.0, np.arange(len(q)) / (2.0 * _ALIKE))
    value = np.mean(cost(q))
    stretch = np.full(7, LONGEST_SHIFT + 0.2)
    for _ in range(ROUNDS):
        tangent = _tangents(kernels, q)
        h = _DIFFERENCE * tangent
        slope = (cost(q + h) - cost(q - h)) / (2.0 * _DIFFERENCE)
        steepest = np.abs(slope).max()
        if not (np.isfinite(steepest) and steepest > 0.0):
            break
        moves = -shift * room * _smoothed(room * slope / steepest)
        row = solver.track(Ts, q + moves[:, None] * tangent, stretch, False)
        blocked = np.asarray(row.status != IkStatus.SOLVED)
        moved = np.where(moves[:, None] == 0.0, q, row.q)  # what stays is not rounded anew
        if blocked.any():
            room *= 1.0 - _smoothed(np.where(blocked, 0.5, 0.0))
            room[blocked] *= 0.5
            shift *= 0.7
        elif (np.abs(np.diff(moved, axis=0)) <= bounds + 1e-12).all():
            found = np.mean(cost(moved))
            if found < value - _GAIN * abs(value):
                q, value = moved, found
                shift = min(1.5 * shift, LONGEST_SHIFT)
                continue
            shift *= 0.5
        else:
            shift *= 0.5
        if shift < LEAST_SHIFT:
            break
    return q


def _tangents(kernels: Kernels, q: JointVector) -> JointVector:
    """Unit tangents of the self-motions, each turned as its neighbour is, shape (n, 7)."""
    n = np.asarray(kernels.null_vector(q))
    length = np.linalg.norm(n, axis=-1, keepdims=True)
    n = n / np.where(length > 0.0, length, 1.0)
    agree = np.sum(n[1:] * n[:-1], axis=-1) >= 0.0
    signs = np.concatenate([[1.0], np.where(agree, 1.0, -1.0)])
    return n * np.cumprod(signs)[:, None]


def _smoothed(x: Array) -> Array:
    """Averages over neighbours, by a triangle; ends are continued."""
    width = min(_ALIKE, len(x) - 1)
    if width < 1:
        return x
    kernel = np.concatenate([np.arange(1, width + 2), np.arange(width, 0, -1)]).astype(np.float64)
    padded = np.pad(x, width, mode="edge")
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")


def _broken_where_it_leaves(path: PathResult, rule: PostureRule) -> PathResult:
    """The path up to the first pose where it is not in a posture."""
    end = len(path.q) if path.broken_at is None else path.broken_at
    outside = np.flatnonzero(~rule.keeps(path.q[:end])) if end else np.empty(0, dtype=int)
    if not outside.size:
        return path
    first = int(outside[0])
    q = path.q.copy()
    q[first:] = np.nan
    reason = f"no continuous path was found there with {rule.words}"
    return PathResult(q, first, IkStatus.POSTURE, reason)


def _mean_within(q: JointVector, cost: Cost, rule: PostureRule) -> float:
    """The mean cost, plus what poses outside of a posture miss it by."""
    missed = np.maximum(-rule.margin(q), 0.0)
    return float(np.mean(cost(q))) + UNWANTED * float(np.sum(missed))

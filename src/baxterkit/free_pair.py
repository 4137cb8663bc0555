"""Both arms at once, clear of each other, of the robot and of the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.collision.checker import Checker
from baxterkit.free_ik import free_ik
from baxterkit.free_path import ArmBeside, first_contact, free_path, free_solutions
from baxterkit.ik.pair import PairPath, PairResult
from baxterkit.ik.path import PathResult
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.spatial import pose_error
from baxterkit.types import Array, Transform

MANY = 64
"""Number of e0 values of each arm whose solutions are combined."""
ROUNDS = 3
"""How often each arm makes way for the other."""

Seeds = tuple[ArrayLike | None, ArrayLike | None]


def free_pair(
    arms: tuple[Arm, Arm],
    checker: Checker,
    alone: tuple[tuple[Checker, Checker], tuple[Checker, Checker]],
    Ts: tuple[Transform, Transform],
    seeds: Seeds,
    head: float,
    padding: float,
) -> PairResult:
    """Joint positions of both arms that reach their poses and touch nothing.

    Each arm is first solved beside the body alone; where the two touch each other, solutions over
    both self-motions are combined, and the free pair nearest to the seeds is taken.

    Args:
        arms: Left and right.
        checker: All pairs of links.
        alone: For each arm, checkers without the other one: of all pairs, and of its hand's.
        Ts: Poses of both tips, shape (*batch, 4, 4).
        seeds: Joint positions to stay near, or None.
        head: Pan of the head [rad].
        padding: Links nearer to each other than this [m] count as touching.
    """
    # The other arm is not checked here: any joint positions will do.
    found = [
        free_ik(arm, both, T, np.zeros(7), seed, head, padding)
        for arm, both, T, seed in zip(arms, alone, Ts, seeds, strict=True)
    ]
    shape = found[0].batch_shape
    rows = [_row(result) for result in found]
    solved = np.asarray(rows[0].solved) & np.asarray(rows[1].solved)
    flat = [np.broadcast_to(T, (*shape, 4, 4)).reshape(-1, 4, 4) for T in Ts]
    hits = np.zeros(len(solved), dtype=bool)
    if solved.any():
        answers = [row.q[solved] for row in rows]
        hits[solved] = np.asarray(checker.in_collision(answers[0], answers[1], head, padding))
    if not hits.any():
        return PairResult(*found)
    names = [np.full((len(solved), 2), "", dtype=object) for _ in rows]
    for n, row in enumerate(rows):
        if row.blocked_by is not None:
            names[n] = np.array(row.blocked_by, dtype=object).reshape(-1, 2)
    q = [row.q.copy() for row in rows]
    status = [np.array(row.status) for row in rows]
    errors = [[np.array(row.position_error), np.array(row.orientation_error)] for row in rows]
    middles = [
        arm.limits.middle if s is None else np.asarray(s)
        for arm, s in zip(arms, seeds, strict=True)
    ]
    near = [np.broadcast_to(m, (*shape, 7)).reshape(-1, 7) for m in middles]
    for i in np.nonzero(hits)[0]:
        one = ArmBeside(arms[0], *alone[0], np.zeros(7), head, padding)
        other = ArmBeside(arms[1], *alone[1], np.zeros(7), head, padding)
        pair = _combined(checker, (one, other), (flat[0][i], flat[1][i]), (near[0][i], near[1][i]))
        for n in range(2):
            if pair is None:
                touching = checker.nearest(rows[0].q[i], rows[1].q[i], head).names
                names[n][i], status[n][i] = touching, IkStatus.COLLISION
                q[n][i] = errors[n][0][i] = errors[n][1][i] = np.nan
                continue
            q[n][i] = pair[n]
            distance, angle = pose_error(arms[n].fk(pair[n]), flat[n][i])
            errors[n][0][i], errors[n][1][i] = distance, angle
    results = []
    for n, row in enumerate(rows):
        changes: dict[str, object] = {"q": q[n], "status": status[n]}
        changes |= {"position_error": errors[n][0], "orientation_error": errors[n][1]}
        changes["blocked_by"] = names[n] if (status[n] == IkStatus.COLLISION).any() else None
        results.append(row.replace(**changes).reshaped(shape))
    return PairResult(*results)


def _combined(
    checker: Checker,
    arms: tuple[ArmBeside, ArmBeside],
    Ts: tuple[Transform, Transform],
    seeds: tuple[Array, Array],
) -> tuple[Array, Array] | None:
    """The free combination of solutions that is nearest to the seeds; None if there is none."""
    left, right = (free_solutions(arm, T, MANY) for arm, T in zip(arms, Ts, strict=True))
    if not len(left) or not len(right):
        return None
    i, j = (x.ravel() for x in np.indices((len(left), len(right))))
    away = np.sum((left[i] - seeds[0]) ** 2, axis=-1) + np.sum((right[j] - seeds[1]) ** 2, axis=-1)
    free = ~np.asarray(checker.in_collision(left[i], right[j], arms[0].head, arms[0].padding))
    if not free.any():
        return None
    best = int(np.argmin(np.where(free, away, np.inf)))
    return left[i[best]], right[j[best]]


def free_path_pair(
    beside: tuple[ArmBeside, ArmBeside],
    Ts: tuple[Transform, Transform],
    seeds: Seeds,
    times: ArrayLike | None,
    max_step: float | None,
    paths: PairPath,
) -> PairPath:
    """Paths of both arms that touch nothing, from paths that may: see `Baxter.path_pair`.

    One arm after the other makes way for the path of the other one.
    """
    best, farthest = paths, -1
    names: tuple[str, str] = ("", "")
    left, right = beside
    for turn in range(2 * ROUNDS + 1):
        contact = first_contact(left.checker, paths.q_left, paths.q_right, left.head, left.padding)
        if contact is None:
            return paths
        if contact[0] > farthest:
            farthest, names = contact
            best = paths
        mover, still = (left, paths.q_right) if turn % 2 == 0 else (right, paths.q_left)
        own = 0 if turn % 2 == 0 else 1
        moved = free_path(replace(mover, other=still), Ts[own], seeds[own], times, max_step)
        if not moved.solved:
            if turn >= 1:
                break
            continue
        paths = PairPath(moved, paths.right) if own == 0 else PairPath(paths.left, moved)
    q_left, q_right = best.q_left.copy(), best.q_right.copy()
    for q in (q_left, q_right):
        q[farthest + 1 :] = np.nan
    reason = f"{names[0]} touches {names[1]}"
    broken = [
        PathResult(q, farthest + 1, IkStatus.COLLISION, reason, blocked_by=names)
        for q in (q_left, q_right)
    ]
    return PairPath(*broken)


def _row(result: IkResult) -> IkResult:
    """One answer as a row of one."""
    if result.batch_shape != ():
        return result.reshaped((int(np.prod(result.batch_shape)),))
    changes: dict[str, object] = {"q": result.q[None], "status": np.array([int(result.status)])}
    for name in ("position_error", "orientation_error"):
        changes[name] = np.array([getattr(result, name)])
    if result.blocked_by is not None:
        changes["blocked_by"] = np.array([result.blocked_by], dtype=object)
    for name in ("nearest", "violation"):
        if getattr(result, name) is not None:
            changes[name] = getattr(result, name)[None]
    return result.replace(**changes)

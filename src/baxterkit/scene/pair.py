"""Both arms at once: joint positions and paths that touch nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.collision.body import STANDING
from baxterkit.errors import InputError
from baxterkit.ik.pair import PairPath, PairResult, hand_poses
from baxterkit.ik.path import PathResult
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.model.names import SIDES
from baxterkit.scene import ik
from baxterkit.scene.hands import Seeds
from baxterkit.scene.path import ArmBeside, clear_path, clear_solutions
from baxterkit.spatial import pose_error
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from baxterkit.scene.scene import Scene

MANY = 64
"""Number of e0 values of each arm whose solutions are combined."""
ROUNDS = 3
"""How often each arm evades the other."""


def solve(
    scene: Scene,
    T_left: ArrayLike | None,
    T_right: ArrayLike | None,
    seed: Seeds,
    relative: ArrayLike | None,
) -> PairResult:
    """Joint positions of both arms that reach their poses and touch nothing; `Scene.ik_pair`."""
    if T_left is None and T_right is None:
        raise InputError(
            "in a scene, give the poses of both hands, or one and relative=; with relative= alone "
            "hands.ik solves, without a body"
        )
    Ts, seeds = hand_poses(T_left, T_right, relative), scene.robot.hands.seeds(seed)
    arms = (scene.robot.left, scene.robot.right)
    everything = (*SIDES, *STANDING, *scene.world.names)
    alone = [
        scene.replace(without=(*scene.without, *((other, name) for name in everything)))
        for other in SIDES[::-1]
    ]
    # The other arm is not checked here: any joint positions will do.
    found = [
        ik.solve(one, side, T, np.zeros(7), near)
        for one, side, T, near in zip(alone, SIDES, Ts, seeds, strict=True)
    ]
    shape = found[0].batch_shape
    rows = [_row(result) for result in found]
    solved = np.asarray(rows[0].solved) & np.asarray(rows[1].solved)
    flat = [np.broadcast_to(T, (*shape, 4, 4)).reshape(-1, 4, 4) for T in Ts]
    hits = np.zeros(len(solved), dtype=bool)
    if solved.any():
        answers = [row.q[solved] for row in rows]
        hits[solved] = np.asarray(scene.in_collision(answers[0], answers[1]))
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
        both = [ArmBeside(x, side, np.zeros(7)) for x, side in zip(alone, SIDES, strict=True)]
        pair = _combined(scene, both, (flat[0][i], flat[1][i]), (near[0][i], near[1][i]))
        for n in range(2):
            if pair is None:
                touching = scene.nearest(rows[0].q[i], rows[1].q[i]).names
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
    scene: Scene,
    arms: list[ArmBeside],
    Ts: tuple[Transform, Transform],
    seeds: tuple[Array, Array],
) -> tuple[Array, Array] | None:
    """The clear combination of solutions that is nearest to the seeds; None if there is none."""
    left, right = (clear_solutions(arm, T, MANY) for arm, T in zip(arms, Ts, strict=True))
    if not len(left) or not len(right):
        return None
    i, j = (x.ravel() for x in np.indices((len(left), len(right))))
    away = np.sum((left[i] - seeds[0]) ** 2, axis=-1) + np.sum((right[j] - seeds[1]) ** 2, axis=-1)
    clear = ~np.asarray(scene.in_collision(left[i], right[j]))
    if not clear.any():
        return None
    best = int(np.argmin(np.where(clear, away, np.inf)))
    return left[i[best]], right[j[best]]


def solve_path(
    scene: Scene,
    Ts_left: ArrayLike | None,
    Ts_right: ArrayLike | None,
    seed: Seeds,
    times: ArrayLike | None,
    relative: ArrayLike | None,
    max_step: float | None,
) -> PairPath:
    """Paths of both arms that touch nothing; see `Scene.ik_pair_path`.

    One arm after the other evades the path of the other one.
    """
    hands = scene.robot.hands
    paths = hands.ik_path(Ts_left, Ts_right, seed, times, relative=relative, max_step=max_step)
    if not paths.solved:
        return paths
    Ts, seeds = hand_poses(Ts_left, Ts_right, relative), hands.seeds(seed)
    left = ArmBeside(scene, "left", scene.still("left", paths.q_right))
    right = ArmBeside(scene, "right", scene.still("right", paths.q_left))
    best, farthest = paths, -1
    names: tuple[str, str] = ("", "")
    for turn in range(2 * ROUNDS + 1):
        contact = scene.first_contact(paths.q_left, paths.q_right)
        if contact is None:
            return paths
        if contact[0] > farthest:
            farthest, names = contact
            best = paths
        mover, still = (left, paths.q_right) if turn % 2 == 0 else (right, paths.q_left)
        own = 0 if turn % 2 == 0 else 1
        moved = clear_path(replace(mover, other=still), Ts[own], seeds[own], times, max_step)
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

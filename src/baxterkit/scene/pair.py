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
from baxterkit.scene.path import (
    OTHER_SEED,
    ArmBeside,
    broken,
    clear_path,
    clear_solutions,
    end_of,
    other_starts,
)
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from baxterkit.scene.scene import Scene

MANY = 64
"""Number of e0 values of each arm whose solutions are combined."""
ROUNDS = 3
"""How often each arm evades the other."""
MOST_STARTS = 4
"""Largest number of other starts of each arm ..."""
MOST_PAIRS = 8
"""... and of pairs of them that are tried."""
APART = 0.05
"""Paths whose first joint positions are nearer than this are one [rad]."""


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
    alone = _alone(scene)
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

    Each arm first evades body and world alone; then one arm after the other evades the path of the
    other one, from one pair of such paths after the other.
    """
    hands = scene.robot.hands
    paths = hands.ik_path(Ts_left, Ts_right, seed, times, relative=relative, max_step=max_step)
    if not paths.solved or scene.first_contact(paths.q_left, paths.q_right) is None:
        return paths
    Ts = hand_poses(Ts_left, Ts_right, relative)
    return _PairSearch(scene, Ts, hands.seeds(seed), times, max_step).run()


class _PairSearch:
    """The search for paths of both arms that touch neither body and world nor each other."""

    def __init__(
        self,
        scene: Scene,
        Ts: tuple[Transform, Transform],
        seeds: tuple[Array | None, Array | None],
        times: ArrayLike | None,
        max_step: float | None,
        most_pairs: int = MOST_PAIRS,
    ) -> None:
        self.most_pairs = most_pairs
        self.scene, self.Ts, self.seeds = scene, Ts, seeds
        self.times, self.max_step = times, max_step
        # One arm is led aside by what it touches itself: the other one has its own turn.
        self.arms = [ArmBeside(scene.of_arm(side), side, np.zeros(7)) for side in SIDES]

    def run(self) -> PairPath:
        """The paths, or how far the best of them goes."""
        single = [self.alone(n) for n in range(2)]
        ends = [paths[0] for paths in single if not paths[0].solved]
        if ends:
            return self.before(min(ends, key=lambda path: path.broken_at or 0))
        farthest, names, best = -1, ("", ""), (single[0][0], single[1][0])
        order = sorted(np.ndindex(len(single[0]), len(single[1])), key=sum)[: self.most_pairs]
        for i, j in order:
            found, row, touching = self.evade((single[0][i], single[1][j]))
            if touching is None:
                return PairPath(*found)
            if row > farthest:
                farthest, names, best = row, touching, found
            blocked = self.blocked() if (i, j) == order[0] else None
            if blocked is not None:
                return self.before(blocked)
        count = f"{len(order)} pairs" if len(order) > 1 else "one pair"
        where = f"on {count} of paths that were tried; {OTHER_SEED}"
        left, right = (path.q for path in best)
        end = end_of(farthest, bool(self.scene.in_collision(left[0], right[0])))
        return PairPath(broken(left, end, names, where), broken(right, end, names, where))

    def alone(self, n: int) -> list[PathResult]:
        """Paths of one arm without the other, clear of body and world; or one that is broken."""
        beside = ArmBeside(_alone(self.scene)[n], SIDES[n], np.zeros(7))
        Ts, seed = self.Ts[n], self.seeds[n]
        first = clear_path(beside, Ts, seed, self.times, self.max_step)
        if not first.solved or (seed is not None and np.array_equal(first.q[0], seed)):
            return [first]
        paths = [first]
        for start in other_starts(beside, Ts[0], first.q[0], MOST_STARTS):
            path = clear_path(beside, Ts, start, self.times, self.max_step)
            if path.solved and np.abs(path.q[0] - first.q[0]).max() > APART:
                paths.append(path)
        return paths

    def evade(
        self, paths: tuple[PathResult, PathResult]
    ) -> tuple[tuple[PathResult, PathResult], int, tuple[str, str] | None]:
        """Leads one arm after the other aside.

        Returns:
            The paths that come farthest, the row up to which they are clear, and what touches then;
            None if they are clear.
        """
        now, best, farthest = paths, paths, -1
        names: tuple[str, str] = ("", "")
        for turn in range(2 * ROUNDS + 1):
            contact = self.scene.first_contact(now[0].q, now[1].q)
            if contact is None:
                return now, len(now[0].q), None
            if contact[0] > farthest:
                (farthest, names), best = contact, now
            own = turn % 2
            beside = replace(self.arms[own], other=now[1 - own].q)
            moved = clear_path(beside, self.Ts[own], self.seeds[own], self.times, self.max_step)
            if moved.solved:
                now = (moved, now[1]) if own == 0 else (now[0], moved)
            elif turn >= 1:
                break
        return best, farthest, names

    def blocked(self) -> PathResult | None:
        """The first pair of poses of which every solution touches something; None if none is."""
        found = solve(self.scene, *self.Ts, None, None)
        rows = np.nonzero(~np.asarray(found.solved))[0]
        if not len(rows) or found.left.blocked_by is None:
            return None
        pose = int(rows[0])
        first, second = (str(name) for name in found.left.blocked_by[pose])
        where = "in every pair of solutions of this pose that was found; move it"
        return broken(found.q_left, pose, (first, second), where)

    def before(self, blocked: PathResult) -> PairPath:
        """Paths up to a pose that cannot be reached, or up to where they break before."""
        end, n = blocked.broken_at or 0, len(self.Ts[0])
        q = [np.full((n, 7), np.nan) for _ in SIDES]
        if end:
            times = None if self.times is None else np.asarray(self.times)[:end]
            Ts = (self.Ts[0][:end], self.Ts[1][:end])
            search = _PairSearch(self.scene, Ts, self.seeds, times, self.max_step, most_pairs=1)
            found = search.run()
            for rows, part in zip(q, (found.q_left, found.q_right), strict=True):
                rows[:end] = part
            if not found.solved:
                why = f"{found.reason}; and at pose {end} {blocked.reason}"
                blocked = replace(found.left if found.left.reason else found.right, reason=why)
        return PairPath(*(replace(blocked, q=rows) for rows in q))


def _alone(scene: Scene) -> list[Scene]:
    """The scene of the left arm without the right one, and that of the right arm."""
    everything = (*SIDES, *STANDING, *scene.world.names)
    return [
        scene.replace(without=(*scene.without, *((other, name) for name in everything)))
        for other in SIDES[::-1]
    ]


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

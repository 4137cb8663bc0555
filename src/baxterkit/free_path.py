"""Joint paths of one arm, and postures of both, that keep clear of the robot and of the world.

A path that touches something is moved along the self-motions of its poses, down the slope of a
cost that grows where links come near each other; and begun again from other solutions of its first
pose. What is returned as solved has been swept, not sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.collision.checker import Checker
from baxterkit.errors import ShapeError
from baxterkit.free_ik import free_ik
from baxterkit.ik.path import PathResult
from baxterkit.ik.result import IkStatus
from baxterkit.types import Array

ROOM = 0.03
"""Clearance beyond the padding up to which links count as near [m]."""
STARTS = 24
"""Number of e0 values at which the first pose is solved for other starts."""
MOST_TRIES = 10
"""Largest number of other starts."""


@dataclass(frozen=True)
class ArmBeside:
    """An arm, and the rest of the robot that it must not touch.

    Attributes:
        arm: The arm that moves.
        checker: All pairs of links.
        hand: The pairs of the arm's hand.
        other: Joint positions of the other arm [rad], shape (7,), or (n, 7) for a path.
        head: Pan of the head [rad].
        padding: What is nearer than this [m] counts as touching.
    """

    arm: Arm
    checker: Checker
    hand: Checker
    other: Array
    head: float
    padding: float

    def sides(self, q: Array) -> tuple[Array, Array]:
        """Joint positions of the left and the right arm."""
        other = self.other
        if other.ndim == 2 and len(other) != len(q):
            other = other[0]  # not of the path's rows: of its start
        return (q, other) if self.arm.side == "left" else (other, q)

    def contact(self, q: Array) -> tuple[int, tuple[str, str]] | None:
        """The row from which a path is blocked, and by which links; None if it is free."""
        left, right = (np.broadcast_to(x, (len(q), 7)) for x in self.sides(q))
        return first_contact(self.checker, left, right, self.head, self.padding)

    def free(self, q: Array) -> NDArray[np.bool_]:
        """Which of n joint positions are free."""
        if not len(q):
            return np.zeros(0, dtype=bool)
        return ~np.asarray(self.checker.in_collision(*self.sides(q), self.head, self.padding))

    def nearness(self, q: Array) -> Array:
        """A cost of n joint positions: zero with room, one at contact, more beyond."""
        gap = self.checker.clearance(*self.sides(q), self.head) - self.padding
        cost: Array = np.maximum(1.0 - gap / ROOM, 0.0) ** 2
        return cost


def first_contact(
    checker: Checker, left: Array, right: Array, head: float, padding: float
) -> tuple[int, tuple[str, str]] | None:
    """Where a path of both arms is blocked first: its edges are swept.

    Args:
        checker: The pairs of links.
        left: Joint positions of the left arm [rad], shape (n, 7).
        right: The same of the right arm.
        head: Pan of the head [rad].
        padding: What is nearer than this [m] counts as touching.

    Returns:
        The row from which the way to the next one is blocked, and the names of the two links that
        touch or are nearest there; None if the whole path is free.
    """
    q = np.concatenate([left, right], axis=-1)
    ends = (q, q) if len(q) == 1 else (q[:-1], q[1:])
    blocked = np.nonzero(~np.asarray(checker.edge_free(*ends, head, padding)))[0]
    if not len(blocked):
        return None
    row = int(blocked[0])
    t = np.linspace(0.0, 1.0, 101)[:, None]
    way = q[row] + t * (ends[1][row] - q[row])
    worst = way[np.argmin(checker.clearance(way[:, :7], way[:, 7:], head))]
    return row, checker.nearest(worst[:7], worst[7:], head).names


def free_path(
    beside: ArmBeside,
    Ts: Array,
    seed: ArrayLike | None,
    times: ArrayLike | None,
    max_step: float | None,
) -> PathResult:
    """A continuous path through poses (n, 4, 4) that touches nothing; see `Baxter.ik_path`."""
    arm = beside.arm
    if beside.other.ndim == 2 and len(beside.other) != len(Ts):
        raise ShapeError(
            f"other must have shape (7,), or a row for each of {len(Ts)} poses; got "
            f"{beside.other.shape}"
        )

    def solve(start: ArrayLike | None, aside: Callable[[Array], Array] | None) -> PathResult:
        return arm.ik_path(Ts, start, times, max_step=max_step, objective=aside)

    plain = solve(seed, None)
    if not plain.solved or not len(Ts):
        return plain
    contact = beside.contact(plain.q)
    if contact is None:
        return plain
    blocked = _first_blocked(beside, Ts)
    if blocked is not None:
        pose, pair = blocked
        before = replace(
            beside, other=beside.other[:pose] if beside.other.ndim == 2 else beside.other
        )
        start = None if times is None else np.asarray(times)[:pose]
        path = free_path(before, Ts[:pose], seed, start, max_step)
        if path.solved:
            q = np.concatenate([path.q, np.full((len(Ts) - pose, 7), np.nan)])
            return _refused(q, pose, pair)
    farthest, names = contact
    q = plain.q
    held = seed is not None and np.array_equal(plain.q[0], np.asarray(seed))
    starts = [plain.q[0]] if held else [plain.q[0], *_other_starts(beside, Ts[0], plain.q[0])]
    for start in starts:
        path = solve(start, beside.nearness)
        if not path.solved:
            continue
        contact = beside.contact(path.q)
        if contact is None:
            return path
        if contact[0] > farthest:
            farthest, names = contact
            q = path.q
    return _refused(q.copy(), farthest + 1, names)


def _refused(q: Array, end: int, names: tuple[str, str]) -> PathResult:
    """The path up to a pose."""
    q[end:] = np.nan
    reason = f"{names[0]} touches {names[1]}"
    return PathResult(q, end, IkStatus.COLLISION, reason, blocked_by=names)


def _first_blocked(beside: ArmBeside, Ts: Array) -> tuple[int, tuple[str, str]] | None:
    """The first pose that the arm cannot reach freely at all, and the links that touch there."""
    checkers, head, padding = (beside.checker, beside.hand), beside.head, beside.padding
    found = free_ik(beside.arm, checkers, Ts, beside.other, None, head, padding)
    rows = np.nonzero(found.status == IkStatus.COLLISION)[0]
    if not len(rows) or found.blocked_by is None:
        return None
    first, second = found.blocked_by[rows[0]]
    return int(rows[0]), (str(first), str(second))


def free_solutions(beside: ArmBeside, T: Array, count: int = STARTS) -> Array:
    """Solutions of a pose at evenly spaced values of e0 that touch nothing, shape (n, 7)."""
    limits = beside.arm.limits
    e0 = np.linspace(limits.lower[2], limits.upper[2], count)
    q = beside.arm.ik_all(T, e0).reshape(-1, 7)
    q = q[np.isfinite(q[:, 0])]
    free: Array = q[beside.free(q)]
    return free


def _other_starts(beside: ArmBeside, T: Array, start: Array) -> Array:
    """Free solutions of the first pose, the nearest to a given one first."""
    q = free_solutions(beside, T)
    order = np.argsort(np.linalg.norm(q - start, axis=-1))
    if len(order) > MOST_TRIES:
        order = order[np.linspace(0, len(order) - 1, MOST_TRIES).astype(int)]
    starts: Array = q[order]
    return starts

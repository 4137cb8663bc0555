"""Joint paths of one arm that touch neither the robot nor the world.

A path that touches something is moved along the self-motions of its poses, down the slope of a
cost that grows where links come near each other; and begun again from other solutions of its first
pose. What is returned as solved has been swept, not sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.errors import ShapeError
from baxterkit.ik.path import PathResult
from baxterkit.ik.result import IkStatus
from baxterkit.kinematics.of_frame import tip_in_frame
from baxterkit.poses import pose_array
from baxterkit.scene import ik
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:
    from baxterkit.scene.scene import Scene

ROOM = 0.03
"""Clearance beyond the margin up to which links count as near [m]."""
STARTS = 24
"""Number of e0 values at which the first pose is solved for other starts."""
MOST_TRIES = 10
"""Largest number of other starts."""
OTHER_SEED = "this does not prove that no path exists; another seed= may lead to one"
ONE_SEED = "from this seed alone; leave seed= out, or give another one"


@dataclass(frozen=True)
class ArmBeside:
    """An arm of a scene, beside the other one.

    Attributes:
        scene: The robot and its surroundings.
        side: The arm that moves.
        other: Joint positions of the other arm [rad], shape (7,), or (n, 7) for a path.
    """

    scene: Scene
    side: str
    other: Array

    @property
    def arm(self) -> Arm:
        """The arm that moves."""
        return self.scene.arm(self.side)

    def sides(self, q: Array) -> tuple[Array, Array]:
        """Joint positions of the left and the right arm."""
        other = self.other
        if other.ndim == 2 and len(other) != len(q):
            other = other[0]  # not of the path's rows: of its start
        return (q, other) if self.side == "left" else (other, q)

    def contact(self, q: Array) -> tuple[int, tuple[str, str]] | None:
        """The row from which a path is blocked, and by which links; None if it is clear."""
        return self.scene.first_contact(*self.sides(q))

    def clear(self, q: Array) -> NDArray[np.bool_]:
        """Which of n joint positions touch nothing."""
        if not len(q):
            return np.zeros(0, dtype=bool)
        return ~np.asarray(self.scene.in_collision(*self.sides(q)))

    def nearness(self, q: Array) -> Array:
        """A cost of n joint positions: zero with room, one at contact, more beyond."""
        gap = self.scene.clearance(*self.sides(q)) - self.scene.margin
        return np.maximum(1.0 - gap / ROOM, 0.0) ** 2


def solve(
    scene: Scene,
    side: str,
    Ts: ArrayLike,
    other: JointsLike,
    seed: JointsLike | None,
    times: ArrayLike | None,
    max_step: float | None,
    of: str | None,
) -> PathResult:
    """A continuous path through poses that touches nothing; see `Scene.ik_path`."""
    poses = pose_array(Ts, "Ts")
    beside = ArmBeside(scene, side, scene.still(side, other))
    if of is not None:
        poses = poses @ tip_in_frame(beside.arm.model, of)
    return clear_path(beside, poses, seed, times, max_step)


def clear_path(
    beside: ArmBeside,
    Ts: Array,
    seed: JointsLike | None,
    times: ArrayLike | None,
    max_step: float | None,
) -> PathResult:
    """A continuous path through poses (n, 4, 4) that touches nothing."""
    arm = beside.arm
    if beside.other.ndim == 2 and len(beside.other) != len(Ts):
        raise ShapeError(
            f"other must have shape (7,), or a row for each of {len(Ts)} poses; got "
            f"{beside.other.shape}"
        )

    def solve(start: JointsLike | None, aside: Callable[[Array], Array] | None) -> PathResult:
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
        path = clear_path(before, Ts[:pose], seed, start, max_step)
        if path.solved:
            q = np.concatenate([path.q, np.full((len(Ts) - pose, 7), np.nan)])
            return broken(q, pose, pair, "in every solution of this pose that was found; move it")
    farthest, names = contact
    q = plain.q
    held = seed is not None and np.array_equal(plain.q[0], np.asarray(seed))
    starts = [plain.q[0]] if held else [plain.q[0], *other_starts(beside, Ts[0], plain.q[0])]
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
    tried = f"on each of {len(starts)} paths that were tried; {OTHER_SEED}"
    end = end_of(farthest, not beside.clear(q[:1])[0])
    return broken(q, end, names, ONE_SEED if held else tried)


def end_of(row: int, at_start: bool) -> int:
    """The pose that is not reached where the path is blocked from a row on, or at its start."""
    return 0 if row == 0 and at_start else row + 1


def broken(q: Array, end: int, names: tuple[str, str], where: str) -> PathResult:
    """The path up to a pose, and which links touch where."""
    q = q.copy()
    q[end:] = np.nan
    reason = f"{names[0]} touches {names[1]} {where}"
    return PathResult(q, end, IkStatus.COLLISION, reason, blocked_by=names)


def _first_blocked(beside: ArmBeside, Ts: Array) -> tuple[int, tuple[str, str]] | None:
    """The first pose at which every solution touches something, and the links that do."""
    found = ik.solve(beside.scene, beside.side, Ts, beside.other)
    rows = np.nonzero(found.status == IkStatus.COLLISION)[0]
    if not len(rows) or found.blocked_by is None:
        return None
    first, second = found.blocked_by[rows[0]]
    return int(rows[0]), (str(first), str(second))


def clear_solutions(beside: ArmBeside, T: Array, count: int = STARTS) -> Array:
    """Solutions of a pose at evenly spaced values of e0 that touch nothing, shape (n, 7)."""
    limits = beside.arm.limits
    e0 = np.linspace(limits.lower[2], limits.upper[2], count)
    q = beside.arm.ik_all(T, e0).reshape(-1, 7)
    q = q[np.isfinite(q[:, 0])]
    return q[beside.clear(q)]


def other_starts(beside: ArmBeside, T: Array, start: Array, most: int = MOST_TRIES) -> Array:
    """Clear solutions of the first pose, the nearest to a given one first."""
    q = clear_solutions(beside, T)
    order = np.argsort(np.linalg.norm(q - start, axis=-1))
    if len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).astype(int)]
    return q[order]

"""Inverse kinematics of one arm that keeps clear of the rest of the robot and of the world.

The solution of `arm.ik` is taken if it touches nothing. Otherwise the hand is checked first: its
pose is the target's, so if the hand touches something, every solution does. If not, solutions are
searched for over the whole self-motion, at few values of e0 first and then at many, and the one
nearest to the seed is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.collision.checker import Checker
from baxterkit.errors import InputError
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.ik.target import Pointing, Position
from baxterkit.kinematics.of_frame import tip_in_frame
from baxterkit.model.names import joint_names
from baxterkit.poses import pose_array
from baxterkit.spatial import pose_error
from baxterkit.types import Array

__all__ = ["FEW", "MANY", "free_ik"]

FEW = 16
"""Number of e0 values that are tried first."""
MANY = 400
"""Number of e0 values that are tried before the status is COLLISION."""
AT_ONCE = 64
"""Number of targets whose solutions are in memory at a time."""


def free_ik(
    arm: Arm,
    checkers: tuple[Checker, Checker],
    T: ArrayLike,
    other: ArrayLike,
    seed: ArrayLike | None = None,
    head: ArrayLike = 0.0,
    padding: float = 0.0,
    of: str | None = None,
) -> IkResult:
    """Joint positions of an arm that reach a pose and touch nothing.

    Args:
        arm: The arm that moves.
        checkers: Of all pairs, and of the pairs with this arm's hand and what it holds.
        T: T_base_tip, shape (*batch, 4, 4).
        other: Joint positions of the other arm [rad], shape (*batch, 7).
        seed: As in `Arm.ik`.
        head: Pan of the head [rad], shape (*batch).
        padding: Links nearer to each other than this [m] count as touching.
        of: As in `Arm.ik`.
    """
    if isinstance(T, Position | Pointing):
        raise InputError(
            "robot.ik takes poses; a position or a direction alone is a target of arm.ik"
        )
    poses = pose_array(T, "T") if of is None else pose_array(T, "T") @ tip_in_frame(arm.model, of)
    quick = arm.ik(poses, seed)
    if isinstance(quick.status, IkStatus):
        if quick.status is not IkStatus.SOLVED:
            return quick
        if checkers[0].in_collision(*_sides(arm, quick.q, other), head, padding) is False:
            return quick
    shape = quick.batch_shape
    side = "right" if arm.side == "left" else "left"
    others, pans = joint_array(other, "other", names=joint_names(side)), finite_array(head, "head")
    try:
        others = np.broadcast_to(others, (*shape, 7)).reshape(-1, 7)
        pans = np.broadcast_to(pans, shape).reshape(-1)
    except ValueError:
        explain_shapes(("T", "other", "head"), (shape, others.shape[:-1], pans.shape))
    middle = 0.5 * (arm.limits.lower + arm.limits.upper)
    seeds = middle if seed is None else joint_array(seed, "seed", names=arm.joint_names)
    search = _Search(
        arm,
        checkers,
        np.broadcast_to(poses, (*shape, 4, 4)).reshape(-1, 4, 4),
        others,
        np.broadcast_to(seeds, (*shape, 7)).reshape(-1, 7),
        pans,
        float(finite_array(padding, "padding")),
    )
    return search.run(quick)


class _Search:
    """The search over the self-motions of n targets, whose rows the arrays have."""

    def __init__(
        self,
        arm: Arm,
        checkers: tuple[Checker, Checker],
        poses: Array,
        others: Array,
        seeds: Array,
        pans: Array,
        padding: float,
    ) -> None:
        self.arm, self.poses, self.others = arm, poses, others
        self.seeds, self.pans, self.padding = seeds, pans, padding
        self.whole, self.hand = checkers

    def run(self, quick: IkResult) -> IkResult:
        """The quick answers where they are free, others where there are such, or COLLISION."""
        q, status = quick.q.reshape(-1, 7).copy(), np.array(quick.status, dtype=np.int64).ravel()
        errors = [np.array(e).ravel() for e in (quick.position_error, quick.orientation_error)]
        names = np.full((len(q), 2), "", dtype=object)
        rows = np.nonzero(status == IkStatus.SOLVED)[0]
        rows = rows[self.hits(self.whole, q[rows], rows)]
        by_hand = self.hits(self.hand, q[rows], rows)
        for n in rows[by_hand]:
            names[n] = self.pair(self.hand, q[n], n)
        forbidden = list(rows[by_hand])
        rows = rows[~by_hand]
        for count in (FEW, MANY):
            left = []
            for some in np.split(rows, range(AT_ONCE, len(rows), AT_ONCE)):
                for n, found, free in self.solutions(some, count):
                    if free.any():
                        away = np.linalg.norm(found[free] - self.seeds[n], axis=-1)
                        q[n] = found[free][np.argmin(away)]
                        for error, value in zip(
                            errors, pose_error(self.arm.fk(q[n]), self.poses[n]), strict=True
                        ):
                            error[n] = value
                        continue
                    left.append(n)
                    if count == MANY:
                        names[n] = self.blamed(found if len(found) else q[n][None], n)
            rows = np.array(left, dtype=np.int64)
        forbidden += list(rows)
        for array in (q, *errors):
            array[forbidden] = np.nan
        status[forbidden] = IkStatus.COLLISION
        flat = quick if quick.batch_shape == () else quick.reshaped((len(q),))
        changes = {"q": q, "status": status, "method": quick.method}
        changes |= {"position_error": errors[0], "orientation_error": errors[1]}
        changes["blocked_by"] = names if forbidden else None
        return flat.replace(**changes).reshaped(quick.batch_shape)

    def solutions(
        self, rows: NDArray[np.int64], count: int
    ) -> Iterator[tuple[int, Array, NDArray[np.bool_]]]:
        """Of each row the solutions at `count` values of e0, and which of them are free."""
        if not len(rows):
            return
        e0 = np.linspace(self.arm.limits.lower[2], self.arm.limits.upper[2], count)
        every = self.arm.ik_all(self.poses[rows, None], e0).reshape(len(rows), -1, 7)
        row, member = np.nonzero(np.isfinite(every[..., 0]))
        found = every[row, member]
        free = ~self.hits(self.whole, found, rows[row])
        ends = np.searchsorted(row, np.arange(len(rows) + 1))
        for i, n in enumerate(rows.tolist()):
            own = slice(ends[i], ends[i + 1])
            yield n, found[own], free[own]

    def hits(self, checker: Checker, q: Array, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether these joint positions touch something at these rows."""
        sides = _sides(self.arm, q, self.others[rows])
        return np.asarray(checker.in_collision(*sides, self.pans[rows], self.padding))

    def blamed(self, found: Array, n: int) -> tuple[str, str]:
        """The links that touch at the solution with the greatest clearance."""
        sides = _sides(self.arm, found, self.others[n])
        gap = self.whole.clearance(*sides, float(self.pans[n]))
        return self.pair(self.whole, found[np.argmax(gap)], n)

    def pair(self, checker: Checker, q: Array, n: int) -> tuple[str, str]:
        """The nearest two links at joint positions of row n."""
        return checker.nearest(*_sides(self.arm, q, self.others[n]), float(self.pans[n])).names


def _sides(arm: Arm, own: ArrayLike, other: ArrayLike) -> tuple[ArrayLike, ArrayLike]:
    """Joint positions of the left and the right arm."""
    return (own, other) if arm.side == "left" else (other, own)

"""Inverse kinematics of one arm that touches neither the rest of the robot nor the world.

The solution of `arm.ik` is taken if it touches nothing. Otherwise the hand is checked first: its
pose is the target's, so if the hand touches something, every solution does. If not, solutions are
searched for along the self-motion, at few values of e0 first and then at more, until one is clear;
of those that are found together the one nearest to the seed is taken. The compiled solver does all
of this (native/clear_ik.cpp); `_Search` is the same in NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.checks.units import warn_if_millimetres
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.ik.target import Pointing, Position
from baxterkit.kinematics.of_frame import tip_in_frame
from baxterkit.model.names import joint_names, other_side
from baxterkit.poses import pose_array
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:
    from baxterkit.scene.scene import Scene

FREE_E0 = 400
"""Number of e0 values that are tried before the status is COLLISION; kSweep in clear_ik.hpp."""
FEW = 16
"""Number of e0 values that are tried first, spread over all of them; then the others."""


def solve(
    scene: Scene,
    side: str,
    T: ArrayLike,
    other: JointsLike,
    seed: JointsLike | None = None,
    head: ArrayLike | None = None,
    of: str | None = None,
) -> IkResult:
    """Joint positions of an arm that reach a pose and touch nothing; see `Scene.ik`."""
    arm = scene.arm(side)
    pan = scene._pan_angles(head)
    if isinstance(T, Position | Pointing):
        raise InputError(
            "ik in a scene takes poses; a position or a direction alone is a target of arm.ik"
        )
    poses = pose_array(T, "T") if of is None else pose_array(T, "T") @ tip_in_frame(arm.model, of)
    quick = None
    if poses.ndim == 2:
        quick = arm.ik(poses, seed)
        if isinstance(quick.status, IkStatus):
            if quick.status is not IkStatus.SOLVED:
                return quick
            both = _sides(arm, quick.q, other)
            try:
                if scene.checker.in_collision(*both, pan, scene.margin) is False:
                    return quick
            except (InputError, ShapeError):
                joint_array(other, "other", names=joint_names(other_side(side)))  # its own name
                raise
    else:
        warn_if_millimetres(poses[..., :3, 3], "T")
    beside = other_side(side)
    others, pans = joint_array(other, "other", names=joint_names(beside)), finite_array(pan, "head")
    seeds = arm.limits.middle if seed is None else joint_array(seed, "seed", names=arm.joint_names)
    try:
        shape = np.broadcast_shapes(
            poses.shape[:-2], others.shape[:-1], seeds.shape[:-1], pans.shape
        )
    except ValueError:
        shapes = (poses.shape[:-2], others.shape[:-1], seeds.shape[:-1], pans.shape)
        explain_shapes(("T", "other", "seed", "head"), shapes)
    rows = (
        np.broadcast_to(poses, (*shape, 4, 4)).reshape(-1, 4, 4),
        np.broadcast_to(seeds, (*shape, 7)).reshape(-1, 7),
        others.reshape(1, 7) if others.ndim == 1 else _flat(others, shape),
        pans.reshape(1) if pans.ndim == 0 else np.broadcast_to(pans, shape).reshape(-1),
    )
    scenes = (scene, scene.of_hand(side))
    whole, hand = (each.checker.native for each in scenes)
    solver = arm._inverse.native
    if solver is not None and whole is not None and hand is not None:
        found, blamed, by_hand = solver.clear((whole, hand), *rows, scene.margin)
    else:
        search = _Search(arm, scenes, *rows)
        found, blamed, by_hand = search.run(arm.ik(rows[0], rows[1]))
    blocked = np.nonzero(found.status == IkStatus.COLLISION)[0]
    if len(blocked):
        names = np.full((len(rows[0]), 2), "", dtype=object)
        for each, some in zip(
            scenes, (blocked[~by_hand[blocked]], blocked[by_hand[blocked]]), strict=True
        ):
            if len(some):
                sides = _sides(arm, blamed[some], _taken(rows[2], some))
                near = each.checker.nearest(*sides, _taken(rows[3], some))
                names[some] = np.array(near.everything, dtype=object)[near.pair]
        found = found.replace(blocked_by=names)
    return found.reshaped(shape)


class _Search:
    """The search over the self-motions of n targets, whose rows the arrays have."""

    def __init__(
        self,
        arm: Arm,
        scenes: tuple[Scene, Scene],
        poses: Array,
        seeds: Array,
        others: Array,
        pans: Array,
    ) -> None:
        self.arm, self.poses, self.seeds = arm, poses, seeds
        self.others, self.pans = others, pans
        self.whole, self.hand = scenes

    def run(self, quick: IkResult) -> tuple[IkResult, Array, NDArray[np.bool_]]:
        """The quick answers where they are clear, others where there are such, or COLLISION.

        With joint positions at which links touch, and whether the hand does.
        """
        q, status = quick.q.copy(), np.array(quick.status)
        blamed = q.copy()
        errors = [np.array(e) for e in (quick.position_error, quick.orientation_error)]
        rows = np.nonzero(status == IkStatus.SOLVED)[0]
        rows = rows[self.hits(self.whole, q[rows], rows)]
        by_hand = np.zeros(len(q), dtype=bool)
        by_hand[rows] = self.hits(self.hand, q[rows], rows)
        for n in rows:
            found = None if by_hand[n] else self.search(int(n), blamed)
            if found is None:
                status[n] = IkStatus.COLLISION
                q[n] = errors[0][n] = errors[1][n] = np.nan
                continue
            q[n] = found
            distance, angle = pose_error(self.arm.fk(found), self.poses[n])
            errors[0][n], errors[1][n] = distance, angle
        changes = {"q": q, "status": status}
        changes |= {"position_error": errors[0], "orientation_error": errors[1]}
        return quick.replace(**changes), blamed, by_hand

    def search(self, n: int, blamed: Array) -> Array | None:
        """A clear solution of target n; None if none was found, with the row of `blamed` set."""
        every = np.linspace(self.arm.limits.lower[2], self.arm.limits.upper[2], FREE_E0)
        few = np.zeros(FREE_E0, dtype=bool)
        few[FREE_E0 // FEW // 2 :: FREE_E0 // FEW] = True
        first = None
        for e0 in (every[few], every[~few]):
            found = self.arm.ik_all(self.poses[n], e0).reshape(-1, 7)
            found = found[np.isfinite(found[:, 0])]
            free = found[~self.hits(self.whole, found, np.full(len(found), n))]
            if len(free):
                nearest: Array = free[np.argmin(np.linalg.norm(free - self.seeds[n], axis=-1))]
                return nearest
            if len(found) and first is None:
                first = found
        if first is not None:
            row = np.full(len(first), n)
            sides = _sides(self.arm, first, _taken(self.others, row))
            gap = self.whole.checker.clearance(*sides, _taken(self.pans, row))
            blamed[n] = first[np.argmax(gap)]
        return None

    def hits(self, scene: Scene, q: Array, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether these joint positions touch something at these rows."""
        if not len(q):
            return np.zeros(0, dtype=bool)
        sides = _sides(self.arm, q, _taken(self.others, rows))
        return np.asarray(scene.checker.in_collision(*sides, _taken(self.pans, rows), scene.margin))


def _flat(array: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(array, (*shape, array.shape[-1])).reshape(-1, array.shape[-1])


def _taken(array: Array, rows: NDArray[np.int64]) -> Array:
    """These rows of an array; of one row, that one for each of them."""
    return array[np.zeros_like(rows) if len(array) == 1 else rows]


def _sides(arm: Arm, own: JointsLike, other: JointsLike) -> tuple[JointsLike, JointsLike]:
    """Joint positions of the left and the right arm."""
    return (own, other) if arm.side == "left" else (other, own)

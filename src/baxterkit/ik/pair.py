"""Both arms at once: results of `Hands` and of `Scene.ik_pair`, and hands that meet.

Where the poses of both hands are given, each arm has a problem of its own, and all of its
redundancy to solve it; together they are solved if both are. Where only the relative pose is
given, Newton's method moves all fourteen joints by least-norm steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.units import warn_if_millimetres
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.path import PathResult
from baxterkit.ik.result import STATUSES, IkError, IkResult, IkStatus
from baxterkit.model.limits import Limits
from baxterkit.poses import pose_array
from baxterkit.spatial import formulas
from baxterkit.types import Array, JointVector, Transform

MET = 1e-12
"""Largest entry of the relative pose's error where the hands meet [m, rad]."""
_STEPS = 100
_LONGEST = 0.3  # [rad] a step of one joint is shortened to


@dataclass(frozen=True, eq=False)
class PairResult:
    """Joint positions of both arms for a pair of poses, or for a batch of pairs.

    Attributes:
        left: The answer of the left arm.
        right: The answer of the right arm.
    """

    left: IkResult
    right: IkResult

    @property
    def q_left(self) -> JointVector:
        """Joint positions of the left arm [rad], shape (*batch, 7); NaN where it has none."""
        return self.left.q

    @property
    def q_right(self) -> JointVector:
        """Joint positions of the right arm [rad], shape (*batch, 7); NaN where it has none."""
        return self.right.q

    @property
    def solved(self) -> Any:
        """Whether both arms reach their poses: bool, or array of shape (*batch)."""
        both = np.asarray(self.left.solved) & np.asarray(self.right.solved)
        return bool(both) if both.ndim == 0 else both

    @property
    def status(self) -> Any:
        """`IkStatus`, or for a batch the array of its codes: the left arm's unless it is solved."""
        codes = np.where(self.left.solved, self.right.status, self.left.status)
        return STATUSES[int(codes)] if codes.ndim == 0 else codes.astype(np.uint8)

    def raise_if_failed(self) -> PairResult:
        """Returns itself if everything is solved.

        Raises:
            IkError: If a pose is not reached; says of which arm, and why.
        """
        for side, result in (("left", self.left), ("right", self.right)):
            try:
                result.raise_if_failed()
            except IkError as error:
                raise IkError(f"{side} arm: {error}", result) from error
        return self

    def __bool__(self) -> bool:
        return bool(np.all(self.solved))

    def __repr__(self) -> str:
        return f"PairResult(left={self.left!r}, right={self.right!r})"


@dataclass(frozen=True, eq=False)
class PairPath:
    """Joint paths of both arms, or the parts of them up to where one breaks.

    Attributes:
        left: The path of the left arm.
        right: The path of the right arm.
    """

    left: PathResult
    right: PathResult

    @property
    def q_left(self) -> JointVector:
        """Joint positions of the left arm [rad], shape (n, 7); NaN from where its path breaks."""
        return self.left.q

    @property
    def q_right(self) -> JointVector:
        """Joint positions of the right arm [rad], shape (n, 7); NaN from where its path breaks."""
        return self.right.q

    @property
    def solved(self) -> bool:
        """Whether both paths go through all poses."""
        return self.broken_at is None

    @property
    def broken_at(self) -> int | None:
        """Index of the first pose that the best paths found do not reach, or None."""
        return self._first.broken_at

    @property
    def broken_arm(self) -> str | None:
        """The arm that cannot: "left" or "right"; None if both can."""
        if self.solved:
            return None
        return "left" if self._first is self.left else "right"

    @property
    def status(self) -> IkStatus:
        """SOLVED, or why the first break is there; see `PathResult.status`."""
        return self._first.status

    @property
    def reason(self) -> str:
        """Which arm breaks and why, or which links of the arms touch; empty if none breaks."""
        if self.solved or self.status is IkStatus.COLLISION:
            return self._first.reason
        return f"{self.broken_arm} arm: {self._first.reason}"

    @property
    def largest_step(self) -> float:
        """Largest step of any joint of either arm from one pose to the next [rad]."""
        return max(self.left.largest_step, self.right.largest_step)

    @property
    def _first(self) -> PathResult:
        """The path that breaks first; the left one if both do, or none does."""
        ends = [len(p.q) if p.broken_at is None else p.broken_at for p in (self.left, self.right)]
        return self.right if ends[1] < ends[0] else self.left

    def raise_if_failed(self) -> PairPath:
        """Returns itself if both paths are complete.

        Raises:
            IkError: If one breaks; says where, which and why.
        """
        if self.broken_at is not None:
            raise IkError(f"the path breaks at pose {self.broken_at}: {self.reason}")
        return self

    def __bool__(self) -> bool:
        return self.solved

    def __repr__(self) -> str:
        n = len(self.q_left)
        if self.solved:
            return f"PairPath({n} poses, solved, largest step {self.largest_step:.4f} rad)"
        where = f"breaks at pose {self.broken_at}, {self.status.name}"
        return f"PairPath({n} poses, {where}: {self.reason})"


def hand_poses(
    T_left: ArrayLike | None, T_right: ArrayLike | None, relative: ArrayLike | None
) -> tuple[Transform, Transform]:
    """The poses of both hands from two of the three.

    Args:
        T_left: T_base_left, shape (*batch, 4, 4).
        T_right: T_base_right, shape (*batch, 4, 4).
        relative: T_left_right, shape (*batch, 4, 4).

    Returns:
        T_base_left and T_base_right, with one batch.

    Raises:
        InputError: If not exactly two are given.
        ShapeError: If their batches do not broadcast.
    """
    if sum(pose is not None for pose in (T_left, T_right, relative)) != 2:
        raise InputError(
            "give the poses of both hands, or that of one and relative=, the right hand as the "
            "left one sees it"
        )
    given = {"T_left": T_left, "T_right": T_right, "relative": relative}
    arrays = {name: pose_array(T, name) for name, T in given.items() if T is not None}
    try:
        shape = np.broadcast_shapes(*(T.shape for T in arrays.values()))
    except ValueError:
        sizes = ", ".join(f"{name} {T.shape}" for name, T in arrays.items())
        raise ShapeError(f"shapes do not go together: {sizes}") from None
    any(warn_if_millimetres(T[..., :3, 3], name) for name, T in arrays.items())  # once
    whole = {name: np.broadcast_to(T, shape) for name, T in arrays.items()}
    if T_right is None:
        return whole["T_left"], whole["T_left"] @ whole["relative"]
    if T_left is None:
        return whole["T_right"] @ formulas.inverse(whole["relative"]), whole["T_right"]
    return whole["T_left"], whole["T_right"]


RelativePose = Callable[[JointVector, JointVector], Transform]
RelativeJacobian = Callable[[JointVector, JointVector], Array]


def meet(
    relative_pose: RelativePose,
    relative_jacobian: RelativeJacobian,
    T_left_right: Transform,
    q: tuple[JointVector, JointVector],
    limits: tuple[Limits, Limits],
) -> tuple[JointVector, JointVector] | None:
    """Joint positions near given ones at which the hands have a relative pose.

    Args:
        relative_pose: (q_left, q_right) -> T_left_right.
        relative_jacobian: (q_left, q_right) -> J_rel, shape (6, 14).
        T_left_right: The relative pose, (4, 4).
        q: Present joint positions [rad], shape (7,) each.
        limits: Joint limits of each arm.

    Returns:
        Joint positions of both arms within the limits [rad]; None if the iteration finds none.
    """
    lower = np.concatenate([limit.lower for limit in limits])
    upper = np.concatenate([limit.upper for limit in limits])
    x = np.clip(np.concatenate(q), lower, upper)
    for _ in range(_STEPS):
        T = relative_pose(x[:7], x[7:])
        error = formulas.pose_difference(T, T_left_right)
        if np.abs(error).max() <= MET:
            return x[:7], x[7:]
        J = relative_jacobian(x[:7], x[7:])
        free = np.ones(14, dtype=bool)
        for _ in range(3):  # joints on a limit that the step would leave it by stay there
            step = np.zeros(14)
            step[free] = np.linalg.lstsq(J[:, free], error, rcond=1e-10)[0]
            stuck = ((x <= lower) & (step < 0.0)) | ((x >= upper) & (step > 0.0))
            if not stuck.any():
                break
            free &= ~stuck
        longest = np.abs(step).max()
        x = np.clip(x + step * min(1.0, _LONGEST / max(longest, 1e-300)), lower, upper)
    return None

"""The compiled exact solver of one arm (native/ik, behind native/ik_binding.cpp)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik.exact_solver import row_of_answers
from baxterkit.ik.objectives import Objective
from baxterkit.ik.result import STATUSES, IkResult
from baxterkit.ik.self_motion import Curve, Segment, SelfMotion
from baxterkit.kernels.protocol import Extension
from baxterkit.kernels.records import IkClearRows, IkPath, IkRows
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels, BodyChecker

Answer = TypeVar("Answer")


class NativeSolver:
    """The compiled solver.

    The extension checks shapes, types and rigidity itself, much faster than NumPy can, and returns
    None for arguments that it does not accept. The `as_given` methods pass this None on: the
    caller then runs the Python checks, which either broadcast the arguments or raise. The methods
    of `ExactSolver` take checked arguments and never return None.
    """

    def __init__(self, model: ArmModel, extension: Extension, kernels: ArmKernels) -> None:
        limits = model.limits
        self._names = model.joint_names
        self._middle = limits.middle
        lower, upper = np.array(limits.lower), np.array(limits.upper)
        self._native = extension.IkSolver(kernels, lower, upper, limits.middle)
        self.all_as_given = self._native.all_one
        self._one = self._native.one

    def as_given(self, T: object, seed: object, objective: Objective) -> IkResult | None:
        """The answer for a plain array, one pose or a batch; None if it needs Python's checks."""
        row = self._one(T, seed, objective)
        if row is None:
            return self._batch_as_given(T, seed, objective)
        q, code, distance, angle, nearest, violation = row
        result = IkResult(q, STATUSES[code], distance, angle, "exact")
        if nearest is None:
            return result
        return result.replace(nearest=nearest, violation=violation, joint_names=self._names)

    def _batch_as_given(self, T: object, seed: object, objective: Objective) -> IkResult | None:
        if not (type(T) is np.ndarray and T.ndim > 2 and T.shape[-2:] == (4, 4) and T.size):
            return None
        shape = T.shape[:-2]
        given = self._middle if seed is None else seed
        if type(given) is not np.ndarray or given.shape not in ((7,), (*shape, 7)):
            return None
        seeds = np.broadcast_to(given, (*shape, 7))
        if not isinstance(objective, str) or T.dtype != np.float64 or seeds.dtype != np.float64:
            return None
        found = self._native.many(
            np.ascontiguousarray(T).reshape(-1, 4, 4),
            np.ascontiguousarray(seeds).reshape(-1, 7),
            objective,
        )
        return None if found is None else self._answers(found).reshaped(shape)

    def track_as_given(
        self, T: object, q: object, most: Array, hold_elbow: bool
    ) -> IkResult | None:
        """The step for plain arrays, one pose and one q; None if they need Python's checks."""
        row = self._native.track_one(T, q, most, hold_elbow)
        if row is None:
            return None
        q, code, distance, angle = row
        return IkResult(q, STATUSES[code], distance, angle, "track")

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """In the extension, spread over cores; a cost function in Python one pose after another."""
        T, seed = np.ascontiguousarray(T), np.ascontiguousarray(seed)
        if isinstance(objective, str):
            return self._answers(_checked(self._native.many(T, seed, objective)))
        # A Python cost function holds the interpreter lock: one target after the other.
        rows = [_checked(self._native.one(T[i], seed[i], objective)) for i in range(len(T))]
        nothing, none = np.full(7, np.nan), np.zeros(7)
        return row_of_answers(
            np.array([row.q for row in rows]).reshape(-1, 7),
            np.array([row.status for row in rows], np.uint8),
            np.array([(row.distance, row.angle) for row in rows]).reshape(-1, 2),
            self._names,
            nearest=_filled([row.nearest for row in rows], nothing),
            violation=_filled([row.violation for row in rows], none),
        )

    def _answers(self, rows: IkRows | IkClearRows) -> IkResult:
        return row_of_answers(
            rows.q,
            rows.status,
            rows.errors,
            self._names,
            nearest=rows.nearest,
            violation=rows.violation,
        )

    def clear(
        self,
        checkers: tuple[BodyChecker, BodyChecker],
        T: Transform,
        seed: JointVector,
        other: JointVector,
        head: Array,
        margin: float,
    ) -> tuple[IkResult, JointVector, NDArray[np.bool_]]:
        """A row of answers that touch nothing.

        Args:
            checkers: Of all pairs of links, and of those of the hand.
            T: The poses, shape (n, 4, 4).
            seed: As in `many`.
            other: Joint positions of the other arm [rad], shape (n, 7) or (1, 7).
            head: Pan of the head [rad], shape (n,) or (1,).
            margin: Safety margin [m]: anything closer counts as a collision.

        Returns:
            The answers; where the status is COLLISION, joint positions at which links touch; and
            whether the hand does.
        """
        T, seed, other, head = (np.ascontiguousarray(x) for x in (T, seed, other, head))
        right = self._names[0].startswith("right")
        whole, hand = checkers
        rows = self._native.clear(
            whole=whole,
            hand=hand,
            right=right,
            Ts=T,
            seeds=seed,
            others=other,
            heads=head,
            margin=margin,
        )
        return self._answers(rows), rows.blamed, rows.by_hand

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """In the extension, spread over cores."""
        T, e0 = np.ascontiguousarray(T), np.ascontiguousarray(e0)
        q, counts = self._native.all(T, e0, limits)
        return [q[i, :count] for i, count in enumerate(counts.tolist())]

    def all_padded(self, T: Transform, e0: Array, limits: bool) -> Array:
        """The same, padded with NaN, shape (n, most, 7): quicker for many."""
        T, e0 = np.ascontiguousarray(T), np.ascontiguousarray(e0)
        q, counts = self._native.all(T, e0, limits)
        most = int(counts.max(initial=0))
        padded: Array = np.ascontiguousarray(q[:, :most])
        padded[np.arange(most) >= counts[:, None]] = np.nan
        return padded

    def motion(self, T: Transform) -> SelfMotion:
        """As the extension traces it."""
        T = np.ascontiguousarray(T)
        found = self._native.motion(T)
        return SelfMotion(
            T.copy(),
            tuple(Curve(found.points[a:b]) for a, b in itertools.pairwise(found.first.tolist())),
            tuple(
                Segment(found.feasible[a : a + count], bool(closed))
                for a, count, closed in found.stretches.tolist()
            ),
            found.complete,
        )

    def track(self, T: Transform, q: JointVector, most: Array, hold_elbow: bool) -> IkResult:
        """As the extension follows them, row by row."""
        T, q, most = (np.ascontiguousarray(x) for x in (T, q, most))
        rows = self._native.track(T, q, most, hold_elbow)
        return row_of_answers(rows.q, rows.status, rows.errors, self._names, "track")

    def path(self, Ts: Transform, seed: JointVector | None, starts: bool, most: Array) -> IkPath:
        """A continuous path through poses (n, 4, 4), as far as it goes.

        Args:
            Ts: The poses.
            seed: Joint positions to start near [rad], shape (7,); free if None.
            starts: Whether the seed is the solution of the first pose.
            most: Largest step of each joint from pose to pose [rad], shape (n - 1, 7).

        Returns:
            Joint positions [rad], shape (n, 7), NaN from where it breaks; and how many poses it
            goes through.
        """
        start = None if seed is None else np.ascontiguousarray(seed)
        Ts, most = np.ascontiguousarray(Ts), np.ascontiguousarray(most)
        return self._native.path(Ts, start, starts, most)


def _filled(rows: list[JointVector | None], blank: JointVector) -> JointVector:
    """The rows, with `blank` in the place of None, shape (n, 7)."""
    return np.array([blank if row is None else row for row in rows]).reshape(-1, 7)


def _checked(answer: Answer | None) -> Answer:
    """Asserts that the extension accepted arguments that were checked."""
    assert answer is not None
    return answer

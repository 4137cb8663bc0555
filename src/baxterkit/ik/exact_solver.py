"""The interface of an exact solver of one arm, for the compiled one and the NumPy reference."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik.objectives import Objective
from baxterkit.ik.result import STATUSES, Attempt, IkResult, IkStatus
from baxterkit.ik.self_motion import SelfMotion
from baxterkit.types import Array, JointVector, Transform

Codes = NDArray[np.uint8]
"""`IkStatus` of each of a row of answers."""


class ExactSolver(Protocol):
    """Exact inverse kinematics of one arm. Arguments have been checked."""

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """A row of answers for poses (n, 4, 4) and seeds (n, 7)."""

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """Every solution of each pose (n, 4, 4) with its e0 (n,)."""

    def motion(self, T: Transform) -> SelfMotion:
        """The self-motion of one pose (4, 4)."""

    def track(self, T: Transform, q: JointVector, most: Array, hold_elbow: bool) -> IkResult:
        """The solution of each pose (n, 4, 4) next to q (n, 7), within steps of most (7,)."""


def row_of_answers(
    q: JointVector,
    codes: Codes,
    errors: Array,
    names: tuple[str, ...],
    method: str = "exact",
    nearest: JointVector | None = None,
    violation: JointVector | None = None,
) -> IkResult:
    """The result for a row of targets, with its record as an attempt.

    Args:
        q: Joint positions [rad], NaN where unsolved, shape (n, 7).
        codes: `IkStatus` of each target, shape (n,).
        errors: Distance [m] and angle [rad] of each from its target, shape (n, 2).
        names: The arm's joint names.
        method: Name of the solver.
        nearest: Beyond the limits: the joint positions that violate them least, shape (n, 7).
        violation: By how much they do [rad], shape (n, 7).
    """
    counts = np.bincount(codes, minlength=len(STATUSES)).tolist()
    reasons = [
        f"{count} {status.name}"
        for count, status in zip(counts[1:], STATUSES[1:], strict=True)
        if count
    ]
    result = IkResult(q, codes, errors[:, 0], errors[:, 1], method)
    attempts = (Attempt(method, len(q), counts[0], ", ".join(reasons)),)
    if nearest is None or not counts[IkStatus.LIMITS]:
        return result.replace(joint_names=names, attempts=attempts)
    return result.replace(
        joint_names=names, attempts=attempts, nearest=nearest, violation=violation
    )


def joined_rows(rows: list[IkResult], names: tuple[str, ...]) -> IkResult:
    """Rows of answers, one after the other, as one; there may be none."""

    def column(name: str, width: tuple[int, ...], gap: float) -> Array:
        parts = [
            np.full((len(row.q), *width), gap) if getattr(row, name) is None else getattr(row, name)
            for row in rows
        ]
        return np.concatenate(parts) if parts else np.empty((0, *width))

    errors = [column(name, (), np.nan) for name in ("position_error", "orientation_error")]
    return row_of_answers(
        column("q", (7,), np.nan),
        column("status", (), 0.0).astype(np.uint8),
        np.stack(errors, axis=-1),
        names,
        nearest=column("nearest", (7,), np.nan),
        violation=column("violation", (7,), 0.0),
    )

"""Results of inverse kinematics: a solution, or a status that says why there is none."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baxterkit.display import html_table
from baxterkit.errors import InputError, ResultError
from baxterkit.ik import tables
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, Index, JointVector


class Status(enum.IntEnum):
    """An outcome by its code.

    Attributes:
        advice: Its meaning, and what to do about it.
    """

    advice: str

    def __new__(cls, code: int, advice: str) -> Self:
        """A member with its code and its advice."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.advice = advice
        return member

    def __str__(self) -> str:
        return f"{self.name}: {self.advice}"


@enum.unique
class IkStatus(Status):
    """Outcome of a call. Members compare equal to the codes in the `status` array of a batch."""

    SOLVED = 0, "Solved within tolerance."
    OUT_OF_REACH = 1, "No joint angles reach the target, not even beyond the limits; move it."
    LIMITS = 2, "Joint angles reach the target, but all of them violate a limit; see `violations`."
    NOT_CONVERGED = (
        3,
        "The search ended without a solution, which proves nothing; raise max_iterations or "
        'restarts, start from another seed, or use method="exact".',
    )
    COLLISION = (
        4,
        "Joint angles within the limits reach the target, but in all of them the robot touches "
        "itself or the world; see `blocked_by`.",
    )
    POSTURE = 5, "Joint angles reach the target, but none in the posture asked for; ask for less."
    LOCKED = (
        6,
        "No joint angles within the limits reach the target with e0 held at this value; another "
        'value may: pass e0= to "six_dof_exact", or use method="exact".',
    )


STATUSES = tuple(IkStatus)


class IkError(ResultError):
    """Raised by `IkResult.raise_if_failed`.

    Attributes:
        result: The result that failed.
    """

    result: IkResult | None


@dataclass(frozen=True)
class Attempt:
    """One method that was tried.

    Attributes:
        method: Its name.
        targets: Number of targets that it was given.
        solved: Number of targets that it solved.
        reason: Why it did not solve the others; empty if it solved all.
    """

    method: str
    targets: int
    solved: int
    reason: str = ""

    def __str__(self) -> str:
        rest = f" ({self.reason})" if self.reason else ""
        return f"{self.method}: {self.solved} of {self.targets} solved{rest}"


@dataclass(frozen=True)
class Trace:
    """The iterations of one target, the seed first.

    Attributes:
        q: Joint positions [rad], shape (k, 7).
        position_error: Distance to the target [m], shape (k,).
        orientation_error: Angle to the target [rad], shape (k,); zero where it is free.
        restart: True where the row is a fresh start, shape (k,).
    """

    q: JointVector
    position_error: Array
    orientation_error: Array
    restart: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.q)


class IkResult:
    """The answer for one target, or for a batch of shape `batch`.

    Attributes:
        q: Joint positions [rad], shape (*batch, 7); NaN where unsolved.
        solved: Whether `q` reaches the target within the limits: bool, or array of shape (*batch).
        status: `IkStatus`, or for a batch the array of its codes, shape (*batch).
        position_error: Distance of the tip from the target at `q` [m], by forward kinematics;
            shape (*batch), NaN where unsolved.
        orientation_error: Angle from the target at `q` [rad], likewise. For a position target it
            is zero, for a pointing target the angle between the directions.
        method: Name of the solver that answered.
        nearest: For status LIMITS: the joint angles that reach the target and violate the limits
            least; NaN elsewhere; shape (*batch, 7). None if no target has that status.
        violation: By how much `nearest` is beyond the limits [rad], positive above the upper one
            and negative below the lower one, zero inside; shape (*batch, 7). None like `nearest`.
        blocked_by: For status COLLISION: names of the two links that touch, (2,), or for a batch
            shape (*batch, 2) with empty texts elsewhere. None if no target has that status.
        solutions: Every solution with the e0 of `q`, within the limits, nearest to the seed first,
            shape (*batch, n, 7), padded with NaN; None unless asked for.
        attempts: The methods that were tried.
        trace: The iterations of a numeric solver, one `Trace` per target; None unless asked for.
    """

    solutions: Array | None = None
    attempts: tuple[Attempt, ...] = ()
    trace: Trace | tuple[Trace, ...] | None = None
    nearest: JointVector | None = None
    violation: JointVector | None = None
    blocked_by: NDArray[np.object_] | None = None
    joint_names: tuple[str, ...] = ()

    def __init__(
        self,
        q: JointVector,
        status: Any,
        position_error: Any,
        orientation_error: Any,
        method: str,
    ) -> None:
        self.q = q
        self.status = status
        self.position_error = position_error
        self.orientation_error = orientation_error
        self.method = method

    @property
    def solved(self) -> Any:
        """Whether the target is reached within the limits: bool, or array of shape (*batch)."""
        if isinstance(self.status, IkStatus):
            return self.status is IkStatus.SOLVED
        return self.status == 0

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for one target."""
        return self.q.shape[:-1]

    @property
    def violations(self) -> dict[str, float]:
        """For one target with status LIMITS: the joints beyond their limits, and by how much.

        Joint name -> excess [rad] of the solution that violates the limits least.
        """
        if self.violation is None:
            return {}
        if self.violation.ndim != 1:
            raise InputError("violations is for one target; take result[i].violations")
        named = zip(self.joint_names, self.violation.tolist(), strict=True)
        return {name: excess for name, excess in named if excess != 0.0}

    def raise_if_failed(self) -> IkResult:
        """Returns itself if everything is solved.

        Raises:
            IkError: If a target is not solved; says which, and why.
        """
        if np.all(self.solved):
            return self
        if isinstance(self.status, IkStatus):
            far = "; arm.shortfall(T) says how far" if self.status is IkStatus.OUT_OF_REACH else ""
            raise IkError(f"{self.method}: {self.status}{self._blame()}{far}", self)
        failed = np.argwhere(np.asarray(self.status) != 0)
        index = tuple(int(i) for i in failed[0])
        status = STATUSES[int(self.status[index])]
        raise IkError(
            f"{self.method}: {len(failed)} of {self.status.size} targets are not solved; the "
            f"first is {list(index)}: {status}{self[index]._blame()}",
            self,
        )

    def __getitem__(self, index: Index) -> IkResult:
        """The answers of part of the batch; `result[3]` of a one-dimensional batch is one answer.

        Attempts are those of the whole batch.
        """
        shape = self.batch_shape
        if not shape:
            raise IndexError("this is the result of one target; it has no parts")
        codes = np.asarray(self.status)[index]
        status = STATUSES[int(codes)] if np.ndim(codes) == 0 else codes
        beyond = self.violation is not None and bool(np.any(codes == IkStatus.LIMITS))
        trace = self.trace
        if isinstance(trace, tuple):
            which = np.arange(len(trace)).reshape(shape)[index]
            rows = tuple(trace[i] for i in np.ravel(which).tolist())
            trace = rows[0] if np.ndim(which) == 0 else rows
        return self.replace(
            q=self.q[index],
            status=status,
            position_error=_scalar(self.position_error[index]),
            orientation_error=_scalar(self.orientation_error[index]),
            nearest=self.nearest[index] if beyond and self.nearest is not None else None,
            violation=self.violation[index] if beyond and self.violation is not None else None,
            blocked_by=None
            if self.blocked_by is None
            else _blockers(self.blocked_by[index], codes),
            solutions=None if self.solutions is None else self.solutions[index],
            trace=trace,
        )

    def replace(self, **changes: object) -> IkResult:
        """The same answer with other attributes; arrays that stay are shared."""
        new = IkResult.__new__(IkResult)
        new.__dict__.update(self.__dict__)
        new.__dict__.update(changes)
        return new

    def to_table(self) -> dict[str, Array | list[str]]:
        """The answers as columns, one row each: `pandas.DataFrame(result.to_table())`.

        Returns:
            Joint positions [rad] by name, right_s0 ... right_w2, NaN where unsolved;
            `position_error` [m], `orientation_error` [rad]; `status` by name.
        """
        rows = self.q.reshape(-1, self.q.shape[-1])
        columns: dict[str, Array | list[str]] = dict(
            zip(self.joint_names or JOINTS, rows.T.copy(), strict=True)
        )
        for name in ("position_error", "orientation_error"):
            columns[name] = np.array(getattr(self, name), dtype=np.float64).reshape(-1)
        codes = np.asarray(self.status, dtype=np.int64).reshape(-1).tolist()
        return columns | {"status": [STATUSES[code].name for code in codes]}

    def save(self, path: str | Path) -> Path:
        """Writes the table by the file's extension, `.csv` or `.parquet`; returns the path."""
        return tables.save(self.to_table(), path)

    def reshaped(self, shape: tuple[int, ...]) -> IkResult:
        """A row of answers in the shape of its batch; one answer for shape ()."""
        if shape == ():
            return self[0]
        dof = self.q.shape[-1]
        changes: dict[str, object] = {"q": self.q.reshape(*shape, dof)}
        for name in ("status", "position_error", "orientation_error"):
            changes[name] = self.__dict__[name].reshape(shape)
        if self.nearest is not None and self.violation is not None:
            changes["nearest"] = self.nearest.reshape(*shape, dof)
            changes["violation"] = self.violation.reshape(*shape, dof)
        if self.blocked_by is not None:
            changes["blocked_by"] = self.blocked_by.reshape(*shape, 2)
        if self.solutions is not None:
            changes["solutions"] = self.solutions.reshape(*shape, self.solutions.shape[-2], dof)
        return self.replace(**changes)

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("this is the result of one target; it has no length")
        return self.batch_shape[0]

    def __iter__(self) -> Iterator[IkResult]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(np.all(self.solved))

    def __repr__(self) -> str:
        if not isinstance(self.status, IkStatus):
            return self._repr_batch()
        if self.status is not IkStatus.SOLVED:
            return f"IkResult({self.status.name}, method={self.method!r}{self._blame()})"
        angles = " ".join(f"{x:.4f}" for x in np.round(self.q, 4) + 0.0)
        return (
            f"IkResult(SOLVED, q=[{angles}], position_error={self.position_error:.1e} m, "
            f"orientation_error={self.orientation_error:.1e} rad, method={self.method!r})"
        )

    def _repr_html_(self) -> str:
        """A table of the joints, or of the statuses of a batch, for notebooks."""
        if not isinstance(self.status, IkStatus):
            codes = np.asarray(self.status)
            found = [status for status in STATUSES if (codes == status).any()]
            counts = [(s.name, int((codes == s).sum()), s.advice) for s in found]
            return html_table(self._repr_batch(), ("status", "targets", ""), counts)
        title = f"IkResult: {self.status}"
        names = self.joint_names or JOINTS
        if self.status is not IkStatus.SOLVED:
            excess = [(name, float(by)) for name, by in self.violations.items()]
            if not excess:
                return html_table(title, (), (), self.method)
            return html_table(title, ("joint", "beyond its limit by [rad]"), excess, self.method)
        rows = [
            (name, float(x), float(np.degrees(x))) for name, x in zip(names, self.q, strict=True)
        ]
        note = (
            f"{self.method}; errors {self.position_error:.1e} m, {self.orientation_error:.1e} rad"
        )
        return html_table(title, ("joint", "q [rad]", "q [deg]"), rows, note)

    def _repr_batch(self) -> str:
        codes = np.asarray(self.status)
        counts = ", ".join(
            f"{status.name} {int((codes == status).sum())}"
            for status in STATUSES
            if (codes == status).any()
        )
        worst = ""
        if (codes == IkStatus.SOLVED).any():
            worst = (
                f", worst errors {np.nanmax(self.position_error):.1e} m "
                f"{np.nanmax(self.orientation_error):.1e} rad"
            )
        shape = " x ".join(map(str, self.batch_shape))
        return f"IkResult({shape} targets: {counts or 'none'}{worst}, method={self.method!r})"

    def _blame(self) -> str:
        if self.blocked_by is not None and self.blocked_by.ndim == 1:
            return f"; {self.blocked_by[0]} touches {self.blocked_by[1]}"
        if self.violation is None or self.violation.ndim != 1:
            return ""
        parts = [
            f"{name} by {abs(excess):.4f} rad {'above' if excess > 0.0 else 'below'}"
            for name, excess in self.violations.items()
        ]
        return f"; nearest solution violates {', '.join(parts)}" if parts else ""


def _blockers(names: NDArray[np.object_], codes: Any) -> NDArray[np.object_] | None:
    return names if bool(np.any(codes == IkStatus.COLLISION)) else None


def _scalar(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else value

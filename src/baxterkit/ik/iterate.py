"""The loop of all iterative solvers: many targets at once, each with its own restarts.

A solver is a step function: from joint angles and the remaining error to new joint angles. The loop
applies it to the targets that are not solved yet, checks convergence and limits, restarts if the
budget allows, and records the iterations on request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from baxterkit.checks.arrays import generator
from baxterkit.ik.result import IkResult, IkStatus, Trace
from baxterkit.ik.target import Target
from baxterkit.model.model import ArmModel
from baxterkit.types import AnyArray, Array, Index, JointVector, Transform

TOLERANCE = 1e-9
"""Distance [m] and angle [rad] below which an iteration has converged."""


@dataclass(frozen=True)
class IkProblem:
    """A row of targets for one arm, and the kinematics to solve them with.

    Attributes:
        model: The arm.
        fk: Joint positions (n, dof) -> tip poses (n, 4, 4).
        jacobian: Joint positions (n, dof) -> Jacobians (n, 6, dof), base axes.
        target: n targets.
        seed: Joint positions to start from [rad], shape (n, dof).
    """

    model: ArmModel
    fk: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]
    target: Target
    seed: JointVector

    def __len__(self) -> int:
        return len(self.seed)

    def take(self, index: Index) -> IkProblem:
        """The same for some of the targets."""
        return IkProblem(
            self.model, self.fk, self.jacobian, self.target.take(index), self.seed[index]
        )

    def task_jacobian(self, q: JointVector, T: Transform) -> Array:
        """Jacobian of the constrained directions, shape (n, rows, dof)."""
        return self.target.project(T, np.asarray(self.jacobian(q)))


@dataclass(frozen=True)
class Budget:
    """The budget of an iterative solver.

    Attributes:
        max_iterations: Steps of one try.
        restarts: Further tries, each from random joint angles within the limits.
        random_seed: Random seed; the k-th restart of every target starts from
            the same joint angles, so that answers do not depend on the batch.
        tolerance: Largest distance [m] and angle [rad] from the target.
        trace: Whether to record the iterations.
    """

    max_iterations: int = 100
    restarts: int = 0
    random_seed: int = 0
    tolerance: float = TOLERANCE
    trace: bool = False


Step = Callable[[IkProblem, JointVector, Transform, Array], JointVector]
"""(problem, q, T at q, remaining error) -> next q; one row per target."""


@dataclass
class Outcome:
    """Outcome of a search, one row per target.

    Attributes:
        q: The last joint positions [rad], shape (n, dof).
        solved: Whether they reach the target within the limits.
        beyond: Whether they reach it, but beyond a limit.
        iterations: Steps, all tries together.
        tries: Number of starts.
        trace: One per target, if requested.
    """

    q: JointVector
    solved: NDArray[np.bool_]
    beyond: NDArray[np.bool_]
    iterations: NDArray[np.int64]
    tries: NDArray[np.int64]
    trace: tuple[Trace, ...] | None = None


def search(
    problem: IkProblem,
    step: Step,
    budget: Budget,
    *,
    restart_at_limits: bool = False,
    settled: Callable[[IkProblem, JointVector], NDArray[np.bool_]] | None = None,
) -> Outcome:
    """Applies `step` to each target until it is reached or the budget is spent.

    Args:
        problem: The targets.
        step: The solver.
        budget: Iterations, restarts, tolerance.
        restart_at_limits: Whether to abandon a try as soon as it is beyond a joint limit.
        settled: A further condition for the end of a try, on converged joint positions; once the
            iterations are spent, converged positions count without it.

    Returns:
        The outcome of every target.
    """
    n, dof = problem.seed.shape
    limits = problem.model.limits
    q = problem.seed.copy()
    out = Outcome(
        q, np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, np.int64), np.ones(n, np.int64)
    )
    age = np.zeros(n, np.int64)
    starts = _random_starts(problem.model, budget)
    log = _Log() if budget.trace else None
    fresh = np.ones(n, bool)
    active = np.arange(n)
    while active.size:
        part = problem.take(active)
        T = np.asarray(part.fk(q[active]))
        distance, angle = part.target.sizes(T)
        if log is not None:
            log.add(active, q[active], distance, angle, fresh[active])
        fresh[active] = False
        arrived = (distance <= budget.tolerance) & (angle <= budget.tolerance)
        if settled is not None and arrived.any():
            last = age[active[arrived]] >= budget.max_iterations
            arrived[arrived] = settled(part.take(arrived), q[active[arrived]]) | last
        wrapped = wrap_into_limits(problem.model, q[active])
        inside = limits.contains(wrapped)
        out.solved[active] = arrived & inside
        out.beyond[active] |= arrived & ~inside
        rows = active[arrived & inside]
        q[rows] = np.clip(wrapped[arrived & inside], limits.lower, limits.upper)
        spent = (age[active] >= budget.max_iterations) | (arrived & ~inside)
        if restart_at_limits:
            spent |= ~inside
        again = active[spent & ~out.solved[active]]
        going = active[~spent & ~arrived]
        if going.size:
            keep = ~spent & ~arrived
            move = problem.take(going)
            q[going] = step(move, q[going], T[keep], move.target.error(T[keep]))
            age[going] += 1
            out.iterations[going] += 1
        left = again[out.tries[again] <= budget.restarts]
        q[left] = starts[out.tries[left] - 1]
        fresh[left] = True
        age[left] = 0
        out.tries[left] += 1
        active = np.sort(np.concatenate([going, left]))
    if log is not None:
        out.trace = log.traces(n, dof)
    return out


def wrap_into_limits(model: ArmModel, q: JointVector) -> JointVector:
    """Turns revolute joints by whole turns to where they are nearest to the middle of the range."""
    revolute = np.array([joint.kind == "revolute" for joint in model.joints])
    turns = np.round((q - model.limits.middle) / (2.0 * np.pi))
    return np.where(revolute, q - 2.0 * np.pi * turns, q)


def to_result(problem: IkProblem, outcome: Outcome, method: str) -> IkResult:
    """The row of answers of a search; a failed iteration is NOT_CONVERGED, since it is no proof."""
    q = np.where(outcome.solved[:, None], outcome.q, np.nan)
    code = np.where(outcome.solved, int(IkStatus.SOLVED), int(IkStatus.NOT_CONVERGED))
    distance, angle = errors_at(problem, outcome.q, outcome.solved)
    result = IkResult(q, code.astype(np.uint8), distance, angle, method)
    return result.replace(trace=outcome.trace)


def errors_at(problem: IkProblem, q: JointVector, where: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Distances [m] and angles [rad] from the targets at `q`; NaN where `where` is False."""
    distance, angle = np.full(len(q), np.nan), np.full(len(q), np.nan)
    if where.any():
        part = problem.take(where)
        distance[where], angle[where] = part.target.sizes(np.asarray(part.fk(q[where])))
    return distance, angle


def _random_starts(model: ArmModel, budget: Budget) -> Array:
    lower = np.where(np.isfinite(model.limits.lower), model.limits.lower, -np.pi)
    upper = np.where(np.isfinite(model.limits.upper), model.limits.upper, np.pi)
    rng = generator(budget.random_seed)
    return rng.uniform(lower, upper, (max(budget.restarts, 1), model.dof))


@dataclass
class _Log:
    parts: list[tuple[AnyArray, ...]] = field(default_factory=list)

    def add(self, rows: AnyArray, *columns: Array) -> None:
        self.parts.append((rows, *(np.array(column) for column in columns)))

    def traces(self, n: int, dof: int) -> tuple[Trace, ...]:
        if not self.parts:
            return ()
        rows = np.concatenate([part[0] for part in self.parts])
        columns = [np.concatenate([part[i] for part in self.parts]) for i in range(1, 5)]
        return tuple(Trace(*(column[rows == i] for column in columns)) for i in range(n))

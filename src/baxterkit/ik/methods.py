"""Tables of the iterative solvers by name, and of the order in which "auto" tries them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError
from baxterkit.ik import ccd, pseudoinverse
from baxterkit.ik.iterate import Budget, IkProblem, Outcome, to_result
from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkResult, IkStatus
from baxterkit.model.model import ArmModel
from baxterkit.types import JointVector


@dataclass(frozen=True)
class Iterative:
    """An iterative solver.

    Attributes:
        solve: The function.
        budget: Its default budget.
        options: Its own options, besides those of `Budget`.
        about: Description in one line.
    """

    solve: Callable[..., Outcome]
    budget: Budget
    options: tuple[str, ...]
    about: str


ITERATIVE: dict[str, Iterative] = {
    "pseudoinverse": Iterative(
        pseudoinverse.pseudoinverse,
        Budget(200),
        ("step", "shorten"),
        "Kumar's Algorithm 1; ignores the limits while it iterates",
    ),
    "pseudoinverse_restarts": Iterative(
        pseudoinverse.pseudoinverse_restarts,
        Budget(200, restarts=200),
        ("step", "shorten"),
        "Algorithm 1, restarted at random at every limit: Kumar's default",
    ),
    "lm": Iterative(
        pseudoinverse.levenberg_marquardt,
        Budget(40, restarts=100),
        ("damping",),
        "Levenberg-Marquardt (damped least squares) within the limits, with restarts",
    ),
    "ccd": Iterative(
        ccd.ccd,
        Budget(300, tolerance=1e-3),
        ("lever",),
        "cyclic coordinate descent, to a millimetre; orientation by our extension",
    ),
    "ccd_pseudoinverse": Iterative(
        ccd.ccd_pseudoinverse,
        Budget(100),
        ("sweeps", "lever"),
        "CCD for the coarse motion, Algorithm 1 for the digits",
    ),
    "nullspace": Iterative(
        pseudoinverse.nullspace,
        Budget(200, restarts=20),
        ("gradient", "gain"),
        "reaches the target, then slides along the self-motion towards mid-range",
    ),
}

EXACT = {
    "exact": "every solution of Baxter's geometry; alone can prove that there is none",
    "six_dof": "Kumar's closed form with e0 = 0 and L5 = 0, corrected: 10 mm off",
    "six_dof_exact": "the same with the wrist offset: e0 as given, exact",
}

METHODS = ("auto", *EXACT, *ITERATIVE)
"""Every value of the argument `method` of `Arm.ik`."""

AUTO = ("exact",)
"""What "auto" tries on Baxter's geometry: the exact solver, which searches all solutions."""

AUTO_ANY_GEOMETRY = ("lm", "pseudoinverse_restarts", "ccd_pseudoinverse")
"""What "auto" tries, in this order, on any other arm; positions and directions on Baxter's geometry
are for `partial`."""

_BUDGET = tuple(field.name for field in fields(Budget))


def iterate_methods(problem: IkProblem, names: tuple[str, ...], options: IkOptions) -> IkResult:
    """Solves a row of targets with one iterative method after the other.

    Args:
        problem: The targets.
        names: Methods, in order; each gets the targets that the ones before it left unsolved.
        options: Options of `Budget` and, if there is one method only, of that method.

    Returns:
        The answers, in a row, with the attempts.

    Raises:
        InputError: If an option is unknown; lists the known ones.
    """
    with unwarned():
        return _one_after_another(problem, names, options)


def _one_after_another(problem: IkProblem, names: tuple[str, ...], options: IkOptions) -> IkResult:
    left = np.arange(len(problem))
    merged, attempt = _iterate(problem, names[0], options)
    attempts = [attempt]
    for name in names[1:]:
        left = left[merged.status[left] != IkStatus.SOLVED]
        if not left.size:
            break
        result, attempt = _iterate(problem.take(left), name, options)
        attempts.append(attempt)
        merged = _put(merged, left, result)
    return merged.replace(attempts=tuple(attempts), joint_names=problem.model.joint_names)


def _put(row: IkResult, index: NDArray[np.int64], part: IkResult) -> IkResult:
    """The row of answers with some of them replaced."""
    changes: dict[str, object] = {"method": part.method}
    for name in ("q", "status", "position_error", "orientation_error"):
        column = row.__dict__[name].copy()
        column[index] = part.__dict__[name]
        changes[name] = column
    if isinstance(part.trace, tuple) and isinstance(row.trace, tuple):
        traces = list(row.trace)
        for i, trace in zip(index.tolist(), part.trace, strict=True):
            traces[i] = trace
        changes["trace"] = tuple(traces)
    return row.replace(**changes)


def _iterate(problem: IkProblem, name: str, options: IkOptions) -> tuple[IkResult, Attempt]:
    method = ITERATIVE[name]
    known = (*_BUDGET, *method.options)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InputError(
            f"method {name!r} has no option {unknown[0]!r}; it has: {', '.join(known)}"
        )
    given: dict[str, Any] = dict(options)
    budget = replace(method.budget, **{k: v for k, v in given.items() if k in _BUDGET})
    _check(budget)
    start = replace(problem, seed=clip_seed(problem.model, problem.seed))
    own = {k: v for k, v in given.items() if k in method.options}
    outcome = method.solve(start, budget, **own)
    result = to_result(problem, outcome, name)
    solved = int(outcome.solved.sum())
    beyond = int((outcome.beyond & ~outcome.solved).sum())
    reasons = []
    if solved < len(problem):
        reasons.append(
            f"{len(problem) - solved - beyond} not converged" if beyond else "budget spent"
        )
    if beyond:
        reasons.append(f"{beyond} reached the target beyond the limits")
    return result, Attempt(name, len(problem), solved, ", ".join(reasons))


def clip_seed(model: ArmModel, seed: JointVector) -> JointVector:
    """The seed clipped to the limits: iterations start inside them."""
    return np.clip(seed, model.limits.lower, model.limits.upper)


def _check(budget: Budget) -> None:
    if budget.max_iterations < 1:
        raise InputError(f"max_iterations must be at least 1, got {budget.max_iterations}")
    if budget.restarts < 0:
        raise InputError(f"restarts must not be negative, got {budget.restarts}")
    if not budget.tolerance > 0.0:
        raise InputError(f"tolerance must be positive, got {budget.tolerance}")

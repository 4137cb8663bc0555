"""`Arm.ik` behind its boundary checks: which solver serves which target, and in what order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.ik.free import solve_free
from baxterkit.ik.iterate import IkOptions, Problem, errors_at
from baxterkit.ik.methods import AUTO, AUTO_ANY_GEOMETRY, METHODS, iterate_methods
from baxterkit.ik.result import Attempt, IkResult, IkStatus
from baxterkit.ik.six_dof import OFFSET, six_dof
from baxterkit.ik.solver import Cost, ExactSolver
from baxterkit.ik.target import Pose, Target
from baxterkit.model.model import ArmModel
from baxterkit.spatial import inverse
from baxterkit.types import Array, JointVector

__all__ = ["Kinematics", "Objective", "solve"]

Objective = str | Cost
"""A name, or a function of joint positions (n, 7) that gives what shall be small (n,)."""


@dataclass(frozen=True)
class Kinematics:
    """What the solvers need of an arm.

    Attributes:
        model: The arm.
        fk: Tip pose of joint positions, batched.
        jacobian: Jacobian in base axes, batched.
        exact: The exact solver; None if the arm is not Baxter's geometry.
        objectives: Names of the objectives.
    """

    model: ArmModel
    fk: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]
    exact: ExactSolver | None
    objectives: tuple[str, ...] = ()


def solve(
    arm: Kinematics,
    target: Target,
    seed: JointVector,
    objective: Objective,
    method: str,
    options: IkOptions,
) -> IkResult:
    """Answers for a row of targets.

    Args:
        arm: The arm.
        target: n targets in a row.
        seed: Joint positions to start from or stay near [rad], shape (n, dof).
        objective: Which of the solutions to return.
        method: A name of `METHODS`.
        options: Options of the method.

    Returns:
        The answers in a row.

    Raises:
        UnknownNameError: If there is no such method or objective.
        InputError: If method, objective, target and options do not fit together.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    names = ("quick", *arm.objectives)
    if not callable(objective) and not (isinstance(objective, str) and objective in names):
        raise UnknownNameError("objective", objective, (*names, "or a function"))
    problem = Problem(arm.model, arm.fk, arm.jacobian, target, seed)
    is_pose = isinstance(target, Pose)
    if method == "auto":
        if arm.exact is None:
            _only_quick(objective, "another geometry than Baxter's")
            return iterate_methods(problem, AUTO_ANY_GEOMETRY, options)
        if not is_pose:
            _only_quick(objective, "a target that leaves the orientation free")
            return solve_free(problem, arm.exact, options)
        (method,) = AUTO
    if method in ("exact", "six_dof", "six_dof_exact"):
        if arm.exact is None:
            raise InputError(
                f"method {method!r} is for Baxter's geometry, and this arm has another one; use "
                f"{', '.join(AUTO_ANY_GEOMETRY)} or auto"
            )
        if not isinstance(target, Pose):
            raise InputError(f"method {method!r} takes poses; use auto for other targets")
        if method == "exact":
            _no_options(method, options)
            return arm.exact.many(target.T, seed, objective)
        _only_quick(objective, f"method {method!r}")
        return _locked(problem, arm.exact, target, method, options)
    _only_quick(objective, f"method {method!r}")
    return iterate_methods(problem, (method,), options)


def reshape(result: IkResult, shape: tuple[int, ...]) -> IkResult:
    """The row of answers in the shape of the batch; one answer for shape ()."""
    dof = result.q.shape[-1]
    if shape == ():
        return result[0]
    result.q = result.q.reshape(*shape, dof)
    for name in ("status", "position_error", "orientation_error"):
        setattr(result, name, getattr(result, name).reshape(shape))
    if result.nearest is not None and result.violation is not None:
        result.nearest = result.nearest.reshape(*shape, dof)
        result.violation = result.violation.reshape(*shape, dof)
    if result.solutions is not None:
        result.solutions = result.solutions.reshape(*shape, result.solutions.shape[-2], dof)
    return result


def pad(rows: list[JointVector]) -> Array:
    """Solutions of several targets, (m_i, 7) each, padded with NaN to (n, max m_i, 7)."""
    most = max((len(row) for row in rows), default=0)
    padded = np.full((len(rows), most, 7), np.nan)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded


def nearest_first(q: JointVector, seed: JointVector) -> JointVector:
    """Solutions (m, 7) in the order of their distance from the seed."""
    order = np.argsort(np.sum((q - seed) ** 2, axis=-1), kind="stable")
    result: JointVector = q[order]
    return result


def _locked(
    problem: Problem, solver: ExactSolver, target: Pose, method: str, options: IkOptions
) -> IkResult:
    """The closed form with e0 = 0 and L5 = 0, or the exact solutions with e0 as given."""
    limits = problem.model.limits
    if method == "six_dof":
        _no_options(method, options, ("tolerance",))
        tolerance = float(options.get("tolerance", 1.01 * OFFSET))
        hands = np.stack([_hand(problem.model, T) for T in target.T]) if len(target.T) else target.T
        rows = [q[~np.isnan(q[:, 0])] for q in six_dof(hands)] if len(target.T) else []
    else:
        _no_options(method, options, ("e0", "tolerance"))
        tolerance = float(options.get("tolerance", 1e-9))
        e0 = np.broadcast_to(np.asarray(options.get("e0", 0.0), dtype=np.float64), len(target.T))
        rows = solver.all(target.T, e0, False)
    q = np.full((len(rows), 7), np.nan)
    for i, row in enumerate(rows):
        fits = row[limits.contains(row)] if len(row) else row
        if len(fits):
            q[i] = nearest_first(np.clip(fits, limits.lower, limits.upper), problem.seed[i])[0]
    found = ~np.isnan(q[:, 0])
    distance, angle = errors_at(problem, q, found)
    solved = found & (distance <= tolerance) & (angle <= tolerance)
    codes = np.where(solved, int(IkStatus.SOLVED), int(IkStatus.NOT_CONVERGED)).astype(np.uint8)
    nothing = np.where(solved, 0.0, np.nan)
    result = IkResult(
        np.where(solved[:, None], q, np.nan), codes, distance + nothing, angle + nothing, method
    )
    result.joint_names = problem.model.joint_names
    none = sum(len(row) == 0 for row in rows)
    beyond = int((~found).sum()) - none
    reasons = [f"{none} without a solution at this e0"] if none else []
    reasons += [f"{beyond} beyond the limits at this e0"] if beyond else []
    result.attempts = (Attempt(method, len(rows), int(solved.sum()), ", ".join(reasons)),)
    return result


def _hand(model: ArmModel, T: Array) -> Array:
    hand: Array = inverse(model.T_base_s0) @ T @ inverse(model.T_hand_tip)
    return hand


def _only_quick(objective: Objective, what: str) -> None:
    if objective != "quick":
        raise InputError(
            f"objective {objective if isinstance(objective, str) else 'function'!r} needs the "
            f"exact solver on poses, not {what}; use objective='quick'"
        )


def _no_options(method: str, options: IkOptions, known: tuple[str, ...] = ()) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        has = f"it has: {', '.join(known)}" if known else "it has none"
        raise InputError(f"method {method!r} has no option {unknown[0]!r}; {has}")

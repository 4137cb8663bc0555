"""The methods that lock e0: Kumar's closed form, and the exact solutions at a value of e0."""

from __future__ import annotations

import numpy as np

from baxterkit.errors import InputError
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.iterate import IkProblem, errors_at
from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkResult, IkStatus
from baxterkit.ik.six_dof import OFFSET, six_dof
from baxterkit.ik.target import Pose
from baxterkit.model.model import ArmModel
from baxterkit.spatial import inverse
from baxterkit.types import Array, JointVector


def solve_locked(
    problem: IkProblem, solver: ExactSolver, target: Pose, method: str, options: IkOptions
) -> IkResult:
    """The closed form with e0 = 0 and L5 = 0, or the exact solutions with e0 as given."""
    limits = problem.model.limits
    if method == "six_dof":
        no_options(method, options, ("tolerance",))
        tolerance = float(options.get("tolerance", 1.01 * OFFSET))
        hands = np.stack([_hand(problem.model, T) for T in target.T]) if len(target.T) else target.T
        rows = [q[~np.isnan(q[:, 0])] for q in six_dof(hands)] if len(target.T) else []
    else:
        no_options(method, options, ("e0", "tolerance"))
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
    codes = np.where(solved, int(IkStatus.SOLVED), int(IkStatus.LOCKED)).astype(np.uint8)
    nothing = np.where(solved, 0.0, np.nan)
    none = sum(len(row) == 0 for row in rows)
    beyond = int((~found).sum()) - none
    reasons = [f"{none} without a solution at this e0"] if none else []
    reasons += [f"{beyond} beyond the limits at this e0"] if beyond else []
    result = IkResult(
        np.where(solved[:, None], q, np.nan), codes, distance + nothing, angle + nothing, method
    )
    return result.replace(
        joint_names=problem.model.joint_names,
        attempts=(Attempt(method, len(rows), int(solved.sum()), ", ".join(reasons)),),
    )


def _hand(model: ArmModel, T: Array) -> Array:
    hand: Array = inverse(model.T_base_s0) @ T @ inverse(model.T_hand_tip)
    return hand


def nearest_first(q: JointVector, seed: JointVector) -> JointVector:
    """Solutions (m, 7) in the order of their distance from the seed."""
    order = np.argsort(np.sum((q - seed) ** 2, axis=-1), kind="stable")
    result: JointVector = q[order]
    return result


def no_options(method: str, options: IkOptions, known: tuple[str, ...] = ()) -> None:
    """Refuses options that a method does not have."""
    unknown = [name for name in options if name not in known]
    if unknown:
        has = f"it has: {', '.join(known)}" if known else "it has none"
        raise InputError(f"method {method!r} has no option {unknown[0]!r}; {has}")

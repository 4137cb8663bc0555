"""Targets that leave the orientation open, on Baxter's geometry: a position, or a pointing axis.

First the iterative solver from the seed, which stays near it; then the exact solver on a fixed set
of orientations. A target that neither solves is OUT_OF_REACH only where it is farther from the
shoulder than the stretched arm; otherwise NOT_CONVERGED, since a finite set of orientations is no
proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik import exact
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.iterate import IkProblem, errors_at
from baxterkit.ik.methods import iterate_methods
from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkResult, IkStatus
from baxterkit.ik.target import Pointing, Pose, Position
from baxterkit.model.model import ArmModel
from baxterkit.spatial.formulas import inverse, so3_exp, transform
from baxterkit.types import Array, Transform, Vector3

DIRECTIONS, ROLLS, FINE_ROLLS = 96, 16, 256
"""Number of orientations tried: DIRECTIONS x ROLLS for a position, FINE_ROLLS for a direction."""


def solve_partial(problem: IkProblem, solver: ExactSolver, options: IkOptions) -> IkResult:
    """A row of answers for `Position` or `Pointing` targets."""
    assert not isinstance(problem.target, Pose)
    far = _too_far(problem.model, problem.target.p)
    restarts = 0 if far.all() else 20
    result = iterate_methods(problem, ("lm",), IkOptions(restarts=restarts) | options)
    left = np.flatnonzero(result.status != IkStatus.SOLVED)
    if not left.size:
        return result
    q, status, solved = result.q.copy(), result.status.copy(), 0
    for i in left.tolist():
        target = problem.target.take([i])
        if far[i]:
            status[i] = IkStatus.OUT_OF_REACH
            continue
        Ts = orientations(target)
        seeds = np.broadcast_to(problem.seed[i], (len(Ts), 7))
        found = solver.many(Ts, seeds, "quick")
        reached = found.q[np.asarray(found.status == IkStatus.SOLVED)]
        if len(reached):
            distance = np.sum((reached - problem.seed[i]) ** 2, axis=-1)
            q[i] = reached[np.argmin(distance)]
            status[i] = IkStatus.SOLVED
            solved += 1
    distance, angle = errors_at(problem, q, np.asarray(status == IkStatus.SOLVED))
    reason = "" if solved == left.size else "no orientation of the fixed set"
    return result.replace(
        q=q,
        status=status,
        position_error=distance,
        orientation_error=angle,
        attempts=(*result.attempts, Attempt("exact", int(left.size), solved, reason)),
        method="exact" if solved else result.method,
    )


def _too_far(model: ArmModel, p: Vector3) -> NDArray[np.bool_]:
    """Whether tip positions in base (n, 3) are farther from the shoulder than the stretched arm."""
    T = inverse(model.T_base_s0)
    x, y, z = (p @ T[:3, :3].T + T[:3, 3]).T
    beyond_wrist = np.linalg.norm(np.array([0.0, 0.0, exact.D7]) + model.T_hand_tip[:3, 3])
    longest = np.hypot(exact.A3, exact.D3) + np.hypot(exact.A5, exact.D5) + beyond_wrist
    result: NDArray[np.bool_] = np.hypot(np.hypot(x, y) - exact.A1, z - exact.D1) > longest + 1e-12
    return result


def orientations(target: Position | Pointing) -> Transform:
    """Poses that meet the target, shape (k, 4, 4)."""
    if isinstance(target, Pointing):
        rolls = np.arange(FINE_ROLLS) * (2.0 * np.pi / FINE_ROLLS)
        start = _turn(target.axis, target.direction[0])
        R = so3_exp(rolls[:, None] * target.direction[0]) @ start
        return transform(R, target.p[0])
    # Directions spread over the sphere by the golden angle.
    k = np.arange(DIRECTIONS)
    z = 1.0 - (2.0 * k + 1.0) / DIRECTIONS
    around = k * (np.pi * (3.0 - np.sqrt(5.0)))
    r = np.sqrt(1.0 - z * z)
    directions = np.stack([r * np.cos(around), r * np.sin(around), z], axis=-1)
    rolls = np.arange(ROLLS) * (2.0 * np.pi / ROLLS)
    starts = np.stack([_turn(np.array([0.0, 0.0, 1.0]), d) for d in directions])
    turns = so3_exp(rolls[:, None] * np.array([0.0, 0.0, 1.0]))
    R = (starts[:, None] @ turns[None]).reshape(-1, 3, 3)
    return transform(R, target.p[0])


def _turn(a: Array, b: Array) -> Array:
    """A rotation that takes the unit vector a to the unit vector b, shape (3, 3)."""
    target = Pointing(np.zeros(3), b, a)
    return so3_exp(target.error(np.eye(4))[..., 3:])

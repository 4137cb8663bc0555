"""Cyclic coordinate descent (Kumar et al., Fig. 7), and its extension to orientation.

One joint at a time, from the wrist to the shoulder, is turned to the angle that brings the tip
nearest to the target. With the joint's axis z, and r and t from the joint to the tip and to the
target, the squared distance changes with the angle as -2 (A cos + B sin), where
A = r·t - (z·r)(z·t) and B = z·(r x t): the best angle is atan2(B, A), or the better of the two
limits if it lies outside. The paper's method handles positions only. Orientation adds one point on
each axis of the tip, at the distance `lever`, so that one formula serves both.
"""

from __future__ import annotations

import numpy as np

from baxterkit.ik.iterate import Budget, IkProblem, Outcome, search
from baxterkit.ik.pseudoinverse import STEP, pseudoinverse
from baxterkit.ik.result import Trace
from baxterkit.ik.target import Pointing, Pose
from baxterkit.kinematics import link_poses
from baxterkit.spatial.formulas import so3_exp
from baxterkit.types import Array, JointVector, Transform

LEVER = 0.25
"""Weight of orientation [m]: an error of 1 rad counts like one of about 0.35 m (LEVER √2)."""


def ccd(problem: IkProblem, budget: Budget, lever: float = LEVER) -> Outcome:
    """Cyclic coordinate descent within the limits.

    Needs no matrices and has no singularities, but converges slowly: expect a few digits. An
    iteration is one sweep over all joints.

    Args:
        problem: The targets; for a `Position` it is the paper's method.
        budget: Sweeps, restarts, tolerance.
        lever: Weight of the orientation [m].
    """

    def sweep(part: IkProblem, q: JointVector, T: Transform, error: Array) -> JointVector:
        return _sweep(part, q, lever)

    return search(problem, sweep, budget)


def ccd_pseudoinverse(
    problem: IkProblem, budget: Budget, sweeps: int = 30, lever: float = LEVER
) -> Outcome:
    """A few sweeps of CCD for the coarse motion, then Algorithm 1 for the last digits.

    Args:
        problem: The targets.
        budget: Iterations of the second part, tolerance; restarts repeat both parts.
        sweeps: Sweeps of CCD.
        lever: Weight of the orientation [m].
    """
    tolerance = max(budget.tolerance, 1e-3)
    coarse = Budget(sweeps, budget.restarts, budget.random_seed, tolerance, budget.trace)
    first = ccd(problem, coarse, lever)
    # Starts from the last joint positions of CCD, whether or not they reach the target.
    second = IkProblem(problem.model, problem.fk, problem.jacobian, problem.target, first.q)
    out = pseudoinverse(second, budget, STEP)
    out.iterations += first.iterations
    out.tries = first.tries
    if first.trace is not None and out.trace is not None:
        out.trace = tuple(_joined(a, b) for a, b in zip(first.trace, out.trace, strict=True))
    return out


def _joined(a: Trace, b: Trace) -> Trace:
    """Trace a followed by trace b, which starts where a ends."""
    restart = np.concatenate([a.restart, np.zeros(len(b) - 1, bool)])
    columns = (
        np.concatenate([x[: len(a)], y[1:]])
        for x, y in (
            (a.q, b.q),
            (a.position_error, b.position_error),
            (a.orientation_error, b.orientation_error),
        )
    )
    q, distance, angle = columns
    return Trace(q, distance, angle, restart)


def _sweep(part: IkProblem, q: JointVector, lever: float) -> JointVector:
    model, limits = part.model, part.model.limits
    q = q.copy()
    poses = link_poses(model, q)
    points, goals = _points(part, poses[..., -1, :, :], lever)
    for i in reversed(range(model.dof)):
        joint = model.joints[i]
        axis = poses[..., i, :3, :3] @ joint.axis
        if joint.kind == "prismatic":
            slide = np.mean(goals - points, axis=-2)
            move = np.sum(axis * slide, axis=-1)
            new = np.clip(q[:, i] + move, limits.lower[i], limits.upper[i])
            points = points + ((new - q[:, i])[:, None] * axis)[:, None, :]
            q[:, i] = new
            continue
        origin = poses[..., i, None, :3, 3]
        r, t, z = points - origin, goals - origin, axis[:, None, :]
        A = np.sum(r * t, axis=(-1, -2)) - np.sum(
            np.sum(r * z, axis=-1) * np.sum(t * z, axis=-1), axis=-1
        )
        B = np.sum(z * np.cross(r, t), axis=(-1, -2))
        turn = _best_turn(q[:, i], A, B, limits.lower[i], limits.upper[i])
        q[:, i] += turn
        R = so3_exp(axis * turn[:, None])
        points = origin + r @ np.swapaxes(R, -1, -2)
    return q


def _best_turn(q: Array, A: Array, B: Array, lower: float, upper: float) -> Array:
    """The turn that makes A cos + B sin largest with q + turn inside the limits."""
    best = np.arctan2(B, A)
    candidates = np.stack(
        [*(np.clip(q + best + k * 2.0 * np.pi, lower, upper) - q for k in (-1, 0, 1))]
    )
    ends = [np.full_like(q, end) - q for end in (lower, upper) if np.isfinite(end)]
    candidates = np.concatenate([candidates, np.stack(ends)]) if ends else candidates
    value = A * np.cos(candidates) + B * np.sin(candidates)
    chosen = np.argmax(value - 1e-12 * np.abs(candidates), axis=0)
    turn: Array = np.take_along_axis(candidates, chosen[None], axis=0)[0]
    return turn


def _points(part: IkProblem, T: Transform, lever: float) -> tuple[Array, Array]:
    """Points fixed to the tip and their target positions [m], shape (n, k, 3) each, in base."""
    target = part.target
    p = T[..., :3, 3]
    if isinstance(target, Pose):
        goal, axes, aims = target.T[..., :3, 3], T[..., :3, :3], target.T[..., :3, :3]
        now = np.concatenate([p[..., None], p[..., None] + lever * axes], axis=-1)
        then = np.concatenate([goal[..., None], goal[..., None] + lever * aims], axis=-1)
        return np.swapaxes(now, -1, -2), np.swapaxes(then, -1, -2)
    if isinstance(target, Pointing):
        ahead = p + lever * (T[..., :3, :3] @ target.axis)
        aim = target.p + lever * target.direction
        return np.stack([p, ahead], axis=-2), np.stack([target.p, aim], axis=-2)
    return p[..., None, :], target.p[..., None, :]

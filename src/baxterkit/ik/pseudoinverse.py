"""Jacobian methods: Kumar's Algorithm 1, random restarts, Levenberg-Marquardt, null space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik.iterate import Budget, IkProblem, Outcome, Step, search
from baxterkit.kinematics import pseudoinverse as pinv
from baxterkit.types import Array, JointVector, Transform

STEP = 0.1
"""Length of a step of Algorithm 1 (metres and radians together)."""

Gradient = Callable[[JointVector], JointVector]
"""Joint positions (n, dof) -> gradient of the cost (n, dof)."""


def pseudoinverse(
    problem: IkProblem, budget: Budget, step: float = STEP, shorten: bool = True
) -> Outcome:
    """Kumar et al., Algorithm 1: q += J⁺ Δx / |Δx| step.

    As printed (`shorten=False`) the step keeps its length: once the target is nearer than that, the
    iteration jumps back and forth across it and never meets a small tolerance. With
    `shorten=True` the last steps are Δx itself, and it converges like Newton's method. Limits are
    ignored during the iteration; a solution beyond them does not count.

    Args:
        problem: The targets.
        budget: Iterations and tolerance.
        step: Length of a step, metres and radians together.
        shorten: Whether to shorten the step near the target.
    """
    return search(problem, _algorithm_1(step, shorten), budget)


def pseudoinverse_restarts(
    problem: IkProblem, budget: Budget, step: float = STEP, shorten: bool = True
) -> Outcome:
    """Algorithm 1, restarted at random whenever it is beyond a limit; see `pseudoinverse`."""
    return search(problem, _algorithm_1(step, shorten), budget, restart_at_limits=True)


def levenberg_marquardt(problem: IkProblem, budget: Budget, damping: float = 0.1) -> Outcome:
    """Damped least squares within the limits: (JᵀJ + μ 1) Δq = Jᵀ e.

    The damping μ = damping · |e|²/2 vanishes at the target (Chan and Lawrence): far from it the
    step is robust to singularities, and near it convergence is that of Newton's method. Joints that
    press against a limit are left out of the step.
    """
    return search(problem, _levenberg(damping), budget)


def nullspace(
    problem: IkProblem, budget: Budget, gradient: Gradient | None = None, gain: float = 1.5
) -> Outcome:
    """Reaches the target, then descends a cost along the self-motion.

    Δq = J⁺ e - gain (1 - J⁺ J) ∇h. By default h is half the sum of the squared distances of the
    joints from the middle of their ranges, each over half its range. It ends where the part of the
    gradient along the self-motion vanishes: a local optimum.

    Args:
        problem: The targets.
        budget: Iterations, restarts, tolerance.
        gradient: ∇h; None for the distance from the middle.
        gain: Factor from the projected gradient to the null-space step.
    """
    slope = middle_gradient(problem) if gradient is None else gradient

    def along(part: IkProblem, q: JointVector, T: Transform) -> tuple[Array, Array]:
        J = part.task_jacobian(q, T)
        inverse = pinv(J)
        downhill = -slope(q)
        return inverse, downhill - (inverse @ (J @ downhill[..., None]))[..., 0]

    def step(part: IkProblem, q: JointVector, T: Transform, error: Array) -> JointVector:
        inverse, slide = along(part, q, T)
        return q + _limited((inverse @ error[..., None])[..., 0], 0.3) + _limited(gain * slide, 0.1)

    def settled(part: IkProblem, q: JointVector) -> NDArray[np.bool_]:
        _, slide = along(part, q, np.asarray(part.fk(q)))
        return np.asarray(np.linalg.norm(slide, axis=-1) < 1e-4)

    return search(problem, step, budget, settled=settled)


def middle_gradient(problem: IkProblem) -> Gradient:
    """Gradient of half the squared distances from the middle, each joint over half its range."""
    limits = problem.model.limits
    bounded = np.isfinite(limits.upper - limits.lower)
    half = np.where(bounded, 0.5 * (limits.upper - limits.lower), np.pi)
    weight = bounded / half**2
    return lambda q: weight * (q - limits.middle)


def _algorithm_1(step: float, shorten: bool) -> Step:
    def move(part: IkProblem, q: JointVector, T: Transform, error: Array) -> JointVector:
        size = np.linalg.norm(error, axis=-1, keepdims=True)
        length = np.minimum(step, size) if shorten else np.full_like(size, step)
        velocity = error / np.maximum(size, 1e-300) * length
        new: JointVector = q + (pinv(part.task_jacobian(q, T)) @ velocity[..., None])[..., 0]
        return new

    return move


def _levenberg(damping: float) -> Step:
    def move(part: IkProblem, q: JointVector, T: Transform, error: Array) -> JointVector:
        limits = part.model.limits
        J = part.task_jacobian(q, T)
        mu = damping * 0.5 * np.sum(error**2, axis=-1) + 1e-12
        turn = _damped(J, mu, error)
        pressed = ((q <= limits.lower) & (turn < 0.0)) | ((q >= limits.upper) & (turn > 0.0))
        if pressed.any():
            turn = _damped(np.where(pressed[..., None, :], 0.0, J), mu, error)
        return np.clip(q + _limited(turn, 1.0), limits.lower, limits.upper)

    return move


def _damped(J: Array, mu: Array, error: Array) -> Array:
    Jt = np.swapaxes(J, -1, -2)
    matrix = Jt @ J + mu[..., None, None] * np.eye(J.shape[-1])
    return np.asarray(np.linalg.solve(matrix, Jt @ error[..., None]))[..., 0]


def _limited(turn: Array, most: float) -> Array:
    """The step, shortened so that no joint turns by more than `most` [rad]."""
    largest = np.max(np.abs(turn), axis=-1, keepdims=True)
    result: Array = turn * np.minimum(1.0, most / np.maximum(largest, 1e-300))
    return result

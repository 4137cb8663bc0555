"""The shape of each joint's friction: searched, since torques are not linear in it."""

from __future__ import annotations

import numpy as np

from baxterkit.identify.columns import dry_columns, joint_columns, memory_columns
from baxterkit.identify.preparation import FitRows
from baxterkit.identify.regression import Solution
from baxterkit.types import Array, JointVector

SPEEDS = (0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12)
"""Candidates of `JointEffects.speed` [rad/s]."""
DISTANCES = (0.005, 0.01, 0.015, 0.02, 0.03, 0.045, 0.07, 0.1)
"""Candidates of `Hysteresis.distance` [rad]."""


def best_shapes(
    motion: FitRows,
    torque: JointVector,
    weights: Array,
    with_memory: bool,
    strength: float,
    held: tuple[JointVector, JointVector],
) -> tuple[tuple[JointVector, JointVector], Array]:
    """Speed and travel of each joint with the least residual of a torque.

    Args:
        motion: The rows.
        torque: Torques of the joint effects [N m], shape (n, 7).
        weights: Weights of the rows, shape (n, 7).
        with_memory: Whether friction may have a memory.
        strength: Rows that count as one independent measurement.
        held: Torque and slope of friction with memory as known so far; see `memory_columns`.

    Returns:
        Speeds [rad/s] and travels [rad], shape (7,) each; and standard deviations of the joints'
        parameters over all shapes, each as likely as its residuals, shape (7, k): a shape that fits
        as well would give other parameters.
    """
    best = np.full(7, np.inf)
    speeds, distances = np.full(7, SPEEDS[4]), np.full(7, DISTANCES[3])
    tried: list[list[tuple[float, Array]]] = [[] for _ in range(7)]
    dry = {speed: dry_columns(motion, speed) for speed in SPEEDS}
    for distance in DISTANCES if with_memory else DISTANCES[:1]:
        memory = (
            memory_columns(motion, distance, held) if with_memory else np.zeros((len(motion), 14))
        )
        for speed in SPEEDS:
            columns = joint_columns(motion, dry[speed], memory)
            for j in range(7):
                left, theta = _left(columns[:, j], torque[:, j], weights[:, j])
                tried[j].append((left, theta))
                if left < best[j] * (1.0 - 1e-9):
                    best[j], speeds[j], distances[j] = left, speed, distance
    counts = np.maximum(weights.sum(axis=0), 1.0)
    spread = np.stack([_spread(tried[j], float(counts[j]), strength) for j in range(7)])
    return (speeds, distances), spread


def _spread(tried: list[tuple[float, Array]], count: float, strength: float) -> Array:
    """Standard deviations of parameters over shapes, by the likelihood of their residuals."""
    left = np.array([one for one, _ in tried])
    theta = np.stack([one for _, one in tried])
    noise = max(float(left.min()) / count, 1e-12)
    likely = np.exp(-0.5 * (left - left.min()) / (noise * strength))
    likely /= likely.sum()
    middle = likely @ theta
    spread: Array = np.sqrt(likely @ (theta - middle) ** 2)
    return spread


def memoryless(
    motion: FitRows,
    torque: JointVector,
    solution: Solution,
    shapes: tuple[JointVector, JointVector],
) -> tuple[JointVector, JointVector]:
    """Dry and viscous friction that fit best without a memory, all else unchanged.

    Args:
        motion: The rows.
        torque: The torque of friction alone [N m], shape (n, 7).
        solution: The fit, for its weights.
        shapes: Speeds [rad/s] and travels [rad].

    Returns:
        Dry friction [N m] and viscous friction [N m s/rad], shape (7,) each, not negative.
    """
    dry = motion.qd / np.hypot(motion.qd, shapes[0])  # unfiltered, as inverse dynamics has it
    coulomb, viscous = np.zeros(7), np.zeros(7)
    for j in range(7):
        X = np.stack([dry[:, j], motion.qd[:, j]], axis=1)
        w, y = solution.weights[:, j], torque[:, j]
        A, b = (X.T * w) @ X + 1e-9 * np.eye(2), (X.T * w) @ y
        pair = np.linalg.solve(A, b)
        if pair[1] < 0.0:
            pair = np.array([b[0] / A[0, 0], 0.0])
        elif pair[0] < 0.0:
            pair = np.array([0.0, b[1] / A[1, 1]])
        coulomb[j], viscous[j] = np.maximum(pair, 0.0)
    return coulomb, viscous


def _left(X: Array, y: Array, w: Array) -> tuple[float, Array]:
    """Weighted sum of squared residuals of a least squares fit of y, and its parameters."""
    A = (X.T * w) @ X
    A += 1e-6 * np.trace(A) * np.eye(len(A))
    b = (X.T * w) @ y
    theta = np.asarray(np.linalg.solve(A, b), dtype=np.float64)
    return float(w @ y**2 - 2.0 * theta @ b + theta @ A @ theta), theta

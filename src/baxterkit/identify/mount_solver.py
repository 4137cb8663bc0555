"""Gauss-Newton steps with robust weights for the mount, from a start in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.identify.mount_model import MountModel, Observations
from baxterkit.types import Array

FIRST_STEPS = 15
"""Number of steps that minimise the sum of the errors' sizes."""

SHARPEST = 1e4
"""Largest ratio of the typical sizes of two kinds of errors [m/rad]."""


@dataclass(frozen=True)
class MountSolution:
    """A fit.

    Attributes:
        model: Mount and tool.
        weights: Weight of each row, 0 to 1, shape (n,).
        normal: Normal matrix of the last step, shape (k, k).
        variance: Mean square of the residuals, in units of their typical size.
        rms: Root mean square of the position errors [m].
    """

    model: MountModel
    weights: Array
    normal: Array
    variance: float
    rms: float


def solve(model: MountModel, seen: Observations, free_tool: bool) -> MountSolution:
    """Gauss-Newton from a start, with robust weights.

    The first steps minimise the sum of the errors' sizes, not of their squares: wrong rows affect
    it little, even if they are many. After that, rows far beyond the typical size hardly count.
    """
    residual, matrix = _system(model, seen, free_tool)
    weights = _first_weights(residual)
    for i in range(FIRST_STEPS + 40):
        weighted = matrix * weights[:, None, None]
        normal = np.tensordot(weighted, matrix, ((0, 1), (0, 1)))
        gradient = np.tensordot(weighted, residual, ((0, 1), (0, 1)))
        step = np.asarray(-np.linalg.lstsq(normal, gradient, rcond=1e-14)[0], dtype=np.float64)
        model = model.moved(step)
        residual, matrix = _system(model, seen, free_tool)
        weights = _first_weights(residual) if i < FIRST_STEPS else _weights(residual)
        if i > FIRST_STEPS and np.abs(step).max() < 1e-15:
            break
    normal = np.tensordot(matrix * weights[:, None, None], matrix, ((0, 1), (0, 1)))
    freedom = max(1.0, float(weights.sum()) * residual.shape[1] - matrix.shape[2])
    variance = float((weights * (residual**2).sum(axis=1)).sum()) / freedom
    position = model.errors(seen)["position"]
    rms = float(np.sqrt((weights * (position**2).sum(axis=1)).sum() / weights.sum()))
    return MountSolution(model, weights, normal, variance, rms)


def _system(model: MountModel, seen: Observations, free_tool: bool) -> tuple[Array, Array]:
    """Residuals (n, m) and their derivatives (n, m, k), in units of their typical size.

    The typical size of each kind of error makes lengths and angles comparable. Where one kind is
    exact and another is not, the exact one counts `SHARPEST` times as much and no more: else the
    unknowns that only the other one tells would be lost in rounding.
    """
    errors, slopes = model.errors(seen), model.sensitivity(seen, free_tool)
    typical = {
        name: float(np.median(np.linalg.norm(error, axis=1))) for name, error in errors.items()
    }
    least = max(max(typical.values()) / SHARPEST, 1e-15)
    scale = {name: max(size, least) for name, size in typical.items()}
    return (
        np.concatenate([errors[name] / size for name, size in scale.items()], axis=1),
        np.concatenate([slopes[name] / size for name, size in scale.items()], axis=1),
    )


def _first_weights(residual: Array) -> Array:
    """Weights that turn squares into sizes: the inverse of each row's size, at most 1."""
    size = np.linalg.norm(residual, axis=1)
    least = max(0.3 * float(np.median(size)), 1e-300)
    return np.asarray(least / np.maximum(size, least))


def _weights(residual: Array) -> Array:
    """1 up to four typical sizes; beyond, weights decrease with the error."""
    size = np.linalg.norm(residual, axis=1)
    bound = 4.0 * max(float(np.median(size)), 1e-300)
    return np.asarray(np.minimum(1.0, bound / np.maximum(size, 1e-300)) ** 3)


def covariance(solution: MountSolution, repeats: float) -> tuple[Array, float]:
    """Covariance of the unknowns, and the condition number of the fit.

    Args:
        solution: The fit.
        repeats: Rows per configuration; those of one configuration are not independent, so
            configurations are counted.

    Returns:
        Covariance, shape (k, k), and the ratio of the largest to the least singular value.
    """
    values, vectors = np.linalg.eigh(solution.normal)
    condition = float(np.sqrt(values[-1] / values[0])) if values[0] > 0.0 else float("inf")
    # A variance is never negative, so what rounding makes so is as large as a number can tell.
    inverse = (vectors / np.maximum(values, 1e-14 * values[-1])) @ vectors.T
    return np.asarray(max(solution.variance, 1e-30) * repeats * inverse), condition

"""Robust least squares with a prior: all joints at once, coupled by shared parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.types import Array

TUKEY = 6.0
"""A residual of this many standard deviations has no weight (contact, a lost sample)."""
NEIGHBOURS = 3
"""Rows before and after a row that are judged together: contact lasts."""
STRETCHES = (1, 5, 20)
"""Lengths of the stretches of time between which residuals scatter, in blocks of a second."""
PULL = 2.0
"""Parameters of the joints lie this many of the prior's standard deviations from its mean: a real
arm is not drawn from the prior. Chosen with real residuals on torques of a known arm."""
ROUNDS = 8
"""Largest number of rounds of weighting."""


@dataclass(frozen=True)
class Solution:
    """Result of a fit.

    Attributes:
        shared: Shared parameters, as deviations from the prior's mean, shape (m,).
        joints: Parameters of each joint, shape (7, k).
        covariance: Of all of them, shared first, shape (m + 7 k, m + 7 k).
        information: Information matrix of the data alone, the same shape.
        sigma: Noise of each joint [N m], shape (7,).
        weights: Weights of the rows, from 0 to 1, shape (n, 7).
    """

    shared: Array
    joints: Array
    covariance: Array
    information: Array
    sigma: Array
    weights: Array


class Linear:
    """tau = shared columns @ shared + joint columns @ joints, with Gaussian priors.

    Args:
        shared: Shape (n, 7, m).
        joints: Shape (n, 7, k).
        tau: Torques to fit [N m], shape (n, 7).
        prior: Information (inverse covariance) of all parameters, shape (m + 7 k, m + 7 k).
        strength: Rows that count as one independent measurement, for each joint, shape (7,).
        block: Rows with the same number are dependent, shape (n,); for the covariance.
        positive: Columns of the joints whose parameters are not negative.
    """

    def __init__(
        self,
        shared: Array,
        joints: Array,
        tau: Array,
        prior: Array,
        strength: Array,
        block: NDArray[np.intp],
        positive: tuple[int, ...] = (),
    ) -> None:
        self.m, self.k = shared.shape[-1], joints.shape[-1]
        self.X = np.concatenate([shared, joints], axis=-1)
        self.tau, self.prior, self.strength, self.block = tau, prior, strength, block
        joint = np.arange(7)[:, None] * self.k + np.array(positive, dtype=np.intp)
        self.positive = self.m + joint.ravel()

    def solve(self, runs: tuple[slice, ...], robust: bool = True) -> Solution:
        """Fits with robust weights, until the weights have converged."""
        weights = np.ones_like(self.tau)
        sigma = 0.05 * (np.std(self.tau, axis=0) + 1e-9)
        for _ in range(ROUNDS if robust else 2):
            theta, information = self._step(weights, sigma)
            rest = self.residuals(theta)
            sigma = _scale(rest)
            if robust:
                weights = _weights(rest / sigma, runs)
        theta, information = self._step(weights, sigma)
        rest = self.residuals(theta)
        return Solution(
            shared=theta[: self.m],
            joints=theta[self.m :].reshape(7, self.k),
            covariance=self._covariance(theta, information, weights, sigma, rest),
            information=information,
            sigma=np.sqrt(np.sum(weights * rest**2, 0) / np.maximum(1.0, weights.sum(0))),
            weights=weights,
        )

    def residuals(self, theta: Array) -> Array:
        """Residuals of the parameters [N m], shape (n, 7)."""
        return self.tau - np.stack(
            [self.X[:, j] @ theta[self._places(j)] for j in range(7)], axis=1
        )

    def _places(self, j: int) -> NDArray[np.intp]:
        own = self.m + j * self.k + np.arange(self.k)
        return np.concatenate([np.arange(self.m), own])

    def _step(self, weights: Array, sigma: Array) -> tuple[Array, Array]:
        size = self.m + 7 * self.k
        information, right = np.zeros((size, size)), np.zeros(size)
        for j in range(7):
            X, w = self.X[:, j], weights[:, j] / (sigma[j] ** 2 * self.strength[j])
            places = self._places(j)
            weighted = X * w[:, None]
            information[np.ix_(places, places)] += X.T @ weighted
            right[places] += weighted.T @ self.tau[:, j]
        return self._bounded(information + self.prior, right), information

    def _bounded(self, matrix: Array, right: Array) -> Array:
        """Least squares whose positive parameters stay at zero where they would be negative."""
        free = np.ones(right.size, dtype=bool)
        while True:
            theta = np.zeros(right.size)
            theta[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
            wrong = self.positive[theta[self.positive] < 0.0]
            if not wrong.size:
                return theta
            free[wrong] = False

    def _covariance(
        self, theta: Array, information: Array, weights: Array, sigma: Array, rest: Array
    ) -> Array:
        """The largest of several estimates, and what the prior pulls.

        From the noise, which counts `strength` rows as one; and from the scatter of the residuals'
        pull between stretches of time (sandwich estimate), short and long ones, which sees errors
        of the model that last. Where the data is weak the prior pulls parameters to its mean; that
        bias, at the parameters found, is added.
        """
        inverse = np.asarray(np.linalg.inv(information + self.prior), dtype=np.float64)
        pulled = self.prior.copy()
        pulled[self.m :, self.m :] *= PULL**2
        covariance: Array = inverse @ (information + pulled) @ inverse
        for length in STRETCHES:
            pull = self._pull(theta, weights, sigma, rest, length)
            scattered = inverse @ (pull.T @ pull + pulled) @ inverse
            covariance = _wider(scattered, np.diag(covariance))
        bias = inverse @ (self.prior @ theta)
        return _wider(covariance, np.diag(covariance) + bias**2)

    def _pull(self, theta: Array, weights: Array, sigma: Array, rest: Array, length: int) -> Array:
        """Sums of columns times residuals over stretches of `length` blocks, one row for each."""
        block = self.block // length
        count = int(block[-1]) + 1 if len(block) else 0
        pull = np.zeros((count, theta.size))
        for j in range(7):
            w = weights[:, j] * rest[:, j] / (sigma[j] ** 2 * self.strength[j])
            places = self._places(j)
            part = np.zeros((count, places.size))
            np.add.at(part, block, self.X[:, j] * w[:, None])
            pull[:, places] += part
        return pull


def _wider(covariance: Array, variance: Array) -> Array:
    """The covariance with variances that are at least these; correlations stay."""
    growth = np.sqrt(np.maximum(1.0, variance / np.diag(covariance)))
    wider: Array = covariance * np.outer(growth, growth)
    return wider


def _scale(rest: Array) -> Array:
    """Robust standard deviation of each column, at least 0.001 N m."""
    middle = np.median(rest, axis=0)
    spread: Array = 1.4826 * np.median(np.abs(rest - middle), axis=0)
    return np.maximum(spread, 1e-3)


def _weights(scaled: Array, runs: tuple[slice, ...]) -> Array:
    """Tukey's weights of residuals in standard deviations, taken over each row's neighbourhood."""
    square = scaled**2
    around = np.zeros_like(square)
    for run in runs:
        part = square[run]
        total = np.cumsum(np.vstack([np.zeros((1, part.shape[1])), part]), axis=0)
        rows = np.arange(len(part))
        low, high = np.maximum(rows - NEIGHBOURS, 0), np.minimum(rows + NEIGHBOURS + 1, len(part))
        around[run] = (total[high] - total[low]) / (high - low)[:, None]
    worst = np.maximum(square, 2.0 * around)
    weights: Array = np.maximum(0.0, 1.0 - worst / TUKEY**2) ** 2
    return weights

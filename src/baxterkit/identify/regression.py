"""Robust least squares with a prior: all joints at once, coupled by shared parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.types import Array

TUKEY = 6.0
"""A residual of this many standard deviations has no weight (contact, a lost sample)."""
NEIGHBOURS = 3
"""Rows before and after a row that are judged together: contact lasts."""
SHIFTS = 40
"""Number of times that residuals are shifted in time to see what they do to the parameters."""
PARTS = 4
"""Least number of parts of the data, each predicted by the others."""
PULL = 1.3
"""Parameters of the joints lie this many of the prior's standard deviations from its mean: those of
a real arm do, springs 1.1 and cross-talk 1.8."""
ROUNDS = 8
"""Largest number of rounds of weighting."""


@dataclass(frozen=True)
class Solution:
    """Result of a fit.

    Attributes:
        shared: Shared parameters, as deviations from the prior's mean, shape (m,).
        joints: Parameters of each joint, shape (7, k).
        information: Information matrix of the data, shared parameters first, (m + 7 k, m + 7 k).
        sigma: Noise of each joint [N m], shape (7,).
        scale: The same as the weights of the fit had it: a robust estimate.
        weights: Weights of the rows, from 0 to 1, shape (n, 7).
    """

    shared: Array
    joints: Array
    information: Array
    sigma: Array
    scale: Array
    weights: Array

    @property
    def theta(self) -> Array:
        """All parameters, shape (m + 7 k,)."""
        return np.concatenate([self.shared, self.joints.ravel()])


class Linear:
    """tau = shared columns @ shared + joint columns @ joints, with Gaussian priors.

    Args:
        shared: Shape (n, 7, m).
        joints: Shape (n, 7, k).
        tau: Torques to fit [N m], shape (n, 7).
        prior: Information (inverse covariance) of all parameters, shape (m + 7 k, m + 7 k).
        strength: Rows that count as one independent measurement, for each joint, shape (7,).
        positive: Columns of the joints whose parameters are not negative.
    """

    def __init__(
        self,
        shared: Array,
        joints: Array,
        tau: Array,
        prior: Array,
        strength: Array,
        positive: tuple[int, ...] = (),
    ) -> None:
        self.m, self.k = shared.shape[-1], joints.shape[-1]
        self.X = np.concatenate([shared, joints], axis=-1)
        self.tau, self.prior, self.strength = tau, prior, strength
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
            information=information,
            sigma=np.sqrt(np.sum(weights * rest**2, 0) / np.maximum(1.0, weights.sum(0))),
            scale=sigma,
            weights=weights,
        )

    def residuals(self, theta: Array, rows: slice = slice(None)) -> Array:
        """Residuals of the parameters at some rows [N m], shape (n, 7)."""
        return self.tau[rows] - np.stack(
            [self.X[rows, j] @ theta[self._places(j)] for j in range(7)], axis=1
        )

    def _places(self, j: int) -> NDArray[np.intp]:
        own = self.m + j * self.k + np.arange(self.k)
        return np.concatenate([np.arange(self.m), own])

    def _step(self, weights: Array, sigma: Array) -> tuple[Array, Array]:
        information, right = self._sums(weights, sigma, slice(None))
        return self._bounded(information + self.prior, right), information

    def _sums(self, weights: Array, sigma: Array, rows: slice) -> tuple[Array, Array]:
        """Information of some rows, and the right-hand side that goes with it."""
        size = self.m + 7 * self.k
        information, right = np.zeros((size, size)), np.zeros(size)
        for j in range(7):
            X, w = self.X[rows, j], weights[rows, j] / (sigma[j] ** 2 * self.strength[j])
            places = self._places(j)
            weighted = X * w[:, None]
            information[np.ix_(places, places)] += X.T @ weighted
            right[places] += weighted.T @ self.tau[rows, j]
        return information, right

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

    def alone(self, found: Solution, parts: Sequence[slice]) -> Array:
        """Residuals of each part by parameters fitted to that part alone [N m], shape (n, 7)."""
        rest, equal = np.zeros_like(self.tau), np.ones_like(self.tau)
        for part in parts:
            sigma = found.scale
            for _ in range(3):
                information, right = self._sums(equal, sigma, part)
                theta = self._bounded(information + self.prior, right)
                rest[part] = self.residuals(theta, part)
                sigma = _scale(rest[part])
        return rest

    def shift(self, found: Solution, tau: Array) -> Array:
        """What more torques [N m], shape (n, 7), do to all parameters, shape (m + 7 k,)."""
        weight = found.weights / (found.scale**2 * self.strength)
        right = np.zeros(self.m + 7 * self.k)
        for j in range(7):
            right[self._places(j)] += (weight[:, j] * tau[:, j]) @ self.X[:, j]
        return np.asarray(np.linalg.solve(found.information + self.prior, right), dtype=np.float64)

    def covariance(self, found: Solution, parts: Sequence[slice]) -> Array:
        """Covariance of all parameters: what the residuals do to them, and what the prior pulls.

        Residuals of a periodic motion are periodic too, so they are in step with columns of the
        same motion for as long as it lasts, and what is in step is absorbed by the fit. So
        residuals are those of each part of the data by the parameters of the others, and they are
        shifted in time, with signs of their own: as likely as those that were recorded. Where the
        data is weak the prior pulls parameters to its mean; that bias, at the parameters found, is
        added.
        """
        theta, weights, sigma = found.theta, found.weights, found.scale
        inverse = np.asarray(np.linalg.inv(found.information + self.prior), dtype=np.float64)
        pulled = self.prior.copy()
        pulled[self.m :, self.m :] *= PULL**2
        rest = self._unseen(theta, weights, sigma, parts)
        moved = self._pulls(weights, sigma, rest, parts) @ inverse
        covariance: Array = moved.T @ moved / SHIFTS + inverse @ pulled @ inverse
        bias = inverse @ (self.prior @ theta)
        return _wider(covariance, np.diag(covariance) + bias**2)

    def _unseen(self, theta: Array, weights: Array, sigma: Array, parts: Sequence[slice]) -> Array:
        """Residuals of each part by the parameters fitted to the others [N m], shape (n, 7)."""
        sums = [self._sums(weights, sigma, part) for part in parts]
        information, right = (sum(one[i] for one in sums) for i in range(2))
        free = np.ones(theta.size, dtype=bool)
        free[self.positive[theta[self.positive] == 0.0]] = False
        rest = np.zeros_like(self.tau)
        for part, (own, pull) in zip(parts, sums, strict=True):
            others = np.zeros_like(theta)
            matrix = (information - own + self.prior)[np.ix_(free, free)]
            others[free] = np.linalg.solve(matrix, (right - pull)[free])
            rest[part] = self.residuals(others, part)
        return rest

    def _pulls(self, weights: Array, sigma: Array, rest: Array, parts: Sequence[slice]) -> Array:
        """Columns times residuals that are shifted in time, shape (SHIFTS, m + 7 k)."""
        rng = np.random.default_rng(0)
        scale = weights / (sigma**2 * self.strength)
        pulls = np.zeros((SHIFTS, self.m + 7 * self.k))
        for part in parts:
            shifts = rng.integers(part.stop - part.start, size=SHIFTS)
            signs = rng.choice([-1.0, 1.0], (SHIFTS, 7))
            for j in range(7):
                own, weighed = rest[part, j], weights[part, j]
                moved = np.stack([np.roll(own * weighed, k) for k in shifts])
                pulls[:, self._places(j)] += signs[:, j : j + 1] * (
                    (moved * scale[part, j]) @ self.X[part, j]
                )
        return pulls


def parts_of(runs: Sequence[slice]) -> list[slice]:
    """Stretches of rows, halved until there are at least `PARTS`."""
    parts = [run for run in runs if run.stop > run.start]
    while 0 < len(parts) < PARTS and min(part.stop - part.start for part in parts) > 1:
        middles = [(part.start + part.stop) // 2 for part in parts]
        parts = [
            half
            for part, middle in zip(parts, middles, strict=True)
            for half in (slice(part.start, middle), slice(middle, part.stop))
        ]
    return parts


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

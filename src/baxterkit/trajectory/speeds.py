"""The greatest speeds along a path: TOPP-RA (Pham and Pham 2018), a backward and a forward pass.

x is the square of the speed along the path, u the acceleration along it. u is constant in each
interval, so x changes linearly there. Limits are rows |a u + b x + c| <= 1 at both ends of each
interval. The extension computes the same as the NumPy functions here.
"""

from __future__ import annotations

import numpy as np

from baxterkit import native
from baxterkit.types import Array

TINY = 1e-12
"""A row with a smaller |a| does not limit the acceleration."""


def greatest_speeds(lengths: Array, a: Array, b: Array, c: Array, most: Array) -> Array | None:
    """The greatest x at the ends of all intervals.

    Args:
        lengths: Lengths of the intervals, shape (n,).
        a: Factors of u at both ends of each interval, shape (n, 2, m).
        b: Factors of x, likewise.
        c: Values at rest, likewise.
        most: Greatest x at the ends of the intervals, shape (n + 1,).

    Returns:
        x, shape (n + 1,); None if no motion respects the rows.
    """
    extension = native.load()
    solve = numpy_speeds if extension is None else extension.speeds
    return solve(*(np.ascontiguousarray(v) for v in (lengths, a, b, c, most)))


def numpy_speeds(lengths: Array, a: Array, b: Array, c: Array, most: Array) -> Array | None:
    """`greatest_speeds` in NumPy."""
    n = len(lengths)
    reach = np.empty(n + 1)
    reach[n] = most[n]
    for i in range(n - 1, -1, -1):
        found = _Interval(lengths[i], a[i], b[i], c[i], most[i], reach[i + 1]).greatest()
        if found is None:
            return None
        reach[i] = found
    x = np.empty(n + 1)
    x[0] = reach[0]
    for i in range(n):
        interval = _Interval(lengths[i], a[i], b[i], c[i], most[i], reach[i + 1])
        u = float((interval.high[0] * x[i] + interval.high[1]).min())
        x[i + 1] = min(max(x[i] + 2.0 * lengths[i] * u, 0.0), reach[i + 1])
    return x


class _Interval:
    """Lines in x that bound u from below and from above, shape (2, k) each: slopes, offsets."""

    def __init__(
        self, length: float, a: Array, b: Array, c: Array, most: float, after: float
    ) -> None:
        h = 2.0 * length
        alpha = np.stack([a[0], a[1] + h * b[1]])
        rows = np.stack([alpha, b, c]).reshape(3, -1)
        alpha, beta, gamma = np.concatenate([rows, -rows], axis=1)
        flat = np.abs(alpha) < TINY
        caps = flat & (beta > TINY)
        self.most = min([most, *((1.0 - gamma[caps]) / beta[caps])])
        if (flat & (beta <= TINY) & (gamma > 1.0)).any():
            self.most = -1.0
        alpha, beta, gamma = alpha[~flat], beta[~flat], gamma[~flat]
        lines = np.stack([-beta / alpha, (1.0 - gamma) / alpha])
        reach = np.array([[-1.0 / h], [after / h]])
        self.high = np.concatenate([lines[:, alpha > 0.0], reach], axis=1)
        self.low = np.concatenate([lines[:, alpha < 0.0], reach * [[1.0], [0.0]]], axis=1)

    def greatest(self) -> float | None:
        """The greatest x from which some u is allowed: Newton's method on a concave function."""
        x = float(self.most)
        for _ in range(200):
            if x < 0.0:
                break
            low, high = self.low[0] * x + self.low[1], self.high[0] * x + self.high[1]
            i, k = int(np.argmax(low)), int(np.argmin(high))
            if high[k] >= low[i]:
                return x
            slope = self.high[0, k] - self.low[0, i]
            if not slope < 0.0:
                return None
            nearer = (self.low[1, i] - self.high[1, k]) / slope
            x = nearer if nearer < x else x - 1e-12 * max(1.0, x)
        return 0.0 if self.high[1].min() >= self.low[1].max() else None

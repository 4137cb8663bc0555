"""Piecewise polynomials: the coefficients of splines through points, and their values.

A piece i lasts from `knots[i]` to `knots[i + 1]`; its coefficients, shape (order, n), multiply the
powers 1, x, x², ... of x = t - knots[i]. Arguments are trusted here; `Trajectory` checks them.
"""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array


def cubic_spline(t: Array, x: Array, start: Array | None = None, end: Array | None = None) -> Array:
    """The cubic spline through points: second derivatives are continuous.

    Args:
        t: Knots, increasing, shape (m,).
        x: Values at the knots, shape (m, n).
        start: First derivatives at the start, shape (n,); if None, the second ones are zero.
        end: The same at the end.

    Returns:
        Coefficients, shape (m - 1, 4, n).
    """
    h = np.diff(t)
    rise = np.diff(x, axis=0) / h[:, None]
    return _cubic_pieces(h, x, rise, _spline_slopes(h, rise, start, end))


def free_cubic_spline(t: Array, x: Array) -> Array:
    """The cubic spline whose first two pieces are one polynomial, and its last two ("not-a-knot").

    Two points are joined by a straight line, three by a parabola. Arguments and result as in
    `cubic_spline`.
    """
    h = np.diff(t)
    rise = np.diff(x, axis=0) / h[:, None]
    if len(h) == 1:
        return _cubic_pieces(h, x, rise, np.stack([rise[0], rise[0]]))

    def end(a: float, b: float, near: Array, next_: Array) -> Array:
        """The slope of the parabola through the outer three points, at the end."""
        return near + (near - next_) * a / (a + b)

    if len(h) == 2:
        first, last = end(h[0], h[1], rise[0], rise[1]), end(h[1], h[0], rise[1], rise[0])
        return cubic_spline(t, x, first, last)
    lower, middle, upper, right = _spline_rows(h, rise)
    for near, far, row in ((0, 1, 0), (-1, -2, -1)):
        span = h[near] + h[far]
        middle[row] = h[far]
        (upper if row == 0 else lower)[row] = span
        right[row] = (
            (h[near] + 2.0 * span) * h[far] * rise[near] + h[near] ** 2 * rise[far]
        ) / span
    return _cubic_pieces(h, x, rise, _eliminate(lower, middle, upper, right))


def _cubic_pieces(h: Array, x: Array, rise: Array, slope: Array) -> Array:
    """Coefficients of cubic pieces with given slopes at the knots."""
    c = np.empty((len(h), 4, x.shape[1]))
    c[:, 0], c[:, 1] = x[:-1], slope[:-1]
    c[:, 2] = (3.0 * rise - 2.0 * slope[:-1] - slope[1:]) / h[:, None]
    c[:, 3] = (slope[:-1] + slope[1:] - 2.0 * rise) / h[:, None] ** 2
    return c


def quintic_hermite(t: Array, x: Array, xd: Array, xdd: Array) -> Array:
    """Quintic pieces with given values, first and second derivatives at the knots.

    Args:
        t: Knots, increasing, shape (m,).
        x: Values at the knots, shape (m, n); `xd` and `xdd` likewise.
        xd: First derivatives.
        xdd: Second derivatives.

    Returns:
        Coefficients, shape (m - 1, 6, n).
    """
    h = np.diff(t)[:, None]
    a, b, c = x[:-1], h * xd[:-1], 0.5 * h**2 * xdd[:-1]
    # Contribution of the last three powers at the end of the piece, with time scaled to [0, 1].
    gap = x[1:] - (a + b + c)
    gap_d = h * xd[1:] - (b + 2.0 * c)
    gap_dd = h**2 * xdd[1:] - 2.0 * c
    d = 10.0 * gap - 4.0 * gap_d + 0.5 * gap_dd
    e = -15.0 * gap + 7.0 * gap_d - gap_dd
    f = 6.0 * gap - 3.0 * gap_d + 0.5 * gap_dd
    return np.stack([a, b / h, c / h**2, d / h**3, e / h**4, f / h**5], axis=1)


def minimum_jerk(x: Array) -> tuple[Array, Array, Array]:
    """The minimum-jerk rise 10 x³ - 15 x⁴ + 6 x⁵ from 0 to 1, and its first two derivatives.

    Args:
        x: Time as a share of the duration; outside [0, 1] the rise is constant. Any shape.
    """
    inside = (x > 0.0) & (x < 1.0)
    y = np.clip(x, 0.0, 1.0)
    value = y**3 * (10.0 - 15.0 * y + 6.0 * y**2)
    rate = np.where(inside, 30.0 * y**2 * (1.0 - y) ** 2, 0.0)
    change = np.where(inside, 60.0 * y * (1.0 - y) * (1.0 - 2.0 * y), 0.0)
    return value, rate, change


def evaluate(knots: Array, coefficients: Array, t: Array) -> Array:
    """Value, first and second derivative at times within the knots.

    Args:
        knots: Shape (m + 1,).
        coefficients: Shape (m, order, n).
        t: Times, shape (k,).

    Returns:
        Shape (3, k, n).
    """
    piece = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(coefficients) - 1)
    x = (t - knots[piece])[:, None]
    order = coefficients.shape[1]
    result = np.zeros((3, len(t), coefficients.shape[2]))
    value, rate, change = result
    value += coefficients[:, order - 1].take(piece, axis=0)
    for k in range(order - 2, -1, -1):  # Horner's scheme, its derivatives alongside
        change *= x
        change += rate
        rate *= x
        rate += value
        value *= x
        value += coefficients[:, k].take(piece, axis=0)
    change *= 2.0
    return result


def evaluate_one(coefficients: Array, x: float) -> Array:
    """Value, first and second derivative at one time: for control loops.

    Args:
        coefficients: Of one piece, shape (order, n).
        x: Time since its start.

    Returns:
        Shape (3, n).
    """
    powers = [1.0]
    for _ in range(len(coefficients) - 1):
        powers.append(powers[-1] * x)
    rates = [0.0, *(k * p for k, p in enumerate(powers[:-1], start=1))]
    changes = [0.0, *(k * r for k, r in enumerate(rates[:-1], start=1))]
    return np.array((powers, rates, changes)) @ coefficients


def _spline_slopes(h: Array, rise: Array, start: Array | None, end: Array | None) -> Array:
    """First derivatives of a cubic spline at its knots."""
    lower, middle, upper, right = _spline_rows(h, rise)
    if start is None:
        middle[0], upper[0], right[0] = 2.0, 1.0, 3.0 * rise[0]
    else:
        right[0] = start
    if end is None:
        middle[-1], lower[-1], right[-1] = 2.0, 1.0, 3.0 * rise[-1]
    else:
        right[-1] = end
    return _eliminate(lower, middle, upper, right)


def _spline_rows(h: Array, rise: Array) -> tuple[Array, Array, Array, Array]:
    """The tridiagonal system for the slopes, its first and last row open."""
    m = len(h) + 1
    lower, middle, upper = np.zeros(m), np.ones(m), np.zeros(m)
    right = np.empty((m, rise.shape[1]))
    lower[1:-1], middle[1:-1], upper[1:-1] = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    right[1:-1] = 3.0 * (h[:-1, None] * rise[1:] + h[1:, None] * rise[:-1])
    return lower, middle, upper, right


def _eliminate(lower: Array, middle: Array, upper: Array, right: Array) -> Array:
    """Solves a tridiagonal system, in place."""
    m = len(middle)
    for i in range(1, m):
        factor = lower[i] / middle[i - 1]
        middle[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    right[-1] /= middle[-1]
    for i in range(m - 2, -1, -1):
        right[i] = (right[i] - upper[i] * right[i + 1]) / middle[i]
    return right

"""Signals on a time base: gaps, zero-phase low-pass, derivatives, interpolation.

All functions work along the first axis, row by row in time. A gap (a step of more than three median
steps) ends a segment; no filter or derivative reaches across one. Segments with uneven steps are
resampled to an even grid.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.extras import load_extra
from baxterkit.types import Array, Quaternion

GAP = 3.0
"""A step of more than this many median steps is a gap."""
EVEN = 0.02
"""Steps that differ by less than this part of their median are an even time base."""
SHORTEST = 0.4
"""Runs of fewer periods of the cut-off than this are not filtered: their ends would dominate."""
LARGEST_LAG = 0.05
"""Velocities are not taken to lag by more than this [s]."""
CLEAR_LAG = 0.25
"""A lag counts if it explains this share of the difference of velocities and positions."""
MOST_TICKS = 10_000_000
"""Largest number of points of an even grid: a day at 100 Hz."""
METHODS = ("smooth", "difference")

Map: TypeAlias = Callable[[Array], Array]


def segments(t: Array) -> tuple[slice, ...]:
    """Runs of rows without a gap, as slices that cover all rows of `t` [s], shape (n,)."""
    if t.size < 3:
        return (slice(0, t.size),)
    step = np.diff(t)
    ends = np.flatnonzero(step > GAP * np.median(step)) + 1
    edges = [0, *ends.tolist(), t.size]
    return tuple(slice(a, b) for a, b in pairwise(edges))


def low_pass(t: Array, x: Array, hz: float, order: int = 4) -> Array:
    """Butterworth low-pass, forwards and backwards, without phase lag.

    Args:
        t: Time [s], shape (n,).
        x: Values, shape (n, ...).
        hz: Cut-off [Hz]; there each pass leaves 1/√2.
        order: Order of one pass.

    Returns:
        Filtered values, shape (n, ...); unchanged in runs between gaps that are too short.
    """
    signal = _scipy_signal("Filtering")

    def smooth(run: Array, step: float) -> Array:
        # A slower stretch holds nothing above the cut-off; a short one says little below it.
        if hz >= 0.5 / step or len(run) * step * hz < SHORTEST:
            return run
        sections = signal.butter(order, hz, fs=1.0 / step, output="sos")
        reach = min(len(run) - 1, int(np.ceil(3.0 / (hz * step))))
        result: Array = signal.sosfiltfilt(sections, run, axis=0, padlen=reach)
        return result

    return _each_segment(t, x, smooth, shortest=2)


def derivative(t: Array, x: Array, method: str = "smooth", window: float = 0.17) -> Array:
    """Rate of change of `x`, shape (n, ...), with time `t` [s], shape (n,).

    Args:
        t: Time.
        x: Values.
        method: "smooth" (slope of a cubic fitted over `window`) or "difference" (to the row before;
            a segment's first row takes the value of its second).
        window: Width of the smooth fit [s]; at least 5 rows.

    Returns:
        Rates; 0 for a row that stands alone between gaps.

    Raises:
        UnknownNameError: If the method is none of these.
        InputError: If the window is not positive.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if method == "difference":
        slope = np.zeros_like(x)
        for run in segments(t):
            if run.stop - run.start > 1:
                step = np.diff(t[run]).reshape(-1, *[1] * (x.ndim - 1))
                slope[run][1:] = np.diff(x[run], axis=0) / step
                slope[run.start] = slope[run.start + 1]
        return slope
    if not (np.isfinite(window) and window > 0.0):
        raise InputError(f"window must be a positive number of seconds, got {window}")
    signal = _scipy_signal("A smooth derivative")

    def fitted(run: Array, step: float) -> Array:
        if len(run) < 3:
            return np.broadcast_to((run[-1] - run[0]) / step, run.shape)
        width = max(5, 2 * round(0.5 * window / step) + 1)
        width = min(width, len(run) - 1 + len(run) % 2)
        result: Array = signal.savgol_filter(
            run, width, min(3, width - 1), deriv=1, delta=step, axis=0
        )
        return result

    return _each_segment(t, x, fitted, shortest=2, otherwise=np.zeros_like)


def velocity_lag(t: Array, q: Array, qd: Array, hz: float = 5.0) -> float:
    """Lag of recorded velocities behind the positions [s]; 0 if it cannot be determined.

    Baxter's velocities are a sample or so older than its positions. The lag is the s that makes
    qd(t) = (dq/dt)(t - s), by least squares over all joints below `hz` [Hz].

    Args:
        t: Time [s], shape (n,).
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        hz: Cut-off of the low-pass before comparing, at most a fifth of the rate.
    """
    if t.size < 50:
        return 0.0
    cut = min(hz, 0.2 / float(np.median(np.diff(t))))
    slope = derivative(t, low_pass(t, q, cut), window=1e-3)
    change = derivative(t, slope, window=1e-3)
    late = slope - low_pass(t, qd, cut)
    inside = np.concatenate([np.arange(t.size)[run][10:-10] for run in segments(t)])
    late, change = late[inside], change[inside]
    power, all_late = float(np.sum(change**2)), float(np.sum(late**2))
    if power == 0.0 or all_late == 0.0:
        return 0.0
    lag = float(np.sum(late * change)) / power
    is_clear = lag**2 * power >= CLEAR_LAG * all_late
    return float(np.clip(lag, 0.0, LARGEST_LAG)) if is_clear else 0.0


def advanced(t: Array, x: Array, lag: float) -> Array:
    """Values `lag` [s] later, which undoes a delay of the recording."""
    if lag == 0.0:
        return x
    result = np.empty_like(x)
    for run in segments(t):
        at = np.minimum(t[run] + lag, t[run.stop - 1])
        result[run] = interpolate(t[run], x[run], at)
    return result


def grid(t: Array, rate: float) -> Array:
    """An even time grid of `rate` [Hz] over the segments of `t` [s]; no point lies in a gap.

    Raises:
        InputError: If the times reach so far that it has more than `MOST_TICKS` points.
    """
    ticks_wanted = (float(t[-1]) - float(t[0])) * rate
    if not ticks_wanted <= MOST_TICKS:
        row = int(np.argmax(np.diff(t))) + 1
        raise InputError(
            f"{rate:g} Hz from {t[0]:g} to {t[-1]:g} s are {ticks_wanted:.3g} rows, at most "
            f"{MOST_TICKS:,} are made; row {row} is {t[row] - t[row - 1]:g} s after the one "
            "before: leave out what is broken, or take a lower rate"
        )
    ticks = t[0] + np.arange(int(np.floor((t[-1] - t[0]) * rate + 1e-9)) + 1) / rate
    result: Array = ticks[covered(t, ticks, slack=1e-9 * (1.0 + abs(float(t[-1]))))]
    return result


def covered(t: Array, at: Array, slack: float = 0.0) -> NDArray[np.bool_]:
    """Which times `at` [s] lie within a segment of `t` [s], or `slack` [s] beside it."""
    runs = segments(t)
    first = np.array([t[run.start] for run in runs])
    last = np.array([t[run.stop - 1] for run in runs])
    run = np.searchsorted(first, at + slack, side="right") - 1
    inside: NDArray[np.bool_] = (run >= 0) & (at <= last[run] + slack)
    return inside


def interpolate(t: Array, x: Array, at: Array) -> Array:
    """Values at the times `at` [s], shape (m,), by straight lines between rows, shape (m, ...)."""
    if t.size < 2:
        return np.repeat(x, at.size, axis=0)
    after = np.clip(np.searchsorted(t, at), 1, t.size - 1)
    part = np.clip((at - t[after - 1]) / (t[after] - t[after - 1]), 0.0, 1.0)
    part = part.reshape(-1, *[1] * (x.ndim - 1))
    result: Array = x[after - 1] + part * (x[after] - x[after - 1])
    return result


def rotation_map(function: Map, quaternion: Quaternion) -> Quaternion:
    """Applies a linear map of rows to rotations: signs are made continuous first, lengths 1 after.

    Args:
        function: The map.
        quaternion: x y z w, shape (n, 4).

    Returns:
        Quaternions with w at least 0, of unit length.
    """
    flips = np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0.0
    sign = np.where(np.concatenate([[0], np.cumsum(flips)]) % 2 == 1, -1.0, 1.0)
    mapped = function(quaternion * sign[:, None])
    length = np.linalg.norm(mapped, axis=1, keepdims=True)
    mapped = mapped / np.where(length > 0.0, length, 1.0)
    result: Quaternion = np.where(mapped[:, 3:] < 0.0, -mapped, mapped)
    return result


def _each_segment(
    t: Array,
    x: Array,
    function: Callable[[Array, float], Array],
    shortest: int,
    otherwise: Map = np.copy,
) -> Array:
    """Applies `function(rows, step)` to every segment, through an even grid where needed."""
    result = np.empty_like(x, order="C")
    for run in segments(t):
        rows, times = x[run], t[run]
        if len(rows) < shortest:
            result[run] = otherwise(rows)
            continue
        step = np.diff(times)
        middle = float(step.mean())
        if np.abs(step - middle).max() <= EVEN * middle:
            result[run] = function(rows, middle)
        else:
            even = np.linspace(times[0], times[-1], len(rows))
            result[run] = interpolate(even, function(interpolate(times, rows, even), middle), times)
    return result


def _scipy_signal(feature: str) -> Any:
    return load_extra("scipy.signal", feature=feature, package="SciPy", extra="data")


def correlation_step(
    q: Array, qd: Array, index: NDArray[np.int64] | None = None
) -> tuple[float, float]:
    """The time between rows that makes velocities and positions agree.

    Positions move by the integral of the velocities, so the step is the slope of position change
    against the sum of velocities, over spans of a few rows; robust to rows that do not fit.

    Args:
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        index: Place of each row among all, shape (n,), where rows were dropped; no span reaches
            across one that was.

    Returns:
        The step [s] and its standard error [s]; NaN where nothing moves.
    """
    span = max(1, min(10, len(q) // 4))
    summed = np.concatenate([np.zeros((1, q.shape[1])), np.cumsum(0.5 * (qd[1:] + qd[:-1]), 0)])
    whole = np.ones(max(0, len(q) - span), dtype=bool)
    if index is not None:
        whole = index[span:] - index[:-span] == span
    moved: NDArray[np.float64] = (q[span:] - q[:-span])[whole][::span].ravel()
    turned: NDArray[np.float64] = (summed[span:] - summed[:-span])[whole][::span].ravel()
    if not moved.size:
        return float("nan"), float("nan")
    weight = np.ones_like(moved)
    step = error = float("nan")
    for _ in range(10):
        power = float(weight @ turned**2)
        if power == 0.0:
            break
        step = float((weight * turned) @ moved) / power
        rest = moved - step * turned
        scale = 1.4826 * float(np.median(np.abs(rest))) + 1e-12
        error = float(np.sqrt((weight * rest) @ rest / max(1.0, weight.sum() - 1.0) / power))
        weight = 1.0 / np.maximum(1.0, np.abs(rest) / (2.0 * scale))
    return step, error

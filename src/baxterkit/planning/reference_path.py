"""Shorter paths, round corners and the fastest motion along a path, in readable NumPy.

The same steps as the extension's, number for number but for rounding in `speeds`.
"""

from __future__ import annotations

import math

import numpy as np

from baxterkit.collision.checker import Checker
from baxterkit.planning.reference import Random, distance
from baxterkit.types import Array

__all__ = ["smooth", "speeds"]

CHORDS, HALVINGS, SHARP, SHORTER = 8, 6, 0.05, 0.999
TINY = 1e-12


def smooth(
    checker: Checker,
    path: Array,
    head: float,
    padding: float,
    step: float,
    rounds: int,
    most: float,
    seed: int,
) -> tuple[Array, Array]:
    """The extension's `BodyChecker.smooth`."""
    work = _Smooth(checker, list(path), head, padding, step, Random(seed))
    if rounds > 0:
        work.skip()
    work.shorten(rounds)
    return np.stack(work.way), work.roundings(most)


class _Smooth:
    def __init__(
        self,
        checker: Checker,
        way: list[Array],
        head: float,
        padding: float,
        step: float,
        random: Random,
    ) -> None:
        self.checker, self.way, self.head = checker, way, head
        self.padding, self.step, self.random = padding, step, random

    def skip(self) -> None:
        """From each corner straight to the farthest one that can be seen."""
        fewer, i = [self.way[0]], 0
        while i + 1 < len(self.way):
            k = len(self.way) - 1
            while k > i + 1 and not self.straight(self.way[i], self.way[k]):
                k -= 1
            fewer.append(self.way[k])
            i = k
        self.way = fewer

    def shorten(self, rounds: int) -> None:
        """Straight lines between two places on the path, drawn at random, uniform by length."""
        for _ in range(rounds):
            if len(self.way) <= 2:
                return
            at = [0.0]
            for a, b in zip(self.way, self.way[1:], strict=False):
                at.append(at[-1] + distance(a, b))
            s = sorted(self.random.uniform() * at[-1] for _ in range(2))
            (i, p), (k, q) = (self.place(at, x) for x in s)
            if i == k or distance(p, q) >= SHORTER * (s[1] - s[0]) or not self.straight(p, q):
                continue
            self.way = [*self.way[:i], p, q, *self.way[k:]]

    def place(self, at: list[float], s: float) -> tuple[int, Array]:
        """The corner after a place on the path, and the posture there."""
        i = min(max(int(np.searchsorted(at, s, side="right")), 1), len(at) - 1)
        length = at[i] - at[i - 1]
        part = (s - at[i - 1]) / length if length > 0.0 else 0.0
        return i, self.way[i - 1] + part * (self.way[i] - self.way[i - 1])

    def roundings(self, most: float) -> Array:
        """How far before and after each corner its rounding may begin and end [rad]."""
        room = np.zeros(len(self.way))
        for i in range(1, len(self.way) - 1):
            a, b, c = self.way[i - 1 : i + 2]
            before, after = distance(a, b), distance(b, c)
            if 1.0 + float((b - a) @ (c - b)) / (before * after) < SHARP:
                continue
            d = min(most, 0.5 * before, 0.5 * after)
            for _ in range(HALVINGS):
                if self.round_free(b + d / before * (a - b), b, b + d / after * (c - b)):
                    room[i] = d
                    break
                d *= 0.5
        return room

    def straight(self, a: Array, b: Array) -> bool:
        """Whether the edge is free: first in steps, then all of it."""
        n = max(1, math.ceil(distance(a, b) / self.step))
        q = a + np.arange(1, n + 1)[:, None] / n * (b - a)
        if np.any(self.checker.in_collision(q[:, :7], q[:, 7:], self.head, self.padding)):
            return False
        return bool(self.checker.edge_free(a, b, self.head, self.padding))

    def round_free(self, a: Array, b: Array, c: Array) -> bool:
        """Whether the parabola from a to c with its corner at b is free, by its padded chords."""
        bend = np.abs(2.0 * (a - 2.0 * b + c)).reshape(2, 1, 7)
        off = (bend * self.checker.reaches).sum(axis=-1).max(axis=-1).sum() / (8.0 * CHORDS**2)
        t = np.linspace(0.0, 1.0, CHORDS + 1)[:, None]
        at = (1.0 - t) ** 2 * a + 2.0 * (1.0 - t) * t * b + t**2 * c
        free = self.checker.edge_free(at[:-1], at[1:], self.head, self.padding + float(off))
        return bool(np.all(free))


def speeds(lengths: Array, a: Array, b: Array, c: Array, most: Array) -> Array | None:
    """The extension's `speeds`: TOPP-RA, a backward and a forward pass.

    Args:
        lengths: Of the intervals, shape (n,).
        a: With b and c the rows |a u + b x + c| <= 1 at both ends of each interval, (n, 2, m).
        b: Factors of x, the square of the speed.
        c: Values at rest.
        most: Greatest x at the ends of the intervals, shape (n + 1,).

    Returns:
        x at the ends of the intervals; None if there is no such motion.
    """
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

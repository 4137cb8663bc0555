"""All solutions of one pose: curves in joint space, and the parts of them within the limits."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from baxterkit.ik import exact
from baxterkit.ik.exact import place, turn_middles
from baxterkit.model.limits import LIMIT_TOLERANCE, Limits
from baxterkit.types import AnyArray, Array, JointVector, Transform


@dataclass(frozen=True, eq=False)
class Curve:
    """One closed curve of solutions, limits ignored.

    Attributes:
        q: Points along it [rad], shape (k, 7); each joint is continuous, so it may leave (-π, π].
            The last point is the first one, up to whole turns.
    """

    q: JointVector

    @property
    def length(self) -> float:
        """Length in joint space [rad]."""
        return float(np.linalg.norm(np.diff(self.q, axis=0), axis=-1).sum())


@dataclass(frozen=True, eq=False)
class Segment(Curve):
    """A stretch of a curve within the limits, both ends included.

    Attributes:
        q: Points along it [rad], shape (k, 7); the first and the last are its exact ends.
        closed: Whether it is a whole closed curve, not cut by any limit.
    """

    closed: bool = False

    @property
    def e0_range(self) -> tuple[float, float]:
        """Least and greatest e0 on it [rad]."""
        return float(self.q[:, 2].min()), float(self.q[:, 2].max())


@dataclass(frozen=True, eq=False)
class SelfMotion:
    """Every joint position that reaches one pose.

    Attributes:
        T: The pose, T_base_tip, shape (4, 4).
        curves: The solution curves, limits ignored.
        feasible: The stretches of them within the limits.
        complete: False if the search has reached its bound of work or memory twice, so that curves
            may be missing.
    """

    T: Transform
    curves: tuple[Curve, ...]
    feasible: tuple[Segment, ...]
    complete: bool = True

    @property
    def e0_intervals(self) -> tuple[tuple[float, float], ...]:
        """The e0 values [rad] that admit a solution within the limits, as disjoint intervals."""
        merged: list[tuple[float, float]] = []
        for low, high in sorted(segment.e0_range for segment in self.feasible):
            if merged and low <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        return tuple(merged)

    def samples(self) -> JointVector:
        """Solutions within the limits along all curves [rad], shape (n, 7)."""
        parts = [segment.q for segment in self.feasible]
        return np.concatenate(parts) if parts else np.empty((0, 7))

    def __repr__(self) -> str:
        def count(n: int, what: str) -> str:
            return f"{n} {what}{'' if n == 1 else 's'}"

        intervals = ", ".join(f"[{low:.4f}, {high:.4f}]" for low, high in self.e0_intervals)
        return (
            f"SelfMotion({count(len(self.curves), 'curve')}, "
            f"{count(len(self.feasible), 'segment')} within the limits"
            f"{'; e0 in ' + intervals + ' rad' if intervals else ''}"
            f"{'' if self.complete else '; incomplete'})"
        )


def trace(T_s0_hand: Transform, starts: int = 24, arc: float = 0.1) -> tuple[Curve, ...]:
    """All curves of a pose, followed by arc length from the solutions at several values of e0.

    The readable reference: a closed curve that none of these values meets is not found.

    Args:
        T_s0_hand: Hand pose in the s0 frame, shape (4, 4).
        starts: Values of e0.
        arc: Length of a step [rad].
    """
    e0: Array = -np.pi + (np.arange(starts, dtype=np.float64) + 0.5) * (2.0 * np.pi / starts)
    found = exact.solve_many(np.broadcast_to(T_s0_hand, (starts, 4, 4)), e0)
    open_starts = np.concatenate(found) if found else np.empty((0, 7))
    curves = []
    while len(open_starts):
        q = _follow(T_s0_hand, open_starts[0], arc)
        curves.append(Curve(q))
        gaps = np.abs(exact.wrap(open_starts[:, None] - q[None])).max(axis=-1).min(axis=-1)
        open_starts = open_starts[(gaps > 1.2 * arc) & (np.arange(len(open_starts)) > 0)]
    return tuple(curves)


def clip_to_limits(
    T_s0_hand: Transform, curves: tuple[Curve, ...], limits: Limits
) -> tuple[Segment, ...]:
    """The parts of the curves within the limits, their ends located to rounding.

    No joint moves farther than the arc length, so a piece is wholly inside (or outside) the limits
    if the margin at its ends exceeds its length; all other pieces are halved.
    """
    segments = []
    middles = turn_middles(limits, limits.middle)
    for curve in curves:
        q = place(curve.q, middles)
        fine = [q[:1]]
        for a, b in itertools.pairwise(q):
            fine.append(_refine(T_s0_hand, a, b, limits, middles, 1e-3))
        points = np.concatenate(fine)
        inside = margin(points, limits) >= -LIMIT_TOLERANCE
        segments += _runs(T_s0_hand, points, inside, limits, middles)
    return tuple(segments)


def margin(q: JointVector, limits: Limits) -> Array:
    """Least distance of a joint from its limits [rad], negative outside them; shape (n,)."""
    result: Array = np.minimum(q - limits.lower, limits.upper - q).min(axis=-1)
    return result


def project(T_s0_hand: Transform, q: JointVector, steps: int = 6) -> JointVector:
    """Moves joint positions (n, 7) near the self-motion onto it, by the least-norm step."""
    T = np.broadcast_to(T_s0_hand, (len(q), 4, 4))
    for _ in range(steps):
        J = exact.hand_jacobian(q)
        q = q + (np.linalg.pinv(J) @ exact.pose_gap(T, q)[..., None])[..., 0]
    return q


def minimise(
    motion: SelfMotion, T_s0_hand: Transform, limits: Limits, cost: Callable[[JointVector], Array]
) -> tuple[JointVector, float] | None:
    """The solution within the limits with the least cost.

    Every point of the feasible segments is tried, and the best ones are refined between their
    neighbours.

    Args:
        motion: The self-motion.
        T_s0_hand: Hand pose in the s0 frame.
        limits: The limits.
        cost: Joint positions (n, 7) -> cost (n,).

    Returns:
        Joint positions [rad], shape (7,), and their cost; None if no solution is within the limits.
    """
    best: tuple[JointVector, float] | None = None
    for segment in motion.feasible:
        values = np.asarray(cost(segment.q), dtype=np.float64)
        order = np.argsort(values, kind="stable")[:2]
        for i in order.tolist():
            q, value = segment.q[i], float(values[i])
            low, high = segment.q[max(i - 1, 0)], segment.q[min(i + 1, len(segment.q) - 1)]
            for _ in range(40):
                pair = np.stack([0.5 * (low + q), 0.5 * (q + high)])
                pair = project(T_s0_hand, pair, 3)
                tried = np.asarray(cost(pair), dtype=np.float64)
                usable = (margin(pair, limits) >= -LIMIT_TOLERANCE) & (tried < value)
                if usable[0] and (tried[0] <= tried[1] or not usable[1]):
                    high, q, value = q, pair[0], float(tried[0])
                elif usable[1]:
                    low, q, value = q, pair[1], float(tried[1])
                else:
                    low, high = pair[0], pair[1]
                if np.abs(high - low).max() < 1e-9:
                    break
            if best is None or value < best[1]:
                best = np.clip(q, limits.lower, limits.upper), value
    return best


def _follow(T: Transform, start: JointVector, arc: float) -> JointVector:
    """Points of the closed curve through `start`, one step after the other."""
    points = [start]
    direction = _direction(start, np.eye(7)[2])
    first = direction
    for _ in range(int(200.0 / arc)):
        step = arc
        while True:
            q = project(T, (points[-1] + step * direction)[None], 3)[0]
            onward = _direction(q, direction)
            straight = onward @ direction > 0.9 and np.linalg.norm(q - points[-1]) < 1.5 * step
            if straight or step < 1e-6:
                break
            step *= 0.5
        direction = onward
        back = exact.wrap(q - start)
        if len(points) > 2 and np.linalg.norm(back) < 0.9 * arc and direction @ first > 0.0:
            closing = start + 2.0 * np.pi * np.round((q - start) / (2.0 * np.pi))
            return np.array([*points, *([q] if back @ first < 0.0 else []), closing])
        points.append(q)
    return np.array(points)


def _direction(q: JointVector, like: Array) -> Array:
    """Unit vector along the self-motion, on the side of `like`."""
    n = np.linalg.svd(exact.hand_jacobian(q[None])[0])[2][-1]
    unit: Array = n if n @ like >= 0.0 else -n
    return unit


def _refine(
    T: Transform,
    a: JointVector,
    b: JointVector,
    limits: Limits,
    middles: Array,
    finest: float,
    depth: int = 16,
) -> Array:
    """Points after a up to b, dense where the margin may change its sign."""
    length = float(np.linalg.norm(exact.wrap(b - a)))
    ends = margin(np.stack([a, b]), limits)
    # Beyond π a joint reappears on the other side: its margin may jump there.
    wraps = bool((np.abs(b - a) > np.pi).any())
    if depth == 0 or length < finest or (np.abs(ends).min() > length and not wraps):
        return b[None]
    middle = place(project(T, (a + 0.5 * exact.wrap(b - a))[None], 3), middles)[0]
    if max(np.linalg.norm(exact.wrap(middle - x)) for x in (a, b)) > 0.9 * length:
        return b[None]  # not between them: a singular point
    before = _refine(T, a, middle, limits, middles, finest, depth - 1)
    return np.concatenate([before, _refine(T, middle, b, limits, middles, finest, depth - 1)])


def _runs(
    T: Transform, q: Array, inside: AnyArray, limits: Limits, middles: Array
) -> list[Segment]:
    if inside.all():
        return [Segment(np.clip(q, limits.lower, limits.upper), closed=True)]
    if not inside.any():
        return []
    # Start outside, so that no run is cut at the curve's first point.
    shift = int(np.argmin(inside[:-1]))
    q, inside = np.roll(q[:-1], -shift, axis=0), np.roll(inside[:-1], -shift)
    q, inside = np.concatenate([q, q[:1]]), np.append(inside, inside[0])
    segments, start = [], 0
    while start < len(q):
        if not inside[start]:
            start += 1
            continue
        stop = start
        while inside[stop + 1]:
            stop += 1
        first = _crossing(T, q[start], q[start - 1], limits, middles)
        last = _crossing(T, q[stop], q[stop + 1], limits, middles)
        run = np.concatenate([first[None], q[start : stop + 1], last[None]])
        segments.append(Segment(np.clip(run, limits.lower, limits.upper)))
        start = stop + 1
    return segments


def _crossing(T: Transform, inside: Array, outside: Array, limits: Limits, middles: Array) -> Array:
    """The last point within the limits between one point and its neighbour."""
    for _ in range(50):
        middle = project(T, (inside + 0.5 * exact.wrap(outside - inside))[None], 3)
        middle = place(middle, middles)[0]
        if margin(middle[None], limits)[0] >= 0.0:
            inside = middle
        else:
            outside = middle
        if np.abs(exact.wrap(outside - inside)).max() < 1e-12:
            break
    return inside

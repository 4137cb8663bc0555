"""Joint positions at the degenerate places of the arm, whose tip poses are the hardest targets.

There solutions form a continuum with e0 held, two branches meet, or the solution curve shrinks to a
point; and people command them by hand: straight above the shoulder, stretched, on a stop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from baxterkit import Arm
from baxterkit.ik import exact

STRETCHED = float(np.arctan2(exact.A3, exact.D3))
"""Joint e1 where the elbow is stretched, but for the wrist offset [rad]."""
WRIST = float(np.arctan2(exact.A5, exact.D5))
"""Angle of the wrist offset, seen from the elbow [rad]."""

Rows = np.ndarray


def _pick(rng: np.random.Generator, inside: Rows, special: list[float], share: float) -> Rows:
    """Some of the values replaced by special ones."""
    chosen = rng.choice(np.array(special), inside.shape)
    return np.where(rng.random(inside.shape) < share, chosen, inside)


def _uniform(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    return rng.uniform(arm.limits.lower, arm.limits.upper, (n, 7))


def _stretch(q: Rows, folded: bool = False) -> Rows:
    """Elbow exactly stretched, or folded, for the w0 that there is."""
    bend = np.arctan2(exact.A5 * np.cos(q[:, 4]), exact.D5)
    q[:, 3] = exact.wrap(STRETCHED - bend + (np.pi if folded else 0.0))
    return q


def wrist_place(q: Rows) -> Rows:
    """Wrist centre across the s0 axis at s0 = 0 [m], shape (n, 2)."""
    s1, e0, e1, w0 = (q[:, i] for i in (1, 2, 3, 4))
    k = exact.A5 * np.cos(w0)
    X = exact.A3 + k * np.cos(e1) + exact.D5 * np.sin(e1)
    Y = exact.A5 * np.sin(w0)
    Z = exact.D3 + exact.D5 * np.cos(e1) - k * np.sin(e1)
    ux, uy = np.cos(e0) * X - np.sin(e0) * Y, np.sin(e0) * X + np.cos(e0) * Y
    return np.stack([exact.A1 - np.sin(s1) * ux + np.cos(s1) * Z, uy], axis=-1)


def _hand_tilt(q: Rows) -> Rows:
    """Horizontal parts of the hand's z axis."""
    return exact.hand_pose(q)[:, :2, 2]


def _newton(q: Rows, joints: list[int], residual: Callable[[Rows], Rows], rounds: int = 25) -> Rows:
    """Gauss-Newton on some of the joints, to where the residual (n, m) vanishes."""
    q = q.copy()
    left = np.arange(len(q))  # the rows that are not there yet
    for _ in range(rounds):
        x = q[left]
        value = residual(x)
        columns = []
        for i in joints:
            up, down = x.copy(), x.copy()
            up[:, i] += 1e-6
            down[:, i] -= 1e-6
            columns.append((residual(up) - residual(down)) / 2e-6)
        J = np.stack(columns, axis=-1)
        Jt = np.swapaxes(J, -1, -2)
        damping = 1e-3 * np.sum(value**2, axis=-1) + 1e-20
        A = J @ Jt + damping[:, None, None] * np.eye(value.shape[-1])
        step = (Jt @ np.linalg.solve(A, value[..., None]))[..., 0]
        q[np.ix_(left, joints)] -= np.clip(step, -0.3, 0.3)
        left = left[np.abs(value).max(axis=-1) > 1e-12]  # else this step has led there
        if not left.size:
            break
    return q


def on_axis(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Wrist centre on the s0 axis."""
    q = _uniform(arm, rng, n)
    q[:, 4] = _pick(rng, q[:, 4], [0.0, np.pi / 2, -np.pi / 2], 0.3)
    q[:, 2] = _pick(rng, q[:, 2] * 0.05, [0.0], 0.3)
    return _newton(q, [1, 2, 3], wrist_place)


def along_axis(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Wrist centre on the s0 axis and the hand along it, in the plane of the arm or out of it."""
    shapes = _shapes_along_axis(
        tuple(arm.limits.lower.tolist()), tuple(arm.limits.upper.tolist()), 400 + n // 20
    )
    q = shapes[rng.integers(0, len(shapes), n)]
    q[:, [0, 6]] = _uniform(arm, rng, n)[:, [0, 6]]
    return q


@cache
def _shapes_along_axis(lower: tuple[float, ...], upper: tuple[float, ...], n: int) -> Rows:
    rng = np.random.default_rng(n)
    q = rng.uniform(lower, upper, (n, 7))
    q[:, 2] *= 0.1
    planar = rng.random(n) < 0.5
    q[planar, 2] = q[planar, 4] = 0.0
    for i in (1, 3):
        q[:, i] = _pick(rng, q[:, i], [lower[i], upper[i]], 0.2)

    def both(x: Rows) -> Rows:
        return np.concatenate([wrist_place(x), _hand_tilt(x)], axis=-1)

    half = n // 2
    q = np.concatenate(
        [_newton(q[:half], [1, 2, 3, 4, 5], both), _newton(q[half:], [2, 3, 4, 5], both)]
    )
    inside = (q > np.array(lower) - 1e-6) & (q < np.array(upper) + 1e-6)
    return q[(np.abs(both(q)).max(axis=-1) < 1e-12) & inside[:, 1:6].all(axis=-1)]


def stretched(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Elbow stretched, most with e0 and w0 where the arm is longest."""
    q = _uniform(arm, rng, n)
    q[:, 4] = _pick(rng, q[:, 4], [0.0, 0.0, np.pi / 2, -np.pi / 2], 0.7)
    X = exact.A3 + np.hypot(exact.D5, exact.A5) * np.sin(STRETCHED)
    longest = -np.arctan2(exact.A5 * np.sin(q[:, 4]), X)
    q[:, 2] = np.where(rng.random(n) < 0.7, longest, q[:, 2])
    return _stretch(q)


def folded(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Elbow as far folded as it goes: on its stop, or all the way where the limits permit."""
    q = _uniform(arm, rng, n)
    q[:, 4] = _pick(rng, q[:, 4], [0.0, np.pi / 2, -np.pi / 2], 0.5)
    q[:, 2] = _pick(rng, q[:, 2], [0.0, np.pi / 2, -np.pi / 2], 0.5)
    q = _stretch(q, folded=True)
    q[:, 3] = np.where(q[:, 3] > 0.0, np.minimum(q[:, 3], arm.limits.upper[3]), arm.limits.upper[3])
    return q


def straight_wrist(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Hand along the forearm, or along the line from elbow to wrist."""
    q = _uniform(arm, rng, n)
    q[:, 5] = rng.choice([0.0, WRIST, -WRIST], n)
    q[:, 2] = _pick(rng, q[:, 2], [0.0, np.pi / 2, -np.pi / 2], 0.4)
    stretch = rng.random(n) < 0.4
    return np.where(stretch[:, None], _stretch(q.copy()), q)


def on_stops(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """Two thirds of the joints on a stop."""
    choice = rng.integers(0, 3, (n, 7))
    return np.choose(choice, [arm.limits.lower, arm.limits.upper, _uniform(arm, rng, n)])


def mixed(arm: Arm, rng: np.random.Generator, n: int) -> Rows:
    """All of these at once: special values in most joints, many with the wrist on the axis."""
    q = _uniform(arm, rng, n)
    angles = [
        0.0,
        np.pi / 4,
        -np.pi / 4,
        np.pi / 2,
        -np.pi / 2,
        STRETCHED,
        -STRETCHED,
        WRIST,
        -WRIST,
    ]
    for i in range(7):
        q[:, i] = _pick(rng, q[:, i], [*angles, arm.limits.lower[i], arm.limits.upper[i]], 0.75)
    stretch = rng.random(n) < 0.3
    q = np.where(stretch[:, None], _stretch(q.copy()), q)
    axis = rng.random(n) < 0.4
    return np.where(axis[:, None], _newton(q, [1, 3], wrist_place), q)


DEGENERATE: dict[str, Callable[..., Rows]] = {
    "on_axis": on_axis,
    "along_axis": along_axis,
    "stretched": stretched,
    "folded": folded,
    "straight_wrist": straight_wrist,
    "on_stops": on_stops,
    "mixed": mixed,
}

SIZES = (0.0, *(10.0**-i for i in range(16, 2, -1)))
"""By how much the joints are off [rad]."""


def sample(
    arm: Arm, name: str, n: int, rng: np.random.Generator, size: float | None = None
) -> Rows:
    """`n` joint positions of one family within the limits, off by `size` or by `SIZES` in turn.

    Where a stop is in the way the joints are on it.
    """
    found: list[Rows] = []
    while sum(map(len, found)) < n:
        q = DEGENERATE[name](arm, rng, n + 100)
        inside = arm.limits.contains(q, 1e-6)
        if name == "mixed":
            inside &= np.isfinite(q).all(axis=-1)
        found.append(q[inside])
    q = np.concatenate(found)[:n]
    sizes = np.resize(SIZES, n) if size is None else np.full(n, size)
    off = q + sizes[:, None] * rng.standard_normal(q.shape)
    return np.clip(off, arm.limits.lower, arm.limits.upper)

"""How far joint positions are from the solution curves of their pose."""

from __future__ import annotations

import numpy as np

from baxterkit import Arm, spatial
from baxterkit.ik.self_motion import SelfMotion


def distances(arm: Arm, motions: list[SelfMotion], q: np.ndarray) -> np.ndarray:
    """Largest joint difference between each q (n, 7) and its self-motion within the limits [rad].

    The nearest point of the polygon is made exact, at the height of q along the chord; where no
    such point is nearer, the distance is that of the polygon's points themselves. At a singular
    configuration that says too little: there the nearest parts of the polygon are halved towards q,
    with points of the curve. Infinite where a self-motion has no feasible part.
    """
    foot = np.full(q.shape, np.nan)
    direction = np.zeros(q.shape)
    least = np.full(len(q), np.inf)
    for i, motion in enumerate(motions):
        nearest = np.inf
        for segment in motion.feasible:
            points = segment.q
            least[i] = min(least[i], np.abs(points - q[i]).max(axis=-1).min())
            step = np.diff(points, axis=0)
            squares = np.einsum("nk,nk->n", step, step) + 1e-300
            along = np.clip(np.einsum("nk,nk->n", q[i] - points[:-1], step) / squares, 0.0, 1.0)
            feet = points[:-1] + along[:, None] * step
            gaps = np.abs(feet - q[i]).max(axis=-1)
            if len(gaps) and gaps.min() < nearest:
                k = int(np.argmin(gaps))
                nearest = float(gaps[k])
                foot[i], direction[i] = feet[k], step[k] / np.sqrt(squares[k])
    near = np.flatnonzero(np.isfinite(foot[:, 0]) & (least > 0.0))
    least[near] = np.minimum(least[near], _exact(arm, foot[near], direction[near], q[near]))
    for i in np.flatnonzero((least > CLOSE) & np.isfinite(foot[:, 0])):
        least[i] = min(least[i], _halved(arm, motions[i], q[i]))
    return least


CLOSE = 1e-7
"""Distances that need no closer look [rad]."""


def _halved(arm: Arm, motion: SelfMotion, q: np.ndarray) -> float:
    """Distance of q from the nearest three parts of the curve, each halved towards q."""
    parts = []
    for segment in motion.feasible:
        a, b = segment.q[:-1], segment.q[1:]
        parts += [(float(d), x, y) for d, x, y in zip(_to_chord(a, b, q), a, b, strict=True)]
    parts.sort(key=lambda part: part[0])
    least = np.inf
    for _, a, b in parts[:3]:
        for _ in range(40):
            length = np.linalg.norm(b - a)
            if length < CLOSE:
                break
            middle = _onto(arm, 0.5 * (a + b), (b - a) / length, q)
            least = min(least, float(np.abs(middle - q).max()))
            first, second = (float(_to_chord(x, y, q)) for x, y in ((a, middle), (middle, b)))
            a, b = (a, middle) if first < second else (middle, b)
    return least


def _to_chord(a: np.ndarray, b: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Largest joint difference between q and the nearest point of the lines from a to b."""
    step = b - a
    squares = np.sum(step * step, axis=-1) + 1e-300
    along = np.clip(np.sum((q - a) * step, axis=-1) / squares, 0.0, 1.0)
    return np.asarray(np.abs(a + along[..., None] * step - q).max(axis=-1))


def _onto(arm: Arm, x: np.ndarray, direction: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The point of the self-motion through q next to x, in the plane normal to `direction`."""
    wished = arm.fk(q)
    for _ in range(20):
        now = arm.fk(x)
        turn = spatial.so3_log(wished[:3, :3] @ now[:3, :3].T)
        gap = np.concatenate([wished[:3, 3] - now[:3, 3], turn, [0.0]])
        if np.abs(gap).max() < 1e-15:
            break
        J = np.vstack([arm.jacobian(x), direction])
        step = np.linalg.lstsq(J, gap, rcond=1e-9)[0]
        x = x + step * min(1.0, 0.05 / max(float(np.abs(step).max()), 1e-300))
    return x


def _exact(arm: Arm, x: np.ndarray, direction: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Distance of q from the self-motion next to x, by Newton across `direction`."""
    if not len(x):
        return np.empty(0)
    wished = arm.fk(q)
    least = np.full(len(x), np.inf)
    for _ in range(12):
        now = arm.fk(x)
        turn = spatial.so3_log(wished[:, :3, :3] @ np.swapaxes(now[:, :3, :3], -1, -2))
        shift = wished[:, :3, 3] - now[:, :3, 3]
        ahead = np.einsum("nk,nk->n", direction, q - x)
        gap = np.concatenate([shift, turn, ahead[:, None]], axis=-1)
        J = np.concatenate([arm.jacobian(x), direction[:, None]], axis=-2)
        # Singular configurations: least squares, damped by rounding.
        Jt = np.swapaxes(J, -1, -2)
        A = Jt @ J + 1e-14 * np.eye(7)
        step = np.linalg.solve(A, (Jt @ gap[..., None]))[..., 0]
        length = np.abs(step).max(axis=-1, keepdims=True)
        x = x + step * np.minimum(1.0, 0.1 / np.maximum(length, 1e-300))
        least = np.minimum(least, np.abs(x - q).max(axis=-1))
    return least

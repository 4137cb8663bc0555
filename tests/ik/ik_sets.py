"""Joint positions whose tip poses are targets of inverse kinematics, the hard places among them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from problems import generator

from baxterkit import Arm
from baxterkit.ik import exact

STRETCHED = float(np.arctan2(exact.A3, exact.D3))
"""Joint e1 where the elbow is stretched [rad]."""


def uniform(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Uniform inside the limits."""
    return generator("ik_uniform" + seed).uniform(arm.limits.lower, arm.limits.upper, (n, 7))


def near_limits(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """All joints within 1 % of a limit."""
    rng = generator("ik_limits" + seed)
    width = 0.01 * (arm.limits.upper - arm.limits.lower)
    depth = rng.uniform(0.0, 1.0, (n, 7)) * width
    return np.where(rng.random((n, 7)) < 0.5, arm.limits.lower + depth, arm.limits.upper - depth)


def straight(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Elbow e1 and wrist w1 within 0.02 rad of 0."""
    q = uniform(arm, n, "straight" + seed)
    q[:, [3, 5]] = generator("ik_straight" + seed).uniform(-0.02, 0.02, (n, 2))
    return q


def stretched(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Elbow e1 within 0.02 rad of where it is stretched."""
    q = uniform(arm, n, "stretched" + seed)
    q[:, 3] = STRETCHED + generator("ik_stretched" + seed).uniform(-0.02, 0.02, n)
    return q


def near_axis(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Wrist centre within 1 cm of the s0 axis: s1 and e1 by Newton, the other joints at random."""
    found: list[np.ndarray] = []
    round_ = 0
    while sum(map(len, found)) < n:
        rng = generator(f"ik_axis{seed}{round_}")
        round_ += 1
        q = rng.uniform(arm.limits.lower, arm.limits.upper, (n + 100, 7))
        radius, angle = 0.01 * np.sqrt(rng.random(len(q))), rng.uniform(-np.pi, np.pi, len(q))
        aim = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        for _ in range(15):
            gap = aim - _wrist(q)
            (a, c), (b, d) = ((_wrist(q, i, 1e-6) - _wrist(q, i, -1e-6)).T / 2e-6 for i in (1, 3))
            det = a * d - b * c
            det = np.where(np.abs(det) < 1e-9, 1e-9, det)
            step = [d * gap[:, 0] - b * gap[:, 1], a * gap[:, 1] - c * gap[:, 0]]
            q[:, [1, 3]] += np.clip(np.stack(step, axis=-1) / det[:, None], -0.3, 0.3)
        near = np.linalg.norm(_wrist(q), axis=-1) < 0.01
        found.append(q[near & arm.limits.contains(q, 0.0)])
    return np.concatenate(found)[:n]


def _wrist(q: np.ndarray, joint: int = 1, shift: float = 0.0) -> np.ndarray:
    """Wrist centre across the s0 axis at s0 = 0, with one joint shifted, shape (n, 2)."""
    s1, e0, e1, w0 = (q[:, i] + (shift if i == joint else 0.0) for i in (1, 2, 3, 4))
    k = exact.A5 * np.cos(w0)
    X = exact.A3 + k * np.cos(e1) + exact.D5 * np.sin(e1)
    Y = exact.A5 * np.sin(w0)
    Z = exact.D3 + exact.D5 * np.cos(e1) - k * np.sin(e1)
    ux, uy = np.cos(e0) * X - np.sin(e0) * Y, np.sin(e0) * X + np.cos(e0) * Y
    return np.stack([exact.A1 - np.sin(s1) * ux + np.cos(s1) * Z, uy], axis=-1)


def edge_of_reach(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """At the edge of reach, where solution curves are tiny loops: elbow and e0 within 1e-5 to 0.05
    rad of where the arm is longest."""
    rng = generator("ik_edge" + seed)
    q = uniform(arm, n, "edge" + seed)
    off = rng.uniform(-0.05, 0.05, (n, 2)) * 10.0 ** rng.uniform(-4.0, 0.0, (n, 2))
    X = exact.A3 + np.hypot(exact.D5, exact.A5) * np.sin(STRETCHED)
    q[:, 2] = off[:, 0] - np.arctan2(exact.A5 * np.sin(q[:, 4]), X)
    q[:, 3] = off[:, 1] + STRETCHED - np.arctan2(exact.A5 * np.cos(q[:, 4]), exact.D5)
    return np.clip(q, arm.limits.lower, arm.limits.upper)


def flat(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Elbow stretched, forearm along the hand and e0 near +-pi/2, all nearly: small loops again."""
    rng = generator("ik_flat" + seed)
    q = uniform(arm, n, "flat" + seed)
    q[:, 2] = np.where(rng.random(n) < 0.5, 1.0, -1.0) * np.pi / 2 + rng.uniform(-0.25, 0.25, n)
    q[:, 3] = STRETCHED + rng.uniform(-0.04, 0.04, n)
    q[:, 5] = rng.uniform(-0.06, 0.06, n)
    return q


def beyond(arm: Arm, n: int, seed: str = "") -> np.ndarray:
    """Anywhere on the circle: many of these poses cannot be reached within the limits."""
    return generator("ik_beyond" + seed).uniform(-np.pi, np.pi, (n, 7))


IK_SETS: dict[str, Callable[..., np.ndarray]] = {
    "uniform": uniform,
    "near_limits": near_limits,
    "straight": straight,
    "stretched": stretched,
    "near_axis": near_axis,
}


SMALL_LOOPS: dict[str, Callable[..., np.ndarray]] = {"edge_of_reach": edge_of_reach, "flat": flat}
"""Where closed solution curves are smaller than the spacing of the e0 values."""


def smooth_motion(arm: Arm, n: int, seed: str = "", share: float = 0.5) -> np.ndarray:
    """A smooth joint motion within the limits, shape (n, 7): a witness that its poses are a path.

    Args:
        arm: The arm.
        n: Points.
        seed: Which one.
        share: Part of the joint ranges that it may use.
    """
    rng = generator("ik_motion" + seed)
    x = np.linspace(0.0, 1.0, n)[:, None]
    slow = np.sin(2.0 * np.pi * (rng.uniform(0.2, 0.8, 7) * x + rng.random(7)))
    fast = np.sin(2.0 * np.pi * (rng.uniform(0.8, 1.6, 7) * x + rng.random(7)))
    part = share * (0.3 * slow + 0.1 * fast + rng.uniform(-0.1, 0.1, 7))
    return arm.limits.middle + part * (arm.limits.upper - arm.limits.lower)


def poses(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Tip poses, contiguous."""
    return np.ascontiguousarray(arm.fk(q))


def same_sets(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two lists of joint positions hold the same ones, whole turns aside."""
    if len(a) != len(b):
        return False
    if not len(a):
        return True
    gaps = np.abs(exact.wrap(a[:, None] - b[None])).max(axis=-1)
    return bool((gaps.min(axis=0) < tolerance).all() and (gaps.min(axis=1) < tolerance).all())


def costs(arm: Arm, objective: str, q: np.ndarray, seed: np.ndarray) -> np.ndarray:
    """What the objective makes small, of joint positions (n, 7)."""
    if objective == "nearest":
        return np.sum((q - seed) ** 2, axis=-1)
    if objective == "limits":
        half = 0.5 * (arm.limits.upper - arm.limits.lower)
        return np.max(np.abs(q - arm.limits.middle) / half, axis=-1)
    if objective == "manipulability":
        return -np.asarray(arm.manipulability(q))
    return np.linalg.norm(arm.gravity(q), axis=-1)

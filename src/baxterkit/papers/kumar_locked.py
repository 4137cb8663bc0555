"""Kumar et al., III.G: the closed form of the arm with e0 = 0 and L₅ = 0 (eqs. 6-8 and below).

Angles are named as there: θ₁ θ₂ θ₄ θ₅ θ₆ θ₇ are s0 s1 e1 w0 w1 w2. Each misprint is a name of
`MISPRINTS`; with L₅ = 0 as the only one, the same steps give all eight branches of that arm.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from baxterkit.papers.paper import Misprint
from baxterkit.types import Array, JointVector, Rotation, Transform, Vector3

__all__ = ["MISPRINTS", "rotation_36", "solve", "wrist"]

MISPRINTS = {
    "L_5 = 0": Misprint('L₅ = 0, "another reasonable approximation"', "a₅ = 0.01 m"),
    "eq. 8, l1": Misprint("z₆⁰ = −L_h s₂ − L₄ s₂₄", "l₁ − ...: Table I and the paper's Z have l₁"),
    "eq. 8, elbow": Misprint(
        "L_h c₂, L_h s₂",
        "L_h cos(θ₂ + δ), L_h sin(θ₂ + δ), δ = atan2(L₃, L₂) = 0.1871 rad",
    ),
    "eq. 8, end effector": Misprint(
        'T₆⁰ is "the end-effector pose"',
        "eq. 8 is the wrist; the end effector is d₇ = 0.229525 m further along its axis",
    ),
    "R_6^3": Misprint(
        "the matrix before θ₅", "Rx(−π/2) times it: the printed one is Rx(π/2) times Table I's"
    ),
    "x / c1": Misprint("x / c₁ in θ₂, θ₄, E, G", "±√(x² + y²)"),
    "theta_6": Misprint("atan2(R₂₁ / c₇, −R₂₃)", "atan2(R₂₁ c₇ − R₂₂ s₇, −R₂₃)"),
    "branches": Misprint("two solutions", "up to eight with L₅ = 0: two θ₁, two wrists"),
}


def wrist(q: JointVector, misprints: Set[str], dh: Array) -> Vector3:
    """P₆⁰ of eq. 8 [m]: the crossing of the last three axes with L₅ = 0."""
    L1, Lh, L4, delta, l1, _ = _lengths(dh, misprints)
    t1, t2, t24 = q[..., 0], q[..., 1], q[..., 1] + q[..., 3]
    radius = L1 + Lh * np.cos(t2 + delta) + L4 * np.cos(t24)
    z = l1 - Lh * np.sin(t2 + delta) - L4 * np.sin(t24)
    return np.stack([np.cos(t1) * radius, np.sin(t1) * radius, z], axis=-1)


def rotation_36(q: JointVector, misprints: Set[str]) -> Rotation:
    """R₆³(θ₅, θ₆, θ₇), shape (*batch, 3, 3)."""
    c5, c6, c7 = np.moveaxis(np.cos(q[..., 4:]), -1, 0)
    s5, s6, s7 = np.moveaxis(np.sin(q[..., 4:]), -1, 0)
    R = [
        [-s5 * s7 + c5 * c6 * c7, -s5 * c7 - c5 * c6 * s7, c5 * s6],
        [s6 * c7, -s6 * s7, -c6],
        [c5 * s7 + s5 * c6 * c7, c5 * c7 - s5 * c6 * s7, s5 * s6],
    ]
    printed = np.stack([np.stack(row, axis=-1) for row in R], axis=-2)
    return printed if "R_6^3" in misprints else np.asarray(_QUARTER_BACK @ printed)


def solve(T: Transform, misprints: Set[str], dh: Array) -> JointVector:
    """Joint positions with e0 = 0 for poses of the hand in frame 0, shape (*batch, n, 7).

    As printed, θ₁ comes from y₄⁰ and x₄⁰, the elbow's frame, which no pose contains; the wrist's
    are taken.
    """
    L1, Lh, L4, delta, l1, d7 = _lengths(dh, misprints)
    p = T[..., :3, 3]
    if "eq. 8, end effector" not in misprints:
        p = p - d7 * T[..., :3, 2]
    x, y, z = p[..., 0], p[..., 1], p[..., 2] - l1
    one_theta_1 = "branches" in misprints
    found = []
    with np.errstate(all="ignore"):  # NaN where a branch does not exist
        for facing in (1.0,) if one_theta_1 else (1.0, -1.0):
            t1 = np.arctan2(facing * y, facing * x)
            r = x / np.cos(t1) if "x / c1" in misprints else facing * np.hypot(x, y)
            E = 2.0 * Lh * (L1 - r)
            F = 2.0 * Lh * z
            G = r**2 + Lh**2 + L1**2 - L4**2 + z**2 - 2.0 * L1 * r
            for sign in (1.0, -1.0):
                t = (-F + sign * np.sqrt(E**2 + F**2 - G**2)) / (G - E)
                u = 2.0 * np.arctan(t)  # θ₂ + δ
                t2 = u - delta
                t4 = np.arctan2(-z - Lh * np.sin(u), r - L1 - Lh * np.cos(u)) - t2
                for flip in (1.0,) if one_theta_1 else (1.0, -1.0):
                    found.append(_wrist_angles(T, t1, t2, t4, flip, misprints))
    q = np.stack(found, axis=-2)
    return np.asarray(np.pi - (np.pi - q) % (2.0 * np.pi))


def _wrist_angles(
    T: Transform, t1: Array, t2: Array, t4: Array, flip: float, misprints: Set[str]
) -> JointVector:
    """θ₅, θ₆, θ₇ from R₆³ = (R₃⁰)ᵀ R₆⁰."""
    R_3 = _rotation_03(t1, t2, t4)
    R = np.swapaxes(R_3, -1, -2) @ T[..., :3, :3]
    if "R_6^3" not in misprints:
        R = _QUARTER_BACK.T @ R  # the printed θ₅, θ₆, θ₇ are those of the printed matrix
    t5 = np.arctan2(flip * R[..., 2, 2], flip * R[..., 0, 2])
    t7 = np.arctan2(-flip * R[..., 1, 1], flip * R[..., 1, 0])
    if "theta_6" in misprints:
        sine = R[..., 1, 0] / np.cos(t7)
    else:
        sine = R[..., 1, 0] * np.cos(t7) - R[..., 1, 1] * np.sin(t7)
    t6 = np.arctan2(sine, -R[..., 1, 2])
    return np.stack([t1, t2, np.zeros_like(t1), t4, t5, t6, t7], axis=-1)


def _rotation_03(t1: Array, t2: Array, t4: Array) -> Rotation:
    """R₃⁰: the rotations of Table I's first four rows with e0 = 0."""
    return np.asarray(_z(t1) @ _QUARTER_BACK @ _z(t2 + t4 + np.pi / 2) @ _QUARTER_BACK.T)


def _z(angle: Array) -> Rotation:
    s, c = np.sin(angle), np.cos(angle)
    zero, one = np.zeros_like(s), np.ones_like(s)
    rows = [[c, -s, zero], [s, c, zero], [zero, zero, one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


_QUARTER_BACK = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Rx(−π/2)."""


def _lengths(dh: Array, misprints: Set[str]) -> tuple[float, float, float, float, float, float]:
    """L₁, L_h (eq. 6), L₄, δ, l₁ and d₇, the last two 0 where the paper leaves them out."""
    d, a = dh[:, 1], dh[:, 2]
    Lh = float(np.hypot(d[2], a[2]))
    delta = 0.0 if "eq. 8, elbow" in misprints else float(np.arctan2(a[2], d[2]))
    l1 = 0.0 if "eq. 8, l1" in misprints else float(d[0])
    return float(a[0]), Lh, float(d[4]), delta, l1, float(d[6])

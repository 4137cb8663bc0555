"""Exact inverse kinematics of Baxter's geometry in plain NumPy: the readable reference.

The arm is three universal joints in a row behind the s0 axis. With e0 = θ3 given, two unknowns are
left, θ4 (e1) and θ5 (w0). In the s0 frame, with the wrist centre W = p - d7 z7, ρ² = Wx² + Wy²,
h = d1 - Wz, φ = atan2(Wy, Wx) and θ2' = q2 + π/2:

    k = a5 c5,  X = a3 + k c4 + d5 s4,  Y = a5 s5,  Z = d3 + d5 c4 - k s4
    ux = c3 X - s3 Y,  L2 = s3 X + c3 Y
    x1 = (ρ² + h² - a1² - X² - Y² - Z²) / (2 a1),  L1 = a1 + x1
    g = L1² + L2² - ρ²                                  (1) the wrist centre is reached
    θ1 = φ - atan2(L2, L1),  θ2' = atan2(h, x1) - atan2(-Z, ux)
    f = z5 · z7                                         (2) the w1 axis is normal to z7

For a given θ5, (1) is a quartic in e^{iθ4}, since L1 and L2 are linear in c4, s4. The fast path
takes a5 = 0, where (1) does not depend on θ5 and (2) is A c5 + B s5 = 0: up to eight starts in
closed form. The sure path takes the roots for many θ5, also the angles of those off the unit
circle, near which two real ones may just have vanished. Newton's method on (1), (2) makes each
start exact. Joint limits are ignored here, but for the whole turns that the equations leave open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.model.lengths import arm_lengths
from baxterkit.model.limits import Limits
from baxterkit.types import AnyArray, Array, Index, JointVector, Transform

D1, A1, D3, A3, D5, A5, D7 = arm_lengths()
"""Standard DH lengths of the arm from the s0 frame to the hand [m]."""

SAME_SOLUTION = 1e-6
"""Solutions closer than this in every joint are one [rad]."""

ON_AXIS = 1e-6
"""A wrist this near to the s0 axis is on it: s0 no longer follows from the wrist's place [m]."""

S0_STARTS = 8
"""Number of start values of s0 for a wrist on its axis."""

SURE_SAMPLES = 32
"""Number of values of θ5 that the sure path starts from."""

_LINKS = (
    (D1, A1, -1.0), (0.0, 0.0, 1.0), (D3, A3, -1.0), (0.0, 0.0, 1.0), (D5, A5, -1.0),
    (0.0, 0.0, 1.0), (D7, 0.0, 0.0),
)  # fmt: skip
"""d, a [m] and sin α of each joint."""

SEED_CLIP = 1e3
"""Seeds beyond this [rad] are clipped to it when a turn is chosen."""


@dataclass(frozen=True)
class WristTarget:
    """Hand poses in the s0 frame, with the quantities that do not depend on e0; one row per pose.

    Attributes:
        T: T_s0_hand, shape (n, 4, 4).
        rho: Distance of the wrist centre from the s0 axis [m].
        h: Depth of the wrist centre below the shoulder [m].
        phi: Direction of the wrist centre about the s0 axis [rad].
        z7: The hand's z axis: radial, tangential and down parts, shape (n, 3).
    """

    T: Transform
    rho: Array
    h: Array
    phi: Array
    z7: Array

    @classmethod
    def of(cls, T_s0_hand: Transform) -> WristTarget:
        """From hand poses in the s0 frame, shape (n, 4, 4)."""
        z = T_s0_hand[:, :3, 2]
        wrist = T_s0_hand[:, :3, 3] - D7 * z
        rho = np.hypot(wrist[:, 0], wrist[:, 1])
        phi = np.arctan2(wrist[:, 1], wrist[:, 0])
        c, s = np.cos(phi), np.sin(phi)
        parts = [c * z[:, 0] + s * z[:, 1], c * z[:, 1] - s * z[:, 0], -z[:, 2]]
        return cls(T_s0_hand, rho, D1 - wrist[:, 2], phi, np.stack(parts, axis=-1))

    def take(self, rows: Index) -> WristTarget:
        """Some of the rows, in any order and number."""
        return WristTarget(
            self.T[rows], self.rho[rows], self.h[rows], self.phi[rows], self.z7[rows]
        )


@dataclass(frozen=True)
class Reduced:
    """Both equations at a point, with the terms that give the joint angles; may be complex."""

    g: Array
    f: Array
    L1: Array
    L2: Array
    c2: Array
    s2: Array
    alpha: Array  # z7 along x4
    beta: Array  # z7 along y4
    along: Array  # z7 along z4


def reduced(t: WristTarget, e0: Array, th4: AnyArray, th5: AnyArray, a5: float = A5) -> Reduced:
    """Equations (1) and (2) at (θ4, θ5), one row per target."""
    c3, s3, c4, s4 = np.cos(e0), np.sin(e0), np.cos(th4), np.sin(th4)
    c5, s5 = np.cos(th5), np.sin(th5)
    k, Y = a5 * c5, a5 * s5
    X, Z = A3 + k * c4 + D5 * s4, D3 + D5 * c4 - k * s4
    ux, L2 = c3 * X - s3 * Y, s3 * X + c3 * Y
    x1 = (t.rho**2 + t.h**2 - A1**2 - X**2 - Y**2 - Z**2) / (2.0 * A1)
    L1 = A1 + x1
    length = np.sqrt(L1**2 + L2**2)
    # With the wrist on the s0 axis psi is free: 0 here, and `_polish` turns s0 on from there.
    away = np.abs(length) > 1e-150
    length = np.where(away, length, 1.0)
    cos_psi, sin_psi = np.where(away, L1 / length, 1.0), np.where(away, L2 / length, 0.0)
    D = x1**2 + t.h**2
    c2, s2 = (ux * x1 - t.h * Z) / D, (t.h * ux + Z * x1) / D
    radial, tangential, down = t.z7.T
    x = radial * cos_psi - tangential * sin_psi
    y = tangential * cos_psi + radial * sin_psi
    x, z = c2 * x + s2 * down, s2 * x - c2 * down
    x, y = c3 * x + s3 * y, c3 * y - s3 * x
    alpha, along = c4 * x - s4 * z, s4 * x + c4 * z
    return Reduced(L1**2 + L2**2 - t.rho**2, c5 * y - s5 * alpha, L1, L2, c2, s2, alpha, y, along)


def elbow_angles(t: WristTarget, e0: Array, th5: Array, a5: float = A5) -> Array:
    """Angles of the four roots of (1) as a quartic in z = e^{iθ4}, for given θ5; shape (n, 4).

    Real solutions are those with |z| = 1; the angles of the others are starts near which the curve
    g = 0 turns round.
    """
    c3, s3 = np.cos(e0), np.sin(e0)
    k, Y = a5 * np.cos(th5), a5 * np.sin(th5)
    # L1 = p0 + p1 c4 + p2 s4 and L2 = r0 + r1 c4 + r2 s4
    square = A3**2 + k**2 + D5**2 + D3**2 + Y**2
    p0 = A1 + (t.rho**2 + t.h**2 - A1**2 - square) / (2.0 * A1)
    p1, p2 = -(A3 * k + D3 * D5) / A1, -(A3 * D5 - D3 * k) / A1
    r0, r1, r2 = s3 * A3 + c3 * Y, s3 * k, s3 * D5
    constant = p0**2 + r0**2 - t.rho**2 + 0.5 * (p1**2 + p2**2 + r1**2 + r2**2)
    once = (p0 * p1 + r0 * r1) - 1j * (p0 * p2 + r0 * r2)
    twice = 0.25 * ((p1**2 - p2**2 + r1**2 - r2**2) - 2j * (p1 * p2 + r1 * r2))
    companion = np.zeros((len(t.rho), 4, 4), dtype=np.complex128)
    companion[:, 1, 0] = companion[:, 2, 1] = companion[:, 3, 2] = 1.0
    low_first = (np.conj(twice), np.conj(once), constant, once)
    for i, coefficient in enumerate(low_first):
        companion[:, i, 3] = -coefficient / twice
    angles: Array = np.angle(np.linalg.eigvals(companion))
    return angles


def joint_angles(t: WristTarget, e0: Array, th4: Array, th5: Array) -> JointVector:
    """Joint positions [rad] at points that satisfy (1) and (2), shape (n, 7)."""
    r = reduced(t, e0, th4, th5)
    c5, s5 = np.cos(th5), np.sin(th5)
    q = np.stack(
        [
            t.phi - np.arctan2(r.L2, r.L1),
            np.arctan2(-r.c2, r.s2),
            e0,
            th4,
            th5,
            np.arctan2(c5 * r.alpha + s5 * r.beta, r.along),
            np.zeros_like(e0),
        ],
        axis=-1,
    )
    R6 = hand_pose(q)[:, :3, :3]  # with θ7 = 0: x7 and y7 are left to be turned
    aim = t.T[:, :3, 0]
    q[:, 6] = np.arctan2(np.sum(R6[:, :, 1] * aim, -1), np.sum(R6[:, :, 0] * aim, -1))
    return q


def link_frames(q: JointVector) -> list[Transform]:
    """DH frames 1 to 7 in the s0 frame, shape (n, 4, 4) each."""
    d, a, sin_alpha = np.array(_LINKS).T
    cos_alpha = 1.0 - np.abs(sin_alpha)
    angle = q + np.array([0.0, 0.5 * np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])
    c, s = np.cos(angle), np.sin(angle)
    A = np.zeros((len(q), 7, 4, 4))
    A[..., 0, 0], A[..., 0, 1], A[..., 0, 2] = c, -s * cos_alpha, s * sin_alpha
    A[..., 1, 0], A[..., 1, 1], A[..., 1, 2] = s, c * cos_alpha, -c * sin_alpha
    A[..., 2, 1], A[..., 2, 2], A[..., 3, 3] = sin_alpha, cos_alpha, 1.0
    A[..., 0, 3], A[..., 1, 3], A[..., 2, 3] = a * c, a * s, d
    frames = [A[:, 0]]
    for i in range(1, 7):
        frames.append(frames[-1] @ A[:, i])
    return frames


def hand_pose(q: JointVector) -> Transform:
    """T_s0_hand, shape (n, 4, 4)."""
    return link_frames(q)[-1]


def hand_jacobian(q: JointVector) -> Array:
    """Jacobian at the hand's origin in s0 axes, linear rows first, shape (n, 6, 7)."""
    frames = link_frames(q)
    before = np.stack([np.broadcast_to(np.eye(4), frames[0].shape), *frames[:-1]], axis=1)
    axis = before[..., :3, 2]
    lever = frames[-1][:, None, :3, 3] - before[..., :3, 3]
    columns = np.concatenate([np.cross(axis, lever), axis], axis=-1)
    return np.ascontiguousarray(np.swapaxes(columns, -1, -2))


def pose_gap(T: Transform, q: JointVector) -> Array:
    """Step from the hand at q to the target T: [p; rotation vector], s0 axes, shape (n, 6)."""
    now = hand_pose(q)
    turn = T[:, :3, :3] @ np.swapaxes(now[:, :3, :3], -1, -2)
    vector = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=-1,
    )
    return np.concatenate([T[:, :3, 3] - now[:, :3, 3], vector], axis=-1)


def solve_at(
    T_s0_hand: Transform, e0: float, sure: bool = True, samples: int = SURE_SAMPLES
) -> JointVector:
    """Every solution with e0 given, without regard to limits.

    Args:
        T_s0_hand: One hand pose in the s0 frame, shape (4, 4).
        e0: Joint e0 [rad].
        sure: Whether to take the sure path as well.
        samples: Number of values of θ5 that the sure path starts from.

    Returns:
        Joint positions [rad] in (-π, π], e0 as given, shape (m, 7), ordered by s0.
    """
    return solve_many(np.asarray(T_s0_hand)[None], np.array([e0]), sure, samples)[0]


def solve_many(
    T_s0_hand: Transform, e0: Array, sure: bool = True, samples: int = SURE_SAMPLES
) -> list[JointVector]:
    """`solve_at` for rows of poses (n, 4, 4) and e0 values (n,)."""
    t = WristTarget.of(np.asarray(T_s0_hand, dtype=np.float64))
    e0 = np.asarray(e0, dtype=np.float64)
    n = len(e0)
    rows, th4, th5 = [], [], []
    roots = elbow_angles(t, e0, np.zeros(n), a5=0.0)
    for i in range(4):
        r = reduced(t, e0, roots[:, i], np.zeros(n), a5=0.0)
        for turn in (0.0, np.pi):
            rows.append(np.arange(n))
            th4.append(roots[:, i])
            th5.append(np.arctan2(r.beta, r.alpha) + turn)
    for angle in np.arange(samples if sure else 0) * (2.0 * np.pi / max(samples, 1)):
        roots = elbow_angles(t, e0, np.full(n, angle))
        rows += [np.arange(n)] * 4
        th4 += list(roots.T)
        th5 += [np.full(n, angle)] * 4
    return _polish(t, e0, np.concatenate(rows), np.concatenate(th4), np.concatenate(th5))


def _polish(t: WristTarget, e0: Array, rows: Array, th4: Array, th5: Array) -> list[JointVector]:
    """Newton from every start; the solutions of each row, each once."""
    s, e = t.take(rows), e0[rows]
    for _ in range(12):
        th4, th5 = _newton_step(s, e, th4, th5)
    q = joint_angles(s, e, th4, th5)
    axis = np.flatnonzero(t.rho[rows] < ON_AXIS)
    if len(axis):
        turned = np.repeat(q[axis], S0_STARTS, axis=0)
        turned[:, 0] += np.tile(np.arange(S0_STARTS) * (2.0 * np.pi / S0_STARTS), len(axis))
        again = np.repeat(axis, S0_STARTS)
        q, rows = np.concatenate([q, turned]), np.concatenate([rows, rows[again]])
        s = t.take(rows)
        for _ in range(10):
            q = _joint_step(s.T, q)
    good = np.max(np.abs(pose_gap(s.T, q)), axis=-1) < 1e-3
    rows, q, s = rows[good], q[good], s.take(np.flatnonzero(good))
    for _ in range(4):
        q = _joint_step(s.T, q)
    good = np.max(np.abs(pose_gap(s.T, q)), axis=-1) < 1e-12
    good &= (
        np.abs(hand_pose(q) - s.T).max(axis=(-2, -1)) < 1e-9
    )  # a gap of half a turn looks like 0
    q = wrap(q)
    q[:, 2] = e0[rows]
    return [_distinct(q[good & (rows == i)]) for i in range(len(e0))]


def _newton_step(t: WristTarget, e0: Array, th4: Array, th5: Array) -> tuple[Array, Array]:
    """One damped step on (1), (2); derivatives by the complex step."""
    h = 1e-30
    by4, by5 = reduced(t, e0, th4 + 1j * h, th5), reduced(t, e0, th4, th5 + 1j * h)
    residual = np.stack([by4.g.real, by4.f.real], axis=-1)
    J = np.stack([np.stack([by4.g, by4.f], -1), np.stack([by5.g, by5.f], -1)], axis=-1).imag / h
    Jt = np.swapaxes(J, -1, -2)
    damping = 1e-3 * np.sum(residual**2, axis=-1) + 1e-30
    matrix = Jt @ J + damping[:, None, None] * np.eye(2)
    step = np.linalg.solve(matrix, Jt @ residual[..., None])[..., 0]
    step = np.clip(np.nan_to_num(step), -0.3, 0.3)
    return th4 - step[:, 0], th5 - step[:, 1]


def _joint_step(T: Transform, q: JointVector) -> JointVector:
    """One Newton step of the six joints besides e0, damped at singularities."""
    J = np.delete(hand_jacobian(q), 2, axis=-1)
    gap = pose_gap(T, q)
    damping = 1e-6 * np.sum(gap**2, axis=-1) + 1e-15  # above the rounding of J'J
    Jt = np.swapaxes(J, -1, -2)
    step = np.linalg.solve(Jt @ J + damping[:, None, None] * np.eye(6), Jt @ gap[..., None])[..., 0]
    new = q.copy()
    new[:, [0, 1, 3, 4, 5, 6]] += np.clip(step, -0.3, 0.3)
    return new


def wrap(q: Array) -> Array:
    """Angles in (-π, π]."""
    return q - 2.0 * np.pi * np.round(q / (2.0 * np.pi))


def _distinct(q: JointVector) -> JointVector:
    """Each solution once, ordered by s0."""
    kept: list[JointVector] = []
    for candidate in q[np.argsort(q[:, 0], kind="stable")]:
        if all(np.max(np.abs(wrap(candidate - other))) >= SAME_SOLUTION for other in kept):
            kept.append(candidate)
    return np.array(kept).reshape(-1, 7)


def turn_middles(limits: Limits, seed: JointVector) -> Array:
    """The middle of the turn in which each joint is returned [rad], shape (7,).

    With limits inside [-π, π] that is 0; with other limits less than a turn wide it is their
    middle; limits a turn wide or more leave the joint free, in the turn within them around the
    seed.
    """
    lower, upper = limits.lower, limits.upper
    plain = (lower >= -np.pi) & (upper <= np.pi)
    narrow = upper - lower < 2.0 * np.pi
    near = np.clip(seed, -SEED_CLIP, SEED_CLIP)
    near = np.minimum(np.maximum(near, lower + np.pi), upper - np.pi)
    return np.where(plain, 0.0, np.where(narrow, limits.middle, near))


def place(q: JointVector, middles: Array) -> JointVector:
    """Joint positions (*batch, 7), shifted by whole turns to within half a turn of the middles."""
    return q - 2.0 * np.pi * np.round((q - middles) / (2.0 * np.pi))

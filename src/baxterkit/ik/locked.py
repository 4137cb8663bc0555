"""The methods that lock e0: Kumar's closed form, and the exact solutions at a value of e0."""

from __future__ import annotations

import numpy as np

from baxterkit.errors import InputError, did_you_mean
from baxterkit.ik.exact import A1, A3, A5, D1, D3, D5, D7, link_frames, wrap
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.iterate import IkProblem, errors_at
from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkResult, IkStatus
from baxterkit.ik.target import Pose
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, JointVector, Transform

L1, L2, L3, L4 = A1, D3, A3, D5
"""The paper's names of the lengths [m]."""
LH = float(np.hypot(L2, L3))
GAMMA = float(np.arctan2(L3, L2))
"""Eq. 6, and the angle that Eq. 8 leaves out."""
OFFSET = A5
"""Distance of the tip from the target at every pose, since L5 = 0 [m]."""


def solve_locked(
    problem: IkProblem, solver: ExactSolver, target: Pose, method: str, options: IkOptions
) -> IkResult:
    """The closed form with e0 = 0 and L5 = 0, or the exact solutions with e0 as given."""
    model, limits = problem.model, problem.model.limits
    if method == "six_dof":
        no_options(method, options, ("tolerance",))
        tolerance = float(options.get("tolerance", 1.01 * OFFSET))
        s0_base, tip_hand = inverse(model.T_base_s0), inverse(model.T_hand_tip)
        hands = [s0_base @ T @ tip_hand for T in target.T]
        rows = [q[~np.isnan(q[:, 0])] for q in six_dof(np.stack(hands))] if hands else []
    else:
        no_options(method, options, ("e0", "tolerance"))
        tolerance = float(options.get("tolerance", 1e-9))
        e0 = np.asarray(options.get("e0", 0.0), dtype=np.float64)
        rows = solver.all(target.T, np.broadcast_to(e0, len(target.T)), False)
    q = np.full((len(rows), 7), np.nan)
    for i, row in enumerate(rows):
        fits = row[limits.contains(row)] if len(row) else row
        if len(fits):
            q[i] = nearest_first(np.clip(fits, limits.lower, limits.upper), problem.seed[i])[0]
    found = ~np.isnan(q[:, 0])
    distance, angle = errors_at(problem, q, found)
    solved = found & (distance <= tolerance) & (angle <= tolerance)
    codes = np.where(solved, int(IkStatus.SOLVED), int(IkStatus.LOCKED)).astype(np.uint8)
    nothing = np.where(solved, 0.0, np.nan)
    none = sum(len(row) == 0 for row in rows)
    beyond = int((~found).sum()) - none
    reasons = [f"{none} without a solution at this e0"] if none else []
    reasons += [f"{beyond} beyond the limits at this e0"] if beyond else []
    result = IkResult(
        np.where(solved[:, None], q, np.nan), codes, distance + nothing, angle + nothing, method
    )
    return result.replace(
        joint_names=problem.model.joint_names,
        attempts=(Attempt(method, len(rows), int(solved.sum()), ", ".join(reasons)),),
    )


def nearest_first(q: JointVector, seed: JointVector) -> JointVector:
    """Solutions (m, 7) in the order of their distance from the seed."""
    order = np.argsort(np.sum((q - seed) ** 2, axis=-1), kind="stable")
    return q[order]


def no_options(method: str, options: IkOptions, known: tuple[str, ...] = ()) -> None:
    """Refuses options that a method does not have."""
    unknown = [name for name in options if name not in known]
    if unknown:
        has = f"it has: {', '.join(known)}" if known else "it has none"
        like = did_you_mean(unknown[0], (*known, "seed", "objective", "method"))
        raise InputError(f"method {method!r} has no option {unknown[0]!r}; {like}{has}")


def six_dof(T_s0_hand: Transform) -> JointVector:
    """Kumar et al., III.G: all branches of the closed form, the wrist offset left out.

    As printed, with these corrections (see docs/ik.md): the elbow's angle atan2(L3, L2) = 0.187 rad
    in Eq. 8; radius and its sign instead of x/c1, so that θ1 = ±π/2 needs no special case; atan2 of
    lengths instead of R21/c7; all eight branches (two θ1, two elbows, two wrists) instead of two.
    With L5 = 0 the orientation is exact, and the tip is off by the 10 mm that were left out, at
    every pose. `baxterkit.ik.exact` with e0 = 0 is the same without the approximation.

    Args:
        T_s0_hand: Hand poses in the s0 frame, shape (n, 4, 4).

    Returns:
        Joint positions [rad] in (-π, π] with e0 = 0, shape (n, 8, 7); NaN where a branch is out of
        reach. Joint limits are ignored here.
    """
    T = np.asarray(T_s0_hand, dtype=np.float64)
    wrist = T[:, :3, 3] - D7 * T[:, :3, 2]
    z = wrist[:, 2] - D1
    branches = []
    for facing in (1.0, -1.0):
        th1 = np.arctan2(facing * wrist[:, 1], facing * wrist[:, 0])
        r = facing * np.hypot(wrist[:, 0], wrist[:, 1])
        for elbow in (1.0, -1.0):
            th2, th4 = _elbow(r, z, elbow)
            for flip in (1.0, -1.0):
                branches.append(_wrist(T, th1, th2, th4, flip))
    return np.stack(branches, axis=1)


def _elbow(r: Array, z: Array, elbow: float) -> tuple[Array, Array]:
    """θ2 and θ4 from E cos u + F sin u + G = 0, u = θ2 + γ (Eq. 8 and below)."""
    E, F = 2.0 * LH * (L1 - r), 2.0 * LH * z
    G = r**2 + LH**2 + L1**2 - L4**2 + z**2 - 2.0 * L1 * r
    with np.errstate(invalid="ignore"):
        u = np.arctan2(-F, -E) + elbow * np.arccos(G / np.hypot(E, F))
    th2 = u - GAMMA
    th4 = np.arctan2(-z - LH * np.sin(u), r - L1 - LH * np.cos(u)) - th2
    return th2, th4


def _wrist(T: Transform, th1: Array, th2: Array, th4: Array, flip: float) -> JointVector:
    """θ5, θ6, θ7 of R = Rz(θ5) Ry(θ6) Rz(θ7), the hand seen from the elbow."""
    zero = np.zeros_like(th1)
    q = np.stack([th1, th2, zero, th4, zero, zero, zero], axis=-1)
    R = np.swapaxes(link_frames(q)[3][:, :3, :3], -1, -2) @ T[:, :3, :3]
    sine = np.hypot(R[:, 0, 2], R[:, 1, 2])
    straight = sine < 1e-12
    q[:, 4] = np.where(straight, 0.0, np.arctan2(flip * R[:, 1, 2], flip * R[:, 0, 2]))
    q[:, 5] = np.arctan2(flip * sine, R[:, 2, 2])
    about = np.arctan2(R[:, 1, 0] * np.sign(R[:, 2, 2]), R[:, 0, 0] * np.sign(R[:, 2, 2]))
    q[:, 6] = np.where(straight, about, np.arctan2(flip * R[:, 2, 1], -flip * R[:, 2, 0]))
    q[np.isnan(th2)] = np.nan
    return wrap(q)

"""Damped least squares within the limits from many random starts at once.

It confirms "no": what hundreds of starts do not find is rarely there. It shares forward kinematics
and Jacobian with the exact solver, nothing else.
"""

from __future__ import annotations

import numpy as np

from baxterkit import Arm

ARRIVED = 1e-8
"""Error that counts as arrived [m and rad]; one more step is at rounding."""
ROUNDS = 60
"""Steps of each start, at most."""
LONGEST = 0.5
"""Farthest that a joint moves in a step [rad]."""
PATIENCE = 12
"""Rounds within which the error has to fall to PROGRESS of what it was."""
PROGRESS = 0.7
ROWS = 20_000
"""Starts that are under way at a time: they stay in the cache."""


def pose_twists(arm: Arm, q: np.ndarray, T: np.ndarray) -> np.ndarray:
    """What is left to the targets (n, 6), linear part first."""
    at = arm.fk(q)
    R = at[:, :3, :3] @ np.swapaxes(T[:, :3, :3], -1, -2)
    twist = np.empty((len(q), 6))
    twist[:, :3] = T[:, :3, 3] - at[:, :3, 3]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        twist[:, 3 + i] = 0.5 * (R[:, j, k] - R[:, k, j])
    # (sine of the angle; beyond a quarter turn it falls again, and the length is kept instead)
    far = np.trace(R, axis1=-2, axis2=-1) < 1.0
    size = np.linalg.norm(twist[far, 3:], axis=-1, keepdims=True)
    twist[far, 3:] /= np.maximum(size, 1e-9)
    return twist


def damped_steps(J: np.ndarray, twist: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """J' (J J' + damping)^-1 twist for many rows, by a Cholesky factor written out."""
    A = np.einsum("nij,nkj->ikn", J, J)
    factor = np.zeros_like(A)
    y = np.array(twist.T)
    for i in range(6):
        for k in range(i + 1):
            rest = A[i, k] + (damping if i == k else 0.0)
            for m in range(k):
                rest = rest - factor[i, m] * factor[k, m]
            factor[i, k] = np.sqrt(np.maximum(rest, 1e-30)) if i == k else rest / factor[k, k]
        for m in range(i):
            y[i] -= factor[i, m] * y[m]
        y[i] /= factor[i, i]
    for i in reversed(range(6)):
        for m in range(i + 1, 6):
            y[i] -= factor[m, i] * y[m]
        y[i] /= factor[i, i]
    step: np.ndarray = np.einsum("nij,in->nj", J, y)
    return step


def find(arm: Arm, Ts: np.ndarray, starts: int, rng: np.random.Generator) -> np.ndarray:
    """Joint positions within the (finite) limits that reach the targets; NaN if no start arrives.

    Args:
        arm: The arm.
        Ts: Targets (n, 4, 4).
        starts: Random starts for each target.
        rng: Where they come from.

    Returns:
        q, shape (n, 7).
    """
    found = np.full((len(Ts), 7), np.nan)
    lower, upper = np.asarray(arm.limits.lower), np.asarray(arm.limits.upper)
    at_a_time = max(1, ROWS // starts)
    for first in range(0, len(Ts), at_a_time):
        which = np.repeat(np.arange(first, min(first + at_a_time, len(Ts))), starts)
        q = rng.uniform(lower, upper, (len(which), 7))
        before = np.full(len(which), np.inf)
        for i in range(ROUNDS):
            twist = pose_twists(arm, q, Ts[which])
            error = np.abs(twist).sum(axis=-1)
            arrived = error < ARRIVED
            found[which[arrived]] = q[arrived]
            keep = np.isnan(found[which, 0])
            if i % PATIENCE == 0:
                keep &= error < PROGRESS * before
                before = error
            which, q, twist, error, before = (x[keep] for x in (which, q, twist, error, before))
            if not which.size:
                break
            J = arm.jacobian(q)
            damping = 1e-2 * error**2 + 1e-14
            step = damped_steps(J, twist, damping)
            # joints that press against a limit stay there, and the others do the rest
            pressed = ((q <= lower) & (step < 0.0)) | ((q >= upper) & (step > 0.0))
            rows = pressed.any(axis=-1)
            if rows.any():
                freed = J[rows] * ~pressed[rows, None, :]
                step[rows] = damped_steps(freed, twist[rows], damping[rows])
            longest = np.abs(step).max(axis=-1, keepdims=True)
            step *= np.minimum(1.0, LONGEST / np.maximum(longest, 1e-12))
            q = np.clip(q + step, lower, upper)
    return found

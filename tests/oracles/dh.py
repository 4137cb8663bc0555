"""Baxter's standard DH table, s0 frame to hand, as matrices multiplied out one by one.

Numbers: Rethink's URDF; they are Table I of Kumar et al. with d of E0-E1 corrected (0.36442 m,
where the paper prints 0.36435).
"""

from __future__ import annotations

from typing import Any

import numpy as np

# theta offset [rad], d [m], a [m], alpha in quarter turns
TABLE = (
    (0.0, 0.27035, 0.069, -1),
    (np.pi / 2, 0.0, 0.0, 1),
    (0.0, 0.36442, 0.069, -1),
    (0.0, 0.0, 0.0, 1),
    (0.0, 0.37429, 0.010, -1),
    (0.0, 0.0, 0.0, 1),
    (0.0, 0.229525, 0.0, 0),
)


def dh_matrix(theta: Any, d: float, a: float, quarters: int) -> np.ndarray:
    """Rz(theta) Tz(d) Tx(a) Rx(alpha), alpha = quarters pi/2."""
    c, s = np.cos(theta), np.sin(theta)
    sa, ca = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[quarters % 4]
    zero, one = np.zeros_like(c), np.ones_like(c)
    rows = [
        [c, -s * ca, s * sa, a * c],
        [s, c * ca, -c * sa, a * s],
        [zero, sa * one, ca * one, d * one],
        [zero, zero, zero, one],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def hand_in_s0(q: Any) -> np.ndarray:
    """T_s0_hand at joint positions q, shape (*batch, 7) -> (*batch, 4, 4)."""
    q = np.asarray(q)
    T = np.eye(4)
    for i, (offset, d, a, quarters) in enumerate(TABLE):
        T = T @ dh_matrix(q[..., i] + offset, d, a, quarters)
    return T

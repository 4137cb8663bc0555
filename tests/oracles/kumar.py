"""Closed-form hand position of Kumar et al. (section III.B), in the s0 frame.

Symbols of the paper: l1 … l4 are the link lengths along the arm, d1 … d3 the offsets across it, and
c_i, s_i belong to joint i counted from 0. d4 is zero for Baxter, and its terms are left out here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

L1, L2, L3, L4 = 0.27035, 0.36442, 0.37429, 0.229525
D1, D2, D3 = 0.069, 0.069, 0.010
L2_AS_PRINTED = 0.36435
"""Table I of the paper; the robot has 0.36442 m."""


def hand_position(q: Any, l2: float = L2) -> np.ndarray:
    """X, Y, Z of the hand in the s0 frame, shape (*batch, 7) -> (*batch, 3)."""
    c0, c1, c2, c3, c4, c5, _ = np.moveaxis(np.cos(q), -1, 0)
    s0, s1, s2, s3, s4, s5, _ = np.moveaxis(np.sin(q), -1, 0)
    forearm_x = s0 * s2 * s3 - c0 * c1 * c3 + c0 * c2 * s1 * s3
    across_x = c0 * c1 * s3 + c3 * s0 * s2 + c0 * c2 * c3 * s1
    side_x = c2 * s0 - c0 * s1 * s2
    x = (
        D1 * c0
        - L4 * (c5 * forearm_x + s5 * (c4 * across_x + s4 * side_x))
        - L3 * forearm_x
        - D3 * s4 * side_x
        + l2 * c0 * c1
        - D2 * s0 * s2
        - D3 * c4 * across_x
        - D2 * c0 * c2 * s1
    )
    forearm_y = c1 * c3 * s0 + c0 * s2 * s3 - c2 * s0 * s1 * s3
    across_y = c1 * s0 * s3 - c0 * c3 * s2 + c2 * c3 * s0 * s1
    side_y = c0 * c2 + s0 * s1 * s2
    y = (
        L4 * (c5 * forearm_y - s5 * (c4 * across_y - s4 * side_y))
        + D1 * s0
        + L3 * forearm_y
        + D3 * s4 * side_y
        + D2 * c0 * s2
        + l2 * c1 * s0
        - D3 * c4 * across_y
        - D2 * c2 * s0 * s1
    )
    z = (
        L1
        - l2 * s1
        - D2 * c1 * c2
        - L3 * c3 * s1
        - L3 * c1 * c2 * s3
        - L4 * c3 * c5 * s1
        + D3 * c1 * s2 * s4
        + D3 * c4 * s1 * s3
        - D3 * c1 * c2 * c3 * c4
        - L4 * c1 * c2 * c5 * s3
        + L4 * c1 * s2 * s4 * s5
        + L4 * c4 * s1 * s3 * s5
        - L4 * c1 * c2 * c3 * c4 * s5
    )
    return np.stack([x, y, z], axis=-1)

"""The printed numbers of Smith et al. 2016: Table V."""

from __future__ import annotations

from itertools import product

import numpy as np

from baxterkit.types import Array

METHODS = {"L-E": "lagrange", "RN-E": "newton_euler"}
"""The paper's names of its two methods -> ours."""
MOTIONS = {
    1: "circle in x and y, cosine in z",
    2: "quick switches in y",
    3: "slowly up and down in z",
}
"""What moves in each set."""
TABLE_V = {
    1: {
        "L-E": (0.0105, 0.1002, 0.0475, 0.0151, 0.0068, 0.0006, 0.0012),
        "RN-E": (0.0105, 0.0665, 0.1382, 0.1231, 0.0120, 0.0103, 0.0036),
    },
    2: {
        "L-E": (0.0148, 0.0464, 0.0083, 0.0079, 0.0099, 0.0047, 0.0003),
        "RN-E": (0.0149, 0.0931, 0.1355, 0.1210, 0.0145, 0.0136, 0.0055),
    },
    3: {
        "L-E": (0.0061, 0.0703, 0.0367, 0.0064, 0.0079, 0.0003, 0.0013),
        "RN-E": (0.0058, 0.0872, 0.1358, 0.1148, 0.0140, 0.0113, 0.0024),
    },
}
"""Table V: size of the mean error of each joint [N m], by set and method."""
TABLE_V_SUM = {
    1: {"L-E": 0.0710, "RN-E": 0.0869},
    2: {"L-E": 0.0527, "RN-E": 0.1161},
    3: {"L-E": 0.0366, "RN-E": 0.1089},
}
"""Table V, last row: size of the sum of the signed means [N m]."""
TOLERANCE = 1.5
"""What the paper says of Fig. 7: errors are within around ± this [N m]."""


def signed_table_v(method: str) -> Array:
    """Table V with signs: those that give its last row, joint 1 positive.

    Each set of L-E has one choice, and RN-E one that is the same in all sets. Both methods have the
    same means at joint 1, which gravity does not reach, so their signs there are alike.

    Args:
        method: "L-E" or "RN-E".

    Returns:
        Mean errors by set and joint [N m], up to a sign of each set, shape (3, 7).

    Raises:
        ValueError: If the last row leaves another number of choices than one.
    """
    choices: Array = np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=6)])
    sizes = np.array([TABLE_V[n][method] for n in (1, 2, 3)])
    totals = np.array([TABLE_V_SUM[n][method] for n in (1, 2, 3)])
    rounding = 8 * 0.5e-4
    fits = np.abs(np.abs(choices @ sizes.T) - totals) < rounding
    if method == "RN-E":
        fits = np.repeat(fits.all(axis=1)[:, None], 3, axis=1)
    if (fits.sum(axis=0) != 1).any():
        raise ValueError(f"the sums of {method} leave {fits.sum(axis=0)} choices of signs")
    return np.asarray(choices[fits.argmax(axis=0)] * sizes)

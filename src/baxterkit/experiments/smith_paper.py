"""The printed numbers of Smith et al. 2016: Table V."""

from __future__ import annotations

__all__ = ["METHODS", "MOTIONS", "TABLE_V", "TABLE_V_SUM", "TOLERANCE"]

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

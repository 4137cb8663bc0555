"""Numbers and formulas exactly as the papers print them, for the errata tests.

Smith et al., "Development of a dynamics model for the Baxter robot", ICMA 2016 (tables II-V);
Ju et al., "Kinematics modeling and experimental verification of Baxter robot", CCC 2014 (table 1);
Kumar et al., the Baxter kinematics and dynamics library (table I).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.model.dh import DhRow, DhTable
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel

Array = NDArray[np.float64]

RIGHT_ANGLE = np.pi / 2
ALPHA = (-RIGHT_ANGLE, RIGHT_ANGLE, -RIGHT_ANGLE, RIGHT_ANGLE, -RIGHT_ANGLE, RIGHT_ANGLE, 0.0)
TRUE_THETA = (0.0, RIGHT_ANGLE, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Constant part of theta: +pi/2 on the second joint."""

A = (0.069, 0.0, 0.069, 0.0, 0.01, 0.0, 0.0)
TRUE_D = (0.27035, 0.0, 0.36442, 0.0, 0.37429, 0.0, 0.229525)
SMITH_D = (0.2703, 0.0, 0.3644, 0.0, 0.3743, 0.0, 0.2295)
SMITH_THETA = (0.0,) * 7
JU_D = (0.27, 0.0, 0.102 + 0.262, 0.0, 0.104 + 0.271, 0.0)
KUMAR_D = (0.27035, 0.0, 0.36435, 0.0, 0.37429, 0.0, 0.229525)

SMITH_MASS = (5.70044, 3.22698, 4.31272, 2.07206, 2.24665, 1.60979, 0.54218)
SMITH_TENSORS = (  # Ixx Iyy Izz Ixy Iyz Ixz, table III
    (0.0470910226, 0.035959884, 0.0376697645, -0.0061487003, -0.0007808689, 0.0001278755),
    (0.027885975, 0.020787492, 0.0117520941, -0.0001882199, 0.0020767576, -0.00030096397),
    (0.0266173355, 0.012480083, 0.0284435520, -0.0039218988, -0.001083893, 0.0002927063),
    (0.0131822787, 0.009268520, 0.0071158268, -0.0001966341, 0.000745949, 0.0003603617),
    (0.0166774282, 0.003746311, 0.0167545726, -0.0001865762, 0.0006473235, 0.0001840370),
    (0.0070053791, 0.005527552, 0.0038760715, 0.0001534806, -0.0002111503, -0.0004438478),
    (0.0008162135, 0.0008735012, 0.0005494148, 0.000128440, 0.0001057726, 0.00018969891),
)
SMITH_COM = (  # table IV
    (-0.05117, 0.07908, 0.00086),
    (0.00269, -0.00529, 0.06845),
    (-0.07176, 0.08149, 0.00132),
    (0.00159, -0.01117, 0.02618),
    (-0.01168, 0.13111, 0.0046),
    (0.00697, 0.006, 0.06048),
    (0.005137, 0.0009572, -0.06682),
)
SMITH_TABLE_V = {  # mean errors of joints 1-7 and the printed sum, per set and method
    ("1", "L-E"): ((0.0105, 0.1002, 0.0475, 0.0151, 0.0068, 0.0006, 0.0012), 0.0710),
    ("1", "RN-E"): ((0.0105, 0.0665, 0.1382, 0.1231, 0.0120, 0.0103, 0.0036), 0.0869),
    ("2", "L-E"): ((0.0148, 0.0464, 0.0083, 0.0079, 0.0099, 0.0047, 0.0003), 0.0527),
    ("2", "RN-E"): ((0.0149, 0.0931, 0.1355, 0.1210, 0.0145, 0.0136, 0.0055), 0.1161),
    ("3", "L-E"): ((0.0061, 0.0703, 0.0367, 0.0064, 0.0079, 0.0003, 0.0013), 0.0366),
    ("3", "RN-E"): ((0.0058, 0.0872, 0.1358, 0.1148, 0.0140, 0.0113, 0.0024), 0.1089),
}


def tensor(six: tuple[float, ...]) -> Array:
    """Matrix of a row of table III, entries as printed."""
    xx, yy, zz, xy, yz, xz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def smith_inertials() -> tuple[Inertial, ...]:
    """Tables II-IV, the tensors taken about the centre of mass with tensor signs."""
    return tuple(
        Inertial(m, np.array(com), tensor(six))
        for m, com, six in zip(SMITH_MASS, SMITH_COM, SMITH_TENSORS, strict=True)
    )


def dh_table(
    arm: ArmModel,
    theta: tuple[float, ...] = TRUE_THETA,
    d: tuple[float, ...] = TRUE_D,
    inertials: tuple[Inertial, ...] | None = None,
) -> DhTable:
    """A DH table of the arm's hand with the given columns."""
    rows = tuple(
        DhRow(joint.name, "revolute", *row)
        for joint, row in zip(arm.joints, zip(theta, d, A, ALPHA, strict=True), strict=True)
    )
    bodies = smith_inertials() if inertials is None else inertials
    return DhTable("base", "hand", rows, arm.T_base_s0, np.eye(4), bodies, np.nan, np.nan)


def relative_error(actual: Array, expected: Array) -> Array:
    """Frobenius norm of the difference over that of the expected matrix, per sample."""
    difference = np.linalg.norm(actual - expected, axis=(-2, -1))
    return np.asarray(difference / np.linalg.norm(expected, axis=(-2, -1)))

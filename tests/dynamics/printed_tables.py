"""Numbers and formulas as the papers print them (`baxterkit.papers`), for the errata tests.

Smith et al., "Development of a dynamics model for the Baxter robot", ICMA 2016 (tables II-V);
Ju et al., "Kinematics modeling and experimental verification of Baxter robot", CCC 2014 (table 1);
Kumar et al., the Baxter kinematics and dynamics library (table I).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.experiments.smith_paper import TABLE_V, TABLE_V_SUM
from baxterkit.model.dh import DhRow, DhTable
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel
from baxterkit.papers import ju, kumar
from baxterkit.papers.smith_tables import TABLE_II, TABLE_III, TABLE_IV

Array = NDArray[np.float64]

RIGHT_ANGLE = np.pi / 2
ALPHA = (-RIGHT_ANGLE, RIGHT_ANGLE, -RIGHT_ANGLE, RIGHT_ANGLE, -RIGHT_ANGLE, RIGHT_ANGLE, 0.0)
TRUE_THETA = (0.0, RIGHT_ANGLE, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Constant part of theta: +pi/2 on the second joint."""

A = (0.069, 0.0, 0.069, 0.0, 0.01, 0.0, 0.0)
TRUE_D = (0.27035, 0.0, 0.36442, 0.0, 0.37429, 0.0, 0.229525)
SMITH_D = tuple(d for d, _, _ in TABLE_II)
SMITH_THETA = (0.0,) * 7
JU_D = tuple(d for _, d, _ in ju.TABLE_1[:6])
KUMAR_D = tuple(d for d, _ in kumar.TABLE_I)

SMITH_MASS = tuple(m for _, _, m in TABLE_II)
SMITH_TENSORS = TABLE_III  # Ixx Iyy Izz Ixy Iyz Ixz
SMITH_COM = TABLE_IV
SMITH_TABLE_V = {  # mean errors of joints 1-7 and the printed sum, per set and method
    (str(number), method): (TABLE_V[number][method], TABLE_V_SUM[number][method])
    for number in (1, 2, 3)
    for method in ("L-E", "RN-E")
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

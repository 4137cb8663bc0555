"""Ju, Yang, Ma: kinematics modelling and experimental verification of Baxter (CCC 2014).

Eqs. 1-5 and Table 1. Poses are in the robot's frame `base`: eq. 4 leads to the s0 frame (the paper
calls it `left_arm_mount`), Table 1 from there to the gripper's tip. The paper's table is the left
arm's; the right arm has another gripper, d₇ = 0.275 m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.errors import InputError
from baxterkit.model.library import baxter_arm
from baxterkit.papers.paper import ALPHA, Misprint, PaperArm
from baxterkit.spatial.formulas import matrix_to_rpy, rpy_to_matrix, transform
from baxterkit.types import Array, Jacobian, Transform

__all__ = ["TABLE_1", "Ju", "corrected", "misprints", "printed"]

TABLE_1 = (
    (0.0, 0.27, 0.069),
    (np.pi / 2, 0.0, 0.0),
    (0.0, 0.102 + 0.262, 0.069),
    (0.0, 0.0, 0.0),
    (0.0, 0.104 + 0.271, 0.01),
    (0.0, 0.0, 0.0),
    (0.0, 0.28, 0.0),
)
"""Constant part of θ [rad], d [m], a [m] of links 1 to 7."""
D7 = {"left": 0.28, "right": 0.275}
"""d₇ to the paper's grippers [m]: a vacuum cup on the left arm, an electric one on the right."""


@dataclass(frozen=True)
class Ju(PaperArm):
    """The arm of Ju et al.: Table 1 and eqs. 1-5.

    Attributes:
        side: "left" (the paper's example) or "right".
    """

    side: Literal["left", "right"] = "left"

    frame_0: ClassVar[str] = "base"
    MISPRINTS: ClassVar[Mapping[str, Misprint]] = {
        "eq. 1": Misprint("cos θ as entry (2, 1)", "sin θ"),
        "eq. 4": Misprint(
            "R_z(π/4) T_x(0.056) T_z(0.011)",
            "the mount comes first, (0.024645, ±0.219645, 0.118588) m and R_z(±0.7854), + for the "
            "left arm; then 0.055695 and 0.011038 m to s0",
        ),
        "Table 1, digits": Misprint("d₁ d₃ d₅ in millimetres: 0.27, 0.364, 0.375",
                                    "0.27035, 0.36442, 0.37429 m"),
        "Table 1, d_7": Misprint("0.28 (right arm: 0.275), to its grippers",
                                 "0.229525 m to the hand"),
    }  # fmt: skip

    def of_side(self, side: str) -> Ju:
        """The model of the other arm: "left" or "right"."""
        if side == "left":
            return replace(self, side="left")
        if side == "right":
            return replace(self, side="right")
        raise InputError(f"side = {side!r}; it is 'left' or 'right'")

    def dh(self) -> Array:
        """Table 1: θ offset, d, a, α of each row, shape (7, 4)."""
        table = super().dh()
        d = np.array([row[1] for row in TABLE_1])
        if self.keeps("Table 1, digits"):
            table[:6, 0] = [row[0] for row in TABLE_1[:6]]
            table[:6, 1] = d[:6]
            table[:6, 2] = [row[2] for row in TABLE_1[:6]]
            table[:, 3] = ALPHA
        if self.keeps("Table 1, d_7"):
            table[6, 1] = D7[self.side]
        return table

    def link_transforms(self, q: ArrayLike) -> Transform:
        """The matrices of eq. 1, shape (*batch, 7, 4, 4)."""
        A = super().link_transforms(q)
        if self.keeps("eq. 1"):
            A[..., 1, 0] = A[..., 0, 0]
        return A

    def T_0(self) -> Transform:
        """Eq. 4: frame 0 of the table in the robot's base, shape (4, 4)."""
        if not self.keeps("eq. 4"):
            return np.array(baxter_arm(self.side).T_base_s0)
        turned = transform(rpy_to_matrix([0.0, 0.0, np.pi / 4]), np.zeros(3))
        return np.asarray(turned @ transform(np.eye(3), [0.056, 0.0, 0.011]))

    def points(self, q: ArrayLike, X: ArrayLike) -> Array:
        """Eq. 3: points of the last frame, in the robot's base.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            X: Points [x, y, z, 1] in the last frame, shape (*batch, 4).
        """
        X = finite_array(X, "X")
        return np.asarray((self.fk(q) @ X[..., None])[..., 0])

    def jacobian(self, q: ArrayLike) -> Jacobian:
        """Geometric Jacobian in base axes, shape (*batch, 6, 7); the paper leaves it to a toolbox.

        Of Table 1 and eq. 4 as they are; a misprinted eq. 1 is no rotation and is not used here.
        """
        rigid = replace(self, misprinted_names=self.misprinted_names - {"eq. 1"})
        return PaperArm.jacobian(rigid, q)

    def deviation(self, q: ArrayLike, T_robot: ArrayLike) -> Array:
        """Eq. 5: model less robot, x y z [m], then roll pitch yaw [rad]; shape (*batch, 6)."""
        T = self.fk(joint_array(q, "q", 7))
        robot = finite_array(T_robot, "T_robot")
        angles = matrix_to_rpy(T[..., :3, :3]) - matrix_to_rpy(robot[..., :3, :3])
        turned = (angles + np.pi) % (2.0 * np.pi) - np.pi
        return np.concatenate([T[..., :3, 3] - robot[..., :3, 3], turned], axis=-1)


misprints = Ju.MISPRINTS
"""Name -> the printed form and the true one."""
corrected = Ju()
"""All misprints and rounded digits mended: equals `Arm(side)` with its hand, in the base frame."""
printed = Ju(frozenset(misprints))
"""As the paper prints it, for the left arm; `printed.of_side("right")` for the right one."""

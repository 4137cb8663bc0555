"""Smith, Yang, Wang, Ma: Lagrange-Euler dynamics of the Baxter robot (ICMA 2016), eqs. 1-12.

Frame 0 is the s0 frame of either arm (z along the first joint's axis, at the arm mount), frame 7
the hand. Inertias are given in DH frame i, which moves with link i; link 7 is wrist and hand
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.papers import uicker_kahn as uk
from baxterkit.papers.paper import ALPHA, Misprint, PaperArm, quadratic, true_table
from baxterkit.papers.smith_tables import TABLE_II, TABLE_III, TABLE_IV
from baxterkit.types import Array, JointMatrix, JointVector

__all__ = ["Smith", "corrected", "misprints", "printed"]


@dataclass(frozen=True)
class Smith(PaperArm):
    """The arm of Smith et al.: Tables II-IV and eqs. 1-12."""

    MISPRINTS: ClassVar[Mapping[str, Misprint]] = {
        "Table II, theta_2": Misprint("θ₂", "θ₂ + π/2"),
        "Table II, digits": Misprint(
            "d₁ d₃ d₅ d₇ in 4 digits: 0.2703, 0.3644, 0.3743, 0.2295",
            "0.27035, 0.36442, 0.37429, 0.229525 m",
        ),
        "Table III": Misprint(
            "with eq. 12: tensors about the centre of mass, with tensor signs",
            "eq. 12 needs moments about the frame's origin, and +∫xy dm = −I_xy",
        ),
        "Table III, link 7": Misprint(
            "all six entries",
            "about the centre of mass: I_xx .00121477, I_yy .00127636, I_zz .00055487, "
            "I_xy 8.14·10⁻⁶, I_yz 4.72·10⁻⁶, I_xz −6.551·10⁻⁵ kg m²",
        ),
        "Table III, digits": Misprint(
            "links 1-6 cut after the tenth decimal, some earlier", "eleven decimals of the URDF"
        ),
        "Table IV": Misprint(
            "y₃ .08149, z₄ .02618, y₅ .13111, z₆ .06048, z₇ −.06682",
            ".08156, .02611, .13118, .06041, −.06689347 m; x₇, y₇ in more digits",
        ),
        "eq. 8": Misprint("U_ij", "U_ji"),
        "text after eq. 1": Misprint("M(q)q̇ + C", "M(q)q̈ + C"),
    }

    # Tables

    def dh(self) -> Array:
        """Table II: θ offset, d, a, α of each row, shape (7, 4)."""
        table = super().dh()
        if self.keeps("Table II, theta_2"):
            table[:, 0] = 0.0
        if self.keeps("Table II, digits"):
            table[:, 1] = [d for d, _, _ in TABLE_II]
            table[:, 2] = [a for _, a, _ in TABLE_II]
            table[:, 3] = ALPHA
        return table

    def masses(self) -> Array:
        """Table II: m of each link [kg], shape (7,)."""
        return np.array([m for _, _, m in TABLE_II])

    def tensors(self) -> Array:
        """Table III: inertia tensors of links 1-7 [kg m²], shape (7, 3, 3)."""
        result = np.array([body.inertia for body in true_table().inertials])
        table = np.array([[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
                          for xx, yy, zz, xy, yz, xz in TABLE_III])  # fmt: skip
        if self.keeps("Table III, digits"):
            result[:6] = table[:6]
        if self.keeps("Table III, link 7"):
            result[6] = table[6]
        return result

    def centres(self) -> Array:
        """Table IV: centres of mass of links 1-7 [m], shape (7, 3)."""
        if self.keeps("Table IV"):
            return np.array(TABLE_IV)
        return np.array([body.com for body in true_table().inertials])

    def pseudo_inertias(self) -> Array:
        """J_i of eq. 12, shape (7, 4, 4).

        Table III holds tensors about the centre of mass, and eq. 12 moments about the frame's
        origin; as printed, the one goes into the other unchanged.
        """
        result = []
        for tensor, mass, com in zip(self.tensors(), self.masses(), self.centres(), strict=True):
            entries = tensor if self.keeps("Table III") else uk.origin_moments(tensor, mass, com)
            result.append(uk.pseudo_inertia(entries, mass, com))
        return np.array(result)

    # Equations 4 to 10

    def first_derivatives(self, q: ArrayLike) -> Array:
        """U_ij of eq. 9, shape (*batch, 7, 7, 4, 4)."""
        return uk.first_derivatives(self.frames(q))

    def second_derivatives(self, q: ArrayLike) -> Array:
        """U_ijk of eq. 10, shape (*batch, 7, 7, 7, 4, 4)."""
        return uk.second_derivatives(self.frames(q))

    def inertia(self, q: ArrayLike) -> JointMatrix:
        """M(q) of eq. 6 [kg m²], shape (*batch, 7, 7)."""
        return uk.inertia(self.first_derivatives(q), self.pseudo_inertias())

    def christoffel(self, q: ArrayLike) -> Array:
        """h_ikm of eq. 7 [kg m²], shape (*batch, 7, 7, 7)."""
        U, UU = self.first_derivatives(q), self.second_derivatives(q)
        return uk.christoffel(UU, U, self.pseudo_inertias())

    def coriolis(self, q: ArrayLike, qd: ArrayLike) -> JointVector:
        """The vector C(q, q̇) of eq. 7 [N m], shape (*batch, 7); `arm.coriolis(q, qd) @ qd`."""
        qd = joint_array(qd, "qd", 7)
        return np.asarray(np.einsum("...ikm,...k,...m->...i", self.christoffel(q), qd, qd))

    def gravity(self, q: ArrayLike) -> JointVector:
        """G(q) of eq. 8 [N m], shape (*batch, 7); printed with U_ij, where eq. 5 has U_ji."""
        U, J = self.first_derivatives(q), self.pseudo_inertias()
        if self.keeps("eq. 8"):
            # U_ij with j ≥ i: zero unless j = i, so each joint carries its own link alone.
            U = np.swapaxes(U, -4, -3) * np.tri(7)[..., None, None]
        return uk.gravity(U, J)

    def torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> JointVector:
        """τ of eq. 5 [N m], shape (*batch, 7); its gravity has the indices right, unlike eq. 8."""
        qdd = joint_array(qdd, "qdd", 7)
        U, J = self.first_derivatives(q), self.pseudo_inertias()
        return quadratic(uk.inertia(U, J), qdd) + self.coriolis(q, qd) + uk.gravity(U, J)

    def kinetic_part(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> JointVector:
        """What the text after eq. 1 calls the kinetic part, M(q)q̈ + C [N m], shape (*batch, 7)."""
        moved = qd if self.keeps("text after eq. 1") else qdd
        return quadratic(self.inertia(q), joint_array(moved, "qdd", 7)) + self.coriolis(q, qd)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """K of eq. 4 [J], shape (*batch)."""
        U, J = self.first_derivatives(q), self.pseudo_inertias()
        return uk.kinetic_energy(U, J, joint_array(qd, "qd", 7))

    def potential_energy(self, q: ArrayLike) -> Array:
        """P of eq. 4 [J], shape (*batch): zero with all mass at frame 0's origin."""
        T, J = self.frames(q)[..., 1:, :, :], self.pseudo_inertias()
        return np.asarray(-np.einsum("a,...iab,ib->...", uk.GRAVITY, T, J[:, :, 3]))


misprints = Smith.MISPRINTS
"""Name -> the printed form and the true one."""
corrected = Smith()
"""All misprints and rounded digits mended: equals `Arm` of either side, in the s0 frame."""
printed = Smith(frozenset(misprints))
"""As the paper prints it."""

"""Kumar, Sahasrabudhe, Perugu, Nirgude, Murugan: a library for the Baxter arm.

Frame 0 is the s0 frame of either arm, frame 7 the hand. The paper prints no inertias: it takes
those of Rethink's URDF, in the link's DH frame. Its 6-DoF closed form (III.G) is in `kumar_locked`,
its iterative solvers are methods of `Arm.ik`: "pseudoinverse" with `shorten=False` is Algorithm 1
as printed, "pseudoinverse_restarts" adds restarts, "ccd" is cyclic coordinate descent.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import joint_array, transform_array, vector_array
from baxterkit.errors import SingularityWarning
from baxterkit.facade.kinematics import SINGULARITY_INDEX
from baxterkit.kinematics.velocity import pseudoinverse
from baxterkit.papers import kumar_locked as locked
from baxterkit.papers import uicker_kahn as uk
from baxterkit.papers.paper import ALPHA, Misprint, PaperArm, quadratic, true_table
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, Jacobian, JointMatrix, JointVector, Transform, Twist, Vector3

__all__ = ["TABLE_I", "Kumar", "corrected", "misprints", "printed"]

TABLE_I = (
    (0.27035, 0.069),
    (0.0, 0.0),
    (0.36435, 0.069),
    (0.0, 0.0),
    (0.37429, 0.01),
    (0.0, 0.0),
    (0.229525, 0.0),
)
"""d [m], a [m] of the seven rows; θ is the joint's angle, plus π/2 in the second row."""


@dataclass(frozen=True)
class Kumar(PaperArm):
    """The arm of Kumar et al.: Table I, the closed forms of III, eqs. 1-19."""

    MISPRINTS: ClassVar[Mapping[str, Misprint]] = {
        "Table I": Misprint("d₃ = 0.36435", "0.36442 m"),
        **locked.MISPRINTS,
        "eq. 10": Misprint("T₀^i, frame 0 seen from frame i", "T_i⁰"),
        "U_ij, transform": Misprint("T_{j−1}^i", "T_i^{j−1}"),
        "U_ij, range": Misprint("j ≤ 1", "j ≤ i"),
        "U_ij, derivative": Misprint("∂T_i⁰/∂q_i", "∂T_i⁰/∂q_j"),
        "eq. 15": Misprint("(−I_xx + I_yy + I_zz)/2 three times", "signs change with the entry"),
    }

    # III.A-B: Table I and forward kinematics

    def dh(self) -> Array:
        """Table I: θ offset, d, a, α of each row, shape (7, 4)."""
        table = super().dh()
        if self.keeps("Table I"):
            table[:, 1:] = [(d, a, alpha) for (d, a), alpha in zip(TABLE_I, ALPHA, strict=True)]
        return table

    def position(self, q: ArrayLike) -> Vector3:
        """The closed form of X, Y and Z in III.B [m], shape (*batch, 3).

        In the paper's names: l₁ ... l₄ are the table's d, d₁ ... d₃ its a, and d₄ = 0.
        """
        q = joint_array(q, "q", 7)
        c0, c1, c2, c3, c4, c5, c6 = np.moveaxis(np.cos(q), -1, 0)
        s0, s1, s2, s3, s4, s5, s6 = np.moveaxis(np.sin(q), -1, 0)
        (l1, d1), _, (l2, d2), _, (l3, d3), _, (l4, d4) = self.dh()[:, 1:3]
        X = (
            d1 * c0
            - l4 * (c5 * (s0 * s2 * s3 - c0 * c1 * c3 + c0 * c2 * s1 * s3)
                    + s5 * (c4 * (c0 * c1 * s3 + c3 * s0 * s2 + c0 * c2 * c3 * s1)
                            + s4 * (c2 * s0 - c0 * s1 * s2)))
            - l3 * (s0 * s2 * s3 - c0 * c1 * c3 + c0 * c2 * s1 * s3)
            - d3 * s4 * (c2 * s0 - c0 * s1 * s2)
            + l2 * c0 * c1
            - d2 * s0 * s2
            - d3 * c4 * (c0 * c1 * s3 + c3 * s0 * s2 + c0 * c2 * c3 * s1)
            + d4 * c6 * (s5 * (s0 * s2 * s3 - c0 * c1 * c3 + c0 * c2 * s1 * s3)
                         - c5 * (c4 * (c0 * c1 * s3 + c3 * s0 * s2 + c0 * c2 * c3 * s1)
                                 + s4 * (c2 * s0 - c0 * s1 * s2)))
            + d4 * s6 * (s4 * (c0 * c1 * s3 + c3 * s0 * s2 + c0 * c2 * c3 * s1)
                         - c4 * (c2 * s0 - c0 * s1 * s2))
            - d2 * c0 * c2 * s1
        )  # fmt: skip
        Y = (
            l4 * (c5 * (c1 * c3 * s0 + c0 * s2 * s3 - c2 * s0 * s1 * s3)
                  - s5 * (c4 * (c1 * s0 * s3 - c0 * c3 * s2 + c2 * c3 * s0 * s1)
                          - s4 * (c0 * c2 + s0 * s1 * s2)))
            + d1 * s0
            + l3 * (c1 * c3 * s0 + c0 * s2 * s3 - c2 * s0 * s1 * s3)
            + d4 * s6 * (s4 * (c1 * s0 * s3 - c0 * c3 * s2 + c2 * c3 * s0 * s1)
                         + c4 * (c0 * c2 + s0 * s1 * s2))
            + d3 * s4 * (c0 * c2 + s0 * s1 * s2)
            + d2 * c0 * s2
            + l2 * c1 * s0
            - d3 * c4 * (c1 * s0 * s3 - c0 * c3 * s2 + c2 * c3 * s0 * s1)
            - d4 * c6 * (s5 * (c1 * c3 * s0 + c0 * s2 * s3 - c2 * s0 * s1 * s3)
                         + c5 * (c4 * (c1 * s0 * s3 - c0 * c3 * s2 + c2 * c3 * s0 * s1)
                                 - s4 * (c0 * c2 + s0 * s1 * s2)))
            - d2 * c2 * s0 * s1
        )  # fmt: skip
        Z = (
            l1 - l2 * s1 - d2 * c1 * c2 - l3 * c3 * s1 - l3 * c1 * c2 * s3 - l4 * c3 * c5 * s1
            + d3 * c1 * s2 * s4 + d3 * c4 * s1 * s3 - d3 * c1 * c2 * c3 * c4
            - l4 * c1 * c2 * c5 * s3 + d4 * c1 * c4 * s2 * s6 + d4 * c3 * c6 * s1 * s5
            + l4 * c1 * s2 * s4 * s5 + l4 * c4 * s1 * s3 * s5 - d4 * s1 * s3 * s4 * s6
            - l4 * c1 * c2 * c3 * c4 * s5 + d4 * c1 * c2 * c3 * s4 * s6
            + d4 * c1 * c2 * c6 * s3 * s5 + d4 * c1 * c5 * c6 * s2 * s4
            + d4 * c4 * c5 * c6 * s1 * s3 - d4 * c1 * c2 * c3 * c4 * c5 * c6
        )  # fmt: skip
        return np.stack([X, Y, Z], axis=-1)

    # III.E-F: velocities

    def jacobian(self, q: ArrayLike, warn_below: float = SINGULARITY_INDEX) -> Jacobian:
        """Eq. 2, shape (*batch, 6, 7).

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            warn_below: As in the paper's library, a `SingularityWarning` is given whenever the
                index is smaller; the paper prints no threshold. 0 for never.
        """
        J = super().jacobian(q)
        index = float(_yoshikawa(J).min(initial=np.inf))
        if index < warn_below:
            warnings.warn(
                f"near a singularity: manipulability {index:.2e} is below {warn_below:g}; keep "
                "away from this configuration, or pass warn_below=0",
                SingularityWarning,
                stacklevel=2,
            )
        return J

    def manipulability(self, q: ArrayLike) -> Array:
        """Yoshikawa's index √|J Jᵀ|, shape (*batch)."""
        return _yoshikawa(self.jacobian(q, 0.0))

    def tip_velocity(self, q: ArrayLike, qd: ArrayLike) -> Twist:
        """Eq. 3: ẋ = J q̇, shape (*batch, 6)."""
        return np.asarray(
            np.einsum("...ik,...k->...i", self.jacobian(q, 0.0), joint_array(qd, "qd", 7))
        )

    def joint_velocity(
        self, q: ArrayLike, xd: ArrayLike, qd_r: ArrayLike | None = None
    ) -> JointVector:
        """Eqs. 4 and 5: q̇ = J⁺ ẋ + (I − J⁺ J) q̇_r, shape (*batch, 7)."""
        J = self.jacobian(q, 0.0)
        qd = np.asarray((pseudoinverse(J) @ vector_array(xd, "xd", 6)[..., None])[..., 0])
        return qd if qd_r is None else qd + quadratic(self.null_projector(q), np.asarray(qd_r))

    def null_projector(self, q: ArrayLike) -> JointMatrix:
        """I − J⁺ J, shape (*batch, 7, 7)."""
        J = self.jacobian(q, 0.0)
        return np.asarray(np.eye(7) - pseudoinverse(J) @ J)

    # III.G: the closed form with e0 = 0

    def wrist(self, q: ArrayLike) -> Vector3:
        """P₆⁰ of eq. 8 [m] at q with e0 = 0, shape (*batch, 3): the origin of w1."""
        q = joint_array(q, "q", 7)
        P = locked.wrist(q, self.misprinted_names, self.dh())
        if not self.keeps("L_5 = 0"):
            P = P + self.frames(q)[..., 6, :3, 3] - locked.wrist(q, frozenset(), self.dh())
        return P

    def rotation_36(self, q: ArrayLike) -> Array:
        """R₆³ as a function of θ₅, θ₆, θ₇ (w0, w1, w2), shape (*batch, 3, 3)."""
        return locked.rotation_36(joint_array(q, "q", 7), self.misprinted_names)

    def locked_ik(self, T: ArrayLike) -> JointVector:
        """The closed form of III.G: joint positions with e0 = 0 for a pose of the hand.

        Args:
            T: Poses of the hand in frame 0, shape (*batch, 4, 4).

        Returns:
            Joint positions [rad] in (-π, π], shape (*batch, n, 7), joint limits ignored; NaN where
            a branch does not exist. As printed n = 2; with L₅ = 0 alone n = 8, the tip 10 mm off;
            corrected all solutions of the arm itself, by the exact solver.
        """
        T = transform_array(T)
        if self.misprinted_names.isdisjoint(locked.MISPRINTS):
            arm = _arm()
            return arm.ik_all(arm.model.T_base_s0 @ T, e0=0.0, limits=False)
        return locked.solve(T, self.misprinted_names, self.dh())

    # IV: dynamics

    def pseudo_inertias(self) -> Array:
        """J_i of eq. 15, shape (7, 4, 4), from the URDF's inertias about frame i's origin.

        I_xy, I_xz and I_yz stand for +∫ x y dm and so on: the paper gives no numbers, so the sign
        is free, and this one makes the formula right.
        """
        result = []
        for body in true_table().inertials:
            J = uk.pseudo_inertia(
                uk.origin_moments(body.inertia, body.mass, body.com), body.mass, body.com
            )
            if self.keeps("eq. 15"):
                J[1, 1] = J[2, 2] = J[0, 0]
            result.append(J)
        return np.array(result)

    def first_derivatives(self, q: ArrayLike) -> Array:
        """U_ij (after eq. 10), shape (*batch, 7, 7, 4, 4)."""
        T = self.frames(q)
        U = uk.first_derivatives(T)
        if self.keeps("U_ij, derivative"):  # ∂T_i/∂q_i for every j
            own = np.stack([U[..., i, i, :, :] for i in range(7)], axis=-3)
            return np.asarray(own[..., None, :, :] * np.tri(7)[..., None, None])
        if self.keeps("U_ij, transform"):
            before = T[..., None, :-1, :, :]
            U = before @ uk.Q @ inverse(T[..., 1:, None, :, :]) @ before
            U = U * np.tri(7)[..., None, None]
        if self.keeps("U_ij, range"):
            U = U * (np.arange(7) < 1)[:, None, None]
        return U

    def second_derivatives(self, q: ArrayLike) -> Array:
        """U_ijk (after eq. 17), shape (*batch, 7, 7, 7, 4, 4); its printed cases are right."""
        return uk.second_derivatives(self.frames(q))

    def inertia(self, q: ArrayLike) -> JointMatrix:
        """M of eq. 14 [kg m²], shape (*batch, 7, 7)."""
        return uk.inertia(self.first_derivatives(q), self.pseudo_inertias())

    def christoffel(self, q: ArrayLike) -> Array:
        """h_ikm of eq. 17 [kg m²], shape (*batch, 7, 7, 7)."""
        U, UU = self.first_derivatives(q), self.second_derivatives(q)
        return uk.christoffel(UU, U, self.pseudo_inertias())

    def coriolis(self, q: ArrayLike, qd: ArrayLike) -> JointVector:
        """C_i of eq. 16 [N m], shape (*batch, 7); `arm.coriolis(q, qd) @ qd`."""
        qd = joint_array(qd, "qd", 7)
        return np.asarray(np.einsum("...ikm,...k,...m->...i", self.christoffel(q), qd, qd))

    def gravity(self, q: ArrayLike) -> JointVector:
        """G of eq. 19 [N m], shape (*batch, 7); the text calls it 3 × 1."""
        return uk.gravity(self.first_derivatives(q), self.pseudo_inertias())

    def torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> JointVector:
        """τ of eq. 1 [N m], shape (*batch, 7)."""
        moved = quadratic(self.inertia(q), joint_array(qdd, "qdd", 7))
        return moved + self.coriolis(q, qd) + self.gravity(q)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """K of eq. 9 [J], shape (*batch)."""
        U = self.first_derivatives(q)
        return uk.kinetic_energy(U, self.pseudo_inertias(), joint_array(qd, "qd", 7))

    def potential_energy(self, q: ArrayLike) -> Array:
        """P of eq. 10 [J], shape (*batch)."""
        T = self._poses_of_10(self.frames(q)[..., 1:, :, :])
        return np.asarray(-np.einsum("a,...iab,ib->...", uk.GRAVITY, T, self._first_moments()))

    def gravity_of_energy(self, q: ArrayLike) -> JointVector:
        """∂P/∂q by eqs. 10-12 [N m], shape (*batch, 7); eq. 19's G where eq. 10 is right."""
        T = self.frames(q)
        U = uk.first_derivatives(T)
        if self.keeps("eq. 10"):
            back = inverse(T[..., 1:, None, :, :])
            U = -back @ U @ back  # derivative of the inverse
        return np.asarray(-np.einsum("a,...jiab,jb->...i", uk.GRAVITY, U, self._first_moments()))

    def _poses_of_10(self, T: Transform) -> Transform:
        return inverse(T) if self.keeps("eq. 10") else T

    def _first_moments(self) -> Array:
        return self.pseudo_inertias()[:, :, 3]


@cache
def _arm() -> Arm:
    return Arm("left")


def _yoshikawa(J: Jacobian) -> Array:
    """√|J Jᵀ|, the product of the singular values."""
    return np.asarray(np.prod(np.linalg.svd(J, compute_uv=False), axis=-1))


misprints = Kumar.MISPRINTS
"""Name -> the printed form and the true one."""
corrected = Kumar()
"""All misprints and rounded digits mended: equals `Arm` of either side, in the s0 frame."""
printed = Kumar(frozenset(misprints) - {"U_ij, derivative"})
"""As the paper prints it. U_ij is printed twice, as a derivative and as a product; this is the
product, which eqs. 14-19 use."""

"""Lagrange-Euler dynamics as Smith et al. print it (ICMA 2016), corrected.

With the transforms `T_i` from the base to DH frame i, their derivatives and the pseudo-inertias
J_i,

    U_ij  = ∂T_i/∂q_j                                        eq. 9
    U_ijk = ∂U_ij/∂q_k                                       eq. 10
    M_ik  = Σ_j Tr(U_jk J_j U_ji')                           eq. 6
    h_ikm = Σ_j Tr(U_jkm J_j U_ji'),   C_ik = Σ_m h_ikm qd_m   eq. 7
    G_i   = -Σ_j m_j g' U_ji r_j                             eq. 8 (printed with U_ij)
    K     = ½ Σ_ijk Tr(U_ij J_i U_ik') qd_j qd_k,   P = -Σ_i m_i g' T_i r_i    eq. 4

and `tau = M qdd + C qd + G` (printed with `M qd` in the text). `h_ikm` are the Christoffel
symbols: a rotation matrix is a point of a flat space, so second derivatives of `T` need no
further terms. J_i holds second moments about the frame's *origin* with plus signs, so tensors
about the centre of mass (the paper's table III) need the parallel axis theorem and `∫ x y dm =
-I_xy` first.

This is the readable form, about a thousand times slower than the kernels. It takes a DH table
(`baxterkit.model.dh.dh_from_model`) and gives the same numbers as `newton_euler`, by another
derivation. Joint arrays have shape (*batch, n) and broadcast; results are in base axes, gravity `g`
too [m/s²].

Reference: docs/dynamics.md, docs/errata.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.equations.vectors import snapped_cos_sin
from baxterkit.errors import ModelError
from baxterkit.model.dh import DhRow, DhTable
from baxterkit.model.inertial import Inertial
from baxterkit.types import Array, JointMatrix, JointVector

Q = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
"""Derivative of Rz(theta) at theta = 0, eq. 11."""


def pseudo_inertia(body: Inertial) -> Array:
    """J of eq. 12 [kg m², kg m, kg], shape (4, 4): ∫ (r, 1)(r, 1)' dm about the frame's origin."""
    inertia = body.about_origin
    J = np.empty((4, 4))
    J[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = body.mass * body.com
    J[3, 3] = body.mass
    return J


def link_transforms(table: DhTable, q: JointVector) -> list[Array]:
    """A_i = T_{i-1,i} of every row (eq. 2), each (*batch, 4, 4)."""
    q = np.asarray(q)
    return [_link_transform(row, q[..., i]) for i, row in enumerate(table.rows)]


def transforms(table: DhTable, q: JointVector) -> Array:
    """T_i, the DH frames in the base, shape (*batch, n, 4, 4)."""
    T: Array = table.T_base_0
    result = []
    for A in link_transforms(table, q):
        T = T @ A
        result.append(T)
    return np.stack(result, axis=-3)


def first_derivatives(table: DhTable, q: JointVector) -> Array:
    """U_ij of eq. 9, shape (*batch, n, n, 4, 4); zero for j > i."""
    A = link_transforms(table, q)
    U = _empty(A, 2)
    T: Array = table.T_base_0
    for i in range(len(A)):
        for j in range(i):
            U[..., i, j, :, :] = U[..., i - 1, j, :, :] @ A[i]
        U[..., i, i, :, :] = T @ Q @ A[i]
        T = T @ A[i]
    return U


def second_derivatives(table: DhTable, q: JointVector) -> Array:
    """U_ijk of eq. 10, shape (*batch, n, n, n, 4, 4); zero for j > i or k > i."""
    A = link_transforms(table, q)
    U = first_derivatives(table, q)
    UU = _empty(A, 3)
    T: Array = table.T_base_0
    for i in range(len(A)):
        for j in range(i):
            UU[..., i, j, :i, :, :] = UU[..., i - 1, j, :i, :, :] @ A[i][..., None, :, :]
            UU[..., i, j, i, :, :] = UU[..., i, i, j, :, :] = U[..., i - 1, j, :, :] @ Q @ A[i]
        UU[..., i, i, i, :, :] = T @ Q @ Q @ A[i]
        T = T @ A[i]
    return UU


def derivative_rates(table: DhTable, q: JointVector, qd: JointVector) -> Array:
    """Σ_k U_ijk qd_k, how fast U_ij changes, shape (*batch, n, n, 4, 4); zero for j > i.

    The sum is taken while the products of eq. 10 are formed, so that the n³ matrices U_ijk are
    never in memory together.
    """
    q, qd = np.broadcast_arrays(q, qd)
    A = link_transforms(table, q)
    U = first_derivatives(table, q)
    speed = qd[..., None, None]
    rates = _empty(A, 2)
    T: Array = table.T_base_0
    for i in range(len(A)):
        turning = Q @ A[i] * speed[..., i, :, :]
        moving = T @ Q @ turning
        for j in range(i):
            rates[..., i, j, :, :] = (
                rates[..., i - 1, j, :, :] @ A[i] + U[..., i - 1, j, :, :] @ turning
            )
            moving = moving + U[..., i - 1, j, :, :] @ Q @ A[i] * speed[..., j, :, :]
        rates[..., i, i, :, :] = moving
        T = T @ A[i]
    return rates


def inertia(table: DhTable, q: JointVector) -> JointMatrix:
    """Inertia matrix M of eq. 6 [kg m²], shape (*batch, n, n)."""
    U = first_derivatives(table, q)
    M: JointMatrix = np.einsum("...jkab,...jiab->...ik", U @ _pseudo_inertias(table), U)
    return M


def christoffel(table: DhTable, q: JointVector) -> Array:
    """Christoffel symbols h_ikm of eq. 7 [kg m²], shape (*batch, n, n, n)."""
    U = first_derivatives(table, q)
    UUJ = second_derivatives(table, q) @ _pseudo_inertias(table)[:, None]
    h: Array = np.einsum("...jkmab,...jiab->...ikm", UUJ, U)
    return h


def coriolis(table: DhTable, q: JointVector, qd: JointVector) -> JointMatrix:
    """Coriolis matrix C_ik = Σ_m h_ikm qd_m [kg m²/s], shape (*batch, n, n).

    The paper's vector C(q, qd) is `C @ qd`.
    """
    U = first_derivatives(table, q)
    rate = derivative_rates(table, q, qd)
    C: JointMatrix = np.einsum("...jkab,...jiab->...ik", rate @ _pseudo_inertias(table), U)
    return C


def gravity(table: DhTable, q: JointVector, g: ArrayLike) -> JointVector:
    """Gravity torques G of eq. 8 [N m], shape (*batch, n)."""
    first_moments = _pseudo_inertias(table)[:, 0, :, 3]  # m_j r_j, homogeneous
    U = first_derivatives(table, q)
    G: JointVector = -np.einsum("a,...jiab,jb->...i", _row_vector(g), U, first_moments)
    return G


def inverse_dynamics(
    table: DhTable, q: JointVector, qd: JointVector, qdd: JointVector, g: ArrayLike
) -> JointVector:
    """Torques of eq. 5 [N m], shape (*batch, n)."""
    M, C = inertia(table, q), coriolis(table, q, qd)
    moving: JointVector = np.einsum("...ik,...k->...i", M, np.asarray(qdd)) + np.einsum(
        "...ik,...k->...i", C, np.asarray(qd)
    )
    return moving + gravity(table, q, g)


def kinetic_energy(table: DhTable, q: JointVector, qd: JointVector) -> Array:
    """K of eq. 4 [J], shape (*batch)."""
    velocity = np.einsum("...ijab,...j->...iab", first_derivatives(table, q), np.asarray(qd))
    J = _pseudo_inertias(table)[:, 0]
    energy: Array = 0.5 * np.einsum("...iab,ibc,...iac->...", velocity, J, velocity)
    return energy


def potential_energy(table: DhTable, q: JointVector, g: ArrayLike) -> Array:
    """P of eq. 4 [J], shape (*batch); zero with all mass at the base's origin."""
    first_moments = _pseudo_inertias(table)[:, 0, :, 3]
    energy: Array = -np.einsum(
        "a,...iab,ib->...", _row_vector(g), transforms(table, q), first_moments
    )
    return energy


def _link_transform(row: DhRow, q: Array) -> Array:
    if row.kind != "revolute":
        raise ModelError(f"joint {row.joint} is {row.kind}; dynamics needs revolute joints")
    co, so = snapped_cos_sin(row.theta_offset)
    ca, sa = snapped_cos_sin(row.alpha)
    s, c = np.sin(q) * co + np.cos(q) * so, np.cos(q) * co - np.sin(q) * so
    zero, one = np.zeros_like(s), np.ones_like(s)
    rows = [
        [c, -s * ca, s * sa, row.a * c],
        [s, c * ca, -c * sa, row.a * s],
        [zero, sa * one, ca * one, row.d * one],
        [zero, zero, zero, one],
    ]
    return np.stack([np.stack(entries, axis=-1) for entries in rows], axis=-2)


def _pseudo_inertias(table: DhTable) -> Array:
    """J_j, shape (n, 1, 4, 4)."""
    return np.stack([pseudo_inertia(body) for body in table.inertials])[:, None]


def _empty(A: Sequence[Array], axes: int) -> Array:
    n = len(A)
    return np.zeros((*A[0].shape[:-2], *(n,) * axes, 4, 4), dtype=A[0].dtype)


def _row_vector(g: ArrayLike) -> Array:
    return np.append(np.asarray(g, dtype=np.float64), 0.0)

"""Lagrange-Euler dynamics by Uicker and Kahn's formulas, which Smith and Kumar both print.

Written out equation by equation, from the frames T_i (DH frame i in frame 0) and the
pseudo-inertias J_i. `dynamics.lagrange` computes the same faster; here each misprint has its place.
"""

from __future__ import annotations

import numpy as np

from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, JointMatrix, JointVector, Transform

__all__ = ["GRAVITY", "Q", "christoffel", "first_derivatives", "gravity", "inertia"]

GRAVITY = np.array([0.0, 0.0, -9.81, 0.0])
"""The gravity row vector g [m/s²] (Smith after eq. 8, Kumar after eq. 19)."""
Q = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
"""Smith eq. 11, Kumar eq. 18."""


def first_derivatives(T: Transform) -> Array:
    """U_ij = T_{j-1} Q (T_{j-1})⁻¹ T_i for j ≤ i, else 0 (Smith eq. 9).

    Args:
        T: Frames 0 to n, shape (*batch, n + 1, 4, 4).

    Returns:
        U, shape (*batch, n, n, 4, 4), indexed by link i and joint j, from 0.
    """
    n = T.shape[-3] - 1
    before = T[..., None, :-1, :, :]  # T_{j-1}
    U = before @ Q @ inverse(before) @ T[..., 1:, None, :, :]
    return np.where(np.tri(n, dtype=bool)[..., None, None], U, 0.0)


def second_derivatives(T: Transform) -> Array:
    """U_ijk, the derivative of U_ij by q_k, for j ≤ i and k ≤ i, else 0 (Smith eq. 10).

    Where j ≤ k it is T_{j-1} Q (T_{j-1})⁻¹ T_{k-1} Q (T_{k-1})⁻¹ T_i; j and k change places where
    k ≤ j.

    Returns:
        Shape (*batch, n, n, n, 4, 4).
    """
    n = T.shape[-3] - 1
    before = T[..., :-1, :, :]
    turn = before @ Q @ inverse(before)  # of joint j, in frame 0
    product = turn[..., :, None, :, :] @ turn[..., None, :, :, :]  # of j, then k
    j, k = np.indices((n, n))
    ordered = np.where((j <= k)[..., None, None], product, np.swapaxes(product, -4, -3))
    UU = ordered[..., None, :, :, :, :] @ T[..., 1:, None, None, :, :]
    i = np.arange(n)[:, None, None]
    return np.where(((j <= i) & (k <= i))[..., None, None], UU, 0.0)


def inertia(U: Array, J: Array) -> JointMatrix:
    """M_ik = Σ_j Tr(U_jk J_j U_jiᵀ) (Smith eq. 6, Kumar eq. 14), shape (*batch, n, n)."""
    return np.asarray(np.einsum("...jkab,...jiab->...ik", U @ J[:, None], U))


def christoffel(UU: Array, U: Array, J: Array) -> Array:
    """h_ikm = Σ_j Tr(U_jkm J_j U_jiᵀ) (Smith eq. 7, Kumar eq. 17), shape (*batch, n, n, n)."""
    return np.asarray(np.einsum("...jkmab,...jiab->...ikm", UU @ J[:, None, None], U))


def gravity(U: Array, J: Array) -> JointVector:
    """G_i = Σ_j -m_j g U_ji r_j (Smith eq. 5, Kumar eq. 19), shape (*batch, n)."""
    return np.asarray(-np.einsum("a,...jiab,jb->...i", GRAVITY, U, J[:, :, 3]))


def kinetic_energy(U: Array, J: Array, qd: JointVector) -> Array:
    """K = ½ Σ_i Σ_j Σ_k Tr(U_ij J_i U_ikᵀ) q̇_j q̇_k (Smith eq. 4, Kumar eq. 9), shape (*batch)."""
    rate = np.einsum("...ijab,...j->...iab", U, qd)
    return np.asarray(0.5 * np.einsum("...iab,ibc,...iac->...", rate, J, rate))


def pseudo_inertia(tensor: Array, mass: float, com: Array) -> Array:
    """J_i of Smith's eq. 12, from a tensor of moments about the frame's origin.

    Args:
        tensor: Moments of inertia; products of inertia as they stand in the formula, +∫ x y dm.
        mass: Mass [kg].
        com: Centre of mass [m], shape (3,).
    """
    xx, yy, zz = np.diag(tensor)
    J = np.empty((4, 4))
    J[:3, :3] = tensor
    J[[0, 1, 2], [0, 1, 2]] = (-xx + yy + zz) / 2, (xx - yy + zz) / 2, (xx + yy - zz) / 2
    J[:3, 3] = J[3, :3] = mass * com
    J[3, 3] = mass
    return J


def origin_moments(inertia_com: Array, mass: float, com: Array) -> Array:
    """Moments about the frame's origin, with +∫ x y dm, from a tensor about the centre of mass.

    Two steps that Smith's eq. 12 needs before Table III can go into it: the parallel axis theorem,
    and the sign of the products of inertia.
    """
    origin = inertia_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.asarray(2.0 * np.diag(np.diag(origin)) - origin)

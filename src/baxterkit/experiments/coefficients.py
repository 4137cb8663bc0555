"""How many coefficients the closed form of M, C and G has, written out and with terms collected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from baxterkit.papers import smith
from baxterkit.papers import uicker_kahn as uk
from baxterkit.types import Array

NODES = 5
"""Every entry is a trigonometric polynomial of degree 2 in each angle: five numbers an angle."""
ZERO = 1e-11
"""Smaller coefficients are rounding; the count is the same from 1e-8 to 1e-13."""
BLOCK = 500


@dataclass(frozen=True)
class Coefficients:
    """Numbers of coefficients in M (all 49 entries), C and G.

    Attributes:
        written_out: Terms when the products of eqs. 6-8 are multiplied out, none collected.
        collected: Distinct monomials of sines, cosines and velocities, with cos² = 1 − sin²; M's
            upper triangle, and each product of velocities once.
    """

    written_out: int
    collected: int


@cache
def count_coefficients() -> Coefficients:
    """Counts the coefficients of Smith's equations, with Baxter's numbers."""
    return Coefficients(_written_out(), _collected())


def _written_out() -> int:
    """Terms of eqs. 6-8: each entry of a link's transform is one term or none."""
    A = [(np.abs(one) > 1e-12).astype(object) for one in _at_random()]
    A = [np.where(one, 1, 0).astype(object) for one in A]
    Q = np.abs(uk.Q).astype(int).astype(object)

    def between(first: int, last: int) -> Array:
        product = np.eye(4, dtype=int).astype(object)
        for k in range(first, last):
            product = product.dot(A[k])
        return product

    U = {(i, j): between(0, j).dot(Q).dot(between(j, i + 1)) for i in range(7)
         for j in range(i + 1)}  # fmt: skip
    UU = {
        (i, *sorted((j, k))): between(0, j).dot(Q).dot(between(j, k)).dot(Q).dot(between(k, i + 1))
        for i in range(7)
        for j in range(i + 1)
        for k in range(j, i + 1)
    }
    J = np.ones((4, 4), dtype=int).astype(object)

    def terms(a: Array, b: Array) -> int:
        return int(np.trace(a.dot(J).dot(b.T)))

    n = range(7)
    M = sum(terms(U[j, k], U[j, i]) for i in n for k in n for j in range(max(i, k), 7))
    C = sum(
        terms(UU[(j, *sorted((k, m)))], U[j, i])
        for i in n for k in n for m in n for j in range(max(i, k, m), 7)
    )  # fmt: skip
    G = sum(int(U[j, i][2].sum()) for i in n for j in range(i, 7))
    return M + C + G


def _at_random() -> Array:
    """The links' transforms where no sine or cosine vanishes; right angles of α are exact."""
    T = smith.corrected.link_transforms(np.full(7, 0.3))
    return np.where(np.abs(T) < 1e-12, 0.0, T)


def _collected() -> int:
    """Non-zero coefficients of h, M and G over the monomials 1, s, c, s², sc of each angle.

    Values on a grid of five angles for each of the joints 2 to 7 determine them; joint 1 turns
    about gravity and appears nowhere.
    """
    angles = 0.3 + 2.0 * np.pi * np.arange(NODES) / NODES
    s, c = np.sin(angles), np.cos(angles)
    solve = np.linalg.inv(np.stack([np.ones(NODES), s, c, s**2, s * c], axis=1))
    grid = np.stack(np.meshgrid(*[angles] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
    q = np.concatenate([np.zeros((len(grid), 1)), grid], axis=1)
    pair, row = np.triu_indices(7), []
    for i in range(0, len(q), BLOCK):
        some = q[i : i + BLOCK]
        h = smith.corrected.christoffel(some)
        h = (h + np.swapaxes(h, -1, -2))[:, :, pair[0], pair[1]].reshape(len(some), -1)
        M = smith.corrected.inertia(some)[:, pair[0], pair[1]]
        row.append(np.concatenate([h, M, smith.corrected.gravity(some)], axis=1))
    values = np.concatenate(row).reshape(*(NODES,) * 6, -1)
    for axis in range(6):
        values = np.moveaxis(np.tensordot(solve, values, axes=(1, axis)), 0, axis)
    return int((np.abs(values) > ZERO).sum())

"""Physically consistent link inertias, as near as possible to those of a free fit.

A body's ten numbers are those of some mass distribution exactly if its pseudo-inertia

    P = [[∫ r r' dm, ∫ r dm], [∫ r' dm, ∫ dm]]        (4 x 4)

is positive definite (Wensing, Kim and Slotine 2017); mass and the triangle inequality follow. P is
written as L L', so every step of the search is such a body.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.model.inertial import Inertial
from baxterkit.types import Array

ROUNDS = 200
"""Largest number of steps of the search."""
SMALLEST = 1e-7
"""Least eigenvalue of a pseudo-inertia, as a share of its trace: no body is exactly flat."""

_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_LOWER = np.tril_indices(4)


def consistent_links(
    start: Sequence[Inertial], mapping: Array, beta: Array, information: Array, deviations: Array
) -> tuple[Inertial, ...]:
    """Physically consistent bodies whose base parameters are nearest to the given ones.

    Minimises (map p - beta)' information (map p - beta) + |(p - p_start) / deviations|² over
    physically consistent link parameters p.

    Args:
        start: The links of the prior, in the joints' frames.
        mapping: beta = mapping @ p, shape (45, 70).
        beta: Base parameters of the free fit [kg m²], shape (45,).
        information: Their inverse covariance, shape (45, 45).
        deviations: Standard deviations of the prior around `start`, shape (70,).
    """
    p_start = np.concatenate([parameters_of(body) for body in start])
    factors = [np.linalg.cholesky(_pseudo_inertia(_inside(p))) for p in p_start.reshape(-1, 10)]
    x = np.concatenate([L[_LOWER] for L in factors])
    weight = deviations**-2.0
    damping = 1e-3

    def cost(p: Array) -> float:
        miss, moved = mapping @ p - beta, p - p_start
        return float(miss @ information @ miss + moved @ (weight * moved))

    p, J = _parameters(x)
    least = cost(p)
    curvature = mapping.T @ information @ mapping + np.diag(weight)
    for _ in range(ROUNDS):
        gradient = J.T @ (mapping.T @ (information @ (mapping @ p - beta)) + weight * (p - p_start))
        hessian = J.T @ curvature @ J
        step = np.linalg.solve(
            hessian + damping * np.diag(np.diag(hessian) + 1e-12 * np.trace(hessian)), -gradient
        )
        p_next, J_next = _parameters(x + step)
        value = cost(p_next)
        if value < least:
            x, p, J = x + step, p_next, J_next
            gain, least, damping = least - value, value, max(damping * 0.3, 1e-12)
            if gain <= 1e-10 * (1.0 + least):
                break
        else:
            damping *= 5.0
            if damping > 1e12:
                break
    return tuple(body_of(_inside(link)) for link in p.reshape(-1, 10))


def parameters_of(body: Inertial) -> Array:
    """Mass, first moments, inertia about the frame's origin, shape (10,)."""
    inertia = body.about_origin
    return np.array([body.mass, *(body.mass * body.com), *(inertia[i, k] for i, k in _ENTRIES)])


def body_of(p: Array) -> Inertial:
    """The body with these ten parameters; its mass is not zero."""
    m, h = float(p[0]), p[1:4]
    about_origin = np.zeros((3, 3))
    for (i, k), value in zip(_ENTRIES, p[4:], strict=True):
        about_origin[i, k] = about_origin[k, i] = value
    com = h / m
    inertia = about_origin - m * (float(com @ com) * np.eye(3) - np.outer(com, com))
    return Inertial(m, com, inertia)


def is_consistent(body: Inertial) -> bool:
    """Whether some distribution of mass has these numbers."""
    return bool(np.linalg.eigvalsh(_pseudo_inertia(parameters_of(body)))[0] > 0.0)


def _pseudo_inertia(p: Array) -> Array:
    P = np.zeros((4, 4))
    for (i, k), value in zip(_ENTRIES, p[4:], strict=True):
        P[i, k] = P[k, i] = -value
    P[:3, :3] += 0.5 * (p[4] + p[7] + p[9]) * np.eye(3)
    P[:3, 3] = P[3, :3] = p[1:4]
    P[3, 3] = p[0]
    return P


def _inside(p: Array) -> Array:
    """The same link, made physically consistent with a margin if it is not."""
    P = _pseudo_inertia(p)
    values, vectors = np.linalg.eigh(P)
    least = SMALLEST * float(np.trace(P))
    return _numbers((vectors * np.maximum(values, least)) @ vectors.T) if values[0] < least else p


def _numbers(P: Array) -> Array:
    S = P[:3, :3]
    inertia = np.trace(S) * np.eye(3) - S
    return np.array([P[3, 3], *P[:3, 3], *(inertia[i, k] for i, k in _ENTRIES)])


_NUMBERS = np.stack([_numbers(unit.reshape(4, 4)) for unit in np.eye(16)], axis=-1)
"""The ten numbers are linear in the pseudo-inertia: p = _NUMBERS @ P.ravel(), shape (10, 16)."""
_UNITS = np.zeros((10, 4, 4))
"""dL/dx of each entry of a factor."""
_UNITS[np.arange(10), *_LOWER] = 1.0


def _parameters(x: Array) -> tuple[Array, Array]:
    """Link parameters p of the factors' entries x, and dp/dx."""
    n = x.size // 10
    L = np.zeros((n, 4, 4))
    L[:, *_LOWER] = x.reshape(n, 10)
    L_turned = L.transpose(0, 2, 1)
    p = (L @ L_turned).reshape(n, 16) @ _NUMBERS.T
    half = _UNITS @ L_turned[:, None]
    rates = (half + half.transpose(0, 1, 3, 2)).reshape(n, 10, 16) @ _NUMBERS.T
    J = np.zeros((n, 10, n, 10))
    J[np.arange(n), :, np.arange(n), :] = rates.transpose(0, 2, 1)
    return p.ravel(), J.reshape(x.size, x.size)

"""How far a target is out of reach: the nearest pose of the tip within the limits.

The orientation that the target asks for is kept, and the position given up as little as possible:
Levenberg-Marquardt within the limits, from several configurations at once, with errors of the
orientation weighted more and more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from baxterkit.ik.target import Target
from baxterkit.model.limits import Limits
from baxterkit.types import Array, JointVector, Transform

STARTS = 64
"""Configurations that the search begins at, within the limits, always the same."""
WEIGHTS = (1.0, 30.0, 1000.0)
"""Of errors of the orientation [m/rad], one after the other."""
STEPS = 40
"""Of each of these."""


@dataclass(frozen=True, eq=False)
class Shortfall:
    """How far a target is out of reach.

    Attributes:
        distance: From the target to the nearest position that the tip reaches with the target's
            orientation, within the limits [m]; zero if it is reached.
        T_base_tip: The pose of the tip there, shape (4, 4).
        q: Joint positions there [rad], shape (7,).
        angle: What is left of the orientation's error [rad], below a milliradian.
    """

    distance: float
    T_base_tip: Transform
    q: JointVector
    angle: float

    def __str__(self) -> str:
        x, y, z = self.T_base_tip[:3, 3]
        return f"the tip comes within {self.distance:.3f} m of it, at {x:.3f} {y:.3f} {z:.3f} m"


def nearest(
    fk: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    limits: Limits,
    target: Target,
    seed: JointVector,
) -> Shortfall:
    """The nearest pose of the tip to one target.

    Args:
        fk: Joint positions (n, 7) -> tip poses (n, 4, 4).
        jacobian: Joint positions (n, 7) -> Jacobians (n, 6, 7), base axes.
        limits: What joints may do; where they are infinite, a turn to either side is searched.
        target: A row of one target.
        seed: Joint positions to begin at, beside the others [rad], shape (7,).
    """
    low, high = np.maximum(limits.lower, -2.0 * np.pi), np.minimum(limits.upper, 2.0 * np.pi)
    drawn = np.random.default_rng(0).uniform(low, high, (STARTS - 1, len(low)))
    q = np.clip(np.concatenate([seed[None], drawn]), low, high)
    targets = target.take(np.zeros(STARTS, dtype=np.intp))
    for weight in WEIGHTS:
        q = _descended(fk, jacobian, targets, q, (low, high), weight)
    T = fk(q)
    distance, angle = targets.sizes(T)
    best = int(np.argmin(distance + WEIGHTS[-1] * angle))
    return Shortfall(float(distance[best]), T[best], q[best], float(angle[best]))


def _descended(
    fk: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    target: Target,
    q: JointVector,
    bounds: tuple[Array, Array],
    weight: float,
) -> JointVector:
    """Joint positions (n, 7) where the weighted error is least, near those given."""
    scale = np.where(np.arange(target.rows) < 3, 1.0, weight)
    T = fk(q)
    error = scale * target.error(T)
    damping = np.full(len(q), 1e-2)
    for _ in range(STEPS):
        J = scale[:, None] * target.project(T, jacobian(q))
        slope = np.einsum("nij,ni->nj", J, error)
        held = ((q <= bounds[0]) & (slope < 0.0)) | ((q >= bounds[1]) & (slope > 0.0))
        J = np.where(held[:, None], 0.0, J)
        normal = np.einsum("nij,nik->njk", J, J)
        normal += damping[:, None, None] * np.eye(q.shape[-1])
        step = np.linalg.solve(normal, np.where(held, 0.0, slope)[..., None])[..., 0]
        tried = np.clip(q + step, *bounds)
        T_tried = fk(tried)
        error_tried = scale * target.error(T_tried)
        better = np.sum(error_tried**2, axis=-1) < np.sum(error**2, axis=-1)
        q, error = (
            np.where(better[:, None], tried, q),
            np.where(better[:, None], error_tried, error),
        )
        T = np.where(better[:, None, None], T_tried, T)
        damping = np.clip(np.where(better, 0.3, 4.0) * damping, 1e-9, 1e6)
    return q

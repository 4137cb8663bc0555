"""Friction that depends on velocity: the one formula, for joint effects, their memory and the twin.

    friction = viscous qd + coulomb qd / sqrt(qd² + speed²)

Smooth in qd, also at rest. Coefficients have shape (n,), velocities [rad/s] shape (*batch, n);
`speed` is where dry friction has 71 % of its value [rad/s].
"""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array


def dry_friction(qd: Array, coulomb: Array, speed: Array) -> Array:
    """The dry part [N m], shape (*batch, n), of `coulomb` [N m]."""
    torque: Array = coulomb * qd / np.hypot(qd, speed)
    return torque


def friction_coefficient(qd: Array, coulomb: Array, viscous: Array, speed: Array) -> Array:
    """Both parts divided by the velocity [N m s/rad], shape (*batch, n): a damping coefficient.

    `coulomb` is in [N m], `viscous` in [N m s/rad].
    """
    coefficient: Array = viscous + coulomb / np.hypot(qd, speed)
    return coefficient

"""Dry and viscous friction: the one formula, for joint effects, their memory and the twin."""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array

__all__ = ["friction_coefficient"]


def friction_coefficient(qd: Array, coulomb: Array, viscous: Array, speed: Array) -> Array:
    """What velocities are multiplied by to give friction: friction = coefficient(qd) qd.

    Smooth in qd, also at rest; simulations take it as a damping, implicitly.

    Args:
        qd: Velocities [rad/s], shape (*batch, n).
        coulomb: Dry friction [N m], shape (n,).
        viscous: Viscous friction [N m s/rad], shape (n,).
        speed: Speed at which dry friction has 71 % of its value [rad/s], shape (n,).

    Returns:
        Coefficients [N m s/rad], shape (*batch, n).
    """
    coefficient: Array = viscous + coulomb / np.hypot(qd, speed)
    return coefficient

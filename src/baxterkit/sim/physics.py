"""`Physics`: which effects the twin simulates, and how it steps in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.parts import Frozen
from baxterkit.types import Array, frozen

INTEGRATORS = ("implicitfast", "rk4", "euler")
ARMS = 14
"""Joints of both arms."""


@dataclass(frozen=True, eq=False)
class Physics(Frozen):
    """What the twin simulates besides the arms' own equations.

    Attributes:
        contacts: Whether bodies touch each other.
        limits: Whether joints have end stops.
        damping: Viscous friction on top of the joints' own [N m s/rad], one or 14 (left, right).
        integrator: "implicitfast"; a rigid twin also takes "rk4" and "euler".

    Raises:
        InputError: If a damping is negative, or there are not 1 or 14.
        UnknownNameError: If there is no such integrator.
    """

    contacts: bool = True
    limits: bool = True
    damping: ArrayLike = 0.0
    integrator: str = "implicitfast"

    def __post_init__(self) -> None:
        if self.integrator not in INTEGRATORS:
            raise UnknownNameError("integrator", self.integrator, INTEGRATORS)
        extra = finite_array(self.damping, "damping")
        if extra.shape not in ((), (ARMS,)) or (extra < 0.0).any():
            raise InputError(
                f"damping must be one number or {ARMS}, none of them negative, got {self.damping!r}"
            )
        object.__setattr__(self, "damping", frozen(extra))

    @property
    def dampings(self) -> Array:
        """The damping of each joint, left then right, shape (14,)."""
        return np.array(np.broadcast_to(np.asarray(self.damping), (ARMS,)))

"""What torque sensors show beyond the torques of their joints: cross-talk, and a lag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import ShapeError
from baxterkit.model.model import Frozen
from baxterkit.types import Array, JointVector, frozen


@dataclass(frozen=True, eq=False)
class Sensing(Frozen):
    """Torque sensors that show a share of what other joints do, and show all of it late.

        shown = tau + effects + crosstalk (tau - level) + drag qd + shaking d²(tau + effects)/dt²

    a lag ago, where tau are the torques of the rigid arm. It is a property of the sensors, not of
    the joints: `identify.predict` has it, inverse dynamics does not.

    Attributes:
        crosstalk: Share of the torque of each joint (column) that the sensor of another (row)
            shows, shape (7, 7).
        level: Torques [N m] whose share is part of the sensors' zero, shape (7,).
        lag: Time by which each sensor lags behind the motion [s], shape (7,); negative: leads.
        shaking: Torque for the second derivative of another joint's torque [s²], shape (7, 7):
            flexures and pedestal give way; zeros if None.
        drag: Torque for the velocity of another joint [N m s/rad], shape (7, 7); zeros if None.
    """

    crosstalk: Array
    level: JointVector
    lag: JointVector
    shaking: Array = None  # type: ignore[assignment]
    drag: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        dof = len(np.atleast_1d(self.lag))
        for name in ("crosstalk", "level", "lag", "shaking", "drag"):
            shape = (dof,) if name in ("level", "lag") else (dof, dof)
            value = getattr(self, name)
            array = np.zeros(shape) if value is None else finite_array(value, f"sensing {name}")
            if array.shape != shape:
                raise ShapeError(f"sensing {name} must have shape {shape}, got {array.shape}")
            object.__setattr__(self, name, frozen(array))

    def across(self, tau: JointVector, qd: JointVector) -> JointVector:
        """Torques that sensors show of other joints' torques and velocities [N m], (*batch, 7).

        Args:
            tau: Torques of the rigid arm [N m], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
        """
        return (tau - self.level) @ self.crosstalk.T + qd @ self.drag.T

"""Sliding mode with a boundary layer: robust to a model that is wrong by a known amount."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import passive_dynamics_of
from baxterkit.control.signals import InverseDynamics, Reference
from baxterkit.errors import InputError
from baxterkit.types import Array

SLOPE = 10.0
"""Λ [1/s]: on the surface the error decays with a time constant of a tenth of a second."""

ROBUSTNESS = (10.0, 15.0, 8.0, 6.0, 1.5, 1.5, 0.3)
"""K [N m]: covers an unknown kilogram in the hand together with dry friction."""

BOUNDARY = (0.2, 0.3, 0.3, 0.25, 0.8, 0.8, 3.0)
"""φ [rad/s]: K / φ, the damping inside the layer, stays below half the inertia per millisecond."""


class SlidingMode(TorqueController):
    """Drives the error onto the surface s = ė + Λ e = 0 and holds it there.

        qd_s = qd_r + Λ e,   s = qd_s - qd
        tau = M(q) qdd_s + C(q, qd) qd_s + G(q) + K sat(s / φ)

    With a model error below K, every |s| falls into its boundary layer φ and stays there; the error
    then stays below φ / Λ. The layer replaces the sign function, which would chatter.

    Args:
        model: An `Arm`, or a callable `inverse_dynamics(q, qd, qdd) -> tau` of a rigid arm.
        slope: Λ [1/s], one or seven.
        robustness: K [N m], one or seven.
        boundary: φ [rad/s], one or seven, positive.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | InverseDynamics,
        slope: ArrayLike = SLOPE,
        robustness: ArrayLike = ROBUSTNESS,
        boundary: ArrayLike = BOUNDARY,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        self._dynamics = passive_dynamics_of(model)
        self.slope = one_or_each(slope, "slope")
        self.robustness = one_or_each(robustness, "robustness")
        self.boundary = one_or_each(boundary, "boundary")
        if not self.boundary.all():
            raise InputError(
                "boundary must be positive, got 0; a layer without width makes torques chatter"
            )

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        qd_s = r.qd + self.slope * (r.q - q)
        qdd_s = r.qdd + self.slope * (r.qd - qd)
        layer = np.minimum(np.maximum((qd_s - qd) / self.boundary, -1.0), 1.0)
        return self._dynamics(q, qd, qd_s, qdd_s) + self.robustness * layer

"""A low-pass filter on sensed velocities, around any controller."""

from __future__ import annotations

import math

from baxterkit.checks.numbers import one_or_each, time_step
from baxterkit.control.signals import (
    ArmState,
    Controller,
    Reference,
    State,
    checked,
    forget,
    sound,
    torque_controller,
)
from baxterkit.errors import InputError
from baxterkit.types import Array, JointVector

CUTOFF = 20.0
"""Cut-off frequency [Hz]: five times the bandwidth of the loops here and more."""


class Smoothed:
    """Gives a controller filtered velocities: less noise in its torques, a little less damping.

    Sensed velocities carry noise of some 0.006 rad/s, which a gain of 50 N m s/rad turns into
    0.3 N m. A first-order low-pass removes most of that and delays velocities by
    1 / (2 π cutoff), 8 ms at 20 Hz.

    Args:
        controller: The controller.
        cutoff: Cut-off frequency [Hz].
    """

    def __init__(self, controller: Controller, cutoff: float = CUTOFF) -> None:
        self.controller = torque_controller(controller)
        self.cutoff = float(one_or_each(cutoff, "cutoff", 1)[0])
        if self.cutoff == 0.0:
            raise InputError("cutoff must be above 0 Hz; a filter of 0 Hz would pass nothing")
        self._qd: Array | None = None

    def reset(self) -> None:
        """Start the filter anew at the next velocity, and reset the controller."""
        self._qd = None
        forget(self.controller)

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """The controller's command for the filtered state; raises as it does."""
        time_step(dt)
        if not sound(state, reference):
            state, reference = checked(state, reference)
        qd = state.qd
        if self._qd is not None:
            qd = self._qd + (1.0 - math.exp(-2.0 * math.pi * self.cutoff * dt)) * (qd - self._qd)
        command = self.controller.update(State(state.q, qd), reference, dt)
        self._qd = qd
        return command

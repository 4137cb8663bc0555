"""The base class of torque controllers: check, compute, saturate, and only then store state."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import time_step
from baxterkit.control.signals import ArmState, Reference, checked, effort_limits, sound
from baxterkit.errors import InputError, ShapeError
from baxterkit.types import Array, JointVector

_ONES = np.ones(7)
_SHAPE = (7,)


class TorqueController(ABC):
    """A controller whose command is joint torques.

    `update` raises on a state or reference that is not finite, and then keeps no state from the
    call: no command is sent, and the twin's or the robot's own timeout holds the arm. The torques
    that it returns are always finite and within the effort limits.

    Args:
        model: The arm or the callable that the controller computes with; an arm brings its limits.
        effort: Greatest torques [N m], one or seven; the arm's, or Baxter's, if None.
    """

    def __init__(self, model: object, effort: ArrayLike | None = None) -> None:
        self.model = model
        self._upper = effort_limits(model, effort)
        self._lower = -self._upper

    @property
    def effort(self) -> Array:
        """Greatest torques [N m] that `update` returns, shape (7,)."""
        return self._upper

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """Torques for the next `dt` seconds.

        Args:
            state: Sensed joint positions and velocities: anything with `q` and `qd`.
            reference: Desired state of the arm now.
            dt: Time since the last call, and until the next [s].

        Returns:
            tau [N m], shape (7,), finite and within the effort limits.

        Raises:
            InputError: If a value is not finite, or `dt` is not positive.
            ShapeError: If an array does not have shape (7,).
        """
        time_step(dt)
        if not sound(state, reference):
            state, reference = checked(state, reference)
        wanted = self._torque(state.q, state.qd, reference, dt)
        if wanted.shape != _SHAPE:
            raise ShapeError(f"the model's torques must have shape (7,), got {wanted.shape}")
        if not math.isfinite(wanted.dot(_ONES)):
            finite_array(wanted, "the controller's torque")
        tau: JointVector = np.minimum(np.maximum(wanted, self._lower), self._upper)
        self._remember(wanted, tau)
        return tau

    def reset(self) -> None:  # noqa: B027 (most have nothing to forget)
        """Clears the integrated or learned state."""

    @abstractmethod
    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        """The torques before saturation [N m], shape (7,), for the reference `r`.

        Changes nothing that lasts: see `_remember`.
        """

    def _remember(self, wanted: Array, tau: Array) -> None:  # noqa: B027
        """Stores the state that `_torque` prepared; the command was `tau`, not `wanted`."""


def cut(wanted: Array, tau: Array) -> bool:
    """Whether saturation changed a torque; comparing bytes is faster than comparing arrays."""
    return wanted.tobytes() != tau.tobytes()


def check_of_both(controller: object) -> None:
    """Refuses a controller of one arm where both arms move.

    Raises:
        InputError: If it is one of ours, which are all of one arm.
    """
    if isinstance(controller, TorqueController):
        name = type(controller).__name__
        raise InputError(
            f"{name} is of one arm, and both arms move; give one for each: "
            f"controller={{'left': {name}(...), 'right': {name}(...)}}"
        )

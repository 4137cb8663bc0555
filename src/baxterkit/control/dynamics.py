"""The dynamics that a controller computes with: those of an `Arm`, or callables.

An arm may carry joint effects (springs, friction, bias). They are compensated too: what depends
on position at the sensed position, friction at the *reference* velocity, because the sign of a
sensed velocity around zero is noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from baxterkit.arm import Arm
from baxterkit.control.signals import REST, Gravity, InverseDynamics
from baxterkit.errors import InputError
from baxterkit.types import Array

__all__ = ["gravity_of", "passive_dynamics_of", "tracking_dynamics_of"]

TrackingDynamics: TypeAlias = Callable[[Array, Array, Array, Array], Array]
"""Of (q, qd, qdd, qd_reference): M qdd + C(q, qd) qd + G + effects, friction at qd_reference."""

PassiveDynamics: TypeAlias = Callable[[Array, Array, Array, Array], Array]
"""Of (q, qd, qd_r, qdd_r): M qdd_r + C(q, qd) qd_r + G + effects, friction at qd_r."""


def gravity_of(model: Arm | Gravity) -> Gravity:
    """Torques that hold the arm at rest: gravity, and springs and bias if the arm has any."""
    if isinstance(model, Arm):
        if not _has_effects(model):
            return model.gravity
        inverse = model.inverse_dynamics
        return lambda q: inverse(q, REST, REST)
    return cast(Gravity, _callable(model, "gravity(q)"))


def tracking_dynamics_of(model: Arm | InverseDynamics) -> TrackingDynamics:
    """Torques of an acceleration in the sensed state; see `TrackingDynamics`.

    A callable is called as `inverse_dynamics(q, qd, qdd)`: it has one velocity, the sensed one.
    """
    if not isinstance(model, Arm):
        call = cast(InverseDynamics, _callable(model, "inverse_dynamics(q, qd, qdd)"))
        return lambda q, qd, qdd, qd_reference: call(q, qd, qdd)
    inverse, bias = model.inverse_dynamics, model.bias_torque
    if not _has_effects(model):
        return lambda q, qd, qdd, qd_reference: inverse(q, qd, qdd)

    def torque(q: Array, qd: Array, qdd: Array, qd_reference: Array) -> Array:
        # Rigid part: M qdd + bias(qd). Effects: what inverse dynamics have over the bias torque.
        there = inverse(q, qd_reference, qdd)
        return there - bias(q, qd_reference) + bias(q, qd)

    return torque


def passive_dynamics_of(model: Arm | InverseDynamics) -> PassiveDynamics:
    """Torques with a reference velocity in one factor of the Coriolis term.

    With the Christoffel C, for which dM/dt - 2 C is skew, C(q, x) y is symmetric and bilinear in
    x and y. A quarter of the square of the sum less that of the difference is then the product:
    C(q, x) y = c(q, (x + y) / 2) - c(q, (x - y) / 2), with c(q, x) = C(q, x) x. So three
    evaluations of inverse dynamics give it exactly, and a callable serves as well as an arm. The
    callable must be a rigid arm's: friction in it would be taken at the wrong velocities.
    """
    if isinstance(model, Arm):
        inverse, bias = model.inverse_dynamics, model.bias_torque
        if _has_effects(model):

            def torque_with_effects(q: Array, qd: Array, qd_r: Array, qdd_r: Array) -> Array:
                # M qdd_r + G + effects(q, qd_r), then C(q, qd) qd_r.
                still = inverse(q, qd_r, qdd_r) - bias(q, qd_r)
                return (
                    still + bias(q, 0.5 * (qd + qd_r)) - bias(q, 0.5 * (qd - qd_r)) + bias(q, REST)
                )

            return torque_with_effects
    else:
        inverse = cast(Any, _callable(model, "inverse_dynamics(q, qd, qdd)"))

        def bias(q: Array, qd: Array) -> Array:  # type: ignore[misc]
            return cast(Array, inverse(q, qd, REST))

    def torque(q: Array, qd: Array, qd_r: Array, qdd_r: Array) -> Array:
        tau: Array = inverse(q, 0.5 * (qd + qd_r), qdd_r)
        return tau - bias(q, 0.5 * (qd - qd_r)) + bias(q, REST)

    return torque


def _has_effects(arm: Arm) -> bool:
    return getattr(arm, "effects", None) is not None


def _callable(model: object, form: str) -> Callable[..., Array]:
    if not callable(model):
        raise InputError(
            f"a controller computes with an Arm or a callable {form}, got {type(model).__name__}"
        )
    return cast(Callable[..., Array], model)

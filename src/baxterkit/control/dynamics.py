"""The dynamics that a controller computes with: those of an `Arm`, or callables.

An arm may have joint effects (springs, friction, bias). They are compensated too: springs and bias
at the sensed position, friction at the *reference* velocity, because the sign of a sensed velocity
around zero is noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.signals import REST, Gravity, InverseDynamics
from baxterkit.errors import InputError
from baxterkit.types import Array

# As arrays: NumPy multiplies by an array in half the time that it takes for a scalar.
_HALF = np.full(7, 0.5)
_ROOT_8TH = np.full(7, math.sqrt(0.125))

TrackingDynamics: TypeAlias = Callable[[Array, Array, Array, Array], Array]
"""Of (q, qd, qdd, qd_reference): M qdd + C(q, qd) qd + G + effects, friction at qd_reference."""

PassiveDynamics: TypeAlias = Callable[[Array, Array, Array, Array], Array]
"""Of (q, qd, qd_r, qdd_r): M qdd_r + C(q, qd) qd_r + G + effects, friction at qd_r."""

Regressor: TypeAlias = Callable[[Array, Array, Array], Array]
"""`regressor(q, qd, qdd) -> Y`, shape (7, p): tau = Y beta."""

Effects: TypeAlias = Callable[[Array, Array], Array]
"""Of (q, qd): torques of the joint effects [N m], shape (7,)."""


def gravity_of(model: Arm | Gravity) -> Gravity:
    """Torques that hold the arm at rest: gravity, and springs and bias if the arm has any."""
    if isinstance(model, Arm):
        if model.effects is None:
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
    effects = effects_of(model)
    inverse = model.with_effects(None).inverse_dynamics
    if effects is None:
        return lambda q, qd, qdd, qd_reference: inverse(q, qd, qdd)
    return lambda q, qd, qdd, qd_reference: inverse(q, qd, qdd) + effects(q, qd_reference)


def passive_dynamics_of(model: Arm | InverseDynamics) -> PassiveDynamics:
    """Torques with a reference velocity in one factor of the Coriolis term.

    C is the Christoffel matrix, for which dM/dt - 2 C is skew. A callable has no matrix, but
    C(q, x) y is bilinear in x and y and symmetric, so it is a difference of two squares:
    C(q, x) y = c(q, (x + y) / 2) - c(q, (x - y) / 2), with c(q, x) = C(q, x) x. Two evaluations
    of inverse dynamics give it exactly, the first one doubled to leave one gravity over. The
    callable must be a rigid arm's: friction in it would be taken at the wrong velocities.
    """
    if isinstance(model, Arm):
        return _passive_dynamics_of_arm(model)
    call = cast(InverseDynamics, _callable(model, "inverse_dynamics(q, qd, qdd)"))

    def torque(q: Array, qd: Array, qd_r: Array, qdd_r: Array) -> Array:
        half = call(q, _ROOT_8TH * (qd + qd_r), _HALF * qdd_r)
        return half + half - call(q, _HALF * (qd - qd_r), REST)

    return torque


def _passive_dynamics_of_arm(arm: Arm) -> PassiveDynamics:
    effects, rigid = effects_of(arm), arm.with_effects(None)
    inverse, coriolis = rigid.inverse_dynamics, rigid.coriolis
    if effects is None:
        return lambda q, qd, qd_r, qdd_r: inverse(q, REST, qdd_r) + coriolis(q, qd).dot(qd_r)

    def torque(q: Array, qd: Array, qd_r: Array, qdd_r: Array) -> Array:
        tau: Array = inverse(q, REST, qdd_r) + coriolis(q, qd).dot(qd_r)
        tau += effects(q, qd_r)
        return tau

    return torque


def passive_regressor(
    regressor: Regressor, q: Array, qd: Array, qd_r: Array, qdd_r: Array
) -> Array:
    """Y of M qdd_r + C(q, qd) qd_r + G = Y beta, shape (7, p).

    Made as for a callable in `passive_dynamics_of`, from the regressor of inverse dynamics.
    """
    half = regressor(q, _ROOT_8TH * (qd + qd_r), _HALF * qdd_r)
    Y = half + half
    Y -= regressor(q, _HALF * (qd - qd_r), REST)
    return Y


def effects_of(arm: Arm) -> Effects | None:
    """The arm's joint effects, or None if it has none."""
    if arm.effects is None:
        return None
    compiled = arm.effects._kernels
    return arm.effects.torque if compiled is None else compiled.joint_effects


def _callable(model: object, form: str) -> Callable[..., Array]:
    if not callable(model):
        raise InputError(
            f"a controller computes with an Arm or a callable {form}, got {type(model).__name__}"
        )
    return cast(Callable[..., Array], model)

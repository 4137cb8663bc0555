"""Adaptive control after Slotine and Li: the base parameters are learned while moving."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController, cut
from baxterkit.control.dynamics import Regressor, effects_of, passive_regressor
from baxterkit.control.signals import Reference
from baxterkit.equations.base_parameters import base_parameter_map
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import ArmModel
from baxterkit.types import Array

SLOPE = 10.0
"""Λ [1/s], as in sliding mode control."""

DAMPING = (20.0, 20.0, 8.0, 8.0, 0.8, 0.8, 0.05)
"""K [N m s/rad]."""

RATE = 20.0
"""γ [1/J]: adaptation rate of the estimates."""

RADIUS = 20.0
"""Largest distance of the estimate from its start, in standard deviations."""

PERIOD = 4.5e-3
"""The estimate changes every fifth millisecond [s], which saves time and costs nothing."""

LONGEST = 0.02
"""An error counts for this time at most [s]: it says nothing about a longer break."""

FAR = 0.3
"""Errors s are clipped to this [rad/s] for adaptation: far from the reference (0.03 rad at rest)
torques saturate at times, and errors come from that, not from the model."""

LINK_DOUBT = 0.2
"""Standard deviation of a link's mass, as a share of it."""

LINK_SIZE = 0.1
"""Standard deviation of the position of a link's unknown mass [m]."""

HAND_DOUBT = 1.0
"""Unknown mass in the hand [kg]."""

HAND_SIZE = (0.03, 0.03, 0.2)
"""Standard deviation of its position, from the wrist along the hand's axes [m]."""

FRICTION_DOUBT = 0.02
"""Standard deviation of viscous friction [s/rad], dry friction and bias [1], times effort limit."""

DRY_VELOCITY = 0.02
"""Velocity [rad/s] at which dry friction has three quarters of its value."""


@dataclass(frozen=True)
class Learning:
    """How `Adaptive` learns.

    Attributes:
        rate: γ [1/J].
        radius: Greatest distance of the estimate from its start, in standard deviations.
        period: Time between changes of the estimate [s].
        friction: Whether friction and bias are learned too.
    """

    rate: float = RATE
    radius: float = RADIUS
    period: float = PERIOD
    friction: bool = True


USUAL = Learning()


class Adaptive(TorqueController):
    """Learns the arm's inertial parameters, and joint effects if asked, from its tracking errors.

        qd_s = qd_r + Λ e,   s = qd_s - qd
        tau = Y(q, qd, qd_s, qdd_s) β̂ + K s,   dβ̂/dt = γ Σ Y' s

    Y β is M qdd_s + C(q, qd) qd_s + G, and viscous friction, dry friction and a bias of each joint
    if asked for. Σ is the covariance of β before anything was learned. The energy
    ½ s'Ms + ½ (β̂ - β)'Σ⁻¹(β̂ - β) / γ falls by s'Ks, so errors vanish for any payload. The
    estimate is kept in a ball around its start, in the metric of Σ, which the proof allows and
    noise requires; it is frozen while a torque is at its limit, and errors beyond `FAR` count as
    `FAR`, so that an arm which starts far away returns first.

    Args:
        model: An `Arm`, whose effects (if any) are compensated as they are and not learned; or a
            callable `regressor(q, qd, qdd) -> Y`, shape (7, p), with `parameters` and `spread`.
        parameters: β̂ at the start, shape (p,); the arm's if None.
        spread: Standard deviations of β, shape (p,); from the module's constants if None.
        slope: Λ [1/s], one or seven.
        damping: K [N m s/rad], one or seven.
        learning: How fast, how far and what is learned.
        effort: Greatest torques [N m]; the arm's, or Baxter's, if None.
    """

    def __init__(
        self,
        model: Arm | Regressor,
        parameters: ArrayLike | None = None,
        spread: ArrayLike | None = None,
        slope: ArrayLike = SLOPE,
        damping: ArrayLike = DAMPING,
        learning: Learning = USUAL,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(model, effort)
        if isinstance(model, Arm):
            self._regressor: Regressor = model.regressor
            self._effects = effects_of(model)
            start = model.base_parameters if parameters is None else parameters
            if spread is None:
                covariance = parameter_covariance(model.model)
        else:
            if parameters is None or spread is None:
                raise InputError("a regressor needs parameters and their spread, shape (p,) each")
            self._regressor, self._effects = model, None
            start = parameters
        start = vector(start)
        if spread is not None:
            covariance = np.diag(one_or_each(spread, "spread", start.size) ** 2)
        self.slope = one_or_each(slope, "slope")
        self.damping = one_or_each(damping, "damping")
        self.rate = float(one_or_each(learning.rate, "rate", 1)[0])
        self.radius = float(one_or_each(learning.radius, "radius", 1)[0])
        self.period = float(one_or_each(learning.period, "period", 1)[0])
        friction = learning.friction
        # Regressor of all that is learned: base parameters, then three of each joint.
        self._size = size = start.size
        count = size + (21 if friction else 0)
        self._start, self._covariance = np.zeros(count), np.zeros((count, count))
        self._start[:size], self._covariance[:size, :size] = start, covariance
        # What friction and bias multiply: viscous, dry and constant part, a diagonal each.
        self._joints = np.zeros((7, 21)) if friction else None
        if self._joints is not None:
            variance = np.tile((FRICTION_DOUBT * self.effort) ** 2, 3)
            np.fill_diagonal(self._covariance[size:, size:], variance)
            self._viscous = np.einsum("ii->i", self._joints[:, :7])
            self._dry = np.einsum("ii->i", self._joints[:, 7:14])
            np.fill_diagonal(self._joints[:, 14:], 1.0)
            self._dry_velocity = np.full(7, DRY_VELOCITY)
        self.reset()

    @property
    def parameters(self) -> Array:
        """The estimate β̂ of the base parameters [kg m²], shape (p,)."""
        return self._links.copy()

    @property
    def friction(self) -> Array:
        """Estimates of viscous [N m s/rad], dry [N m] friction and bias [N m], shape (3, 7)."""
        return self._rest.reshape(3, 7).copy() if self._rest.size else np.zeros((3, 7))

    @property
    def distance(self) -> float:
        """Distance of the estimate from its start, in standard deviations."""
        return math.sqrt(self._squared)

    def reset(self) -> None:
        """Resets the estimate to its start."""
        self._waited = 0.0
        self._take(np.zeros(self._start.size), 0.0)

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        qd_s = r.qd + self.slope * (r.q - q)
        qdd_s = r.qdd + self.slope * (r.qd - qd)
        s = qd_s - qd
        Y = passive_regressor(self._regressor, q, qd, qd_s, qdd_s)
        joints = self._joints
        tau: Array = Y.dot(self._links) + self.damping * s
        if joints is not None:
            self._viscous[:] = qd_s
            np.tanh(qd_s / self._dry_velocity, out=self._dry)
            tau += joints.dot(self._rest)
        self._now = s, Y, dt
        return tau if self._effects is None else tau + self._effects(q, qd_s)

    def _remember(self, wanted: Array, tau: Array) -> None:
        if cut(wanted, tau):
            return
        s, Y, dt = self._now
        self._waited += dt
        if self._waited > self.period:
            near = min(1.0, FAR / (float(np.abs(s).max()) + 1e-300))
            self._learn(near * min(self._waited, LONGEST) * s, Y)
            self._waited = 0.0

    def _learn(self, push: Array, Y: Array) -> None:
        """Updates the estimate by an error, and keeps it in its ball.

        Args:
            push: s times the time for which it counts [rad], shape (7,).
            Y: The regressor of the links, shape (7, p).
        """
        gradient = push.dot(Y)
        if self._joints is not None:
            gradient = np.concatenate((gradient, push.dot(self._joints)))
        learned = self._learned
        step = self.rate * self._covariance.dot(gradient)
        # The square of the distance grows by 2 z·dz + dz·dz, and the gradient gives both.
        growth = self.rate * float(2.0 * gradient.dot(learned) + gradient.dot(step))
        squared = max(self._squared + growth, 0.0)
        learned = learned + step
        if squared > self.radius**2:
            learned *= self.radius / math.sqrt(squared)
            squared = self.radius**2
        self._take(learned, squared)

    def _take(self, learned: Array, squared: float) -> None:
        """Stores the deviation from the start, and its squared size in standard deviations."""
        self._learned, self._squared = learned, squared
        estimate = self._start + learned
        self._links, self._rest = estimate[: self._size], estimate[self._size :]


def vector(x: ArrayLike) -> Array:
    """Parameters as a float64 array of one axis."""
    array = finite_array(x, "parameters")
    if array.ndim != 1:
        raise ShapeError(f"parameters must have shape (p,), got {array.shape}")
    return array


def parameter_covariance(model: ArmModel) -> Array:
    """Covariance of the base parameters before anything is learned, shape (p, p).

    Each link's mass, first moments and inertia are uncertain by themselves, and the hand may hold
    something (`LINK_DOUBT`, `LINK_SIZE`, `HAND_DOUBT`, `HAND_SIZE`).
    """
    sigma = []
    for i, body in enumerate(model.link_inertials()):
        doubts = [(LINK_DOUBT * body.mass, (LINK_SIZE,) * 3)]
        if i == model.dof - 1:
            doubts.append((HAND_DOUBT, HAND_SIZE))
        # Of each: mass, first moments and inertia of a body of about that size.
        variances = [
            np.square([m, m * x, m * y, m * z, m * (y * y + z * z), m * x * y, m * x * z,
                       m * (x * x + z * z), m * y * z, m * (x * x + y * y)])
            for m, (x, y, z) in doubts
        ]  # fmt: skip
        sigma.append(np.sqrt(np.sum(variances, axis=0)))
    scaled = base_parameter_map(model) * np.concatenate(sigma)
    covariance: Array = scaled @ scaled.T
    return covariance

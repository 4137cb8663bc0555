"""`Variation`: how the twins of a batch differ from each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError
from baxterkit.model.inertial import Payload
from baxterkit.sim.joints import ElasticJoints
from baxterkit.sim.limb_state import DT
from baxterkit.sim.twin import Twin
from baxterkit.types import Array

Values: TypeAlias = "float | ArrayLike | tuple[float, float]"
"""One value for all twins, one for each (a list or array), or a range (a tuple) to draw from."""


@dataclass(frozen=True)
class Variation:
    """What differs from twin to twin; each a number, n numbers, or a range (low, high) as a tuple.

    Ranges are drawn from evenly. The robot's own loops know of none of it.

    Attributes:
        payload: Mass at the tips of both hands [kg].
        friction: Multiple of the joints' friction.
        lag: Lag of raw positions and velocities behind steady commands [s].
        noise: Multiple of the twins' sensor noise.
    """

    payload: Values = 0.0
    friction: Values = 1.0
    lag: Values = 0.025
    noise: Values = 1.0

    def draw(self, n: int, seed: int) -> dict[str, Array]:
        """The values of `n` twins by name, shape (n,) each.

        Raises:
            InputError: If a value is negative or not finite, a lag below a step, or there are
                neither 1 nor n of them.
        """
        rng = np.random.default_rng(seed)
        drawn = {}
        for field in fields(self):
            given = getattr(self, field.name)
            values = finite_array(given, field.name)
            least = DT if field.name == "lag" else 0.0
            if isinstance(given, tuple):
                if values.shape != (2,) or values[0] > values[1]:
                    raise InputError(f"{field.name} = {given}; a range is (low, high)")
                drawn[field.name] = rng.uniform(values[0], values[1], n)
            elif values.shape in ((), (n,)):
                drawn[field.name] = np.array(np.broadcast_to(values, n))
            else:
                raise InputError(f"{field.name} has shape {values.shape}; it must be () or ({n},)")
            if (drawn[field.name] < least).any():
                raise InputError(
                    f"{field.name} = {drawn[field.name].min():g}; it must be at least {least:g}"
                )
        return drawn


def carry(twin: Twin, mass: float) -> None:
    """Puts a mass [kg] at the tips of both hands; none if it is 0."""
    for limb in twin.limbs if mass > 0.0 else ():
        limb.pick_up(Payload(mass))


def vary(twin: Twin, payload: float, friction: float, lag: float, noise: float) -> None:
    """Changes a twin at its start; see `Variation`."""
    carry(twin, payload)
    for limb in twin.limbs:
        limb.command_lag = lag
    if isinstance(twin._joints, ElasticJoints):
        twin._joints.scale_friction(friction)
    twin._sensors.scale_noise(noise * twin._noise)

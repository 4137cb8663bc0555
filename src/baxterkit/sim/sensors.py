"""Sensor readings of the robot's joints: quantised, with noise, reproducible by seed."""

from __future__ import annotations

import numpy as np

from baxterkit.checks.arrays import generator
from baxterkit.model.library import load_baxter
from baxterkit.sim.nominal import NOISE
from baxterkit.types import Array

__all__ = ["Sensors"]

BLOCK = 500  # ticks for which noise is drawn at once
QUANTITIES = ("position", "velocity", "effort")


class Sensors:
    """Sensors of both arms: positions, velocities and efforts.

    Args:
        seed: Seed of the noise.
        noise: Multiple of the nominal noise; 0 for none.
        steps: Whether readings are quantised.
    """

    def __init__(self, seed: int, noise: float, steps: bool) -> None:
        data = load_baxter().sensor_step
        step = np.array([data[what] for what in QUANTITIES])
        self._step = np.ascontiguousarray(np.broadcast_to(step[:, None], (3, 7)))
        self._inverse = 1.0 / self._step
        self._steps = steps
        self._sigma = noise * np.stack([NOISE[what] for what in QUANTITIES])
        self._noisy = noise > 0.0
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Restarts the noise."""
        self._rng = generator(seed)
        self._left = 0

    def read(self, q: Array, qd: Array, tau: Array) -> Array:
        """One reading.

        Args:
            q: Positions [rad], shape (2, 7), left arm first.
            qd: Velocities [rad/s], shape (2, 7).
            tau: Torques [N m], shape (2, 7).

        Returns:
            The readings, a new array of shape (2, 3, 7): positions, velocities, efforts.
        """
        reading = np.empty((2, 3, 7))
        reading[:, 0] = q
        reading[:, 1] = qd
        reading[:, 2] = tau
        if self._noisy:
            if not self._left:
                self._block = self._rng.standard_normal((BLOCK, 2, 3, 7)) * self._sigma
                self._left = BLOCK
            self._left -= 1
            reading += self._block[self._left]
        if self._steps:
            reading *= self._inverse
            np.rint(reading, reading)
            reading *= self._step
        return reading

"""Sensor readings of the robot's joints: filtered, quantised, with noise, reproducible by seed.

The joints' own loops read every millisecond, without a filter. What the robot publishes has passed
low-pass filters (`nominal.VELOCITY_FILTER`, `nominal.EFFORT_FILTER`), so that vibration above half
of the rate of publishing does not appear as a slow error. Readings of the last 128 ms are kept, and
a filter is a weighted sum of them: it is computed only when something is published or recorded.
"""

from __future__ import annotations

import numpy as np

from baxterkit.checks.arrays import generator
from baxterkit.model.library import load_baxter
from baxterkit.sim.nominal import EFFORT_FILTER, NOISE, VELOCITY_FILTER
from baxterkit.types import Array

BLOCK = 500  # ticks for which noise is drawn at once
LENGTH = 128  # ticks that the filters remember
QUANTITIES = ("position", "velocity", "effort")


class Sensors:
    """Sensors of both arms: positions, velocities and efforts.

    Args:
        seed: Seed of the noise.
        noise: Multiple of the nominal noise; 0 for none.
        steps: Whether readings are quantised.
        filters: Whether what is published has passed the low-pass filters.
        dt: Time between readings [s].
    """

    def __init__(self, seed: int, noise: float, steps: bool, filters: bool, dt: float) -> None:
        data = load_baxter().sensor_step
        step = np.array([data[what] for what in QUANTITIES])
        self._step = np.ascontiguousarray(np.broadcast_to(step[:, None], (3, 7)))
        self._inverse = 1.0 / self._step
        self._steps = steps
        self._sigma = noise * np.stack([NOISE[what] for what in QUANTITIES])
        self._noisy = noise > 0.0
        self._filters = filters
        corners = (VELOCITY_FILTER, EFFORT_FILTER)
        self._weights = np.stack([low_pass_weights(hz, dt, LENGTH) for hz in corners])
        self._past = np.zeros((LENGTH + BLOCK, 2, 3, 7))  # true values, oldest first
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Restarts the noise."""
        self._rng = generator(seed)
        self._left = 0
        self._at = LENGTH - 1
        self._off: Array = np.zeros((2, 3, 7))

    def settle(self, arm: int) -> None:
        """Forgets what was before the last reading of an arm (0 or 1), which has been placed."""
        self._past[: self._at, arm] = self._past[self._at, arm]

    def read(self, q: Array, qd: Array, tau: Array) -> Array:
        """One reading, as the joints' own loops use it.

        Args:
            q: Positions [rad], shape (2, 7), left arm first.
            qd: Velocities [rad/s], shape (2, 7).
            tau: Torques [N m], shape (2, 7).

        Returns:
            The readings, a new array of shape (2, 3, 7): positions, velocities, efforts.
        """
        self._at += 1
        if self._at == LENGTH + BLOCK:
            self._past[:LENGTH] = self._past[BLOCK:]
            self._at = LENGTH
        true: Array = self._past[self._at]
        true[:, 0] = q
        true[:, 1] = qd
        true[:, 2] = tau
        if self._noisy:
            if not self._left:
                self._block = self._rng.standard_normal((BLOCK, 2, 3, 7)) * self._sigma
                self._left = BLOCK
            self._left -= 1
            self._off = self._block[self._left]
        return self._sensed(true)

    def filtered(self, reading: Array) -> Array:
        """The last reading as the robot publishes it: with filtered velocities and efforts.

        Args:
            reading: What `read` returned last, shape (2, 3, 7).

        Returns:
            The readings, shape (2, 3, 7); `reading` itself where nothing is filtered.
        """
        if not self._filters:
            return reading
        past = self._past[self._at + 1 - LENGTH : self._at + 1]
        smooth = (self._weights @ past.reshape(LENGTH, -1)).reshape(2, 2, 3, 7)
        true = past[-1].copy()
        true[:, 1], true[:, 2] = smooth[0, :, 1], smooth[1, :, 2]
        return self._sensed(true)

    def _sensed(self, true: Array) -> Array:
        """True values with the noise of this tick, in steps; a new array."""
        reading = true + self._off
        if self._steps:
            reading *= self._inverse
            np.rint(reading, reading)
            reading *= self._step
        return reading


def low_pass_weights(hz: float, dt: float, length: int) -> Array:
    """The last `length` values' weights in a Butterworth low-pass of second order.

    Args:
        hz: Corner frequency [Hz].
        dt: Time between values [s].
        length: How many values are weighted.

    Returns:
        The weights, oldest value first, with the sum 1, shape (length,).
    """
    rate = 2.0 * np.pi * hz / np.sqrt(2.0)
    age = dt * (np.arange(length)[::-1] + 0.5)
    weights: Array = np.exp(-rate * age) * np.sin(rate * age)
    weights /= weights.sum()
    return weights

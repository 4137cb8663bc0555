"""Sensor readings of the robot's joints: filtered, quantised, with noise, reproducible by seed.

The joints' own loops read every millisecond, without a filter. What the robot publishes has passed
low-pass filters (`nominal.VELOCITY_FILTER`, `nominal.EFFORT_FILTER`), so that vibration above half
of the rate of publishing does not appear as a slow error. Readings of the last 128 ms are kept, and
a filter is a weighted sum of them: it is computed only when something is published or recorded.
"""

from __future__ import annotations

import numpy as np

from baxterkit.checks.arrays import generator
from baxterkit.kernels.twin_fields import WINDOW
from baxterkit.model.library import load_baxter
from baxterkit.sim.nominal import EFFORT_FILTER, NOISE, VELOCITY_FILTER
from baxterkit.sim.record import Record
from baxterkit.types import Array

BLOCK = 500  # ticks for which noise is drawn at once
ROOM = 2 * WINDOW  # rows of past values: the filters' window moves through them
QUANTITIES = ("position", "velocity", "effort")


class Sensors:
    """Sensors of both arms: positions, velocities and efforts.

    Args:
        noise: Multiple of the nominal noise; 0 for none.
        steps: Whether readings are quantised.
        filters: Whether what is published has passed the low-pass filters.
        record: The twin's record, which holds constants and readings; its `dt` is set.

    Attributes:
        past: True values, oldest first, shape (ROOM, 2, 3, 7); `record.row` is that of now.
        noise: Rows of noise, the next one last, shape (BLOCK, 2, 3, 7); `record.noise_left` are
            left.
    """

    def __init__(self, noise: float, steps: bool, filters: bool, record: Record) -> None:
        data = load_baxter().sensor_step
        step = np.array([data[what] for what in QUANTITIES])
        self._record = r = record
        r.sensor_step[:] = step[:, None]
        r.per_step[:] = 1.0 / r.sensor_step
        r.quantised[0], r.noisy[0], r.filtered[0] = steps, noise > 0.0, filters
        for weights, hz in zip(r.weights, (VELOCITY_FILTER, EFFORT_FILTER), strict=True):
            weights[:] = low_pass_weights(hz, float(r.dt[0]), WINDOW)
        self.scale_noise(noise)
        self.past: Array = np.zeros((ROOM, 2, 3, 7))
        self.noise: Array = np.zeros((BLOCK if noise > 0.0 else 1, 2, 3, 7))

    def scale_noise(self, noise: float) -> None:
        """Sets the multiple of the nominal noise, from the next block of it on; 0 stays 0."""
        self._sigma = noise * np.stack([NOISE[what] for what in QUANTITIES])

    def reset(self, seed: int) -> None:
        """Restarts the noise."""
        self._rng = generator(seed)
        self.noise[:] = 0.0
        self._record.noise_left[0] = 0
        self._record.row[0] = WINDOW - 1

    def settle(self, arm: int) -> None:
        """Forgets what was before the last reading of an arm (0 or 1), which has been placed."""
        row = self._record.row[0]
        self.past[:row, arm] = self.past[row, arm]

    def draw(self) -> None:
        """Draws the next block of noise."""
        self._rng.standard_normal(out=self.noise)
        self.noise *= self._sigma
        self._record.noise_left[0] = BLOCK

    def read(self, q: Array, qd: Array) -> None:
        """One reading, as the joints' own loops use it, into `record.reading`.

        Args:
            q: Positions [rad], shape (2, 7), left arm first.
            qd: Velocities [rad/s], shape (2, 7).
        """
        r = self._record
        r.row[0] += 1
        if r.row[0] == ROOM:
            self.past[:WINDOW] = self.past[ROOM - WINDOW :]
            r.row[0] = WINDOW
        r.q[:], r.qd[:] = q.reshape(14), qd.reshape(14)
        true: Array = self.past[r.row[0]]
        true[:, 0], true[:, 1], true[:, 2] = q, qd, r.tau.reshape(2, 7)
        if r.noisy[0]:
            if not r.noise_left[0]:
                self.draw()
            r.noise_left[0] -= 1
        r.reading[:] = self._sensed(true)

    def report(self) -> Array:
        """The last reading as the robot publishes it: with filtered velocities and efforts.

        Returns:
            The readings, a new array of shape (2, 3, 7).
        """
        r = self._record
        if not r.filtered[0]:
            return r.reading.copy()
        past = self.past[r.row[0] + 1 - WINDOW : r.row[0] + 1]
        smooth = (r.weights @ past.reshape(WINDOW, -1)).reshape(2, 2, 3, 7)
        true = past[-1].copy()
        true[:, 1], true[:, 2] = smooth[0, :, 1], smooth[1, :, 2]
        return self._sensed(true)

    def _sensed(self, true: Array) -> Array:
        """True values with the noise of this tick, in steps; a new array."""
        r = self._record
        reading: Array = true + self.noise[r.noise_left[0]]
        if r.quantised[0]:
            reading *= r.per_step
            np.rint(reading, reading)
            reading *= r.sensor_step
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

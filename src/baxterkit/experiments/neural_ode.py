"""The peer of the twin: a neural ODE, fitted to the same recordings.

    d²q/dt² = network(q, qd, tau)

with two hidden layers of tanh. It is fitted to measured accelerations by Adam, in NumPy, and
integrated from measured states with recorded torques, as the twin is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from baxterkit.recording import Recording
from baxterkit.types import Array

WIDTH = 96
"""Units of a hidden layer."""
STEPS = 6000
"""Steps of Adam."""
BATCH = 256
"""Rows of a step."""
RATE = 3e-3
"""First learning rate; it falls to a hundredth along a cosine."""
TICK = 0.01
"""Step of the integration [s], by Runge and Kutta's method of fourth order."""
MOST = 4.0
"""States are kept within this many standard deviations: a network knows nothing beyond."""


class NeuralOde:
    """Accelerations of an arm from positions, velocities and torques, learnt from recordings.

    Args:
        motions: Recordings with q, qd, qdd and tau, filtered.
        seed: Of the first weights and the order of rows.
        steps: Number of steps of Adam.
    """

    def __init__(self, motions: Sequence[Recording], seed: int = 0, steps: int = STEPS) -> None:
        names = ("q", "qd", "tau", "qdd")
        rows = [np.concatenate([one.required(name) for one in motions]) for name in names]
        inputs, targets = np.concatenate(rows[:3], axis=1), rows[3]
        self._mean, self._scale = inputs.mean(axis=0), inputs.std(axis=0) + 1e-9
        self._size = targets.std(axis=0) + 1e-9
        rng = np.random.default_rng(seed)
        widths = (inputs.shape[1], WIDTH, WIDTH, targets.shape[1])
        self._weights: list[Array] = []
        for fan_in, fan_out in pairwise(widths):
            self._weights += [
                rng.normal(0.0, fan_in**-0.5, (fan_in, fan_out)),
                np.zeros(fan_out),
            ]
        self._fit((inputs - self._mean) / self._scale, targets / self._size, rng, steps)

    def accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        """Joint accelerations [rad/s²], shape (n, 7)."""
        x = (np.concatenate([q, qd, tau], axis=1) - self._mean) / self._scale
        found: Array = self._layers(np.clip(x, -MOST, MOST))[-1] * self._size
        return found

    def driven(self, motion: Recording, starts: Array, horizons: Sequence[float]) -> Array:
        """Errors of q [rad] and qd [rad/s] after some times, shape (runs, horizons, 14).

        Args:
            motion: The measured motion, with its torques.
            starts: Times of the measured states that runs start from [s], shape (runs,).
            horizons: Times after the start [s].
        """
        q, qd = self._at(motion, "q", starts), self._at(motion, "qd", starts)
        ends = {round(horizon / TICK): n for n, horizon in enumerate(horizons)}
        errors = np.empty((len(starts), len(horizons), 14))
        for tick in range(1, max(ends) + 1):
            t = starts + TICK * (tick - 1)
            early, mid, late = (
                self._at(motion, "tau", t + part * TICK) for part in (0.0, 0.5, 1.0)
            )
            a1 = self.accelerations(q, qd, early)
            v2 = qd + 0.5 * TICK * a1
            a2 = self.accelerations(q + 0.5 * TICK * qd, v2, mid)
            v3 = qd + 0.5 * TICK * a2
            a3 = self.accelerations(q + 0.5 * TICK * v2, v3, mid)
            v4 = qd + TICK * a3
            a4 = self.accelerations(q + TICK * v3, v4, late)
            q = q + TICK / 6.0 * (qd + 2.0 * v2 + 2.0 * v3 + v4)
            qd = qd + TICK / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            if tick in ends:
                end = starts + TICK * tick
                errors[:, ends[tick], :7] = q - self._at(motion, "q", end)
                errors[:, ends[tick], 7:] = qd - self._at(motion, "qd", end)
        return errors

    @staticmethod
    def _at(motion: Recording, name: str, t: Array) -> Array:
        x = motion.required(name)
        return np.stack([np.interp(t, motion.t, column) for column in x.T], axis=1)

    def _layers(self, x: Array) -> list[Array]:
        layers = [x]
        for k in range(0, len(self._weights), 2):
            x = x @ self._weights[k] + self._weights[k + 1]
            if k < len(self._weights) - 2:
                x = np.tanh(x)
            layers.append(x)
        return layers

    def _fit(self, x: Array, y: Array, rng: np.random.Generator, steps: int) -> None:
        first = [np.zeros_like(w) for w in self._weights]
        second = [np.zeros_like(w) for w in self._weights]
        for step in range(1, steps + 1):
            rows = rng.integers(len(x), size=BATCH)
            layers = self._layers(x[rows])
            back = (layers[-1] - y[rows]) / BATCH
            rate = RATE * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * step / steps)))
            for k in range(len(self._weights) - 2, -1, -2):
                slopes = (layers[k // 2].T @ back, back.sum(axis=0))
                back = (back @ self._weights[k].T) * (1.0 - layers[k // 2] ** 2)
                for i, slope in zip((k, k + 1), slopes, strict=True):
                    first[i] = 0.9 * first[i] + 0.1 * slope
                    second[i] = 0.999 * second[i] + 0.001 * slope**2
                    size = np.sqrt(second[i] / (1.0 - 0.999**step)) + 1e-8
                    self._weights[i] -= rate * first[i] / (1.0 - 0.9**step) / size

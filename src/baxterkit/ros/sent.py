"""The commands that were sent along a motion, looked up afterwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.types import Array


class Sent:
    """Commands of one arm, in the order of their times."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._values: list[Array] = []

    def note(self, t: float, values: Array) -> None:
        """A command that was sent at a time since the start [s], shape (7,)."""
        self._times.append(t)
        self._values.append(np.array(values, dtype=float))

    def at(self, t: Array, timeout: float) -> tuple[Array, NDArray[np.bool_]]:
        """The command in force at each time, and whether the robot held the arm by itself.

        Args:
            t: Times since the start [s], shape (n,).
            timeout: Time for which a command is valid [s].

        Returns:
            Commands, shape (n, 7), NaN where there is none; and whether the last one had timed out,
            shape (n,).
        """
        times = np.array([-np.inf, *self._times])
        values = np.array([np.full(7, np.nan), *self._values])
        last = np.searchsorted(times, t, side="right") - 1
        held: NDArray[np.bool_] = (last > 0) & (t - times[last] > timeout)
        command: Array = values[last]
        command[held] = np.nan
        return command, held

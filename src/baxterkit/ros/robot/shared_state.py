"""The state of the twin's bodies in memory that two processes share: one writes, one reads."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from baxterkit.types import Array

TRIES = 50
"""Attempts to read a state that is not just being written."""


class SharedState:
    """Positions of the twin's bodies, with their time.

    Args:
        size: How many positions.
        path: The file of a state that another process has made; a new file if None.
    """

    def __init__(self, size: int, path: str | None = None) -> None:
        self._owns = path is None
        if path is None:
            folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            number, path = tempfile.mkstemp(prefix="baxterkit-twin-", dir=folder)
            os.ftruncate(number, 8 * (2 + size))
            os.close(number)
        self.path = path
        self._numbers = np.memmap(path, np.int64, "r+", 0, (2,))
        self._positions = np.memmap(path, np.float64, "r+", 16, (size,))

    def write(self, stamp: int, positions: Array) -> None:
        """A new state; its count is odd while it is written."""
        self._numbers[0] += 1
        self._numbers[1] = stamp
        self._positions[:] = positions
        self._numbers[0] += 1

    def read(self) -> tuple[int, Array] | None:
        """Stamp [ns] and positions of the last state; None if there is none yet."""
        for _ in range(TRIES):
            count = int(self._numbers[0])
            stamp, positions = int(self._numbers[1]), np.array(self._positions)
            if count and count % 2 == 0 and count == int(self._numbers[0]):
                return stamp, positions
        return None

    def close(self) -> None:
        """Removes the file, if it is ours."""
        if self._owns:
            Path(self.path).unlink(missing_ok=True)

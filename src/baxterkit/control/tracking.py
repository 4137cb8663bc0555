"""Tracking errors of any record of a tracked motion."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from baxterkit.control.faults import Fault
from baxterkit.errors import ResultError
from baxterkit.types import Array


class Tracked:
    """A record of a motion that was followed: it has times `t` [s], shape (n,), and an `error`.

    Attributes:
        t: Times [s], shape (n,).
        faults: What went wrong, the first of each kind; empty after a success.
    """

    t: Array
    faults: tuple[Fault, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether every command was given and taken, and the torques were not saturated."""
        return not self.faults

    def raise_if_failed(self) -> None:
        """Raises an error if the run was not a success.

        Raises:
            ResultError: With the faults; its `result` is this record.
        """
        if self.faults:
            raise ResultError("; ".join(map(str, self.faults)), self)

    @property
    @abstractmethod
    def error(self) -> Array:
        """Tracking error: wanted less true positions [rad], shape (n, 7)."""

    def rms(self, since: float = 0.0) -> float:
        """Root mean square of the tracking error over joints and times after `since` s [rad]."""
        return float(np.sqrt(np.mean(self.error[self.t >= since] ** 2)))

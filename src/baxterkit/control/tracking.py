"""Tracking errors of any record of a tracked motion."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from baxterkit.types import Array

__all__ = ["Tracked"]


class Tracked:
    """A record of a motion that was followed: it has times `t` [s], shape (n,), and an `error`."""

    t: Array

    @property
    @abstractmethod
    def error(self) -> Array:
        """Tracking error: wanted less true positions [rad], shape (n, 7)."""

    def rms(self, since: float = 0.0) -> float:
        """Root mean square of the tracking error over joints and times after `since` s [rad]."""
        return float(np.sqrt(np.mean(self.error[self.t >= since] ** 2)))

"""What one arm of the twin shares with the rest of it: time, power, and its part of the state."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.robot.errors import not_enabled
from baxterkit.sim.record import Record
from baxterkit.types import Array, JointVector

DT = 1e-3
"""The inner loop's period [s]."""


@dataclass(frozen=True, slots=True)
class JointState:
    """Positions, velocities and torques of one arm at a time.

    Attributes:
        t: Time [s].
        q: Positions [rad], shape (7,).
        qd: Velocities [rad/s], shape (7,).
        tau: Torques [N m], shape (7,).
    """

    t: float
    q: JointVector
    qd: JointVector
    tau: JointVector


class TwinTime:
    """Time now and at the last publishing [s].

    Args:
        record: The twin's record.
    """

    def __init__(self, record: Record) -> None:
        self._ticks, self._published = record.ticks, record.published_at

    @property
    def t(self) -> float:
        """Time since the start [s]."""
        return int(self._ticks[0]) * DT

    @property
    def published(self) -> float:
        """Time of the last publishing [s]."""
        return int(self._published[0]) * DT


@dataclass(frozen=True, slots=True)
class Senses:
    """One arm's part of the twin's state, as views.

    Attributes:
        q: True positions [rad], shape (7,).
        qd: True velocities [rad/s], shape (7,).
        tau: True torques [N m], shape (7,).
        reading: Positions, velocities, efforts as sensed in this millisecond, shape (3, 7).
        published: The same as last published, shape (3, 7).
    """

    q: Array
    qd: Array
    tau: Array
    reading: Array
    published: Array


class Power:
    """Whether the robot may move.

    Args:
        record: The twin's record.

    Attributes:
        stopped: Whether it was stopped.
    """

    def __init__(self, record: Record) -> None:
        self._enabled = record.enabled
        self.stopped = False

    @property
    def enabled(self) -> bool:
        """Whether commands are taken."""
        return bool(self._enabled[0])

    @enabled.setter
    def enabled(self, on: bool) -> None:
        self._enabled[0] = on

    def need(self) -> None:
        """Raises RefusedError unless it is enabled."""
        if not self.enabled:
            raise not_enabled(self.stopped)

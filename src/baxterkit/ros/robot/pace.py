"""The twin kept up with a clock: whoever takes it finds it at the present."""

from __future__ import annotations

import threading
from collections.abc import Callable

from baxterkit.clock import Clock
from baxterkit.sim.twin import Twin

PERIOD = 0.01
"""Period of the robot's states [s]."""
STEP = 1_000_000
"""One step of the twin [ns]."""
_STEPS = round(PERIOD * 1000)


class Pace:
    """The lock of a twin that keeps pace with a clock.

    Within `with pace:` the twin has been stepped up to the present, by whole milliseconds; but not
    beyond the next state that is to be published. So a command acts from the time when it comes.

    Args:
        twin: The twin.
        clock: The clock.

    Attributes:
        paused: Set to freeze the twin; the time that passes meanwhile is skipped.
        before: Called before the twin is stepped.
    """

    def __init__(self, twin: Twin, clock: Clock) -> None:
        self._twin, self._clock = twin, clock
        self._lock = threading.RLock()
        self._steps, self._periods = 0, 0
        self.paused = threading.Event()
        self.before: list[Callable[[], None]] = []
        self.begin()

    def begin(self) -> None:
        """The twin's time begins now."""
        with self._lock:
            self._zero = self._clock.now() - self._steps * STEP * 1e-9
            self._wall = self._clock.stamp() - self._steps * STEP

    def __enter__(self) -> Pace:
        self._lock.acquire()
        if not self.paused.is_set():
            present = int((self._clock.now() - self._zero) * 1000.0 + 1e-3)
            self._step(min(present, (self._periods + 1) * _STEPS))
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def due(self) -> float:
        """When the next state is to be published, by the clock [s]."""
        return self._zero + (self._periods + 1) * PERIOD

    @property
    def t(self) -> float:
        """Time that the twin has lived through [s]; its commands expire by that."""
        return self._steps * STEP * 1e-9

    @property
    def stamp(self) -> int:
        """Time of the twin: wall time at its start, time that was skipped, simulated time [ns].

        So stamps have none of the wall clock's jitter.
        """
        return self._wall + self._steps * STEP

    def to_next_state(self) -> None:
        """Steps the twin to the time of its next state."""
        with self._lock:
            self._periods += 1
            self._step(self._periods * _STEPS)

    def skip(self, duration: float) -> None:
        """Lets time pass that the twin does not live through [s]."""
        with self._lock:
            self._zero += duration
            self._wall += round(duration * 1e9)

    def _step(self, until: int) -> None:
        n = until - self._steps
        if n > 0:
            for act in self.before:
                act()
            self._steps = until
            self._twin.step(n)

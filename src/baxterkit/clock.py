"""What the time is, and how a program waits: the machine's clock, or a simulated one.

What a robot, a twin, a link or a viewer does by time asks a `Clock`: it stamps, waits and times out
by it. Threads that serve sockets, and what only measures how long a computation takes or notes the
date, use the machine's time. The system clock is the machine's. A
`SimulatedClock` advances by itself: whenever the program sleeps or waits, it runs what is due until
then (the twin's steps, timers, deliveries of messages), in one thread, in the order of time, as
fast as the machine. So a run takes no longer than its arithmetic, and repeats bit by bit.

Work that goes on beside the program is a task: an iterator that yields the time, by its clock, at
which it goes on. On the system clock each task has a thread.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any, Protocol

from baxterkit.errors import BaxterkitError

__all__ = [
    "SYSTEM",
    "Clock",
    "ClockError",
    "Condition",
    "Deadline",
    "SimulatedClock",
    "SystemClock",
    "Task",
]

NANO = 1_000_000_000
WALL = 1_600_000_000 * NANO
"""Wall time at which simulated time starts unless told otherwise [ns]; always the same one."""
JOIN = 2.0
"""Time that a thread has to end when its task is closed [s]."""


class ClockError(BaxterkitError, RuntimeError):
    """A clock was used as it cannot be used."""


class Task(Protocol):
    """Work that goes on beside the program."""

    def close(self) -> None:
        """Ends it; may be called twice, and by itself."""


class Condition(Protocol):
    """What several parts of a program wait for."""

    def notify(self) -> None:
        """Something has changed: those who wait look again."""

    def wait_for(self, predicate: Callable[[], bool], timeout: float) -> bool:
        """Waits until `predicate()` is true, at most `timeout` [s]; returns whether it is."""


class Clock(ABC):
    """A clock to read and to wait by."""

    @abstractmethod
    def now(self) -> float:
        """Time since some start [s]; it never goes back."""

    @abstractmethod
    def stamp(self) -> int:
        """Wall time, as of message headers [ns since 1970]; the system's may jump."""

    @abstractmethod
    def sleep_until(self, t: float) -> None:
        """Waits until `now()` is `t` [s]; returns at once if that is over."""

    def sleep(self, duration: float) -> None:
        """Waits for `duration` [s]."""
        self.sleep_until(self.now() + duration)

    @abstractmethod
    def condition(self) -> Condition:
        """A condition that can be waited for by this clock."""

    @abstractmethod
    def start(self, task: Iterator[float], name: str) -> Task:
        """Starts a task: it runs up to its first yield, and on from there at the yielded time."""

    def every(self, period: float, act: Callable[[], object], name: str) -> Task:
        """Calls `act()` once a period [s], first after one period; late calls are not made up."""

        def task() -> Iterator[float]:
            due = self.now()
            while True:
                due = max(due + period, self.now())
                yield due
                act()

        return self.start(task(), name)


class SystemClock(Clock):
    """The machine's clock; tasks are threads."""

    def now(self) -> float:
        """As `time.monotonic` [s]."""
        return time.monotonic()

    def stamp(self) -> int:
        """As `time.time_ns` [ns]."""
        return time.time_ns()

    def sleep_until(self, t: float) -> None:
        """Waits until `now()` is `t` [s]."""
        time.sleep(max(t - time.monotonic(), 0.0))

    def condition(self) -> Condition:
        """A condition between threads."""
        return _ThreadCondition()

    def start(self, task: Iterator[float], name: str) -> Task:
        """Starts a task in a thread."""
        return _ThreadTask(task, name)

    def __repr__(self) -> str:
        return "<SystemClock>"


SYSTEM = SystemClock()
"""The machine's clock."""


class Deadline:
    """A time by which something must be done.

    Args:
        seconds: From now on [s]; infinite: there is no limit.
        clock: The clock that counts; the machine's for limits on computing, which takes no
            simulated time.
    """

    def __init__(self, seconds: float, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._end = clock.now() + seconds

    @property
    def left(self) -> float:
        """Time that is left [s]; below 0 when it has passed."""
        return self._end - self._clock.now()

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.left < 0.0

    def __repr__(self) -> str:
        return f"<Deadline: {self.left:.3f} s left>"


class _ThreadCondition:
    def __init__(self) -> None:
        self._changed = threading.Condition()

    def notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, predicate: Callable[[], bool], timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(predicate, timeout)


class _ThreadTask:
    def __init__(self, task: Iterator[float], name: str) -> None:
        self._task = task
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(JOIN)

    def _run(self) -> None:
        for due in self._task:
            if self._stop.wait(max(due - time.monotonic(), 0.0)):
                return


class SimulatedClock(Clock):
    """Time that passes only while the program waits; for one thread.

    Who waits within a task or a call of this clock holds up those who wait outside of it, as a
    thread that is held up does: they return late.

    Args:
        wall: Wall time at the start [ns since 1970].
    """

    def __init__(self, wall: int = WALL) -> None:
        self._wall = wall
        self._t = 0  # [ns]
        self._due: list[tuple[int, int, Callable[..., object], tuple[Any, ...]]] = []
        self._count = 0
        self._thread = threading.get_ident()

    def now(self) -> float:
        """Simulated time since the start [s]."""
        return self._t / 1e9

    def stamp(self) -> int:
        """Wall time at the start plus simulated time [ns]."""
        return self._wall + self._t

    def jump(self, duration: float) -> None:
        """Sets the wall time on, or back, by `duration` [s]; `now()` does not notice."""
        self._wall += round(duration * NANO)

    def stall(self, duration: float) -> None:
        """Lets time pass without anything being run, as if all programs stood still [s]."""
        self._t += max(round(duration * NANO), 0)

    def call_at(self, t: float, act: Callable[..., object], *args: object) -> None:
        """Calls `act(*args)` at the time `t` [s]; of several at one time the first given first."""
        self._put(round(t * NANO), act, args)

    def call_after(self, nanoseconds: int, act: Callable[..., object], *args: object) -> None:
        """Calls `act(*args)` after that time [ns], at least 0."""
        self._put(self._t + nanoseconds, act, args)

    def sleep_until(self, t: float) -> None:
        """Runs what is due until `t` [s]; it is then `t`, or later if something waited longer."""
        self._run_until(round(t * NANO))

    def condition(self) -> Condition:
        """A condition; who waits for it runs what is due."""
        return _SimulatedCondition(self)

    def start(self, task: Iterator[float], name: str) -> Task:
        """Starts a task in this thread."""
        return _SimulatedTask(self, task, name)

    def _put(self, t: int, act: Callable[..., object], args: tuple[Any, ...]) -> None:
        self._count += 1
        heappush(self._due, (t, self._count, act, args))

    def _run_until(self, end: int, enough: Callable[[], bool] | None = None) -> bool:
        """Runs what is due until `end` [ns] or until `enough()`; returns whether it was that."""
        if threading.get_ident() != self._thread:
            raise ClockError(
                "a simulated clock is for the thread that has made it; wait there, or use "
                "SystemClock in a program of several threads"
            )
        due = self._due
        while due and due[0][0] <= end:
            t, _, act, args = heappop(due)
            self._t = max(self._t, t)
            act(*args)
            if enough is not None and enough():
                return True
        self._t = max(self._t, end)
        return False

    def __repr__(self) -> str:
        return f"<SimulatedClock: {self.now():.3f} s, {len(self._due)} calls due>"


class _SimulatedCondition:
    def __init__(self, clock: SimulatedClock) -> None:
        self._clock = clock
        self._changes = 0

    def notify(self) -> None:
        self._changes += 1

    def wait_for(self, predicate: Callable[[], bool], timeout: float) -> bool:
        if predicate():
            return True
        seen = self._changes

        def enough() -> bool:
            nonlocal seen
            if seen == self._changes:
                return False
            seen = self._changes
            return predicate()

        clock = self._clock
        return clock._run_until(clock._t + round(timeout * NANO), enough) or predicate()


class _SimulatedTask:
    def __init__(self, clock: SimulatedClock, task: Iterator[float], name: str) -> None:
        self._clock, self._task, self._name = clock, task, name
        self._open = True
        self._go_on()

    def close(self) -> None:
        self._open = False

    def _go_on(self) -> None:
        if self._open:
            due = next(self._task, None)
            if due is not None:
                self._clock._put(max(round(due * NANO), self._clock._t), self._go_on, ())

    def __repr__(self) -> str:
        return f"<task {self._name!r}>"

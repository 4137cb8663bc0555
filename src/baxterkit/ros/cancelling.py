"""Calls that are ended as a whole, also where no motion is under way yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from baxterkit.robot.errors import RefusedError


class Since(NamedTuple):
    """What had been told when a call began.

    Attributes:
        cancels: How often calls had been cancelled.
        holds: How often each arm had been told to hold, by side.
    """

    cancels: int
    holds: Mapping[str, int]


class Cancelling:
    """Tells the calls that were there when something ended them from those that came later.

    Args:
        holds: Says how often each arm was told to hold, by side.
    """

    def __init__(self, holds: Callable[[], Mapping[str, int]]) -> None:
        self._holds = holds
        self._count = 0
        self._calls = threading.local()

    def cancel(self) -> None:
        """Cancels all calls that have begun, of any thread."""
        self._count += 1

    @contextmanager
    def whole(self) -> Iterator[None]:
        """A call that is ended with all that it calls."""
        outermost = not self.within
        if outermost:
            self._calls.since = self._now()
        try:
            yield
        finally:
            if outermost:
                self._calls.since = None

    @property
    def within(self) -> bool:
        """Whether this thread is in such a call: it cannot wait for its end."""
        return getattr(self._calls, "since", None) is not None

    @property
    def since(self) -> Since:
        """What had been told when the call of this thread began; until now if there is none."""
        since: Since | None = getattr(self._calls, "since", None)
        return self._now() if since is None else since

    def check(self, sides: Iterable[str]) -> None:
        """Raises RefusedError if the call of this thread was ended since it began.

        Args:
            sides: Its arms: a call ends where one of them was told to hold.
        """
        since = self.since
        if since.cancels != self._count:
            raise RefusedError("cancelled", "the motion was cancelled before it began")
        self.check_held(since, sides, "the motion has ended before it began")

    def check_held(self, since: Since, sides: Iterable[str], what: str) -> None:
        """Raises RefusedError if an arm was told to hold since then; `what` has ended."""
        now = self._holds()
        for side in sides:
            if now[side] != since.holds[side]:
                raise RefusedError("held", f"the {side} arm was told to hold: {what}")

    def _now(self) -> Since:
        return Since(self._count, self._holds())

"""Calls that are cancelled as a whole, also where no motion is under way yet."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from baxterkit.robot.errors import RefusedError


class Cancelling:
    """Tells the calls that were there when `cancel` came from those that came later."""

    def __init__(self) -> None:
        self._count = 0
        self._calls = threading.local()

    def cancel(self) -> None:
        """Cancels all calls that have begun, of any thread."""
        self._count += 1

    @contextmanager
    def whole(self) -> Iterator[None]:
        """A call that is cancelled with all that it calls."""
        outermost = getattr(self._calls, "since", None) is None
        if outermost:
            self._calls.since = self._count
        try:
            yield
        finally:
            if outermost:
                self._calls.since = None

    @property
    def within(self) -> bool:
        """Whether this thread is in such a call: it cannot wait for its end."""
        return getattr(self._calls, "since", None) is not None

    def check(self) -> None:
        """Raises RefusedError if the call of this thread was cancelled since it began."""
        since = getattr(self._calls, "since", None)
        if since is not None and since != self._count:
            raise RefusedError("cancelled", "the motion was cancelled before it began")

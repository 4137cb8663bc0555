"""One long computation at a time, beside the thread that moves things."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Job:
    """Runs one function at a time in a thread of its own; a new one takes the old one's place."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._cancel = threading.Event()

    @property
    def running(self) -> bool:
        """Whether a function is running."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, function: Callable[[Callable[[], bool]], Any]) -> None:
        """Cancels what runs, and runs a function.

        Args:
            function: Called with a function that says whether to go on.
        """
        self.cancel()
        cancel = self._cancel = threading.Event()
        self._thread = threading.Thread(
            target=lambda: function(lambda: not cancel.is_set()),
            name="baxterkit viewer job",
            daemon=True,
        )
        self._thread.start()

    def cancel(self) -> None:
        """Tells the running function to end, and waits a while for it."""
        self._cancel.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

"""One long computation at a time, outside the viewer's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from baxterkit.viewer.server.worker import Worker


class Job:
    """Runs one function at a time in a thread of its own; a new one replaces the old one.

    No caller waits: a cancelled function may take a while to end, and the new one begins after it.

    Args:
        worker: What runs it.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._cancel = threading.Event()

    @property
    def running(self) -> bool:
        """Whether a function is running or waits to."""
        return self._worker.busy

    def start(self, function: Callable[[Callable[[], bool]], object]) -> None:
        """Cancels what runs, and runs a function as soon as that has ended.

        Args:
            function: Called with a function that says whether to continue.
        """
        self.cancel()
        cancel = self._cancel = threading.Event()
        self._worker.post("job", lambda: function(lambda: not cancel.is_set()))

    def cancel(self) -> None:
        """Tells the running function to end."""
        self._cancel.set()

    def stop(self) -> None:
        """Ends the thread."""
        self.cancel()
        self._worker.stop()

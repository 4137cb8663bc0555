"""A thread for slow actions, so that the viewer's thread never waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from baxterkit.viewer.server.mailbox import Action, Mailbox


class Worker:
    """Runs actions in a thread of its own, one after the other; of each key only the latest.

    Args:
        name: The thread's name.
        guard: Calls an action, and keeps its exceptions from ending the thread.
        thread: Whether it has a thread; else somebody calls `work`.
    """

    def __init__(self, name: str, guard: Callable[[Action], object], thread: bool = True) -> None:
        self._mailbox = Mailbox()
        self._guard = guard
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._busy = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        if thread:
            self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether an action is being done, or waits to be."""
        return self._busy

    def post(self, key: Hashable, action: Action) -> None:
        """Leaves an action, in place of an earlier one with the same key; from any thread."""
        with self._lock:
            self._busy = True
            self._mailbox.post(key, action)

    def stop(self, timeout: float = 5.0) -> None:
        """Ends the thread; waits `timeout` [s] for what it is doing."""
        self._stopping.set()
        self._mailbox.post("stop", lambda: None)
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def work(self, timeout: float = 0.0) -> None:
        """Does what waits to be done; if nothing does, waits for it up to `timeout` [s]."""
        for letter in self._mailbox.take(timeout):
            if not self._stopping.is_set():
                self._guard(letter.action)
        with self._lock:
            self._busy = self._mailbox.full

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.work(60.0)

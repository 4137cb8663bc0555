"""Passes the browsers' actions to the thread that owns the session; the latest of a kind counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

Action = Callable[[], object]


@dataclass(frozen=True)
class Letter:
    """An action that waits to be done.

    Attributes:
        action: The action.
        quiet: Whether it only changes what is shown, so that nothing must be recomputed.
    """

    action: Action
    quiet: bool = False

    def __call__(self) -> object:
        """Does it."""
        return self.action()


class Mailbox:
    """Actions waiting to be done, at most one for each key.

    A drag in a browser sends more messages than are needed. A newer action replaces an older one
    with the same key, and moves to the end of the queue.
    """

    def __init__(self) -> None:
        self._letters: dict[Hashable, Letter] = {}
        self._condition = threading.Condition()

    @property
    def full(self) -> bool:
        """Whether an action waits."""
        return bool(self._letters)

    def post(self, key: Hashable, action: Action, *, quiet: bool = False) -> None:
        """Leaves an action; from any thread. See `Letter` for `quiet`."""
        with self._condition:
            self._letters.pop(key, None)
            self._letters[key] = Letter(action, quiet)
            self._condition.notify()

    def take(self, timeout: float) -> list[Letter]:
        """Takes all actions, oldest first; waits up to `timeout` [s] if there are none."""
        with self._condition:
            if not self._letters:
                self._condition.wait(timeout)
            letters = list(self._letters.values())
            self._letters.clear()
            return letters

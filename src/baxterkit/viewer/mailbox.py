"""Hands what browsers do over to the one thread that owns the session; the latest word counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

Action = Callable[[], None]


class Mailbox:
    """Actions waiting to be done, at most one for each key.

    A browser that drags sends more than anybody wants to know. A newer action takes the place of an
    older one with the same key, and moves to the end of the row.
    """

    def __init__(self) -> None:
        self._actions: dict[Hashable, Action] = {}
        self._condition = threading.Condition()

    def post(self, key: Hashable, action: Action) -> None:
        """Leaves an action; from any thread."""
        with self._condition:
            self._actions.pop(key, None)
            self._actions[key] = action
            self._condition.notify()

    def take(self, timeout: float) -> list[Action]:
        """Takes all actions, oldest first; waits up to `timeout` [s] if there are none."""
        with self._condition:
            if not self._actions:
                self._condition.wait(timeout)
            actions = list(self._actions.values())
            self._actions.clear()
            return actions

"""What the master tells nodes of changes: each node in order, and the state at the time of sending.

Told each in a thread of its own, an older list of publishers could arrive last, and a subscriber
would leave a publisher that is there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph.master import Caller
from baxterkit.ros.graph.wire import LOG, XmlValue


class Notices:
    """Calls of nodes; one that does not answer holds up nobody but itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[str, dict[tuple[str, str], Callable[[], XmlValue]]] = {}

    def tell(self, uri: str, method: str, name: str, value: Callable[[], XmlValue]) -> None:
        """Calls `method(name, value())` of the node at an address, after what it is told now."""
        with self._lock:
            begins = uri not in self._due
            self._due.setdefault(uri, {})[method, name] = value
        if begins:
            threading.Thread(target=self._run, args=(uri,), daemon=True).start()

    def _run(self, uri: str) -> None:
        while True:
            with self._lock:
                due = self._due[uri]
                if not due:
                    del self._due[uri]
                    return
                method, name = next(iter(due))
                value = due.pop((method, name))
            try:
                Caller(uri, "/master").call(method, name, value())
            except MasterError as error:
                LOG.info("%s", error)

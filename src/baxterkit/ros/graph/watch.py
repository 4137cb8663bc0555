"""Looks at the master now and then: one that has been restarted knows nothing of us."""

from __future__ import annotations

import threading
from collections.abc import Callable

from baxterkit.ros.errors import MasterError, RosError
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.wire import LOG

PERIOD = 1.0
"""Time between two looks at the master [s]."""


class MasterWatch:
    """A thread that registers us again when the master is back.

    Args:
        master: The master; it must answer now.
        register: Tells it all that we publish, listen to and serve.

    Raises:
        MasterError: If the master does not answer.
    """

    def __init__(self, master: Master, register: Callable[[], None]) -> None:
        self._master, self._register = master, register
        self._pid = master.call("getPid")
        self._stop = threading.Event()
        self.lost = False
        threading.Thread(target=self._run, name="master", daemon=True).start()

    def close(self) -> None:
        """Looks no more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(PERIOD):
            try:
                pid = self._master.call("getPid")
            except MasterError as error:
                if not self.lost:
                    LOG.warning("the master is gone: %s", error)
                self.lost = True
                continue
            if self.lost or pid != self._pid:
                try:
                    self._register()
                except RosError as error:
                    LOG.warning("the master is back, but: %s", error)
                    continue
                LOG.warning("the master is back; all topics and services are registered again")
            self.lost, self._pid = False, pid

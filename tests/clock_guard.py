"""A test that waits by the machine's clock says so, by the marker `real_clock`."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from baxterkit.clock import SystemClock


@pytest.fixture(autouse=True)
def only_simulated_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test that waits in its own thread by the machine's clock, unless it is marked.

    To wait for the end of a child process is allowed.
    """
    if request.node.get_closest_marker("real_clock") is not None:
        return

    def refused(real: Callable[..., Any]) -> Callable[..., Any]:
        def wait(*args: Any) -> Any:
            own = threading.current_thread() is threading.main_thread()
            if own and sys._getframe(1).f_globals["__name__"] != "subprocess":  # a child's end
                pytest.fail("waits by the machine's clock: mark it `real_clock`, or simulate time")
            return real(*args)

        return wait

    monkeypatch.setattr(time, "sleep", refused(time.sleep))
    for name in ("sleep_until", "condition", "start"):
        monkeypatch.setattr(SystemClock, name, refused(getattr(SystemClock, name)))

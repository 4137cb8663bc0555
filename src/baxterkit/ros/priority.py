"""Going before other programs where the system allows it: a control loop is short, and punctual.

On Linux every thread has a niceness of its own; root, and users with `RLIMIT_NICE` ("nice" in
/etc/security/limits.conf), may lower it. Elsewhere nothing happens.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Iterator

NICE = -10
"""Niceness of threads that must be punctual."""
YIELDS = 5
"""Niceness of work that is worth less than anything punctual."""
YOUNG = 20_000
"""New objects after which Python looks for garbage among them."""
SWITCH = 5e-4
"""Time after which Python lets another thread run [s]; 5e-3 by default."""


def prefer(nice: int = NICE) -> int | None:
    """Lets the calling thread, and those that it starts later, go before other programs.

    Returns:
        The niceness before; None if nothing was changed.
    """
    if not sys.platform.startswith("linux"):
        return None
    thread = threading.get_native_id()
    with contextlib.suppress(OSError):
        before = os.getpriority(os.PRIO_PROCESS, thread)
        if before > nice:
            os.setpriority(os.PRIO_PROCESS, thread, nice)
            return before
    return None


def give_way(nice: int = YIELDS) -> None:
    """Lets the calling thread, and those that it starts later, go after other programs.

    Whatever it has inherited: a niceness that `prefer` has lowered, or a real-time class, within
    which niceness says nothing.
    """
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            before = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, 0, max(before, nice))


@contextlib.contextmanager
def without_pauses() -> Iterator[None]:
    """Within a `with`, Python looks for garbage among the newest objects alone, and rarely.

    To look through all objects of a large program takes 0.1 s and more, several times that on a
    busy machine, and every thread waits for it; counted objects go at once all the same.
    """
    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(YOUNG, 10**9, 10**9)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextlib.contextmanager
def preferred() -> Iterator[None]:
    """Within a `with`, this thread goes before other programs, and does not wait for our others."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(min(switch, SWITCH))
    before = prefer()
    try:
        yield
    finally:
        if before is not None:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), before)
        sys.setswitchinterval(switch)

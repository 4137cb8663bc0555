"""Unfinished files that a killed process left beside their target are removed by the next writer.

A writer holds a lock on its file as long as it writes; the system gives the lock back when the
process ends, however it ends. So a file under our name that nobody has locked, that is ours and
that has not changed for ten minutes, is left over.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from baxterkit.clock import SYSTEM

NAME = re.compile(r"\.baxterkit-[0-9a-f]{16}\.[^/]+")
"""Names of unfinished files."""
OLD = 600.0
"""Age from which on a file counts as left over [s]; where there are no locks, it alone counts."""

_looked: set[tuple[int, int]] = set()


def hold(descriptor: int) -> None:
    """Locks an open file until it is closed, or the process ends."""
    with contextlib.suppress(ImportError, OSError):  # Windows, and some network disks, have none
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def remove_leftovers(folder: Path) -> None:
    """Removes what killed processes left in a folder; looks at each folder once."""
    with contextlib.suppress(OSError):
        status = os.stat(folder)
        place = (status.st_dev, status.st_ino)
        if place in _looked:
            return
        _looked.add(place)
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if NAME.fullmatch(entry.name)]
        for name in names:
            with contextlib.suppress(OSError):
                _remove_if_left(name)


def _remove_if_left(path: str) -> None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    try:
        status = os.fstat(descriptor)
        ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        old = SYSTEM.stamp() * 1e-9 - status.st_mtime > OLD
        if stat.S_ISREG(status.st_mode) and ours and old and _is_free(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    """Whether no process has locked an open file."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without locks
        return True
    return True

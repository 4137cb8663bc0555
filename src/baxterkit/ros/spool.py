"""Messages for a file, on disk as they come, so that a long run fills no memory."""

from __future__ import annotations

import os
import struct
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baxterkit.disk.reasons import fail_system
from baxterkit.messages import Message

_HEAD = struct.Struct("<IqI")
"""Number of the topic, time of arrival [ns], length of the message."""
BLOCK = 2**20
"""Bytes that are read at once."""


class Kept(NamedTuple):
    """A message: its topic, when it came [ns], its type, its bytes."""

    topic: str
    t: int
    kind: type[Message]
    data: bytes


class Spool:
    """Messages in the order of their coming, in a file that has no name and ends with the program.

    Args:
        beside: The file that they are for, whose folder has room for them; the folder for temporary
            files if None.
    """

    def __init__(self, beside: str | Path | None = None) -> None:
        folder = None if beside is None else Path(beside).absolute().parent
        self._path = tempfile.gettempdir() if beside is None else beside
        self._lock = threading.Lock()
        self._kinds: dict[str, tuple[int, type[Message]]] = {}
        self._count = 0
        try:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (open as long as this)
        except OSError as error:
            fail_system(self._path, error)
        self._failure: OSError | None = None
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._count

    def append(self, topic: str, t: int, message: Message) -> None:
        """Keeps a message; one that the disk does not take is told of by `check`."""
        data = message.encode()
        with self._lock:
            if self._failure is not None:
                return
            number, _ = self._kinds.setdefault(topic, (len(self._kinds), type(message)))
            try:
                self._file.write(_HEAD.pack(number, t, len(data)) + data)
            except OSError as error:
                self._failure = error
                return
            self._count += 1

    def check(self) -> None:
        """Raises FileError if a message could not be kept."""
        if self._failure is not None:
            fail_system(self._path, self._failure)

    def __iter__(self) -> Iterator[Kept]:
        """The messages that came until now."""
        with self._lock:
            end = self._file.tell()
            topics = {number: (name, kind) for name, (number, kind) in self._kinds.items()}
        read, at, block = 0, 0, b""
        while read - len(block) + at < end:
            left = len(block) - at
            if left < _HEAD.size or left < _HEAD.size + _HEAD.unpack_from(block, at)[2]:
                more = self._read(read, min(BLOCK, end - read))
                block, at, read = block[at:] + more, 0, read + len(more)
                continue
            number, t, size = _HEAD.unpack_from(block, at)
            at += _HEAD.size + size
            topic, kind = topics[number]
            yield Kept(topic, t, kind, block[at - size : at])

    def _read(self, start: int, size: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            data = self._file.read(size)
            self._file.seek(0, os.SEEK_END)
            return data

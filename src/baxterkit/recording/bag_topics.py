"""The messages of a bag that go into recordings, sorted by topic."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from baxterkit import disk
from baxterkit.errors import RecordingError
from baxterkit.model.names import SIDES
from baxterkit.recording.assemble import Options
from baxterkit.recording.bag_messages import DEFINITIONS, MD5, definition
from baxterkit.recording.bag_records import Damage, Message, is_bag, read_messages
from baxterkit.recording.mcap_records import MAGIC, is_mcap, read_mcap_messages
from baxterkit.recording.text_table import naming

__all__ = ["Topic", "opened", "read_mcap_topics", "read_topics", "whole_messages"]

_OVERHEAD = 100
"""Memory overhead of a message beside its bytes [bytes]."""


@dataclass
class Topic:
    """Messages of one topic and type.

    Attributes:
        topic: Its name.
        kind: Message type.
        lines: Definition of the type, as in `DEFINITIONS`.
        messages: Raw bytes.
        times: When they were stored [ns].
    """

    topic: str
    kind: str
    lines: tuple[str, ...]
    messages: list[bytes] = field(default_factory=list)
    times: list[int] = field(default_factory=list)

    @property
    def side(self) -> str | None:
        """The arm that the topic is about, from its name."""
        return next((side for side in SIDES if f"/limb/{side}/" in self.topic), None)


def read_topics(path: Path, options: Options, notes: list[str]) -> list[Topic]:
    """Messages of the types that go into recordings.

    Args:
        path: The bag.
        options: With `bad_rows="drop"`, the readable part of a cut-off bag is kept.
        notes: List of notes to append to.

    Raises:
        RecordingError: If the file is not a bag, or is cut off or damaged.
    """
    with naming(path), opened(path) as (file, size):
        start = file.read(64)
        if not is_bag(start):
            text = start[:40].decode("ascii", "replace").split("\n")[0]
            what = f"it starts with {text!r}" if start else "it is empty"
            raise RecordingError(f"this is not a ROS 1 bag: {what}, not '#ROSBAG V2.0'", str(path))
        try:
            return _sorted_topics(read_messages(file, size, MD5, strict=True), path, notes)
        except Damage as error:
            if options.bad_rows == "raise":
                raise RecordingError(
                    "the bag is cut off or damaged: its index is missing or broken; run `rosbag "
                    "reindex`, or keep what can be read with load(..., bad_rows='drop')",
                    str(path),
                ) from error
        notes.append("the bag is cut off or damaged; the messages before that were kept")
        return _sorted_topics(read_messages(file, size, MD5, strict=False), path, notes)


def read_mcap_topics(path: Path, options: Options, notes: list[str]) -> list[Topic]:
    """The same of an MCAP file; messages of ROS 2 in the layout of ROS 1.

    Raises:
        RecordingError: If the file is no MCAP, or is cut off or damaged.
    """
    with naming(path), opened(path) as (file, size):
        start = file.read(16)
        if not is_mcap(start):
            what = f"it starts with {start[:8]!r}" if start else "it is empty"
            raise RecordingError(f"this is no MCAP file: {what}, not {MAGIC!r}", str(path))
        try:
            return _sorted_topics(read_mcap_messages(file, size, MD5, strict=True), path, notes)
        except Damage as error:
            if options.bad_rows == "raise":
                raise RecordingError(
                    f"the file is cut off or damaged ({error}); mend it with `mcap recover`, or "
                    "keep what can be read with load(..., bad_rows='drop')",
                    str(path),
                ) from error
        notes.append("the file is cut off or damaged; the messages before that were kept")
        return _sorted_topics(read_mcap_messages(file, size, MD5, strict=False), path, notes)


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """The bag and its length; a gzipped one is unpacked in memory."""
    if disk.read_start(path, 2) == disk.GZIP:
        data = disk.read_packed(path)
        yield io.BytesIO(data), len(data)
        return
    with disk.open_regular(path) as file:
        yield file, os.fstat(file.fileno()).st_size


def _sorted_topics(messages: Iterable[Message], path: Path, notes: list[str]) -> list[Topic]:
    """Messages by topic and type, in time; topics whose definition cannot be read are noted.

    Raises:
        RecordingError: If all topics are such, or there are too many messages.
    """
    left = limit = disk.limit_bytes()
    found: dict[tuple[str, str], Topic | None] = {}
    unreadable: list[str] = []
    for topic, kind, md5, text, time, message in whole_messages(messages, path):
        left -= len(message) + _OVERHEAD
        if left < 0:
            raise RecordingError(
                disk.too_large("its messages have more than that", limit), str(path)
            )
        if (topic, kind) not in found:
            lines = DEFINITIONS[kind] if md5 in (MD5[kind], "*") else definition(text)
            found[(topic, kind)] = None if lines is None else Topic(topic, kind, lines)
            if lines is None:
                unreadable.append(
                    f"topic {topic} has another definition of {kind} than the robot's, and one "
                    f"that cannot be read (md5 {md5}, the robot's is {MD5[kind]})"
                )
        entry = found[(topic, kind)]
        if entry is not None:
            entry.messages.append(message)
            entry.times.append(time)
    topics = [entry for entry in found.values() if entry is not None]
    if unreadable and not topics:
        raise RecordingError(unreadable[0], str(path))
    notes += [f"left out: {reason}" for reason in unreadable]
    for entry in topics:
        order = sorted(range(len(entry.times)), key=entry.times.__getitem__)
        entry.messages = [entry.messages[i] for i in order]
        entry.times = [entry.times[i] for i in order]
    return topics


def whole_messages(messages: Iterable[Message], path: Path) -> Iterator[Message]:
    """The messages; file errors other than damage are raised as RecordingError."""
    try:
        yield from messages
    except Damage:
        raise
    except ValueError as error:
        raise RecordingError(str(error), str(path)) from error

"""The messages of a bag that go into recordings, sorted by topic."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from baxterkit import disk
from baxterkit.errors import RecordingError
from baxterkit.messages.parsing import Field
from baxterkit.model.names import SIDES
from baxterkit.recording import bag_records, mcap_records
from baxterkit.recording.bag_messages import DEFINITIONS, GRIPPER_STATE, MD5, definition
from baxterkit.recording.bag_records import Damage, Message, read_messages
from baxterkit.recording.mcap_records import read_mcap_messages
from baxterkit.recording.raw import Options
from baxterkit.recording.text_table import naming

_OVERHEAD = 100
"""Memory overhead of a message beside its bytes [bytes]."""


@dataclass
class Topic:
    """Messages of one topic and type.

    Attributes:
        topic: Its name.
        kind: Message type.
        fields: Fields of the type, as in `DEFINITIONS`.
        messages: Raw bytes.
        times: When they were stored [ns].
    """

    topic: str
    kind: str
    fields: tuple[Field, ...]
    messages: list[bytes] = field(default_factory=list)
    times: list[int] = field(default_factory=list)

    @property
    def side(self) -> str | None:
        """The arm that the topic is about, from its name."""
        return next((side for side in SIDES if f"/limb/{side}/" in self.topic), None)

    @property
    def gripper(self) -> str | None:
        """The arm whose gripper the topic is about, from its name."""
        return next((side for side in SIDES if f"/{side}_gripper/" in self.topic), None)


class _Format(NamedTuple):
    """A kind of file, with the words of its messages to the user."""

    name: str
    start: bytes
    shown: str
    read: Callable[..., Iterator[Message]]
    broken: str
    mend: str


_BAG = _Format(
    "a ROS 1 bag", bag_records.MAGIC, "'#ROSBAG V2.0'", read_messages, "the bag",
    "its index is missing or broken; run `rosbag reindex`",
)  # fmt: skip
_MCAP = _Format(
    "an MCAP file", mcap_records.MAGIC, repr(mcap_records.MAGIC), read_mcap_messages, "the file",
    "{error}; mend it with `mcap recover`",
)  # fmt: skip


def read_topics(path: Path, options: Options, notes: list[str], *, mcap: bool) -> list[Topic]:
    """Messages of the types that go into recordings; those of ROS 2 in the layout of ROS 1.

    Args:
        path: The bag or MCAP file.
        options: With `bad_rows="drop"`, the readable part of a cut-off file is kept.
        notes: List of notes to append to.
        mcap: Whether it is an MCAP file.

    Raises:
        RecordingError: If the file is neither, or is cut off or damaged.
    """
    form = _MCAP if mcap else _BAG
    with naming(path), opened(path) as (file, size):
        start = file.read(64)
        if not start.startswith(form.start):
            text = start[:40].decode("ascii", "replace").split("\n")[0]
            what = f"it starts with {text!r}" if start else "it is empty"
            raise RecordingError(f"this is not {form.name}: {what}, not {form.shown}", str(path))
        try:
            return _sorted_topics(form.read(file, size, MD5, strict=True), path, size, notes)
        except Damage as error:
            if options.bad_rows == "raise":
                raise RecordingError(
                    f"{form.broken} is cut off or damaged: {form.mend.format(error=error)}, or "
                    "keep what can be read with load(..., bad_rows='drop')",
                    str(path),
                ) from error
        notes.append(f"{form.broken} is cut off or damaged; the messages before that were kept")
        return _sorted_topics(form.read(file, size, MD5, strict=False), path, size, notes)


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """The bag and its length; a gzipped one is unpacked in memory."""
    if disk.read_start(path, 2) == disk.GZIP:
        data = disk.read_packed(path)
        yield io.BytesIO(data), len(data)
        return
    with disk.open_regular(path) as file:
        yield file, os.fstat(file.fileno()).st_size


def _sorted_topics(
    messages: Iterable[Message], path: Path, size: int, notes: list[str]
) -> list[Topic]:
    """Messages by topic and type, in time; topics whose definition cannot be read are noted.

    A long recording may be read whole: its messages, with what each costs in memory, take at most
    twice the bytes of the file. What unpacks to more than that has the limit of all files.

    Raises:
        RecordingError: If all topics are such, or there are too many messages.
    """
    left = limit = disk.limit_bytes(at_least=2 * size)
    found: dict[tuple[str, str], Topic | None] = {}
    unreadable: list[str] = []
    for topic, kind, md5, text, time, message in whole_messages(messages, path):
        left -= len(message) + _OVERHEAD
        if left < 0:
            raise RecordingError(
                disk.too_large("its messages have more than that", limit), str(path)
            )
        if kind == GRIPPER_STATE and (topic, kind) not in found:
            # Another definition would have other places; a recording does without a gripper.
            known = md5 in (MD5[kind], "*") or "float32 position" in text
            found[(topic, kind)] = Topic(topic, kind, ()) if known else None
        if (topic, kind) not in found:
            fields = DEFINITIONS[kind] if md5 in (MD5[kind], "*") else definition(text, kind)
            found[(topic, kind)] = None if fields is None else Topic(topic, kind, fields)
            if fields is None:
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

"""The messages of a bag that recordings are made of, sorted by topic."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from baxterkit.errors import RecordingError
from baxterkit.extras import load_extra
from baxterkit.model.names import SIDES
from baxterkit.recording.assemble import Options
from baxterkit.recording.bag_messages import DEFINITIONS, MD5, definition
from baxterkit.recording.bag_salvage import is_bag, salvage
from baxterkit.recording.text_table import read_bytes

__all__ = ["Topic", "read_topics"]


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


@dataclass(frozen=True)
class _Memory:
    """Bytes in the place of a file."""

    data: bytes

    def exists(self) -> bool:
        return True

    def open(self, mode: str = "rb") -> io.BytesIO:
        return io.BytesIO(self.data)


def read_topics(path: Path, options: Options, notes: list[str]) -> list[Topic]:
    """Messages of the types that recordings are made of.

    Args:
        path: The bag.
        options: With `bad_rows="drop"`, what a cut-off bag still holds is kept.
        notes: Where to say so.

    Raises:
        RecordingError: If the file is no bag, or is cut off or damaged.
    """
    with path.open("rb") as file:
        data = file.read(64)
    packed = data[:2] == b"\x1f\x8b"
    if packed:
        data = read_bytes(path)
    if not is_bag(data):
        start = data[:40].decode("ascii", "replace").split("\n")[0]
        what = f"it starts with {start!r}" if data else "it is empty"
        raise RecordingError(f"this is not a ROS 1 bag: {what}, not '#ROSBAG V2.0'", str(path))
    reader = load_extra("rosbags.rosbag1", feature="Reading bags", package="rosbags", extra="data")
    try:
        with reader.Reader(_Memory(data) if packed else path) as bag:
            wanted = [c for c in bag.connections if c.msgtype in MD5]
            stream = bag.messages(wanted) if wanted else ()
            return _sorted_topics(
                ((c.topic, c.msgtype, c.digest, c.msgdef.data, t, m) for c, t, m in stream),
                path,
                notes,
            )
    except RecordingError:
        raise
    except (
        reader.ReaderError,
        AssertionError,
        struct.error,
        KeyError,
        ValueError,
        OSError,
    ) as error:
        if options.bad_rows == "drop":
            notes.append("the bag is cut off or damaged; the messages before that were kept")
            return _sorted_topics(salvage(read_bytes(path)), path, notes)
        raise RecordingError(
            "the bag is cut off or damaged: its index is missing or broken; run `rosbag reindex`, "
            "or keep what can be read with load(..., bad_rows='drop')",
            str(path),
        ) from error


def _sorted_topics(
    messages: Iterable[tuple[str, str, str, str, int, bytes]], path: Path, notes: list[str]
) -> list[Topic]:
    """Messages by topic and type; topics whose definition cannot be read are noted.

    Raises:
        RecordingError: If no topic is left but such.
    """
    found: dict[tuple[str, str], Topic | None] = {}
    unreadable: list[str] = []
    for topic, kind, md5, text, time, message in messages:
        if kind not in MD5:
            continue
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
    return topics

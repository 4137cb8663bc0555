"""An MCAP file: messages in chunks, with the index by which viewers jump in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import BinaryIO, NamedTuple

from baxterkit.extras import load_extra

CHUNK_SIZE = 2**20
"""Bytes after which a chunk ends."""
METADATA = "baxterkit"
"""Name of the metadata with what no message holds."""


class Channel(NamedTuple):
    """A topic: name, type, definition of the type, how definition and messages are written."""

    topic: str
    kind: str
    definition: str
    schema_encoding: str
    message_encoding: str


def write_mcap_file(
    file: BinaryIO,
    profile: str,
    messages: Iterable[tuple[Channel, int, bytes]],
    about: Mapping[str, str] | None = None,
) -> None:
    """Writes messages, each with its channel and its time [ns], in time, by the package `mcap`.

    Args:
        file: The file, empty.
        profile: "ros1" or "ros2".
        messages: The messages.
        about: Texts by name, kept as the metadata "baxterkit".

    Raises:
        MissingExtraError: If `mcap` is not installed.
    """
    mcap = load_extra("mcap.writer", feature="Writing MCAP files", package="mcap", extra="data")
    writer = mcap.Writer(file, chunk_size=CHUNK_SIZE, compression=mcap.CompressionType.NONE)
    writer.start(profile, "baxterkit")
    if about:
        writer.add_metadata(METADATA, dict(about))
    numbers: dict[Channel, int] = {}
    counts: Counter[Channel] = Counter()
    for channel, time, data in messages:
        if channel not in numbers:
            content = channel.definition.encode()
            schema = writer.register_schema(channel.kind, channel.schema_encoding, content)
            numbers[channel] = writer.register_channel(
                channel.topic, channel.message_encoding, schema
            )
        writer.add_message(numbers[channel], time, data, time, counts[channel] & 0xFFFFFFFF)
        counts[channel] += 1
    writer.finish()

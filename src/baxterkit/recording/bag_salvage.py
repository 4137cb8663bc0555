"""Messages of a bag without its index: what can be had from one that is cut off or damaged.

Layout of a bag: records of a header (fields `name=value`, each with its length before it) and data.
Chunks hold the messages, and the descriptions of the connections that they belong to.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from baxterkit.extras import load_extra

__all__ = ["is_bag", "salvage"]

MAGIC = b"#ROSBAG V2.0\n"
_MESSAGE, _CHUNK, _CONNECTION = 2, 5, 7


def is_bag(data: bytes) -> bool:
    """Whether bytes start as those of a ROS 1 bag do."""
    return data.startswith(MAGIC)


def salvage(data: bytes) -> Iterator[tuple[str, str, str, str, int, bytes]]:
    """Reads messages from the start until the bytes end or stop making sense.

    Args:
        data: The bytes of the bag.

    Yields:
        Topic, message type, its definition's md5 and text, time of storing [ns], raw message.
    """
    connections: dict[int, tuple[str, str, str, str]] = {}
    for header, body in _records(data, len(MAGIC)):
        operation = header.get("op", b"\0")[0]
        if operation == _CHUNK:
            for inner, content in _records(_unpacked(header, body), 0):
                yield from _message(inner, content, connections)
        else:
            yield from _message(header, body, connections)


def _message(
    header: dict[str, bytes], body: bytes, connections: dict[int, tuple[str, str, str, str]]
) -> Iterator[tuple[str, str, str, str, int, bytes]]:
    operation = header.get("op", b"\0")[0]
    if operation == _CONNECTION and "conn" in header:
        (number,) = struct.unpack("<I", header["conn"])
        about = _fields(body) or {}
        package, _, name = _text(about, "type").rpartition("/")
        kind = f"{package}/msg/{name}"
        md5, text = _text(about, "md5sum"), _text(about, "message_definition")
        connections[number] = (_text(header, "topic"), kind, md5, text)
    elif operation == _MESSAGE and {"conn", "time"} <= set(header):
        (number,) = struct.unpack("<I", header["conn"])
        seconds, rest = struct.unpack("<II", header["time"])
        if number in connections:
            yield (*connections[number], seconds * 1_000_000_000 + rest, body)


def _text(fields: dict[str, bytes], name: str) -> str:
    """A field as text; bytes that are none, as damage makes them, are replaced."""
    return fields.get(name, b"").decode("utf-8", "replace")


def _records(data: bytes, at: int) -> Iterator[tuple[dict[str, bytes], bytes]]:
    """Records one after the other; a chunk that is cut off gives what there is of it."""
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        header = _fields(data[at + 4 : at + 4 + size]) if at + 8 + size <= len(data) else None
        if not header:
            return
        at += 4 + size
        (size,) = struct.unpack_from("<I", data, at)
        body = data[at + 4 : at + 4 + size]
        at += 4 + size
        if len(body) == size or header.get("op") == bytes([_CHUNK]):
            yield header, body


def _fields(data: bytes) -> dict[str, bytes] | None:
    """The fields of a header; None if it is damaged."""
    fields: dict[str, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        name, equals, value = data[at + 4 : at + 4 + size].partition(b"=")
        if not equals or at + 4 + size > len(data) or not name.isascii():
            return None
        fields[name.decode()] = value
        at += 4 + size
    return fields


def _unpacked(header: dict[str, bytes], body: bytes) -> bytes:
    """The content of a chunk, as far as it can be unpacked."""
    compression = header.get("compression", b"none").decode("ascii", "replace")
    if compression == "none":
        return body
    try:
        if compression == "bz2":
            import bz2

            return bz2.BZ2Decompressor().decompress(body)
        frame = load_extra("lz4.frame", feature="Reading bags", package="lz4", extra="data")
        unpacked: bytes = frame.LZ4FrameDecompressor().decompress(body)
        return unpacked
    except (OSError, ValueError, RuntimeError, EOFError):
        return b""

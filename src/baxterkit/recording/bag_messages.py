"""Definitions of the robot's messages, and a decoder for many messages at once.

Messages of one publisher nearly always have one layout: same names, same lengths, other numbers.
So messages of equal size are stacked into a byte matrix, the layout is read from the first, checked
against all, and the numbers are columns of the matrix.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baxterkit.extras import load_extra
from baxterkit.types import Array

__all__ = ["DEFINITIONS", "FLAT", "MD5", "Block", "decode", "definition", "typestore"]

JOINT_STATE = "sensor_msgs/msg/JointState"
ENDPOINT_STATE = "baxter_core_msgs/msg/EndpointState"
SEA_JOINT_STATE = "baxter_core_msgs/msg/SEAJointState"

DEFINITIONS = {
    JOINT_STATE: (
        "std_msgs/Header header",
        "string[] name",
        "float64[] position",
        "float64[] velocity",
        "float64[] effort",
    ),
    ENDPOINT_STATE: (
        "std_msgs/Header header",
        "geometry_msgs/Pose pose",
        "geometry_msgs/Twist twist",
        "geometry_msgs/Wrench wrench",
    ),
    SEA_JOINT_STATE: (
        "std_msgs/Header header",
        "string[] name",
        "float64[] commanded_position",
        "float64[] commanded_velocity",
        "float64[] commanded_acceleration",
        "float64[] commanded_effort",
        "float64[] actual_position",
        "float64[] actual_velocity",
        "float64[] actual_effort",
        "float64[] gravity_model_effort",
        "float64[] gravity_only",
        "float64[] hysteresis_model_effort",
        "float64[] crosstalk_model_effort",
        "float64 hystState",
    ),
}
"""Message type -> the lines of its definition."""

MD5 = {
    JOINT_STATE: "3066dcd76a6cfaef579bd0f34173e9fd",
    ENDPOINT_STATE: "44bea01d596ff699fa1447bec34167ac",
    SEA_JOINT_STATE: "d36406dcbb6d860b1b39c4e28f81352b",
}
"""Checksums of the definitions, as publishers state them."""

FLAT = {"geometry_msgs/Pose": 7, "geometry_msgs/Twist": 6, "geometry_msgs/Wrench": 6, "float64": 1}
"""Types of a fixed number of float64, with that number."""
_OTHERS = ("std_msgs/Header", "string[]", "float64[]")


def typestore() -> Any:
    """A ROS 1 typestore of `rosbags` that knows the robot's own messages.

    Raises:
        MissingExtraError: If rosbags is not installed.
    """
    typesys = load_extra("rosbags.typesys", feature="Reading bags", package="rosbags", extra="data")
    store = typesys.get_typestore(typesys.Stores.ROS1_NOETIC)
    for kind, lines in DEFINITIONS.items():
        if kind not in store.types:
            store.register(typesys.get_types_from_msg("\n".join(lines), kind))
    return store


def definition(text: str) -> tuple[str, ...] | None:
    """The lines of a definition as a bag holds it, for versions of the SDK that differ from ours.

    Args:
        text: The definition: fields and comments, then those of other types after a line of `=`.

    Returns:
        The lines, as in `DEFINITIONS`; None if a field has a type that cannot be decoded here.
    """
    lines = []
    for line in text.split("\n=")[0].splitlines():
        words = line.split("#")[0].split()
        if not words or "=" in line.split("#")[0]:
            continue
        kind = words[0].replace("/msg/", "/")
        kind = {"Header": "std_msgs/Header"}.get(kind, kind)
        if len(words) != 2 or kind not in {*FLAT, *_OTHERS}:
            return None
        lines.append(f"{kind} {words[1]}")
    return tuple(lines)


@dataclass(frozen=True)
class Block:
    """Messages of one layout, decoded.

    Attributes:
        rows: Places of the messages in the list that was given, shape (n,).
        stamp: Time of each one's header [ns], shape (n,).
        names: Joint names; empty for messages without.
        values: Field -> numbers, shape (n, length).
    """

    rows: NDArray[np.int64]
    stamp: NDArray[np.int64]
    names: tuple[str, ...]
    values: dict[str, Array]


@dataclass(frozen=True)
class _Layout:
    stamp: int
    names: tuple[str, ...]
    fields: dict[str, tuple[int, int]]  # field -> offset, count of float64
    size: int


def decode(messages: Sequence[bytes], lines: Sequence[str]) -> tuple[list[Block], list[int]]:
    """Decodes serialised messages of one type.

    Args:
        messages: Raw bytes, one item per message.
        lines: Definition of the message type, as in `DEFINITIONS`.

    Returns:
        Blocks of messages with one layout, and the places of messages that are damaged.
    """
    by_size: dict[int, list[int]] = defaultdict(list)
    for i, message in enumerate(messages):
        by_size[len(message)].append(i)
    blocks: list[Block] = []
    damaged: list[int] = []
    for size, places in by_size.items():
        rows = np.array(places, dtype=np.int64)
        matrix = np.frombuffer(b"".join(messages[i] for i in places), np.uint8)
        matrix = matrix.reshape(len(places), size)
        while len(rows):
            layout = _layout(matrix[0].tobytes(), lines)
            if layout is None:
                damaged.append(int(rows[0]))
                rows, matrix = rows[1:], matrix[1:]
                continue
            same = _same_layout(matrix, layout)
            blocks.append(_block(rows[same], matrix[same], layout))
            rows, matrix = rows[~same], matrix[~same]
    return blocks, sorted(damaged)


def _layout(message: bytes, lines: Sequence[str]) -> _Layout | None:
    """Offsets of the fields of a message; None if its lengths do not add up."""
    fields: dict[str, tuple[int, int]] = {}
    names: tuple[str, ...] = ()
    stamp = at = 0
    try:
        for line in lines:
            type_name, field = line.split()
            if type_name == "std_msgs/Header":
                stamp = at + 4
                (length,) = struct.unpack_from("<I", message, at + 12)
                at += 16 + length
            elif type_name == "string[]":
                (count,) = struct.unpack_from("<I", message, at)
                at += 4
                words = []
                for _ in range(min(count, len(message))):
                    (length,) = struct.unpack_from("<I", message, at)
                    words.append(message[at + 4 : at + 4 + length].decode())
                    at += 4 + length
                names = tuple(words)
            elif type_name == "float64[]":
                (count,) = struct.unpack_from("<I", message, at)
                fields[field] = (at + 4, count)
                at += 4 + 8 * count
            else:
                fields[field] = (at, FLAT[type_name])
                at += 8 * FLAT[type_name]
    except (struct.error, UnicodeDecodeError):
        return None
    return _Layout(stamp, names, fields, at) if at == len(message) else None


def _same_layout(matrix: NDArray[np.uint8], layout: _Layout) -> NDArray[np.bool_]:
    """Messages whose lengths and names are those of the first."""
    fixed = np.ones(matrix.shape[1], dtype=bool)
    fixed[: layout.stamp + 8] = False  # sequence number and time
    for offset, count in layout.fields.values():
        fixed[offset : offset + 8 * count] = False
    same: NDArray[np.bool_] = (matrix[:, fixed] == matrix[0, fixed]).all(axis=1)
    return same


def _block(rows: NDArray[np.int64], matrix: NDArray[np.uint8], layout: _Layout) -> Block:
    time = _numbers(matrix, layout.stamp, 2, "<u4").astype(np.int64)
    values = {
        field: _numbers(matrix, offset, count, "<f8").astype(np.float64)
        for field, (offset, count) in layout.fields.items()
    }
    return Block(rows, time[:, 0] * 1_000_000_000 + time[:, 1], layout.names, values)


def _numbers(matrix: NDArray[np.uint8], offset: int, count: int, kind: str) -> NDArray[Any]:
    size = np.dtype(kind).itemsize * count
    part = np.ascontiguousarray(matrix[:, offset : offset + size])
    return part.view(kind).reshape(len(matrix), count)

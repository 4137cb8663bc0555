"""Definitions of the recorded messages, and a decoder for many messages at once.

Messages of one publisher nearly always have one layout: same names, same lengths, other numbers.
So messages of equal size are stacked into a byte matrix, the layout is read from the first, checked
against all, and the numbers are columns of the matrix.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from baxterkit.messages.definitions import TEXTS
from baxterkit.messages.errors import MessageError
from baxterkit.messages.parsing import Field, md5, parse
from baxterkit.types import AnyArray, Array

JOINT_STATE = "sensor_msgs/msg/JointState"
ENDPOINT_STATE = "baxter_core_msgs/msg/EndpointState"
SEA_JOINT_STATE = "baxter_core_msgs/msg/SEAJointState"
GRIPPER_STATE = "baxter_core_msgs/msg/EndEffectorState"
HEADER = "std_msgs/Header"


def robot_name(kind: str) -> str:
    """The name of a type in ROS 1, as "sensor_msgs/JointState"."""
    return kind.replace("/msg/", "/")


@cache
def flat_size(kind: str) -> int:
    """How many float64 a value of this type consists of; 0 if it holds anything else."""
    if kind == "float64":
        return 1
    fields = parse(kind, TEXTS[kind]).fields if kind in TEXTS and kind != HEADER else ()
    sizes = [flat_size(field.kind) if field.array is None else 0 for field in fields]
    return sum(sizes) if all(sizes) else 0


def definition(text: str, kind: str) -> tuple[Field, ...] | None:
    """The fields of a definition as a bag holds it, for versions of the SDK that differ from ours.

    Args:
        text: The definition: fields and comments, then those of other types after a line of `=`.
        kind: The type that it defines.

    Returns:
        The fields; None if one has a type that cannot be decoded here.
    """
    try:
        fields = parse(robot_name(kind), robot_name(text.split("\n=")[0])).fields
    except MessageError:
        return None
    return fields if all(map(_decodable, fields)) else None


def _decodable(field: Field) -> bool:
    if field.array is None:
        return field.kind == HEADER or flat_size(field.kind) > 0
    return field.array == -1 and field.kind in ("string", "float64")


def _ours(kind: str) -> tuple[Field, ...]:
    return parse(robot_name(kind), TEXTS[robot_name(kind)]).fields


DEFINITIONS = {kind: _ours(kind) for kind in (JOINT_STATE, ENDPOINT_STATE, SEA_JOINT_STATE)}
"""Message type -> its fields."""
KINDS = (*DEFINITIONS, GRIPPER_STATE)
"""Message types that go into recordings; a gripper's state has no fields of its own here."""
MD5 = {kind: md5(robot_name(kind), TEXTS) for kind in KINDS}
"""Checksums of the definitions, as publishers state them."""
_GRIPPER = np.dtype({
    "names": ("sec", "nanosec", "calibrated", "gripping", "position"),
    "formats": ("<u4", "<u4", "u1", "u1", "<f4"),
    "offsets": (0, 4, 13, 16, 20),
    "itemsize": 28,
})  # fmt: skip
"""What is read of a gripper's state; in CDR it stands at the same places."""


def grippers(messages: Sequence[bytes]) -> AnyArray:
    """The states of a gripper: `sec`, `nanosec`, `calibrated`, `gripping`, `position` [%].

    Messages that are cut off are left out: zeros, and so not calibrated.
    """
    size = _GRIPPER.itemsize
    parts = (message[:size] if len(message) >= size else bytes(size) for message in messages)
    return np.frombuffer(b"".join(parts), _GRIPPER)


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


def decode(messages: Sequence[bytes], fields: Sequence[Field]) -> tuple[list[Block], list[int]]:
    """Decodes serialised messages of one type.

    Args:
        messages: Raw bytes, one item per message.
        fields: Fields of the message type, as in `DEFINITIONS`.

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
            layout = _layout(matrix[0].tobytes(), fields)
            if layout is None:
                damaged.append(int(rows[0]))
                rows, matrix = rows[1:], matrix[1:]
                continue
            same = _same_layout(matrix, layout)
            blocks.append(_block(rows[same], matrix[same], layout))
            rows, matrix = rows[~same], matrix[~same]
    return blocks, sorted(damaged)


def _layout(message: bytes, fields: Sequence[Field]) -> _Layout | None:
    """Offsets of the fields of a message; None if its lengths do not add up."""
    places: dict[str, tuple[int, int]] = {}
    names: tuple[str, ...] = ()
    stamp = at = 0
    try:
        for field in fields:
            if field.kind == HEADER:
                stamp = at + 4
                (length,) = struct.unpack_from("<I", message, at + 12)
                at += 16 + length
            elif field.kind == "string":
                (count,) = struct.unpack_from("<I", message, at)
                at += 4
                words = []
                for _ in range(min(count, len(message))):
                    (length,) = struct.unpack_from("<I", message, at)
                    words.append(message[at + 4 : at + 4 + length].decode())
                    at += 4 + length
                names = tuple(words)
            elif field.array is not None:
                (count,) = struct.unpack_from("<I", message, at)
                places[field.name] = (at + 4, count)
                at += 4 + 8 * count
            else:
                count = flat_size(field.kind)
                places[field.name] = (at, count)
                at += 8 * count
    except (struct.error, UnicodeDecodeError):
        return None
    return _Layout(stamp, names, places, at) if at == len(message) else None


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


def _numbers(matrix: NDArray[np.uint8], offset: int, count: int, kind: str) -> AnyArray:
    size = np.dtype(kind).itemsize * count
    part = np.ascontiguousarray(matrix[:, offset : offset + size])
    return part.view(kind).reshape(len(matrix), count)

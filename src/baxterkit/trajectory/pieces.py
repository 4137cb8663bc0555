"""The exact pieces of a motion inside a table of samples, as names of its last columns.

Samples of a motion do not give it back: where an acceleration jumps between two rows, a curve
through them is faster than the motion was. So the first line of a table of samples ends in names
that hold the motion itself: `pieces:` and text, packed JSON in base64. The columns below them hold
zeros. Other programs take the samples. They count as edited, and the pieces as outdated, if the
rows' checksum is another one.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.column_units import PIECES
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.limits import Limits
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.trajectory.checks import columns_of
from baxterkit.trajectory.grippers import gripper_motion
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

FORMAT = "baxterkit trajectory 1"
LIMIT_FIELDS = ("lower", "upper", "velocity", "effort")
LONGEST_NAME = 100_000
"""Characters of one name; Python's csv module takes 131,072."""
MOST_UNPACKED = 32 * 2**20
"""Longest JSON that is unpacked [bytes]; it takes up to twenty times as much memory."""


def content_of(trajectory: Trajectory) -> dict[str, Any]:
    """What files hold of a motion, by name: numbers, texts and arrays."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "name": trajectory.name,
        "knots": trajectory.knots,
        "coefficients": trajectory.coefficients,
    }
    if trajectory.side is not None:
        content["side"] = trajectory.side
    for side, gripper in trajectory.grippers.items():
        content[f"{side}_gripper"] = np.column_stack([gripper.t, gripper.opening])
    limits = trajectory.limits
    if limits is not None:
        content |= {f"limits_{name}": getattr(limits, name) for name in LIMIT_FIELDS}
        content["joint_names"] = list(limits.names)
    return content


def from_content(content: Mapping[str, Any], name: str, make: type[Trajectory]) -> Trajectory:
    """The motion of such a mapping.

    Raises:
        InputError: If something is missing, or not what it must be.
        ShapeError: If an array has the wrong shape.
    """
    missing = [key for key in ("knots", "coefficients") if key not in content]
    if missing:
        raise InputError(f"it has no {missing[0]}")
    side = str(content["side"]) if "side" in content else None
    name = str(content.get("name", name))
    grippers = {
        arm: gripper_motion(content[f"{arm}_gripper"])
        for arm in SIDES
        if f"{arm}_gripper" in content
    }
    return make(content["knots"], content["coefficients"], _limits(content), name, side, grippers)


def plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with lists for arrays, as JSON takes it."""
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in content.items()}


def piece_names(motion: Trajectory, rows: Array) -> list[str]:
    """Names of the columns that hold a motion, for the table with these rows of samples."""
    held = {"rows": _checksum(rows), "motion": plain(content_of(motion))}
    packed = zlib.compress(json.dumps(held, separators=(",", ":")).encode(), 9)
    text = base64.urlsafe_b64encode(packed).decode()
    return [PIECES + text[i : i + LONGEST_NAME] for i in range(0, len(text), LONGEST_NAME)]


def read_pieces(
    names: Sequence[str], rows: Array, name: str, make: type[Trajectory]
) -> tuple[Trajectory | None, Array, bool]:
    """The motion that the names of columns hold, and the columns of the samples.

    Args:
        names: Names of all columns.
        rows: The table, shape (n, len(names)).
        name: Name of a motion without one.
        make: The class of motions.

    Returns:
        The motion, None if there is none; the rows of the samples; whether these were edited since.

    Raises:
        InputError: If the pieces are damaged.
    """
    count = next((i for i, word in enumerate(names) if word.startswith(PIECES)), len(names))
    text = "".join(word.removeprefix(PIECES) for word in names[count:])
    samples = rows[:, :count]
    if not text:
        return None, samples, False
    try:
        unpacking = zlib.decompressobj()
        raw = unpacking.decompress(base64.urlsafe_b64decode(text), MOST_UNPACKED)
        if not unpacking.eof:
            raise InputError("they are cut off, or unpack to too much")
        held = json.loads(raw)
        motion = from_content(held["motion"], name, make)
        checksum = int(held["rows"])
    except (
        binascii.Error, zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError,
    ) as error:  # fmt: skip
        raise InputError(
            f"its pieces are damaged ({error}); copy the file again, or remove the columns that "
            f"start with {PIECES} to read the samples"
        ) from error
    return motion, samples, checksum != _checksum(samples)


def _checksum(rows: Array) -> int:
    return zlib.crc32(np.ascontiguousarray(rows, dtype="<f8").tobytes())


def _limits(content: Mapping[str, Any]) -> Limits | None:
    """The limits that a file holds; None if it holds none."""
    if not all(f"limits_{name}" in content for name in LIMIT_FIELDS):
        return None
    names = content.get("joint_names", JOINTS)
    n = columns_of(names)
    lower, upper, velocity, effort = values = [
        joint_array(content[f"limits_{name}"], f"limits_{name}", n) for name in LIMIT_FIELDS
    ]
    if np.shape(names) != (n,) or any(x.shape != (n,) for x in values):
        raise ShapeError("limits and joint_names must have shape (7,), or (14,) of both arms")
    return Limits(lower, upper, velocity, effort, tuple(str(name) for name in names))

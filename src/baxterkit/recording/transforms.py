"""The frames that a bag's `/tf` tells of, and the mount of an arm from them."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit import disk
from baxterkit.errors import RecordingError, shortened
from baxterkit.model.library import load_baxter
from baxterkit.model.names import check_side
from baxterkit.recording.bag_records import Damage, is_bag, read_messages
from baxterkit.recording.bag_topics import opened, whole_messages
from baxterkit.recording.text_table import naming
from baxterkit.spatial.formulas import inverse, quaternion_to_matrix, transform
from baxterkit.types import Array, Transform

KINDS = ("tf2_msgs/msg/TFMessage", "tf/msg/tfMessage")
"""The message types of `/tf` and `/tf_static`; their bytes are the same."""
STILL = 1e-6
"""A frame whose pose differs by more from message to message moves [m, 1]."""
BASES = ("base", "torso", "world")
"""Frames that coincide with base on a Baxter, the best first."""


@dataclass(frozen=True, eq=False)
class FixedFrames:
    """Frames that do not move against their parents.

    Attributes:
        parents: Frame -> its parent, and T_parent_frame, shape (4, 4).
        moving: Names of the frames that move.
        source: The file.
    """

    parents: dict[str, tuple[str, Transform]]
    moving: frozenset[str]
    source: str

    def transform(self, frame: str, other: str) -> Transform:
        """T_frame_other, shape (4, 4), of two frames that do not move against each other.

        Raises:
            RecordingError: If there is no such frame, or joints lie in between.
        """
        up, down = self._above(frame), self._above(other)
        roots = [name for name in up if name in down]
        if not roots:
            raise RecordingError(
                f"no fixed frames lead from {frame!r} to {other!r}; there are "
                f"{shortened(', '.join(sorted({*self.parents, *self.moving})), 300) or 'none'}",
                self.source,
            )
        T: Transform = inverse(up[roots[0]]) @ down[roots[0]]
        return T

    def _above(self, frame: str) -> dict[str, Transform]:
        """Each frame above it, and the pose of `frame` in it."""
        found, T, name = {frame: np.eye(4)}, np.eye(4), frame
        while name in self.parents and self.parents[name][0] not in found:
            name, step = self.parents[name][0], self.parents[name][1]
            T = step @ T
            found[name] = T
        return found


def fixed_frames(path: str | Path) -> FixedFrames:
    """Reads `/tf` and `/tf_static` of a bag.

    Raises:
        RecordingError: If the file is not a bag, is damaged, or holds no transforms.
    """
    source = str(path)
    seen: dict[tuple[str, str], list[Array]] = defaultdict(list)
    path = disk.as_path(path)
    with naming(path), opened(path) as (file, size):
        if not is_bag(file.read(64)):
            raise RecordingError("this is not a ROS 1 bag; /tf is read from bags only", source)
        try:
            messages = read_messages(file, size, KINDS, strict=True)
            for message in whole_messages(messages, path):
                for parent, child, row in _stamped(message.data, source):
                    seen[parent, child].append(row)
        except Damage as error:
            raise RecordingError(
                "the bag is cut off or damaged; run `rosbag reindex`", source
            ) from error
    if not seen:
        raise RecordingError("the bag holds no /tf", source)
    parents: dict[str, tuple[str, Transform]] = {}
    moving: set[str] = set()
    for (parent, child), rows in seen.items():
        values = np.array(rows)
        values[:, 3:] *= np.where(values[:, 3:] @ values[0, 3:] < 0.0, -1.0, 1.0)[:, None]
        if np.abs(values - values[0]).max() > STILL or child in parents:
            moving.add(child)
            continue
        mean = values.mean(axis=0)
        parents[child] = (parent, transform(quaternion_to_matrix(mean[3:]), mean[:3]))
    for child in moving:
        parents.pop(child, None)
    return FixedFrames(parents, frozenset(moving), source)


def mount_from_tf(path: str | Path, side: str) -> Transform:
    """The mount of an arm, T_base_s0, from a bag's `/tf`: Ju's second source of a robot's geometry.

    The robot publishes where its arms are bolted on (`left_arm_mount` in `torso`) from its own,
    measured description.

    Args:
        path: A bag with `/tf` or `/tf_static`.
        side: "left" or "right".

    Returns:
        T_base_s0, shape (4, 4), for `Arm(side, mount=...)`.

    Raises:
        RecordingError: If the bag does not tell where the arm's mount is.
    """
    frames = fixed_frames(path)
    end = f"{check_side(side)}_arm_mount"
    known = {name.removesuffix("_link"): name for name in (*frames.parents, *frames.moving)}
    known |= {parent.removesuffix("_link"): parent for parent, _ in frames.parents.values()}
    base = next((known[name] for name in BASES if name in known), None)
    if end not in known or base is None:
        raise RecordingError(
            f"/tf does not hold {end} and base; it holds "
            f"{shortened(', '.join(sorted(known)), 300) or 'nothing'}",
            frames.source,
        )
    T: Transform = frames.transform(base, known[end]) @ load_baxter().T_mount_s0
    return T


def _stamped(data: bytes, source: str) -> Iterator[tuple[str, str, Array]]:
    """Parent, child, and position with quaternion (x y z w), of each transform of a message."""
    try:
        (count,) = struct.unpack_from("<I", data, 0)
        at = 4
        for _ in range(count):
            at += 12  # sequence number and time
            names = []
            for _ in range(2):
                (length,) = struct.unpack_from("<I", data, at)
                names.append(data[at + 4 : at + 4 + length].decode().lstrip("/"))
                at += 4 + length
            row = np.array(struct.unpack_from("<7d", data, at))
            at += 56
            length = float(np.linalg.norm(row[3:]))
            if not np.isfinite(row).all() or abs(length - 1.0) > 1e-3:
                raise RecordingError(f"the transform of {shortened(names[1])!r} is broken", source)
            row[3:] /= length
            yield names[0], names[1], row
    except (struct.error, UnicodeDecodeError) as error:
        raise RecordingError("a message of /tf is damaged", source) from error

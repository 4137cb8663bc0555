"""MCAP files: recordings from those of ROS 1 and ROS 2, and recordings for ROS 2 and Foxglove."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.messages.definitions import TEXTS
from baxterkit.messages.parsing import full_text
from baxterkit.model.names import joint_names
from baxterkit.recording.bag import raw_of_topics
from baxterkit.recording.bag_messages import (
    DEFINITIONS,
    ENDPOINT_STATE,
    JOINT_STATE,
    SEA_JOINT_STATE,
    robot_name,
)
from baxterkit.recording.bag_topics import opened, read_topics
from baxterkit.recording.cdr import to_cdr
from baxterkit.recording.columns import GRIPPER
from baxterkit.recording.grips import held
from baxterkit.recording.mcap_records import read_mcap_metadata
from baxterkit.recording.mcap_writer import METADATA, Channel, write_mcap_file
from baxterkit.recording.raw import Options, Raw
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.recording.recording import Recording

_ROS2_TEXTS = TEXTS | {
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec\n",
}
NANO = 1_000_000_000


def read_mcap(path: Path, options: Options) -> Raw:
    """Reads one arm from an MCAP file; topics and rows are those of `bag.read_bag`.

    Raises:
        RecordingError: If the file is no MCAP, is cut off, or does not hold the arm.
        MissingExtraError: If it is packed, and what unpacks it is not installed.
    """
    notes: list[str] = []
    raw = raw_of_topics(read_topics(path, options, notes, mcap=True), path, options, notes)
    with opened(path) as (file, size):
        told = read_mcap_metadata(file, size, METADATA)
    about = told.get(str(raw.side), "")
    kept, raw.cutoff = _told(about)
    for name, rows in _told_gripper(about).items():
        raw.fields.setdefault(name, held(rows[:, 0], rows[:, 1], raw.fields["t"] + 0.5 / NANO))
    raw.notes = [*kept, *(note for note in raw.notes if note not in kept)]
    return raw


def write_mcap(recording: Recording, path: Path, *others: Recording) -> None:
    """Writes recordings on the robot's topics, in ROS 2's encoding; time 0 is 1 January 1970.

    `/robot/joint_states` has positions, velocities and torques; the tip's poses, twists and
    wrenches are in `endpoint_state` (zeros where they were not recorded), the parts of the torques
    in `gravity_compensation_torques`. Notes, the cut-off of filters and the gripper are metadata.
    Accelerations and Jacobians have no place there.

    Raises:
        InputError: If it is not known which arm it is.
    """
    messages, about = [], {}
    for one in (recording, *others):
        if one.side is None:
            raise InputError(
                "an MCAP file names joints, and this recording does not say which arm it is; "
                "take recording.load(..., side=...)"
            )
        messages.append(_messages(one, one.side))
        cutoff = one.cutoff if isfinite(one.cutoff) else None
        hand = _gripper(one)
        if one.notes or cutoff is not None or hand:
            about[one.side] = json.dumps({"notes": one.notes, "cutoff": cutoff, **hand})
    in_time = heapq.merge(*messages, key=lambda message: message[1])
    with disk.replacing(path) as file:
        write_mcap_file(file, "ros2", in_time, about)


def ros2_definition(kind: str) -> str:
    """The definition of one of the robot's messages as ROS 2 has it, with those it consists of."""
    text = full_text(robot_name(kind), _ROS2_TEXTS)
    text = re.sub("^Header ", "std_msgs/Header ", text, flags=re.MULTILINE)
    return text.replace("hystState", "hyst_state")  # ROS 2 has no capitals in names of fields


def _told(text: str) -> tuple[list[str], float]:
    """Notes and cut-off [Hz] of a recording of ours; no notes and infinity if it is not one."""
    try:
        about = json.loads(text)
        notes, cutoff = about["notes"], about["cutoff"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return [], inf
    known = isinstance(notes, list) and all(isinstance(note, str) for note in notes)
    is_cutoff = type(cutoff) is float and 0.0 < cutoff < inf
    return notes if known else [], cutoff if is_cutoff else inf


def _gripper(recording: Recording) -> dict[str, list[list[float]]]:
    """What a recording says of its gripper: times since its first row [s], and values from then."""
    found = {}
    for name in GRIPPER:
        values = getattr(recording, name)
        if values is not None:
            rows = np.append(True, np.diff(values) != 0.0)
            since = np.round((recording.t[rows] - recording.t[0]) * NANO) / NANO
            found[name] = np.column_stack([since, values[rows]]).tolist()
    return found


def _told_gripper(text: str) -> dict[str, Array]:
    """What metadata of ours say of a gripper, (m, 2) each: times [s], values; empty if nothing."""
    try:
        about = json.loads(text)
        found = {name: np.array(about[name], dtype=np.float64) for name in GRIPPER if name in about}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return {
        name: rows
        for name, rows in found.items()
        if rows.ndim == 2 and rows.shape[1] == 2 and len(rows) and (np.diff(rows[:, 0]) > 0.0).all()
    }


def _messages(recording: Recording, side: str) -> Iterator[tuple[Channel, int, bytes]]:
    limb, names = f"/robot/limb/{side}", joint_names(side)
    kinds = {
        JOINT_STATE: ("/robot/joint_states", ("q", "qd", "tau"), ""),
        ENDPOINT_STATE: (f"{limb}/endpoint_state", ("position",), "base"),
        SEA_JOINT_STATE: (f"{limb}/gravity_compensation_torques", ("actuator",), ""),
    }
    channels = {
        kind: Channel(topic, kind, ros2_definition(kind), "ros2msg", "cdr")
        for kind, (topic, needed, _) in kinds.items()
        if any(getattr(recording, name) is not None for name in needed)
    }
    for i, t in enumerate(recording.t):
        stamp = round(float(t) * NANO)
        for kind, channel in channels.items():
            frame = kinds[kind][2]
            values = {"name": names, **_values(recording, kind, i)}
            yield channel, stamp, to_cdr(stamp, frame, DEFINITIONS[kind], values)


def _values(recording: Recording, kind: str, i: int) -> dict[str, object]:
    """The fields of one row's message."""

    def row(name: str) -> list[float] | None:
        values = getattr(recording, name)
        return None if values is None else values[i].tolist()

    if kind == JOINT_STATE:
        pairs = {"position": "q", "velocity": "qd", "effort": "tau"}
    elif kind == SEA_JOINT_STATE:
        pairs = {
            "actual_position": "q",
            "actual_velocity": "qd",
            "actual_effort": "actuator",
            "gravity_model_effort": "gravity",
            "hysteresis_model_effort": "hysteresis",
            "crosstalk_model_effort": "crosstalk",
        }
    else:
        position, turn = row("position"), row("quaternion") or [0.0, 0.0, 0.0, 1.0]
        return {
            "pose": (position or [0.0] * 3) + turn,
            "twist": row("twist"),
            "wrench": row("wrench"),
        }
    return {field: values for field, name in pairs.items() if (values := row(name)) is not None}

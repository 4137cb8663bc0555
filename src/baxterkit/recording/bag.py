"""ROS 1 bags, read without ROS: joint states, tip poses and the actuators' torques of one arm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import RecordingError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.recording.assemble import Options, Raw
from baxterkit.recording.bag_messages import (
    ENDPOINT_STATE,
    JOINT_STATE,
    SEA_JOINT_STATE,
    decode,
)
from baxterkit.recording.bag_topics import Topic, read_topics
from baxterkit.recording.columns import choose_side
from baxterkit.recording.signals import interpolate, rotation_map
from baxterkit.recording.text_table import Problem
from baxterkit.types import Array

__all__ = ["read_bag"]

_SEA_FIELDS = {
    "actuator": "actual_effort",
    "gravity": "gravity_model_effort",
    "hysteresis": "hysteresis_model_effort",
    "crosstalk": "crosstalk_model_effort",
}


@dataclass(frozen=True)
class _Stream:
    """Quantities of one topic in time: `t` [ns], sorted; the message of each row."""

    t: NDArray[np.int64]
    values: dict[str, Array]
    rows: NDArray[np.int64]


def read_bag(path: Path, options: Options) -> Raw:
    """Reads one arm from a bag.

    `/robot/joint_states` (any topic of type sensor_msgs/JointState that names the arm's joints)
    gives the rows; without it, the arm's SEAJointState does. `endpoint_state` and SEAJointState are
    interpolated to the times of the rows; rows that they do not cover are left out.

    Raises:
        RecordingError: If the file is no bag, is cut off, or does not hold the arm.
        MissingExtraError: If rosbags is not installed.
    """
    source = str(path)
    notes: list[str] = []
    topics = read_topics(path, options, notes)
    side = _side(topics, options, source)
    problems: list[Problem] = []
    joints = _joint_stream(topics, side, problems, source)
    sea = _sea_stream(topics, side, problems, source)
    tip = _tip_stream(topics, side, problems)
    master = joints or sea
    if master is None:
        found = ", ".join(sorted({topic.topic for topic in topics})) or "nothing that is known"
        raise RecordingError(
            f"no message names the {side} arm's joints; the bag holds {found}, and a recording "
            "needs /robot/joint_states",
            source,
        )
    fields, rows, t = dict(master.values), master.rows, master.t
    for stream in (sea, tip):
        if stream is None or stream is master:
            continue
        added, covered = _aligned(stream, t)
        if not covered.all():
            if not covered.any():
                raise RecordingError(
                    "joint states and the other topics of the arm share no time; are their clocks "
                    "the same?",
                    source,
                )
            notes.append(f"left out {int((~covered).sum())} rows that not all topics cover")
        fields = {name: values[covered] for name, values in fields.items()} | added
        rows, t = rows[covered], t[covered]
    if "actuator" in fields:
        fields["tau"] = fields["actuator"] + fields["hysteresis"] + fields["crosstalk"]
    fields["t"] = (t - t[0]) * 1e-9
    notes.append(f"time 0 is {int(t[0])} ns in the bag")
    return Raw(source, fields, side, rows, "message", problems=problems, notes=notes)


def _side(topics: list[Topic], options: Options, source: str) -> str:
    """The arm to read: the one asked for, or the only one that there is."""
    found = {topic.side for topic in topics if topic.side is not None}
    for topic in topics:
        if topic.kind == JOINT_STATE:
            for block in decode(topic.messages[:50], topic.lines)[0]:
                found |= {side for side in SIDES if set(joint_names(side)) & set(block.names)}
    side = choose_side({name for name in found if name}, options.side, source)
    if side is None:
        names = ", ".join(sorted({topic.topic for topic in topics})) or "nothing that is known"
        raise RecordingError(
            f"no arm in it: the bag holds {names}, and a recording needs /robot/joint_states",
            source,
        )
    return side


def _joint_stream(
    topics: list[Topic], side: str, problems: list[Problem], source: str
) -> _Stream | None:
    picked = [
        topic for topic in topics if topic.kind == JOINT_STATE and "command" not in topic.topic
    ]
    for topic in picked:
        names = {"q": "position", "qd": "velocity", "tau": "effort"}
        stream = _named_stream(topic, side, names, problems, source)
        if stream is not None:
            return stream
    return None


def _sea_stream(
    topics: list[Topic], side: str, problems: list[Problem], source: str
) -> _Stream | None:
    names = {"q": "actual_position", "qd": "actual_velocity", **_SEA_FIELDS}
    for topic in topics:
        if topic.kind == SEA_JOINT_STATE:
            stream = _named_stream(topic, side, names, problems, source)
            if stream is not None:
                return stream
    return None


def _tip_stream(topics: list[Topic], side: str, problems: list[Problem]) -> _Stream | None:
    for topic in topics:
        if topic.kind != ENDPOINT_STATE or topic.side not in (side, None):
            continue
        blocks, damaged = decode(topic.messages, topic.lines)
        problems += [Problem(i, f"a message of {topic.topic} is damaged") for i in damaged]
        if not blocks:
            continue
        pose = np.concatenate([block.values["pose"] for block in blocks])
        values = {
            "position": pose[:, :3],
            "quaternion": pose[:, 3:],
            "twist": np.concatenate([block.values["twist"] for block in blocks]),
            "wrench": np.concatenate([block.values["wrench"] for block in blocks]),
        }
        rows = np.concatenate([block.rows for block in blocks])
        stamp = np.concatenate([block.stamp for block in blocks])
        return _ordered(topic, stamp, rows, values)
    return None


def _named_stream(
    topic: Topic, side: str, names: dict[str, str], problems: list[Problem], source: str
) -> _Stream | None:
    """The arm's quantities from messages with joint names; None if none names the arm."""
    blocks, damaged = decode(topic.messages, topic.lines)
    problems += [Problem(i, f"a message of {topic.topic} is damaged") for i in damaged]
    wanted = joint_names(side)
    # Some messages may be about other joints, as those of a gripper.
    arm = [block for block in blocks if set(wanted) & set(block.names)]
    if not arm:
        return None
    for block in arm:
        missing = [name for name in wanted if name not in block.names]
        if missing:
            raise RecordingError(
                f"{topic.topic} lacks {', '.join(missing)}; a recording needs all seven joints",
                source,
                f"message {int(block.rows[0])}",
            )
    values: dict[str, Array] = {}
    for name, field_name in names.items():
        parts: list[Array | None] = []
        for block in arm:
            array = block.values.get(field_name, np.zeros((len(block.rows), 0)))
            if array.shape[1] == len(block.names):
                parts.append(array[:, [block.names.index(joint) for joint in wanted]])
            elif array.shape[1] == 0 and name not in ("q", "actuator"):
                parts.append(None)
            else:
                raise RecordingError(
                    f"{topic.topic} has {len(block.names)} names and {array.shape[1]} values of "
                    f"{field_name}",
                    source,
                    f"message {int(block.rows[0])}",
                )
        if all(part is None for part in parts):
            if name in ("hysteresis", "crosstalk"):
                values[name] = np.zeros((sum(len(block.rows) for block in arm), 7))
            continue
        values[name] = np.concatenate(
            [
                np.full((len(block.rows), 7), np.nan) if part is None else part
                for block, part in zip(arm, parts, strict=True)
            ]
        )
    rows = np.concatenate([block.rows for block in arm])
    return _ordered(topic, np.concatenate([block.stamp for block in arm]), rows, values)


def _ordered(
    topic: Topic, stamp: NDArray[np.int64], rows: NDArray[np.int64], values: dict[str, Array]
) -> _Stream:
    """Sorted by the stamp, or by the time of storing where stamps are empty; repeats left out."""
    t = stamp if stamp.any() else np.array(topic.times, dtype=np.int64)[rows]
    order = np.argsort(t, kind="stable")
    order = order[np.concatenate([[True], np.diff(t[order]) > 0])]
    return _Stream(t[order], {name: array[order] for name, array in values.items()}, rows[order])


def _aligned(stream: _Stream, t: NDArray[np.int64]) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    """The stream at the times `t` [ns], and which of them it covers."""
    covered = (t >= stream.t[0]) & (t <= stream.t[-1])
    start = stream.t[0]
    own, at = (stream.t - start) * 1e-9, (t[covered] - start) * 1e-9
    skip = {"q", "qd"}
    values: dict[str, Array] = {}
    for name, array in stream.values.items():
        if name == "quaternion":
            values[name] = rotation_map(lambda rows: interpolate(own, rows, at), array)
        elif name not in skip:
            values[name] = interpolate(own, array, at)
    return values, covered

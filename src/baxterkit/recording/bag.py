"""ROS 1 bags, read without ROS: joint states, tip poses and the actuators' torques of one arm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import RecordingError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.poses import NO_ROTATION
from baxterkit.recording.bag_messages import (
    ENDPOINT_STATE,
    GRIPPER_STATE,
    JOINT_STATE,
    SEA_JOINT_STATE,
    Block,
    decode,
    grippers,
)
from baxterkit.recording.bag_topics import Topic, read_topics
from baxterkit.recording.columns import choose_side, need_radians
from baxterkit.recording.grips import held
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.signals import covered, interpolate, rotation_map
from baxterkit.recording.text_table import Problem
from baxterkit.types import Array

_JOINT_FIELDS = {"q": "position", "qd": "velocity", "tau": "effort"}
_SEA_FIELDS = {
    "q": "actual_position",
    "qd": "actual_velocity",
    "actuator": "actual_effort",
    "gravity": "gravity_model_effort",
    "hysteresis": "hysteresis_model_effort",
    "crosstalk": "crosstalk_model_effort",
}
NEEDED = ("q", "actuator")
"""Quantities that a message of joints must have; others may be empty."""


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
    interpolated to the times of the rows; rows that they do not cover are left out. What the arm's
    gripper said holds until it says something else.

    Raises:
        RecordingError: If the file is not a bag, is cut off, or does not hold the arm.
        MissingExtraError: If the bag is packed with lz4, and that is not installed.
    """
    notes: list[str] = []
    return raw_of_topics(read_topics(path, options, notes, mcap=False), path, options, notes)


def raw_of_topics(topics: list[Topic], path: Path, options: Options, notes: list[str]) -> Raw:
    """One arm from the messages of its topics; see `read_bag`."""
    source = str(path)
    need_radians(options.angles, source, "the robot's messages (JointState) are in")
    side = _side(topics, options, source)
    problems: list[Problem] = []
    joints = _joint_stream(topics, JOINT_STATE, _JOINT_FIELDS, side, problems, notes)
    sea = _joint_stream(topics, SEA_JOINT_STATE, _SEA_FIELDS, side, problems, notes)
    tip = _tip_stream(topics, side, problems, notes)
    master = joints or sea
    if master is None and problems:
        raise RecordingError(problems[0].text, source, f"message {problems[0].row}")
    if master is None:
        found = ", ".join(sorted({topic.topic for topic in topics})) or "nothing that is known"
        raise RecordingError(
            f"no message names the {side} arm's joints; the file holds {found}, and a recording "
            "needs /robot/joint_states",
            source,
        )
    fields, rows, t = dict(master.values), master.rows, master.t
    for stream in (sea, tip):
        if stream is None or stream is master:
            continue
        seen = _covered(stream, t)
        if not seen.any():
            raise RecordingError(
                "joint states and the other topics of the arm share no time; are their clocks the "
                "same?",
                source,
            )
        if not seen.all():
            notes.append(f"left out {int((~seen).sum())} rows that not all topics cover")
        rows, t = rows[seen], t[seen]
        fields = {name: values[seen] for name, values in fields.items()} | _aligned(stream, t)
    if "actuator" in fields:
        fields["tau"] = fields["actuator"] + fields["hysteresis"] + fields["crosstalk"]
    fields |= _gripper(topics, side, t)
    fields["t"] = (t - t[0]) * 1e-9
    if t[0] != 0:
        notes.append(f"time 0 is {int(t[0])} ns in the file")
    return Raw(source, fields, side, rows, "message", problems=problems, notes=notes)


def _side(topics: list[Topic], options: Options, source: str) -> str:
    """The arm to read: the requested one, or the only one."""
    found = {topic.side for topic in topics if topic.side is not None}
    for topic in topics:
        if topic.kind == JOINT_STATE:
            some = topic.messages[:50] + topic.messages[50 :: len(topic.messages) // 200 + 1]
            for block in decode(some, topic.fields)[0]:
                found |= {side for side in SIDES if set(joint_names(side)) & set(block.names)}
    side = choose_side({name for name in found if name}, options.side, source)
    if side is None:
        names = ", ".join(sorted({topic.topic for topic in topics})) or "nothing that is known"
        raise RecordingError(
            f"no arm in it: the file holds {names}, and a recording needs /robot/joint_states",
            source,
        )
    return side


def _joint_stream(
    topics: list[Topic],
    kind: str,
    names: dict[str, str],
    side: str,
    problems: list[Problem],
    notes: list[str],
) -> _Stream | None:
    """The arm's quantities from the first topic of a type that has them; commands are none."""
    # The robot's own topic before those of other programs, which may hold references.
    for topic in sorted(topics, key=lambda topic: topic.topic != "/robot/joint_states"):
        if topic.kind == kind and "command" not in topic.topic:
            stream = _named_stream(topic, side, names, problems, notes)
            if stream is not None:
                return stream
    return None


def _tip_stream(
    topics: list[Topic], side: str, problems: list[Problem], notes: list[str]
) -> _Stream | None:
    for topic in topics:
        if topic.kind != ENDPOINT_STATE or topic.side not in (side, None):
            continue
        blocks, damaged = decode(topic.messages, topic.fields)
        problems += [Problem(i, f"a message of {topic.topic} is damaged") for i in damaged]
        if not blocks:
            continue
        # Other versions of the message may lack some of them.
        parts: dict[str, Array] = {
            name: np.concatenate([block.values[name] for block in blocks])
            for name in ("pose", "twist", "wrench")
            if name in blocks[0].values
        }
        values: dict[str, Array] = {name: x for name, x in parts.items() if name != "pose"}
        if "pose" in parts:
            position, quaternion = np.split(parts["pose"], [3], axis=1)
            # Interpolation would hide an invalid quaternion.
            with np.errstate(over="ignore", invalid="ignore"):
                length = np.linalg.norm(quaternion, axis=1)
            quaternion[~(np.abs(length - 1.0) <= NO_ROTATION)] = np.nan
            values |= {"position": position, "quaternion": quaternion}
        rows = np.concatenate([block.rows for block in blocks])
        stamp = np.concatenate([block.stamp for block in blocks])
        return _ordered(topic, stamp, rows, values, notes)
    return None


def _gripper(topics: list[Topic], side: str, t: NDArray[np.int64]) -> dict[str, Array]:
    """What the arm's gripper said until the times `t` [ns]; empty if it said nothing then.

    A gripper that is not calibrated does not know how far it is open.
    """
    for topic in topics:
        if topic.kind != GRIPPER_STATE or topic.gripper != side:
            continue
        states = grippers(topic.messages)
        known = states["calibrated"] == 1
        stamp = states["sec"].astype(np.int64) * 1_000_000_000 + states["nanosec"]
        stamp = (stamp if stamp[known].all() else np.array(topic.times, dtype=np.int64))[known]
        order = np.argsort(stamp, kind="stable")
        own, states = stamp[order], states[known][order]
        if not len(own) or own[0] > t[-1] or own[-1] < t[0]:
            continue
        since, at = (own - t[0]) * 1e-9, (t - t[0]) * 1e-9
        return {
            "opening": held(since, 0.01 * states["position"].astype(np.float64), at),
            "gripping": held(since, (states["gripping"] == 1).astype(np.float64), at),
        }
    return {}


def _named_stream(
    topic: Topic, side: str, names: dict[str, str], problems: list[Problem], notes: list[str]
) -> _Stream | None:
    """The arm's quantities from messages with joint names; None if no good one names the arm."""
    blocks, damaged = decode(topic.messages, topic.fields)
    problems += [Problem(i, f"a message of {topic.topic} is damaged") for i in damaged]
    wanted = joint_names(side)
    arm: list[Block] = []
    for block in blocks:
        if not set(wanted) & set(block.names):
            continue  # Some messages may be about other joints, as those of a gripper.
        wrong = _block_problem(topic, block, wanted, names)
        if wrong is None:
            arm.append(block)
        else:
            problems += [Problem(int(row), wrong) for row in block.rows]
    if not arm:
        return None
    values: dict[str, Array] = {}
    for name, field_name in names.items():
        if any(_count(block, field_name) for block in arm):
            values[name] = np.concatenate([_columns(block, field_name, wanted) for block in arm])
        elif name in ("hysteresis", "crosstalk"):
            values[name] = np.zeros((sum(len(block.rows) for block in arm), 7))
    rows = np.concatenate([block.rows for block in arm])
    return _ordered(topic, np.concatenate([block.stamp for block in arm]), rows, values, notes)


def _count(block: Block, field_name: str) -> int:
    """Number of values of a field in each message of a block."""
    return block.values[field_name].shape[1] if field_name in block.values else 0


def _columns(block: Block, field_name: str, wanted: tuple[str, ...]) -> Array:
    """A field of the wanted joints, shape (n, 7); NaN where the messages hold none of it."""
    if not _count(block, field_name):
        return np.full((len(block.rows), 7), np.nan)
    return block.values[field_name][:, [block.names.index(joint) for joint in wanted]]


def _block_problem(
    topic: Topic, block: Block, wanted: tuple[str, ...], names: dict[str, str]
) -> str | None:
    """The fault of messages of one layout, or None."""
    missing = [name for name in wanted if name not in block.names]
    if missing:
        return f"{topic.topic} lacks {', '.join(missing)}; a recording needs all seven joints"
    twice = [name for name in wanted if block.names.count(name) > 1]
    if twice:
        return f"{topic.topic} names {twice[0]} twice"
    for name, field_name in names.items():
        count = _count(block, field_name)
        if count != len(block.names) and (count or name in NEEDED):
            return f"{topic.topic} has {len(block.names)} names and {count} values of {field_name}"
    return None


def _ordered(
    topic: Topic,
    stamp: NDArray[np.int64],
    rows: NDArray[np.int64],
    values: dict[str, Array],
    notes: list[str],
) -> _Stream:
    """Sorted by the stamp, or by the time of storing if stamps are missing; no time twice."""
    t = stamp
    # A publisher that does not stamp leaves zeros, or one time for all.
    if not stamp.all() or (len(stamp) > 2 and len(np.unique(stamp)) < 3):
        t = np.array(topic.times, dtype=np.int64)[rows]
        notes.append(f"{topic.topic} has messages without a stamp: time is when they were stored")
    order = np.argsort(t, kind="stable")
    order = order[np.concatenate([[True], np.diff(t[order]) > 0])]
    if len(order) < len(t):
        repeats = len(t) - len(order)
        notes.append(f"left out {repeats} messages of {topic.topic} with the time of another")
    return _Stream(t[order], {name: array[order] for name, array in values.items()}, rows[order])


def _covered(stream: _Stream, t: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the times `t` [ns] the stream covers: within it, and not in a gap of it."""
    start = stream.t[0]
    return covered((stream.t - start) * 1e-9, (t - start) * 1e-9)


def _aligned(stream: _Stream, t: NDArray[np.int64]) -> dict[str, Array]:
    """The stream's quantities at the times `t` [ns]."""
    start = stream.t[0]
    own, at = (stream.t - start) * 1e-9, (t - start) * 1e-9
    values: dict[str, Array] = {}
    for name, array in stream.values.items():
        if name == "quaternion":
            values[name] = rotation_map(lambda rows: interpolate(own, rows, at), array)
        elif name not in ("q", "qd"):
            values[name] = interpolate(own, array, at)
    return values

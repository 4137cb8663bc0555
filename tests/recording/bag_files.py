"""Real bags for tests, written by rosbags' own writer from the messages that the robot sends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit.messages.definitions import TEXTS
from baxterkit.model.names import JOINTS, message_names
from baxterkit.recording.bag_messages import (
    DEFINITIONS,
    ENDPOINT_STATE,
    GRIPPER_STATE,
    JOINT_STATE,
    KINDS,
    SEA_JOINT_STATE,
    robot_name,
)
from baxterkit.types import Array

ALL_NAMES = ("head_nod", "head_pan", *message_names(), "torso_t0")
"""Names of /robot/joint_states, in the robot's order."""
START = 1_400_000_000_000_000_000
STEP = 10_000_000  # ns

Entry = tuple[str, str, int, Any]


def typestore() -> Any:
    """A ROS 1 typestore of `rosbags` that knows the robot's own messages."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    for kind in KINDS:
        if kind not in store.types:
            store.register(get_types_from_msg(TEXTS[robot_name(kind)], kind))
    return store


class Messages:
    """Builds messages of the robot's types."""

    def __init__(self) -> None:
        self.store = typestore()
        types = self.store.types
        self._time = types["builtin_interfaces/msg/Time"]
        self._header = types["std_msgs/msg/Header"]
        self._joint_state = types[JOINT_STATE]
        self._endpoint = types[ENDPOINT_STATE]
        self._sea = types[SEA_JOINT_STATE]
        self._geometry = {
            name: types[f"geometry_msgs/msg/{name}"]
            for name in ("Pose", "Point", "Quaternion", "Twist", "Vector3", "Wrench")
        }

    def header(self, stamp: int, frame: str = "") -> Any:
        time = self._time(sec=stamp // 10**9, nanosec=stamp % 10**9)
        return self._header(seq=0, stamp=time, frame_id=frame)

    def joint_state(self, stamp: int, names: Sequence[str], q: Array, qd: Array, tau: Array) -> Any:
        return self._joint_state(
            header=self.header(stamp),
            name=list(names),
            position=np.asarray(q, dtype=float),
            velocity=np.asarray(qd, dtype=float),
            effort=np.asarray(tau, dtype=float),
        )

    def endpoint(
        self, stamp: int, position: Array, quaternion: Array, twist: Array, wrench: Array
    ) -> Any:
        part = self._geometry
        vector = part["Vector3"]
        return self._endpoint(
            header=self.header(stamp, "base"),
            pose=part["Pose"](
                position=part["Point"](*map(float, position)),
                orientation=part["Quaternion"](*map(float, quaternion)),
            ),
            twist=part["Twist"](
                linear=vector(*map(float, twist[:3])), angular=vector(*map(float, twist[3:]))
            ),
            wrench=part["Wrench"](
                force=vector(*map(float, wrench[:3])), torque=vector(*map(float, wrench[3:]))
            ),
        )

    def gripper(self, stamp: int, percent: float, gripping: bool = False) -> Any:
        flags = dict.fromkeys(("enabled", "calibrated", "ready"), 1)
        flags |= dict.fromkeys(("moving", "missed", "error", "reverse"), 0)
        return self.store.types[GRIPPER_STATE](
            timestamp=self._time(sec=stamp // 10**9, nanosec=stamp % 10**9),
            id=65664,
            **flags,
            gripping=int(gripping),
            position=percent,
            force=0.0,
            state="idle",
            command="",
            command_sender="",
            command_sequence=0,
        )

    def sea(self, stamp: int, names: Sequence[str], **values: Array) -> Any:
        empty = np.zeros(len(names))
        fields = [
            field.name
            for field in DEFINITIONS[SEA_JOINT_STATE]
            if field.kind == "float64" and field.array is not None
        ]
        return self._sea(
            header=self.header(stamp),
            name=list(names),
            hystState=0.0,
            **{field: np.asarray(values.get(field, empty), dtype=float) for field in fields},
        )


def write_bag(path: Path, entries: Iterable[Entry], compression: str | None = None) -> Path:
    """Writes (topic, type, time [ns], message) entries."""
    from rosbags.rosbag1 import Writer

    messages = Messages()
    writer = Writer(path)
    if compression is not None:
        writer.set_compression(writer.CompressionFormat[compression])
    with writer:
        connections: dict[str, Any] = {}
        for topic, kind, time, message in entries:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=messages.store)
            writer.write(connections[topic], time, messages.store.serialize_ros1(message, kind))
    return path


def joint_motion(n: int, side: str, phase: float = 0.0) -> tuple[Array, Array, Array]:
    """Joint positions, velocities and torques that tell joints, rows and sides apart, (n, 7)."""
    t = np.arange(n)[:, None] * STEP * 1e-9
    shift = np.arange(7) + (0.5 if side == "right" else 0.0) + phase
    q = 0.5 * np.sin(t + shift)
    return q, 0.5 * np.cos(t + shift), 3.0 * np.sin(2.0 * t + shift)


def joint_state_entries(n: int, messages: Messages) -> list[Entry]:
    """/robot/joint_states of both arms, as the robot sends them: alphabetical, with the head."""
    parts = {side: joint_motion(n, side) for side in ("left", "right")}
    columns = [
        (name.split("_")[0], JOINTS.index(name.split("_")[1])) if name in message_names() else None
        for name in ALL_NAMES
    ]
    entries: list[Entry] = []
    for i in range(n):
        rows = [
            [0.0 if c is None else float(parts[c[0]][kind][i, c[1]]) for c in columns]
            for kind in range(3)
        ]
        stamp = START + i * STEP
        message = messages.joint_state(stamp, ALL_NAMES, *map(np.array, rows))
        entries.append(("/robot/joint_states", JOINT_STATE, stamp + 700_000, message))
    return entries

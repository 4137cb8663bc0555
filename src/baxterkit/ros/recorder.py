"""Recording the robot: arrays for our own use, and every message as it came, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import InputError, RecordingError
from baxterkit.extras import load_extra
from baxterkit.messages import Message
from baxterkit.recording.mcap_writer import Channel, write_mcap_file
from baxterkit.recording.recording import Recording
from baxterkit.ros import topics
from baxterkit.ros.node import Listener, Subscriber
from baxterkit.ros.spool import Kept, Spool
from baxterkit.ros.states import States, arm_rows
from baxterkit.types import Array


class Recorder:
    """Keeps what the robot says while it is open, the robot's stamps included.

    Args:
        node: The node, to listen to what the link itself does not need.
        states: What the robot says.
        path: Bag (.bag) or MCAP file (.mcap) to write at the end; none if None.

    Raises:
        InputError: If the path ends otherwise.
        FileError: If it cannot be written; at the end, if the disk was full before.
        MissingExtraError: If rosbags (for bags) or mcap is not installed.
    """

    def __init__(self, node: Listener, states: States, path: str | Path | None = None) -> None:
        self._states, self._path = states, path
        ending = "" if path is None else disk.as_path(path).suffix
        if ending not in ("", ".bag", ".mcap") or (path is not None and not ending):
            raise InputError(f"{path}: a robot is recorded as .bag or .mcap")
        if ending == ".bag":
            load_extra("rosbags.rosbag1", feature="Writing bags", package="rosbags", extra="ros")
        if ending == ".mcap":
            load_extra("mcap.writer", feature="Writing MCAP files", package="mcap", extra="ros")
        if path is not None:
            disk.check_target(path)  # now: at the end of a run it would be too late
        self._messages = Spool(path)
        self._open = True
        states.taps.append(self._keep)
        self._own: list[Subscriber] = []
        name, kind = topics.of_robot("ref_joint_states")
        if path is not None:
            self._own.append(
                node.subscribe(name, kind, lambda message, _: self._keep(name, message))
            )

    def __len__(self) -> int:
        return len(self._messages)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the recording, and writes the bag."""
        if not self._open:
            return
        self._open = False
        self._states.taps.remove(self._keep)
        for subscriber in self._own:
            subscriber.close()
        self._messages.check()
        if self._path is not None:
            path = Path(self._path)
            (self._write_mcap if path.suffix == ".mcap" else self._write)(path)

    def recording(self, side: str) -> Recording:
        """One arm as a `Recording`, time 0 at its first row.

        Raises:
            RecordingError: If no state of the arm came.
        """
        stamps, (q, qd, tau) = self.stamped(side)
        if not len(stamps):
            raise RecordingError(f"no states of the {side} arm came while recording")
        t = (stamps - stamps[0]) * 1e-9
        return Recording(t=t, q=q, qd=qd, tau=tau, side=side, source="robot")

    def stamped(self, side: str) -> tuple[NDArray[np.int64], list[Array]]:
        """The robot's stamps [ns], shape (n,), and positions, velocities, efforts, (n, 7) each."""
        rows: dict[int, list[Array]] = {}
        for one in self._messages:
            if one.topic != topics.of_robot("joint_states").name:
                continue
            message = one.kind.decode(one.data)
            order = arm_rows(tuple(message.name), side)
            columns = (message.position, message.velocity, message.effort)
            if order is None or any(len(column) != len(message.name) for column in columns):
                continue
            values = [column[order] for column in columns]
            if all(np.isfinite(value).all() for value in values):
                rows.setdefault(message.header.stamp, values)
        stamps = sorted(rows)
        found = [np.array([rows[t][i] for t in stamps]).reshape(-1, 7) for i in range(3)]
        return np.array(stamps, dtype=np.int64), found

    def _keep(self, topic: str, message: Message) -> None:
        if self._open:
            self._messages.append(topic, self._states.clock.stamp(), message)

    def _write_mcap(self, path: Path) -> None:
        """Writes every message as it came, in ROS 1's encoding: Foxglove and `load` read it."""

        def channel(one: Kept) -> Channel:
            return Channel(one.topic, one.kind.TYPE, one.kind.TEXT, "ros1msg", "ros1")

        with disk.replacing(path) as file:
            write_mcap_file(file, "ros1", ((channel(m), m.t, m.data) for m in self._messages))

    def _write(self, path: Path) -> None:
        """Writes the bag; an old one is replaced by a whole one, or stays."""
        from rosbags.rosbag1 import Writer

        connections: dict[str, Any] = {}
        with disk.replacing_path(path) as beside:
            beside.unlink(missing_ok=True)  # the writer wants to make its file itself
            with Writer(beside) as writer:
                for topic, t, kind, data in self._messages:
                    if topic not in connections:
                        package, _, name = kind.TYPE.partition("/")
                        connections[topic] = writer.add_connection(
                            topic, f"{package}/msg/{name}", msgdef=kind.TEXT, md5sum=kind.MD5
                        )
                    writer.write(connections[topic], t, data)

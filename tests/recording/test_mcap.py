"""MCAP files: ours as others read them, others' as we read them, and damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, recording
from baxterkit.errors import InputError, RecordingError
from baxterkit.recording import Recording
from baxterkit.recording.bag_messages import DEFINITIONS, JOINT_STATE
from baxterkit.recording.cdr import cdr_to_ros1, to_cdr
from baxterkit.recording.mcap_file import ros2_definition
from baxterkit.recording.mcap_records import MAGIC
from baxterkit.recording.mcap_writer import CHUNK_SIZE, Channel, write_mcap_file

N = 50
START = 1_700_000_000_123_456_789


def motion(**fields: Any) -> Recording:
    t = np.arange(N) / 100.0
    q = 0.3 * np.sin(t[:, None] + np.arange(7))
    arm = Arm("right")
    turn = np.tile([0.0, 0.6, 0.0, 0.8], (N, 1))
    given = {"qd": np.cos(q), "tau": np.sin(3.0 * q), "position": arm.fk(q)[:, :3, 3]}
    return Recording(t=t, q=q, **{**given, "quaternion": turn, "side": "right", **fields})


@pytest.mark.parametrize("parts", [False, True])
def test_a_recording_comes_back(tmp_path: Path, parts: bool) -> None:
    torques = {"actuator": 1.0, "gravity": 2.0, "hysteresis": 3.0, "crosstalk": -1.0}
    extra = {name: np.full((N, 7), x) for name, x in torques.items()} if parts else {}
    if parts:
        extra["tau"] = np.full((N, 7), 3.0)  # the sum of what the sensors say
    rec = motion(**extra)
    again = recording.load(rec.save(tmp_path / "run.mcap"))
    assert again.side == "right"
    for name in ("t", "q", "qd", "tau", "position", "quaternion", *extra):
        assert_close(getattr(again, name), getattr(rec, name), 1e-12)


def test_ros_2_reads_what_we_write(tmp_path: Path) -> None:
    """`rosbags`, with its own definitions of ROS 2 and its own reader of MCAP."""
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    rec = motion(actuator=np.full((N, 7), 0.5))
    path = rec.save(tmp_path / "run.mcap")
    store = get_typestore(Stores.ROS2_HUMBLE)
    for kind in DEFINITIONS:
        store.register(get_types_from_msg(ros2_definition(kind).split("\n===")[0], kind))
    with Reader(path) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
        assert counts == dict.fromkeys(
            (
                "/robot/joint_states",
                "/robot/limb/right/endpoint_state",
                "/robot/limb/right/gravity_compensation_torques",
            ),
            N,
        )
        rows = [
            (c.topic, t, store.deserialize_cdr(data, c.msgtype)) for c, t, data in reader.messages()
        ]
    joints = [m for topic, _, m in rows if topic == "/robot/joint_states"]
    assert joints[0].name == list(Arm("right").joint_names)
    assert_close(np.array([m.position for m in joints]), rec.q, 0.0)
    assert_close(np.array([m.effort for m in joints]), rec.tau, 0.0)
    stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in joints]
    assert stamps == [round(1e9 * t) for t in rec.t]
    tips = [m for topic, _, m in rows if topic.endswith("endpoint_state")]
    assert tips[3].header.frame_id == "base"
    assert_close(tips[3].pose.position.x, rec.position[3, 0], 0.0)  # type: ignore[index]


@pytest.mark.parametrize("packed", ["", "zstd"])
def test_what_ros_2_writes_is_read(tmp_path: Path, packed: str) -> None:
    """Joints in any order, and a gripper's messages on the same topic, as on the robot."""
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    Time, Header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
    rec = motion()
    order = [3, 0, 6, 1, 5, 2, 4]
    names = [Arm("right").joint_names[j] for j in order]
    writer = Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP)
    if packed:
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        topic = writer.add_connection("/robot/joint_states", JOINT_STATE, typestore=store)
        for i, q in enumerate(rec.q):
            t = START + 10_000_000 * i
            head = Header(Time(*divmod(t, 10**9)), "frame")
            for words, values in ((names, q[order]), (["r_gripper_l_finger_joint"], np.zeros(1))):
                message = types[JOINT_STATE](head, words, values, values, values)
                writer.write(topic, t, store.serialize_cdr(message, JOINT_STATE))
    (path,) = (tmp_path / "bag").glob("*.mcap")
    again = recording.load(path)
    assert again.side == "right"
    assert_close(again.q, rec.q, 0.0)
    assert_close(again.t, rec.t, 1e-9)


def test_messages_of_ros_1_are_read_from_mcap(tmp_path: Path) -> None:
    """As Foxglove's converters, and a link's recorder, write them."""
    from baxterkit.messages import message_class

    JointState, Header = (
        message_class(f"{x}") for x in ("sensor_msgs/JointState", "std_msgs/Header")
    )
    rec = motion()
    names = list(Arm("right").joint_names)
    channel = Channel("/robot/joint_states", JointState.TYPE, JointState.TEXT, "ros1msg", "ros1")
    path = tmp_path / "run.mcap"
    rows = [
        (channel, t, JointState(header=Header(stamp=t), name=names, position=q).encode())
        for t, q in zip(START + 10_000_000 * np.arange(N), rec.q, strict=True)
    ]
    with path.open("wb") as file:
        write_mcap_file(file, "ros1", [(c, int(t), data) for c, t, data in rows])
    assert_close(recording.load(path).q, rec.q, 0.0)


def test_long_recordings_have_an_index_by_time(tmp_path: Path) -> None:
    """Viewers jump by it: rosbags reads only what lies between two times."""
    from rosbags.rosbag2 import Reader

    channel = Channel("/text", "std_msgs/msg/String", "string data\n", "ros2msg", "cdr")
    path, size = tmp_path / "long.mcap", CHUNK_SIZE // 3
    with path.open("wb") as file:
        write_mcap_file(file, "ros2", ((channel, 1000 * i, bytes(size)) for i in range(20)))
    with Reader(path) as reader:
        assert reader.message_count == 20
        assert [t for _, t, _ in reader.messages(start=5000, stop=8000)] == [5000, 6000, 7000]


def test_a_file_that_is_cut_off_says_so_and_gives_what_it_holds(tmp_path: Path) -> None:
    whole = motion().save(tmp_path / "run.mcap").read_bytes()
    cut = tmp_path / "cut.mcap"
    for size in (0, 4, 20, 2000, len(whole) - 9000):
        cut.write_bytes(whole[:size])
        with pytest.raises(RecordingError, match=r"not an MCAP file|cut off or damaged"):
            recording.load(cut)
    flat = tmp_path / "flat.mcap"
    flat.write_bytes(whole[:8] + _unchunked(whole))
    assert len(recording.load(flat, bad_rows="drop")) == N
    flat.write_bytes(flat.read_bytes()[:-5000])
    with pytest.raises(RecordingError, match="keep what can be read with"):
        recording.load(flat)
    some = recording.load(flat, bad_rows="drop")
    assert 10 < len(some) < N
    assert any("cut off" in note for note in some.notes)


def _unchunked(whole: bytes) -> bytes:
    """The records of the first chunk, without a chunk around them."""
    at = 8
    while whole[at] != 6:
        at += 9 + struct.unpack_from("<Q", whole, at + 1)[0]
    (size,) = struct.unpack_from("<Q", whole, at + 1)
    return whole[at + 9 + 8 * 3 + 4 + 4 + 8 : at + 9 + size]


def test_a_checksum_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    path = motion().save(tmp_path / "run.mcap")
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordingError, match="another checksum"):
        recording.load(path)


def test_a_chunk_that_unpacks_to_more_than_it_says_is_damage(tmp_path: Path) -> None:
    """And is not unpacked: the package `mcap` reads such a file of 6 MB for many minutes."""
    from lz4 import frame

    def record(operation: int, body: bytes) -> bytes:
        return struct.pack("<BQ", operation, len(body)) + body

    data = frame.compress(bytes(50_000_000))
    head = struct.pack("<QQQI", 0, 0, 1000, 0) + struct.pack("<I", 3) + b"lz4"
    chunk = record(6, head + struct.pack("<Q", len(data)) + data)
    path = tmp_path / "bomb.mcap"
    path.write_bytes(MAGIC + record(1, bytes(8)) + chunk + record(15, bytes(4)))
    with pytest.raises(RecordingError, match="unpacks to another size than it says"):
        recording.load(path)


def test_an_arm_must_be_known_and_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not say which arm"):
        motion(side=None).save(tmp_path / "run.mcap")
    path = tmp_path / "run.mcap"
    path.write_bytes(b"#ROSBAG V2.0\n")
    with pytest.raises(RecordingError, match="this is not an MCAP file"):
        recording.load(path)


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_cdr_and_ros_1_have_the_same_content(kind: str) -> None:
    rng = np.random.default_rng(3)
    fields = DEFINITIONS[kind]
    values = {
        field.name: rng.standard_normal(3)
        for field in fields
        if field.kind == "float64" and field.array is not None
    }
    data = to_cdr(START, "base", fields, {"name": ["a", "bc", "def"], **values})
    ros1 = cdr_to_ros1(data, fields)
    assert ros1 is not None
    assert struct.unpack_from("<III", ros1) == (0, *divmod(START, 10**9))
    for cut in range(len(data)):
        assert cdr_to_ros1(data[:cut], fields) is None
    assert cdr_to_ros1(b"\x00\x00" + data[2:], fields) is None  # big-endian

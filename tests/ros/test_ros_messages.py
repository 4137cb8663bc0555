"""Messages made from our definitions are those of the robot: checksums, bytes, refusals."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from tolerances import ROUNDING, assert_close

from baxterkit.errors import UnknownNameError
from baxterkit.messages import Message, message_class, service_type
from baxterkit.messages.definitions import TEXTS
from baxterkit.ros.errors import MessageError
from baxterkit.ros.poses import pose_message
from baxterkit.spatial import matrix_to_quaternion, quaternion_to_matrix

# Checksums of release 1.2.0 of the robot's software, and of the common messages of ROS 1 noetic.
ROBOT = {
    "JointCommand": "19bfec8434dd568ab3c633d187c36f2e",
    "EndpointState": "44bea01d596ff699fa1447bec34167ac",
    "EndpointStates": "a0ca50a066809a5f065f39f37aa028fb",
    "AssemblyState": "356d9dd237ce73b2667da9235f541933",
    "SEAJointState": "d36406dcbb6d860b1b39c4e28f81352b",
    "HeadPanCommand": "23b8a3f4b7ee9de7099d029e57660a8c",
    "HeadState": "71c43b264307205358e7e49be5601348",
    "EndEffectorCommand": "c003234e90416f2ca02ac7837c42cbb7",
    "EndEffectorState": "ade777f069d738595bc19e246b8ec7a0",
    "EndEffectorProperties": "21b83773ab9a35216d11e427573c76cc",
    "CollisionAvoidanceState": "30f5cb8ae019f1ffe8b599e6d2e589c7",
    "CollisionDetectionState": "7bde38c182b4d08fdc0635b116f65d04",
    "DigitalIOState": "29d0be3859dae81a66b28f167ecec98c",
    "DigitalOutputCommand": "23f05028c1a699fb83e22401228c3a9e",
    "AnalogIOState": "39af371963dc9e4447e91f430c720b33",
    "AnalogOutputCommand": "a7b945129a083ca4095d48aa94841d85",
    "NavigatorState": "680d121a1f16a32647298b292492fffd",
    "RobustControllerStatus": "2f15441b7285d915e7e59d3618e173f2",
    "URDFConfiguration": "0c7028d878027820eed2aa0cbf1f5e4a",
    "AnalogIOStates": "0a05ba3bbb53a8a3b164e34946d619f7",
    "DigitalIOStates": "d434210c6ec20947fec667d6c13d6062",
    "NavigatorStates": "2c2eeb02fbbaa6f1ab6c680887f2db78",
    "AssemblyStates": "63427318d41dbd2077c105027ad82a2b",
    "CameraControl": "01e38dd67dfb36af457f0915248629d1",
    "CameraSettings": "d133bef4a3bd9a6e490a5dc91d20f429",
}
SERVICES = {
    "baxter_core_msgs/SolvePositionIK": "18cc92fd96853eb10b34de0b5c7d3cba",
    "baxter_core_msgs/OpenCamera": "73eacff63d5f9cca2d986614515a5c8c",
    "baxter_core_msgs/CloseCamera": "1067b4a7f008fe1ff4bd9668312773fd",
    "baxter_core_msgs/ListCameras": "855b31192ab61744e7deb992d94db7ff",
    "std_srvs/Empty": "d41d8cd98f00b204e9800998ecf8427e",
}
COMMON = {
    "std_msgs/Header": "2176decaecbce78abc3b96ef049fabed",
    "std_msgs/Empty": "d41d8cd98f00b204e9800998ecf8427e",
    "std_msgs/UInt8MultiArray": "82373f1612381bb6ee473b5cd6f5d89c",
    "geometry_msgs/TwistStamped": "98d34b0043a2093cf9d9345ab6eef12e",
    "sensor_msgs/PointCloud": "d8e9c3f5afbdd8a130fd1d2763945fca",
    "sensor_msgs/Imu": "6a62c6daae103f4ff57a132d6f95cec2",
    "sensor_msgs/Image": "060021388200f6f0f447d0fcd9c64743",
    "sensor_msgs/CameraInfo": "c9a58c1b0b154e0e6da7578cb991d214",
    "sensor_msgs/Range": "c005c34273dc426c67a020a87bc24148",
    "diagnostic_msgs/DiagnosticStatus": "d0ce08bc6e5ba34c7754f563a9cabaf1",
    "diagnostic_msgs/DiagnosticArray": "60810da900de1dd6ddd437c3503511da",
    "baxter_maintenance_msgs/CalibrateArmEnable": "d7ff300fd410d4ac849664ab8143da39",
    "baxter_maintenance_msgs/TareEnable": "1d38ec0923789ab928453d933bef8c51",
    "std_msgs/Bool": "8b94c1b53db61fb6aed406028ad6332a",
    "std_msgs/Float32": "73fcbf46b49191e672908e50842a83d4",
    "std_msgs/Float64": "fdb28210bfa9d7c91146260178d9a584",
    "std_msgs/Int32": "da5909fbe378aeaf85e547e830cc1bb7",
    "std_msgs/UInt16": "1df79edf208b629fe6b81923a544552d",
    "std_msgs/UInt32": "304a39449588c7f8ce2df6e8001c5fce",
    "sensor_msgs/JointState": "3066dcd76a6cfaef579bd0f34173e9fd",
    "geometry_msgs/PoseStamped": "d3812c3cbc69362b77dc0b19b345f8f5",
    "tf2_msgs/TFMessage": "94810edda583a504dfda3829e70d7eec",
    "trajectory_msgs/JointTrajectory": "65b4f94a94d1ed67169da35a02f33d3f",
    "actionlib_msgs/GoalStatusArray": "8b2b82f13216d0a8ea88bd3af735e619",
    "control_msgs/FollowJointTrajectoryActionGoal": "cff5c1d533bf2f82dd0138d57f4304bb",
    "control_msgs/FollowJointTrajectoryActionResult": "c4fb3b000dc9da4fd99699380efcc5d9",
    "control_msgs/FollowJointTrajectoryActionFeedback": "d8920dc4eae9fc107e00999cce4be641",
}
MESSAGES = [name for name, text in TEXTS.items() if "---\n" not in text]
Header = message_class("std_msgs/Header")


def filled(kind: type[Message], seed: int = 1) -> Message:
    """A message in which no field is zero."""
    rng = np.random.default_rng(seed)
    message = kind()
    for name, _ in kind._fields:
        setattr(message, name, _value(getattr(message, name), kind, name, rng))
    return message


def _value(value: object, kind: type[Message], name: str, rng: np.random.Generator) -> object:
    if isinstance(value, Message):
        return filled(type(value), int(rng.integers(1000)))
    if isinstance(value, np.ndarray):
        return rng.integers(0, 2, len(value) or 3).astype(value.dtype)
    if isinstance(value, bytes):
        return bytes([1, 2, 3])
    if isinstance(value, list):
        field = next(line for line in TEXTS[kind.TYPE].splitlines() if line.endswith(f" {name}"))
        inner = field.split("[")[0]
        if inner == "string":
            return ["left_s0", "ß", ""]
        full = next(n for n in MESSAGES if n.endswith(f"/{inner.rpartition('/')[2]}"))
        return [filled(message_class(full), 7), filled(message_class(full), 8)]
    if isinstance(value, str):
        return "word"
    if isinstance(value, bool):
        return True
    return 0.5 if isinstance(value, float) else 3


@pytest.mark.parametrize("name", ROBOT)
def test_checksums_are_those_of_the_robot(name: str) -> None:
    assert ROBOT[name] == message_class(f"baxter_core_msgs/{name}").MD5


@pytest.mark.parametrize("name", SERVICES)
def test_checksums_of_services_are_those_of_the_robot(name: str) -> None:
    assert service_type(name).md5 == SERVICES[name]


@pytest.mark.parametrize("name", COMMON)
def test_checksums_of_common_messages(name: str) -> None:
    assert COMMON[name] == message_class(name).MD5


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_survives_the_wire(name: str) -> None:
    message = filled(message_class(name))
    data = message.encode()
    again = type(message).decode(data)
    assert again == message
    assert again.encode() == data
    sent = message.sent()
    assert sent == again
    assert all(type(getattr(sent, x)) is type(getattr(again, x)) for x, _ in message._fields)
    assert type(message)() != message or not data


@pytest.mark.parametrize("name", MESSAGES)
def test_a_cut_or_longer_message_is_refused(name: str) -> None:
    kind = message_class(name)
    data = filled(kind).encode()
    for end in range(len(data)):
        with pytest.raises(MessageError):
            kind.decode(data[:end])
    with pytest.raises(MessageError, match="were expected"):
        kind.decode(data + b"\0")


def test_lengths_are_checked_before_memory_is_taken() -> None:
    huge = struct.pack("<IIII", 0, 0, 0, 0) + struct.pack("<I", 2**32 - 1)
    with pytest.raises(MessageError, match="needs"):
        message_class("sensor_msgs/JointState").decode(huge)


def test_rosbags_reads_our_bytes_and_has_our_checksums() -> None:
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    for name in MESSAGES:
        kind = message_class(name)
        package, _, short = name.partition("/")
        full = f"{package}/msg/{short}"
        if full not in store.types:
            store.register(get_types_from_msg(kind.TEXT, full))
        assert store.generate_msgdef(full)[1] == kind.MD5
        data = filled(kind).encode()
        again = store.deserialize_ros1(data, full)
        assert bytes(store.serialize_ros1(again, full)) == data


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"mode": "left"}, "mode: 'left' is no int32"),
        ({"mode": 2**40}, "is no int32"),
        ({"command": ["a"]}, "is no array of float64"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(MessageError, match=words):
        message_class("baxter_core_msgs/JointCommand")(**fields).encode()
    with pytest.raises(MessageError, match=words):
        message_class("baxter_core_msgs/JointCommand")(**fields).sent()


def test_a_message_that_is_sent_within_the_process_is_a_copy_as_the_wire_makes_it() -> None:
    kind = message_class("sensor_msgs/JointState")
    q = np.zeros(2)
    message = kind(name=("a", "ß"), position=q, velocity=(1, 2), effort=[[1.0], [2.0]])
    sent, decoded = message.sent(), kind.decode(message.encode())
    q += 1.0
    assert sent == decoded
    assert sent.position.tolist() == [0.0, 0.0]
    assert sent.velocity.dtype == decoded.velocity.dtype == np.float64
    assert isinstance(sent.name, list)
    state = message_class("baxter_core_msgs/EndEffectorState")(position=0.1)
    assert state.sent().position == type(state).decode(state.encode()).position != 0.1  # float32


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown message 'baxter_core_msgs/Nothing'"):
        message_class("baxter_core_msgs/Nothing")
    with pytest.raises(UnknownNameError, match="unknown service"):
        service_type("sensor_msgs/JointState")
    with pytest.raises(UnknownNameError, match="unknown field of std_msgs/Header 'sec'"):
        Header(sec=1)


def test_times_are_whole_nanoseconds() -> None:
    assert Header.decode(Header(stamp=1_700_000_000_123_456_789).encode()).stamp % 1000 == 789
    Point = message_class("trajectory_msgs/JointTrajectoryPoint")
    assert Point.decode(Point(time_from_start=-1).encode()).time_from_start == -1


def test_the_quaternion_of_a_pose_message_is_that_of_spatial() -> None:
    rng = np.random.default_rng(4)
    for i in range(500):
        quaternion = rng.normal(size=4)
        quaternion[rng.integers(0, 4, i % 3)] = 0.0  # half turns, and rotations about one axis
        T = np.eye(4)
        T[:3, :3] = quaternion_to_matrix(quaternion)
        q = pose_message(T).orientation
        assert_close([q.x, q.y, q.z, q.w], matrix_to_quaternion(T[:3, :3]), ROUNDING)

"""ROS 1 bags: written by rosbags, read without ROS."""

from __future__ import annotations

import dataclasses
import gzip
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from bag_files import (
    ALL_NAMES,
    START,
    STEP,
    Entry,
    Messages,
    joint_motion,
    joint_state_entries,
    typestore,
    write_bag,
)
from tolerances import BAG_LOAD_SECONDS, RESAMPLED, ROUNDING, assert_close

from baxterkit import Arm, recording
from baxterkit.disk import reading
from baxterkit.errors import RecordingError
from baxterkit.messages.definitions import TEXTS
from baxterkit.model.names import joint_names, message_names
from baxterkit.recording.bag_messages import (
    DEFINITIONS,
    ENDPOINT_STATE,
    JOINT_STATE,
    KINDS,
    MD5,
    SEA_JOINT_STATE,
    decode,
    robot_name,
)

N = 300


@pytest.fixture(scope="module")
def messages() -> Messages:
    return Messages()


@pytest.fixture(scope="module")
def joint_bag(tmp_path_factory: pytest.TempPathFactory, messages: Messages) -> Path:
    path = tmp_path_factory.mktemp("bags") / "joints.bag"
    return write_bag(path, joint_state_entries(N, messages))


def test_definitions_have_the_checksums_that_the_robot_states() -> None:
    store = typestore()
    assert {kind: store.generate_msgdef(kind)[1] for kind in KINDS} == MD5


@pytest.mark.parametrize("side", ["left", "right"])
def test_joint_states_are_read_by_name_into_canonical_order(joint_bag: Path, side: str) -> None:
    rec = recording.load(joint_bag, side=side)
    q, qd, tau = joint_motion(N, side)
    assert (rec.side, len(rec), rec.fields) == (side, N, ("q", "qd", "tau"))
    np.testing.assert_array_equal(rec.q, q)
    np.testing.assert_array_equal(rec.qd, qd)
    np.testing.assert_array_equal(rec.tau, tau)
    assert_close(rec.t, np.arange(N) * 0.01, RESAMPLED)


def test_the_quick_decoder_gives_what_the_generic_one_gives(messages: Messages) -> None:
    entries = joint_state_entries(5, messages)
    raw = [bytes(messages.store.serialize_ros1(m, JOINT_STATE)) for _, _, _, m in entries]
    blocks, damaged = decode(raw, DEFINITIONS[JOINT_STATE])
    assert (len(blocks), damaged) == (1, [])
    for i, data in enumerate(raw):
        expected = messages.store.deserialize_ros1(data, JOINT_STATE)
        assert blocks[0].names == tuple(expected.name)
        np.testing.assert_array_equal(blocks[0].values["effort"][i], expected.effort)
        stamp = expected.header.stamp
        assert blocks[0].stamp[i] == stamp.sec * 10**9 + stamp.nanosec


def test_a_file_of_both_arms_asks_which(joint_bag: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        recording.load(joint_bag)
    assert str(caught.value) == (
        f"{joint_bag}: the file holds both arms; say side='left' or side='right'"
    )


@pytest.mark.parametrize("compression", ["BZ2", "LZ4"])
def test_compressed_bags_are_read(tmp_path: Path, messages: Messages, compression: str) -> None:
    path = tmp_path / "packed.bag"
    write_bag(path, joint_state_entries(40, messages), compression)
    np.testing.assert_array_equal(recording.load(path, "left").q, joint_motion(40, "left")[0])


def test_a_gzipped_bag_is_read(tmp_path: Path, joint_bag: Path) -> None:
    path = tmp_path / "joints.bag.gz"
    path.write_bytes(gzip.compress(joint_bag.read_bytes()))
    np.testing.assert_array_equal(recording.load(path, "left").q, joint_motion(N, "left")[0])


def sea_entries(n: int, messages: Messages, side: str, shift: int = 0) -> list[Entry]:
    """The arm's SEAJointState, with its parts apart; hysteresis and cross-talk at s1 only."""
    q, qd, actuator = joint_motion(n, side)
    names = message_names(side)
    order = [joint_names(side).index(name) for name in names]
    s1 = np.eye(7)[1]
    entries: list[Entry] = []
    for i in range(n):
        stamp = START + i * STEP + shift
        message = messages.sea(
            stamp,
            names,
            actual_position=q[i, order],
            actual_velocity=qd[i, order],
            actual_effort=actuator[i, order],
            gravity_model_effort=np.full(7, 2.0),
            hysteresis_model_effort=(-5.0 * s1)[order],
            crosstalk_model_effort=(0.5 * s1)[order],
        )
        topic = f"/robot/limb/{side}/gravity_compensation_torques"
        entries.append((topic, SEA_JOINT_STATE, stamp, message))
    return entries


def test_torque_is_the_sum_of_actuator_hysteresis_and_crosstalk(
    tmp_path: Path, messages: Messages
) -> None:
    path = write_bag(tmp_path / "sea.bag", sea_entries(50, messages, "right"))
    rec = recording.load(path)
    q, qd, actuator = joint_motion(50, "right")
    assert rec.side == "right"
    np.testing.assert_array_equal(rec.q, q)
    np.testing.assert_array_equal(rec.qd, qd)
    np.testing.assert_array_equal(rec.actuator, actuator)
    added = np.array([0.0, -4.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert_close(rec.tau, actuator + added, ROUNDING)
    assert_close(rec.gravity, np.full((50, 7), 2.0), 0.0)


def test_other_topics_are_brought_to_the_times_of_the_joint_states(
    tmp_path: Path, messages: Messages
) -> None:
    arm = Arm("left", "electric_extended")
    q, _, _ = joint_motion(60, "left")
    T = arm.fk(q)
    entries = joint_state_entries(60, messages) + sea_entries(60, messages, "left", STEP // 4)
    for i in range(60):
        # Half a step late: the value at a joint state's time lies between two of them.
        stamp = START + i * STEP + STEP // 2
        message = messages.endpoint(
            stamp, T[i, :3, 3], [0.0, 0.0, 0.0, 1.0], np.full(6, i), np.full(6, -i)
        )
        entries.append(("/robot/limb/left/endpoint_state", ENDPOINT_STATE, stamp, message))
    entries.sort(key=lambda entry: entry[2])
    rec = recording.load(write_bag(tmp_path / "all.bag", entries), "left")
    assert len(rec) == 59  # nothing is known of the others before the first joint state
    assert "left out 1 rows that not all topics cover" in rec.notes
    assert_close(rec.twist, np.arange(0.5, 59.0)[:, None] * np.ones(6), 1e3 * RESAMPLED)
    assert_close(rec.position, 0.5 * (T[1:, :3, 3] + T[:-1, :3, 3]), RESAMPLED)
    np.testing.assert_array_equal(rec.q, q[1:])
    assert rec.actuator is not None


def test_definitions_of_other_versions_are_read_from_the_bag(tmp_path: Path) -> None:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    text = TEXTS[robot_name(SEA_JOINT_STATE)]
    lines = [line for line in text.splitlines() if "crosstalk" not in line]
    text = "\n".join(["# another version", "uint8 VERSION=2", *lines[:-1]])
    store = get_typestore(Stores.ROS1_NOETIC)
    store.register(get_types_from_msg(text, SEA_JOINT_STATE))
    header = Messages().header(START)
    values = {line.split()[1]: np.arange(7.0) for line in lines[2:-1]}
    kind = store.types[SEA_JOINT_STATE]
    message = kind(header=header, name=list(joint_names("left")), **values)
    path = tmp_path / "older.bag"
    with Writer(path) as bag:
        topic = "/robot/limb/left/gravity_compensation_torques"
        connection = bag.add_connection(topic, SEA_JOINT_STATE, typestore=store)
        bag.write(connection, START, store.serialize_ros1(message, SEA_JOINT_STATE))
    rec = recording.load(path)
    assert_close(rec.q, np.arange(7.0)[None], 0.0)
    assert_close(rec.tau, 2.0 * np.arange(7.0)[None], 0.0)  # actuator and hysteresis


@pytest.mark.parametrize(
    ("fields", "has_pose"), [(["geometry_msgs/Pose pose"], True), (["uint8 state"], False)]
)
def test_endpoint_states_of_other_versions_give_what_they_hold(
    tmp_path: Path, messages: Messages, fields: list[str], has_pose: bool
) -> None:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    text = "\n".join(["std_msgs/Header header", *fields])
    store.register(get_types_from_msg(text, ENDPOINT_STATE))
    whole = endpoint_entries((START + i * STEP for i in range(10)), messages)
    content = [{"pose": entry[3].pose} if has_pose else {"state": 1} for entry in whole]
    path = tmp_path / "other.bag"
    with Writer(path) as bag:
        joints = bag.add_connection("/robot/joint_states", JOINT_STATE, typestore=store)
        tip = bag.add_connection(whole[0][0], ENDPOINT_STATE, typestore=store)
        for i, (_, kind, stamp, message) in enumerate(joint_state_entries(10, messages)):
            bag.write(joints, stamp, store.serialize_ros1(message, kind))
            other = store.types[ENDPOINT_STATE](header=whole[i][3].header, **content[i])
            bag.write(tip, stamp, store.serialize_ros1(other, ENDPOINT_STATE))
    rec = recording.load(path, "left")
    assert len(rec) == 10
    assert rec.fields == ("q", "qd", "tau", *(("position", "quaternion") if has_pose else ()))
    left_out = "left out: topic /robot/limb/left/endpoint_state has another definition of "
    assert any(note.startswith(left_out) for note in rec.notes) != has_pose


def test_messages_of_other_joints_are_passed_over(tmp_path: Path, messages: Messages) -> None:
    entries = joint_state_entries(20, messages)
    for i in range(0, 20, 3):
        stamp = START + i * STEP + 1
        fingers = messages.joint_state(
            stamp, ["l_gripper_l_finger_joint"], np.zeros(1), np.zeros(1), np.zeros(1)
        )
        entries.append(("/robot/joint_states", JOINT_STATE, stamp, fingers))
    entries.sort(key=lambda entry: entry[2])
    rec = recording.load(write_bag(tmp_path / "fingers.bag", entries), "left")
    np.testing.assert_array_equal(rec.q, joint_motion(20, "left")[0])


def test_the_arm_is_found_behind_many_messages_of_other_joints(
    tmp_path: Path, messages: Messages
) -> None:
    zero = np.zeros(1)
    entries: list[Entry] = [
        (
            "/robot/joint_states",
            JOINT_STATE,
            START - (100 - i) * STEP,
            messages.joint_state(START - (100 - i) * STEP, ["head_pan"], zero, zero, zero),
        )
        for i in range(100)
    ]
    q, qd, tau = joint_motion(20, "right")
    for i in range(20):
        stamp = START + i * STEP
        message = messages.joint_state(stamp, joint_names("right"), q[i], qd[i], tau[i])
        entries.append(("/robot/joint_states", JOINT_STATE, stamp, message))
    rec = recording.load(write_bag(tmp_path / "late.bag", entries))
    assert (rec.side, len(rec)) == ("right", 20)


def test_a_missing_joint_is_named(tmp_path: Path, messages: Messages) -> None:
    names = [name for name in ALL_NAMES if name != "left_w1"]
    zero = np.zeros(len(names))
    message = messages.joint_state(START, names, zero, zero, zero)
    path = write_bag(tmp_path / "six.bag", [("/robot/joint_states", JOINT_STATE, START, message)])
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}, message 0: /robot/joint_states lacks left_w1; a recording needs all seven joints"
    )


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"velocity": np.zeros(5)}, "/robot/joint_states has 17 names and 5 values of velocity"),
        (
            {"name": ["left_w1" if name == "left_s0" else name for name in ALL_NAMES]},
            "/robot/joint_states lacks left_s0; a recording needs all seven joints",
        ),
        (
            {"name": ["left_w1" if name == "head_pan" else name for name in ALL_NAMES]},
            "/robot/joint_states names left_w1 twice",
        ),
    ],
)
def test_one_message_of_another_form_is_named_and_dropped_on_request(
    tmp_path: Path, messages: Messages, change: dict[str, object], what: str
) -> None:
    entries = joint_state_entries(10, messages)
    entries[4] = (*entries[4][:3], dataclasses.replace(entries[4][3], **change))
    path = write_bag(tmp_path / "form.bag", entries)
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}, message 4: {what} (1 broken row in all); load(..., bad_rows='drop') keeps the "
        "other 9"
    )
    rec = recording.load(path, "left", bad_rows="drop")
    np.testing.assert_array_equal(rec.q, np.delete(joint_motion(10, "left")[0], 4, axis=0))


def endpoint_entries(stamps: Iterable[int], messages: Messages) -> list[Entry]:
    """Tip poses of the left arm at some times."""
    zero, turn = np.zeros(6), [0.0, 0.0, 0.0, 1.0]
    topic = "/robot/limb/left/endpoint_state"
    return [
        (topic, ENDPOINT_STATE, stamp, messages.endpoint(stamp, zero[:3], turn, zero, zero))
        for stamp in stamps
    ]


def test_topics_that_share_no_time_are_named(tmp_path: Path, messages: Messages) -> None:
    later = (START + 10**12 + i * STEP for i in range(10))
    entries = joint_state_entries(10, messages) + endpoint_entries(later, messages)
    path = write_bag(tmp_path / "apart.bag", entries)
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}: joint states and the other topics of the arm share no time; are their clocks the "
        "same?"
    )


def test_no_pose_is_made_up_in_a_gap_of_its_topic(tmp_path: Path, messages: Messages) -> None:
    stamps = (START + i * STEP for i in range(100) if not 30 < i < 70)
    entries = joint_state_entries(100, messages) + endpoint_entries(stamps, messages)
    rec = recording.load(write_bag(tmp_path / "gap.bag", entries), "left")
    kept = [i for i in range(100) if not 30 < i < 70]
    np.testing.assert_array_equal(rec.q, joint_motion(100, "left")[0][kept])
    assert "left out 39 rows that not all topics cover" in rec.notes


@pytest.mark.parametrize("stamps", ["zero", "some zero", "all the same"])
def test_messages_without_a_stamp_go_by_the_time_they_were_stored(
    tmp_path: Path, messages: Messages, stamps: str
) -> None:
    entries = joint_state_entries(20, messages)
    for i, (topic, kind, stored, message) in enumerate(entries):
        stamp = {"zero": 0, "some zero": stored if i % 3 else 0, "all the same": START}[stamps]
        unstamped = dataclasses.replace(message, header=messages.header(stamp))
        entries[i] = (topic, kind, stored, unstamped)
    rec = recording.load(write_bag(tmp_path / "stamps.bag", entries), "left")
    assert_close(rec.t, np.arange(20) * 0.01, RESAMPLED)
    np.testing.assert_array_equal(rec.q, joint_motion(20, "left")[0])
    assert rec.notes[0] == (
        "/robot/joint_states has messages without a stamp: time is when they were stored"
    )


def test_messages_with_the_time_of_another_are_counted(tmp_path: Path, messages: Messages) -> None:
    entries = joint_state_entries(20, messages)
    path = write_bag(tmp_path / "twice.bag", [*entries, *entries[5:8]])
    rec = recording.load(path, "left")
    np.testing.assert_array_equal(rec.q, joint_motion(20, "left")[0])
    assert rec.notes[0] == "left out 3 messages of /robot/joint_states with the time of another"


def test_the_robots_own_joint_states_come_before_those_of_others(
    tmp_path: Path, messages: Messages
) -> None:
    entries = joint_state_entries(10, messages)
    wanted = [("/a/reference", *entry[1:3], entries[0][3]) for entry in entries]
    rec = recording.load(write_bag(tmp_path / "two.bag", [*wanted, *entries]), "left")
    np.testing.assert_array_equal(rec.q, joint_motion(10, "left")[0])


def test_nan_in_a_message_is_named_and_dropped_on_request(
    tmp_path: Path, messages: Messages
) -> None:
    entries = joint_state_entries(10, messages)
    broken = entries[4][3]
    effort = np.array(broken.effort)
    effort[ALL_NAMES.index("left_e1")] = np.nan
    entries[4] = (*entries[4][:3], dataclasses.replace(broken, effort=effort))
    path = write_bag(tmp_path / "nan.bag", entries)
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}, message 4: tau_e1 is nan (1 broken row in all); load(..., bad_rows='drop') "
        "keeps the other 9"
    )
    rec = recording.load(path, "left", bad_rows="drop")
    assert len(rec) == 9
    assert "dropped message 4: tau_e1 is nan" in rec.notes
    assert len(recording.load(path, "right")) == 10


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95, 0.999])
def test_a_cut_off_bag_says_so_and_gives_what_it_holds_on_request(
    tmp_path: Path, joint_bag: Path, part: float
) -> None:
    data = joint_bag.read_bytes()
    path = tmp_path / "cut.bag"
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}: the bag is cut off or damaged: its index is missing or broken; run `rosbag "
        "reindex`, or keep what can be read with load(..., bad_rows='drop')"
    )
    rec = recording.load(path, "left", bad_rows="drop")
    assert 0.9 * part * N - 5 < len(rec) <= N
    np.testing.assert_array_equal(rec.q, joint_motion(N, "left")[0][: len(rec)])
    assert "the bag is cut off or damaged; the messages before that were kept" in rec.notes


def test_damaged_bytes_raise_no_other_error(tmp_path: Path, messages: Messages) -> None:
    stamps = (START + i * STEP for i in range(60))
    entries = joint_state_entries(60, messages) + endpoint_entries(stamps, messages)
    data = write_bag(tmp_path / "whole.bag", entries).read_bytes()
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.bag"
    errors = []
    for _ in range(60):
        broken = bytearray(data)
        for place in rng.integers(13, len(data), 20):
            broken[place] = int(rng.integers(256))
        path.write_bytes(bytes(broken[: int(rng.integers(13, 2 * len(data)))]))
        for bad_rows in ("raise", "drop"):
            try:
                recording.load(path, "left", bad_rows=bad_rows)
            except RecordingError as error:
                errors.append(str(error))
    assert errors
    assert all(str(path) in error for error in errors)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("time,left_s0\n0.0,1.0\n", "it starts with 'time,left_s0'"),
        ("", "it is empty"),
    ],
)
def test_a_file_that_is_no_bag_says_what_it_is(tmp_path: Path, content: str, what: str) -> None:
    path = tmp_path / "text.bag"
    path.write_text(content)
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{path}: this is not a ROS 1 bag: {what}, not '#ROSBAG V2.0'"


def test_a_bag_without_the_arm_names_what_it_holds(tmp_path: Path, messages: Messages) -> None:
    zero = np.zeros(1)
    message = messages.joint_state(START, ["head_pan"], zero, zero, zero)
    path = write_bag(tmp_path / "head.bag", [("/robot/joint_states", JOINT_STATE, START, message)])
    with pytest.raises(RecordingError) as caught:
        recording.load(path, "left")
    assert str(caught.value) == (
        f"{path}: no message names the left arm's joints; the file holds /robot/joint_states, and "
        "a recording needs /robot/joint_states"
    )


@pytest.mark.slow
@pytest.mark.timing
def test_20000_messages_load_within_a_second(tmp_path: Path, messages: Messages) -> None:
    path = write_bag(tmp_path / "long.bag", joint_state_entries(20_000, messages))
    times = []
    for _ in range(3):
        start = time.process_time()  # what else the machine does is not counted
        rec = recording.load(path, "left")
        times.append(time.process_time() - start)
    assert len(rec) == 20_000
    assert min(times) < BAG_LOAD_SECONDS


def test_a_long_bag_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "DEFAULT_MB", 1.5)
    path, rows = tmp_path / "long.bag", 3000
    write_bag(path, joint_state_entries(rows, Messages()))
    assert path.stat().st_size > 1.5 * 2**20
    assert len(recording.load(path, side="left")) == rows
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "1.5")
    with pytest.raises(RecordingError, match=r"at most 1\.5 MB are read"):
        recording.load(path, side="left")

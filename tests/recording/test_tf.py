"""Frames of a bag's /tf, and the mount of an arm from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, recording, spatial
from baxterkit.cli.app import run
from baxterkit.errors import RecordingError
from baxterkit.model import load_baxter

KIND = "tf2_msgs/msg/TFMessage"
START = 1_600_000_000_000_000_000


def stamped(store: Any, parent: str, child: str, T: np.ndarray) -> Any:
    part = {
        name.split("/")[-1]: kind
        for name, kind in store.types.items()
        if name.startswith(("geometry_msgs/", "std_msgs/msg/Header", "builtin_interfaces/"))
    }
    time = part["Time"](sec=1, nanosec=0)
    quaternion = part["Quaternion"](*map(float, spatial.formulas.matrix_to_quaternion(T[:3, :3])))
    return part["TransformStamped"](
        header=part["Header"](seq=0, stamp=time, frame_id=parent),
        child_frame_id=child,
        transform=part["Transform"](
            translation=part["Vector3"](*map(float, T[:3, 3])), rotation=quaternion
        ),
    )


def write_tf(path: Path, messages: list[list[tuple[str, str, np.ndarray]]]) -> Path:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    if KIND not in store.types:
        store.register(get_types_from_msg("geometry_msgs/TransformStamped[] transforms", KIND))
    with Writer(path) as bag:
        connection = bag.add_connection("/tf", KIND, typestore=store)
        for i, rows in enumerate(messages):
            message = store.types[KIND](transforms=[stamped(store, *row) for row in rows])
            bag.write(connection, START + i, store.serialize_ros1(message, KIND))
    return path


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left", mount="pykdl_robot")


@pytest.fixture(scope="module")
def bag(arm: Arm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the robot publishes: fixed frames again and again, moving ones between them."""
    T_mount = arm.model.T_base_s0 @ spatial.inverse(load_baxter().T_mount_s0)
    q = arm.configuration("untuck")
    messages = []
    for i in range(5):
        T_s0 = arm.link_poses(q + 0.1 * i)[0]
        messages.append(
            [
                ("base", "torso", np.eye(4)),
                ("/torso", "/left_arm_mount", T_mount),
                ("left_arm_mount", "left_upper_shoulder", spatial.inverse(T_mount) @ T_s0),
            ]
        )
    return write_tf(tmp_path_factory.mktemp("tf") / "tf.bag", messages)


def test_the_shell_writes_a_robot_with_that_mount(
    bag: Path, arm: Arm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "robot.toml"
    words = ["identify", str(bag), "--tf", "--side", "left", "--tool", "vacuum", "-o", str(out)]
    assert run(words) == 0
    assert "from nominal" in capsys.readouterr().out
    again = Arm.from_file(out)
    assert (again.side, again.tool.name) == ("left", "vacuum")
    np.testing.assert_allclose(again.model.T_base_s0, arm.model.T_base_s0, atol=1e-12)
    assert run(["identify", str(bag), "--tf", "-o", str(out)]) == 2  # it has no right arm
    assert "/tf does not hold right_arm_mount" in capsys.readouterr().err


def test_mount_of_a_robot_from_its_tf(bag: Path, arm: Arm) -> None:
    mount = recording.mount_from_tf(bag, "left")
    np.testing.assert_allclose(mount, arm.model.T_base_s0, rtol=0, atol=1e-12)
    q = arm.configuration("neutral")
    np.testing.assert_allclose(Arm("left", mount=mount).fk(q), arm.fk(q), rtol=0, atol=1e-12)


def test_fixed_and_moving_frames_are_told_apart(bag: Path) -> None:
    frames = recording.fixed_frames(bag)
    assert frames.moving == {"left_upper_shoulder"}
    assert {*frames.parents} == {"torso", "left_arm_mount"}
    there = frames.transform("torso", "left_arm_mount")
    back = frames.transform("left_arm_mount", "base")
    np.testing.assert_allclose(there @ back, np.eye(4), rtol=0, atol=1e-12)
    with pytest.raises(RecordingError, match="no fixed frames lead from 'base' to 'left_upper"):
        frames.transform("base", "left_upper_shoulder")


def test_what_does_not_tell_the_mount_is_refused(bag: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="/tf does not hold right_arm_mount and base; it hol"):
        recording.mount_from_tf(bag, "right")
    empty = write_tf(tmp_path / "empty.bag", [])
    with pytest.raises(RecordingError, match="the bag holds no /tf"):
        recording.mount_from_tf(empty, "left")
    text = tmp_path / "text.bag"
    text.write_text("nothing", encoding="utf-8")
    with pytest.raises(RecordingError, match="this is not a ROS 1 bag"):
        recording.fixed_frames(text)
    cut = tmp_path / "cut.bag"
    cut.write_bytes(bag.read_bytes()[:-200])
    with pytest.raises(RecordingError, match="cut off or damaged"):
        recording.fixed_frames(cut)
    broken = write_tf(tmp_path / "broken.bag", [[("base", "torso", np.full((4, 4), np.nan))]])
    with pytest.raises(RecordingError, match="the transform of 'torso' is broken"):
        recording.fixed_frames(broken)

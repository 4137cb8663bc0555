"""Fixed frames of a robot are those of its file, where the file has them."""

from __future__ import annotations

import copy
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from components import require
from tolerances import assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.model.frames import robot_frames
from baxterkit.model.urdf_reader import read_urdf

DUMP_DIGITS = 2e-5
"""Rounding of a dump with five or six digits, over the length of an arm [m]."""
NOMINAL = Baxter()
MOVED = (
    "left_hand_camera", "right_hand_range", "left_arm_itb", "head_camera", "screen", "display",
    "sonar_ring", "right_torso_itb", "pedestal",
)  # fmt: skip


def with_moved(names: tuple[str, ...]) -> str:
    """The nominal robot with these frames elsewhere than nominally."""
    text = NOMINAL.to_urdf()
    for n, name in enumerate(names, 1):
        joint = rf'(<joint name="{name}_fixed".*?xyz=")[^"]*(" rpy=")[^"]*'
        place = rf"\g<1>0.0{n} 0.01 -0.02\g<2>0.1 -0.2 0.{n}"
        text, count = re.subn(joint, place, text, count=1, flags=re.DOTALL)
        assert count == 1
    return text


def in_file(text: str | Path, name: str) -> np.ndarray:
    """Pose of a link at zero, from the joints of the file."""
    tree = read_urdf(text)
    T = np.eye(4)
    for joint in tree.path("base", name):
        T = T @ joint.T_parent_joint
    return T


ZERO = np.zeros(7)


def test_frames_are_where_the_file_has_them() -> None:
    text = with_moved(MOVED)
    robot = Baxter.from_urdf(text)
    for name in NOMINAL.frames:
        assert_close(robot.transform("base", name, ZERO, ZERO), in_file(text, name), 1e-14)
        moved = robot.transform("base", name, ZERO, ZERO) - NOMINAL.transform(
            "base", name, ZERO, ZERO
        )
        assert (np.abs(moved).max() > 0.005) == (name in MOVED)
    head = robot.head.fk(0.3, "camera")
    assert_close(robot.transform("base", "head_camera", head=0.3), head, 1e-15)


def test_an_arm_knows_the_frames_of_its_file(tmp_path: Path) -> None:
    text = with_moved(MOVED)
    arm = Arm.from_urdf(text, "left")
    wanted = in_file(text, "left_hand_camera")
    arm.to_file(tmp_path / "robot.toml")
    for again in (
        arm,
        arm.replace(tool="vacuum"),
        Arm.from_urdf(arm.to_urdf(), "left"),
        Arm.from_file(tmp_path / "robot.toml", "left"),
        pickle.loads(pickle.dumps(arm)),
        Baxter(arm).left,
    ):
        assert_close(again.fk(ZERO, of="left_hand_camera"), wanted, 1e-14)
    assert np.abs(Arm("left").fk(ZERO, of="left_hand_camera") - wanted).max() > 0.005


def test_a_robot_with_frames_of_its_own_comes_back() -> None:
    robot = Baxter.from_urdf(with_moved(MOVED))
    written = Baxter.from_urdf(robot.to_urdf())
    replaced = robot.replace(right=robot.right.replace(payload=Payload(1.0)))
    assert replaced.left is robot.left
    assert replaced.right.model.payload is not None
    for again in (written, copy.deepcopy(robot), replaced):
        for name in robot.frames:
            one, other = (each.transform("base", name, ZERO, ZERO) for each in (robot, again))
            assert_close(one, other, 1e-14)


def test_a_frame_on_another_link_moves_with_that_link() -> None:
    text = NOMINAL.to_urdf()
    joint = r'(<joint name="left_hand_camera_fixed".*?<parent link=")left_wrist'
    text, count = re.subn(joint, r"\g<1>left_upper_forearm", text, count=1, flags=re.DOTALL)
    assert count == 1
    frames = robot_frames({"left": Baxter.from_urdf(text).left.model})
    assert (frames["left_hand_camera"].body, frames["left_hand_camera"].link) == ("left", 4)


def test_rounding_of_a_file_moves_no_frame() -> None:
    text = NOMINAL.to_urdf()
    rounded = re.sub(r"\d+\.\d{6,}", lambda found: f"{float(found[0]):.5f}", text)
    robot = Baxter.from_urdf(rounded)
    assert robot.left.model.frames == robot.right.model.frames == ()
    for name in ("head_camera", "sonar_ring", "left_torso_itb"):
        np.testing.assert_array_equal(
            robot.transform("base", name), NOMINAL.transform("base", name)
        )


def test_links_of_a_file_may_have_other_names() -> None:
    text = with_moved(("left_arm_itb",)).replace("left_upper_forearm", "ulna")
    robot = Baxter.from_urdf(text)
    for name in ("left_arm_itb", "left_hand_camera", "ulna"):
        assert_close(robot.transform("base", name, ZERO, ZERO), in_file(text, name), 1e-14)


@pytest.mark.parametrize("tool", ["vacuum", "electric_standard"])
def test_the_gripper_frame_of_a_files_tool_leaves_with_the_tool(tool: str) -> None:
    text = Baxter(Arm("left", tool)).to_urdf()
    arm = Arm.from_urdf(text, "left", tool="hand")
    assert arm.model.frames == ()
    bare = Arm("left").fk(ZERO, of="left_gripper")
    assert_close(arm.fk(ZERO, of="left_gripper"), bare, 1e-14)


def test_cameras_of_a_calibrated_robot() -> None:
    require("urdf")
    path = Path(os.environ["BAXTERKIT_URDF"]) / "baxter_calibrated_robot_a.urdf"
    robot = Baxter.from_urdf(path)
    for name in robot.frames:
        if not name.endswith("_tip"):
            T = robot.transform("base", name, ZERO, ZERO)
            assert_close(T, in_file(path, name), DUMP_DIGITS)
    axis = robot.transform("left_hand", "left_hand_camera_axis", ZERO, ZERO)
    assert_close(axis[:3, 3], [0.03825, 0.012, 0.0], DUMP_DIGITS)

"""What the twin says of its shape: a URDF that everybody reads, and every link of it as a frame."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from tolerances import ROUND_TRIP, ROUNDING, STANDING

from baxterkit import Arm, Baxter
from baxterkit.messages import Message
from baxterkit.model import Solid, Tool
from baxterkit.ros import LocalGraph, TwinRobot, mounts, topics
from baxterkit.ros.poses import transform_of
from baxterkit.ros.robot.urdf import describe
from baxterkit.sim import Twin
from baxterkit.types import Transform

TOOLS = ("hand", "electric_standard", "electric_extended_wide", "vacuum")


def robot_with(tool: str | Tool) -> Baxter:
    return Baxter(Arm("left", tool), Arm("right", tool))


def test_no_declaration_and_no_tag_of_ours_stand_in_the_way_of_other_readers() -> None:
    text = describe(Baxter())
    assert text.startswith("<robot")
    assert "baxterkit" not in text
    assert ET.fromstring(text).get("name") == "baxter"


def test_links_and_joints_are_those_of_the_robots_own_description(urdf_dir: Path) -> None:
    theirs = ET.parse(urdf_dir / "baxter_v1.2.0.urdf").getroot()
    ours = ET.fromstring(describe(Baxter()))

    def joints(root: ET.Element) -> dict[str, tuple[str, str, str]]:
        return {
            str(joint.get("name")): (
                str(joint.get("type")),
                str(joint.find("parent").get("link")),  # type: ignore[union-attr]
                str(joint.find("child").get("link")),  # type: ignore[union-attr]
            )
            for joint in root.findall("joint")
        }

    assert joints(ours) == joints(theirs)
    assert {link.get("name") for link in ours.findall("link")} == {
        link.get("name") for link in theirs.findall("link")
    }


def test_every_joint_of_the_states_is_described() -> None:
    described = {j.get("name") for j in ET.fromstring(describe(robot_with("electric_standard")))}
    assert {*topics.ROBOT_JOINTS, *topics.GRIPPER_JOINTS.values()} <= described


def test_links_that_move_have_shapes_to_see_and_to_touch() -> None:
    links = {link.get("name"): link for link in ET.fromstring(describe(Baxter())).findall("link")}
    for arm in (Arm("left"), Arm("right")):
        for joint in arm.model.joints:
            assert links[joint.link].find("visual") is not None, joint.link
            assert links[joint.link].find("collision") is not None, joint.link
    for name in ("torso", "pedestal", "head"):
        assert links[name].find("visual") is not None, name


@pytest.mark.parametrize("tool", TOOLS)
def test_a_link_reads_the_same_robot_back(tool: str) -> None:
    robot = robot_with(tool)
    graph = LocalGraph()
    node = graph.node("reader")
    node.set_parameter(topics.DESCRIPTION, describe(robot))
    read = mounts.described(node)
    q = np.linspace(-0.4, 0.6, 7)
    for side in ("left", "right"):
        arm, back = getattr(robot, side), getattr(read, side)
        assert back.tool.name == arm.tool.name
        np.testing.assert_allclose(back.fk(q), arm.fk(q), rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(back.inertia(q), arm.inertia(q), rtol=0, atol=ROUND_TRIP)


def test_a_tool_of_ones_own_is_drawn() -> None:
    rod = Tool("rod", np.eye(4), None, (Solid("cylinder", (0.2, 0.01), np.eye(4)),))
    links = {
        link.get("name"): link for link in ET.fromstring(describe(robot_with(rod))).findall("link")
    }
    shape = links["left_gripper"].find("visual/geometry/cylinder")
    assert shape is not None
    assert shape.get("length") == "0.2"


@pytest.mark.parametrize("tool", ["hand", "electric_standard"])
def test_every_link_is_a_frame_where_the_model_has_it(tool: str) -> None:
    graph = LocalGraph()
    listener = graph.node("listener")
    frames: dict[str, tuple[str, Transform]] = {}

    def note(message: Message, _who: str) -> None:
        for entry in message.transforms:
            frames[entry.child_frame_id] = (entry.header.frame_id, transform_of(entry))

    with TwinRobot(Twin(tool=tool, rigid=True), graph) as robot:
        for word in ("tf", "tf_static"):
            listener.subscribe(*topics.of_robot(word), note)
        graph.clock.sleep(0.2)
        links = ET.fromstring(describe(robot.twin.robot)).findall("link")
        assert set(frames) == {link.get("name") for link in links} - {"base"}
        left, right = robot.positions()
        for name in frames:
            if name not in robot.twin.robot.frames:
                continue
            T, at = np.eye(4), name
            while at != "base":
                parent, step = frames[at]
                T, at = step @ T, parent
            wanted = robot.twin.robot.transform("base", name, left, right, robot.twin.head_pan)
            np.testing.assert_allclose(T, wanted, rtol=0, atol=STANDING, err_msg=name)


def test_the_mount_is_told_by_the_fixed_frames() -> None:
    graph = LocalGraph()
    with TwinRobot(Twin(), graph) as robot:
        T = mounts.mount(graph.node("reader"), "left", "tf", 1.0)  # type: ignore[arg-type]
        wanted = robot.twin.robot.left.model.T_base_s0
        np.testing.assert_allclose(T, wanted, rtol=0, atol=ROUNDING)

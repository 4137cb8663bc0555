"""Tools from files: mass, tip and shape of a gripper's URDF and of a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Tool, spatial
from baxterkit.errors import InputError, MissingFileError, ModelError, UnknownNameError, UrdfError
from baxterkit.model import Solid

GRIPPER = """<robot name="claw">
  <link name="claw_base">
    <inertial><origin xyz="0 0 0.03"/><mass value="0.6"/>
      <inertia ixx="0.001" iyy="0.002" izz="0.0015" ixy="0.0001"/></inertial>
    <collision><origin xyz="0 0 0.03" rpy="0 0 0.5"/>
      <geometry><box size="0.08 0.06 0.06"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic"><parent link="claw_base"/><child link="finger"/>
    <origin xyz="0.02 0 0.06"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.03" velocity="1" effort="10"/></joint>
  <link name="finger">
    <inertial><origin xyz="0 0 0.02"/><mass value="0.1"/>
      <inertia ixx="1e-5" iyy="1e-5" izz="1e-6"/></inertial>
    <collision><origin xyz="0 0 0.02"/>
      <geometry><cylinder length="0.04" radius="0.008"/></geometry></collision>
    <collision><origin xyz="0 0 0.04"/><geometry><sphere radius="0.01"/></geometry></collision>
  </link>
  <joint name="grip" type="fixed"><parent link="claw_base"/><child link="claw_tcp"/>
    <origin xyz="0 0 0.11" rpy="0 0 1.57079632679"/></joint>
  <link name="claw_tcp"/>
</robot>
"""


@pytest.fixture(scope="module")
def trimesh() -> Any:
    return pytest.importorskip("trimesh")


def test_urdf_gives_mass_tip_and_shape() -> None:
    tool = Tool.from_urdf(GRIPPER)
    assert tool.name == "claw"
    np.testing.assert_allclose(tool.T_hand_tip[:3, 3], [0.0, 0.0, 0.11])
    np.testing.assert_allclose(tool.T_hand_tip[:3, 0], [0.0, 1.0, 0.0], atol=1e-15)
    body = tool.inertial
    assert body is not None
    np.testing.assert_allclose(body.mass, 0.7)
    com = (0.6 * np.array([0, 0, 0.03]) + 0.1 * np.array([0.02, 0, 0.08])) / 0.7
    np.testing.assert_allclose(body.com, com, atol=1e-15)
    assert sorted(solid.kind for solid in tool.shape) == ["box", "cylinder", "sphere"]
    (sphere,) = (solid for solid in tool.shape if solid.kind == "sphere")
    np.testing.assert_allclose(sphere.T[:3, 3], [0.02, 0.0, 0.1])
    (box,) = (solid for solid in tool.shape if solid.kind == "box")
    assert box.size == (0.08, 0.06, 0.06)


def test_tool_of_a_urdf_is_the_arms_tool() -> None:
    turn = spatial.transform(spatial.rpy_to_matrix([0.0, 0.0, 0.4]), [0.0, 0.0, 0.02])
    tool = Tool.from_urdf(GRIPPER, T_hand_base=turn)
    arm, bare = Arm("left", tool), Arm("left")
    q = arm.configuration("untuck")
    np.testing.assert_allclose(arm.fk(q), bare.fk(q) @ tool.T_hand_tip, rtol=0, atol=1e-14)
    weight = arm.gravity(q) - bare.gravity(q)
    J = bare.replace(tool=spatial.transform(np.eye(3), tool.inertial.com)).jacobian(q)  # type: ignore[union-attr]
    np.testing.assert_allclose(weight, J[2] * 0.7 * 9.81, rtol=0, atol=1e-12)
    other = Tool.from_urdf(GRIPPER)
    np.testing.assert_allclose(tool.shape[0].T, turn @ other.shape[0].T, rtol=0, atol=1e-15)


def test_links_say_which_part_of_a_robot_is_the_tool(tmp_path: Path) -> None:
    tool = Tool.from_urdf(GRIPPER, links={"tip": "finger"}, name="finger tip")
    np.testing.assert_allclose(tool.T_hand_tip[:3, 3], [0.02, 0.0, 0.06])
    assert tool.name == "finger tip"
    finger = Tool.from_urdf(GRIPPER, links={"base": "finger"})
    assert finger.inertial is not None
    assert finger.inertial.mass == 0.1
    file = tmp_path / "claw.urdf"
    file.write_text(GRIPPER, encoding="utf-8")
    assert len(Tool.from_urdf(file).shape) == 3
    assert Tool.from_urdf(file, shape=False).shape == ()


def test_a_tip_in_doubt_is_asked_for() -> None:
    two = GRIPPER.replace("claw_tcp", "claw_end")
    with pytest.raises(InputError, match=r"which link is the tip\? say links=\{'tip': ...\}"):
        Tool.from_urdf(two)
    with pytest.raises(UnknownNameError, match="unknown link 'thumb'"):
        Tool.from_urdf(two, links={"tip": "thumb"})
    with pytest.raises(UnknownNameError, match="unknown role of a link 'hand'; available: base"):
        Tool.from_urdf(two, links={"hand": "claw_base"})
    with pytest.raises(UrdfError, match="<box> of link 'claw_base'"):
        Tool.from_urdf(GRIPPER.replace('size="0.08 0.06 0.06"', 'size="0.08 0.06 -1"'))
    mesh = '<mesh filename="package://claw/meshes/claw.stl"/>'
    with pytest.raises(UrdfError, match="is not beside the file nor in a folder above it"):
        Tool.from_urdf(GRIPPER.replace('<sphere radius="0.01"/>', mesh))


def test_links_of_an_arm_with_other_names() -> None:
    text = Arm("left").to_urdf().replace("left_hand", "flange")
    with pytest.raises(UrdfError, match="say links="):
        Arm.from_urdf(text, "left")
    arm = Arm.from_urdf(text, "left", links={"hand": "flange"})
    q = arm.configuration("untuck")
    np.testing.assert_allclose(arm.fk(q), Arm("left").fk(q), rtol=0, atol=1e-12)
    with pytest.raises(UnknownNameError, match="unknown link 'nothing'"):
        Arm.from_urdf(text, "left", links={"hand": "nothing"})


def test_mesh_gives_the_inertia_of_a_filled_solid(trimesh: Any, tmp_path: Path) -> None:
    a, b, c = 0.04, 0.06, 0.1
    file = tmp_path / "block.stl"
    trimesh.creation.box((a, b, c)).export(file)
    T = spatial.transform(spatial.rpy_to_matrix([0.0, 0.0, 0.3]), [0.01, 0.0, 0.05])
    tool = Tool.from_mesh(file, density=2700.0, T_hand_mesh=T)
    mass = 2700.0 * a * b * c
    body = tool.inertial
    assert body is not None
    np.testing.assert_allclose(body.mass, mass, rtol=1e-6)
    np.testing.assert_allclose(body.com, [0.01, 0.0, 0.05], atol=1e-8)
    own = mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    R = T[:3, :3]
    np.testing.assert_allclose(body.inertia, R @ own @ R.T, rtol=0, atol=1e-8)
    np.testing.assert_allclose(tool.T_hand_tip[:3, 3], [0.0, 0.0, 0.1], atol=1e-8)
    (box,) = tool.shape
    assert box.kind == "box"
    np.testing.assert_allclose(sorted(box.size), [a, b, c], atol=1e-6)
    np.testing.assert_allclose(box.T[:3, 3], [0.01, 0.0, 0.05], atol=1e-6)
    by_mass = Tool.from_mesh(file, mass=0.5, T_hand_tip=np.eye(4), name="half a kilogram")
    assert by_mass.inertial is not None
    np.testing.assert_allclose(by_mass.inertial.mass, 0.5)
    Arm("left", by_mass).inertia(np.zeros(7))


def test_mesh_in_millimetres_and_open_surfaces(trimesh: Any, tmp_path: Path) -> None:
    mesh = trimesh.creation.cylinder(radius=20.0, height=4000.0)
    file = tmp_path / "rod.ply"
    mesh.export(file)
    with pytest.raises(InputError, match=r"is 4000 m long.*give scale=0\.001"):
        Tool.from_mesh(file, density=1000.0)
    with pytest.raises(InputError, match=r"is 4 m long"):
        Tool.from_mesh(file, density=1000.0, scale=0.001)
    tool = Tool.from_mesh(file, density=1000.0, scale=1e-4)
    assert tool.T_hand_tip[2, 3] == pytest.approx(0.2)
    mesh.apply_scale(1e-4)
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)
    mesh.export(file)
    with pytest.raises(InputError, match=r"not a closed surface.*hull=True"):
        Tool.from_mesh(file, mass=0.1)
    hull = Tool.from_mesh(file, mass=0.1, hull=True)
    assert hull.inertial is not None
    assert hull.inertial.mass == pytest.approx(0.1)


def test_mesh_of_a_urdf_becomes_a_box(trimesh: Any, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((0.02, 0.03, 0.05)).export(tmp_path / "meshes" / "pad.stl")
    mesh = '<mesh filename="package://claw/meshes/pad.stl"/>'
    file = tmp_path / "claw.urdf"
    file.write_text(GRIPPER.replace('<sphere radius="0.01"/>', mesh), encoding="utf-8")
    tool = Tool.from_urdf(file)
    sizes = [sorted(solid.size) for solid in tool.shape if solid.kind == "box"]
    assert any(np.allclose(size, [0.02, 0.03, 0.05], atol=1e-6) for size in sizes)


def test_bad_meshes_are_refused(trimesh: Any, tmp_path: Path) -> None:
    file = tmp_path / "junk.stl"
    file.write_bytes(b"solid nothing")
    with pytest.raises(InputError, match="one of them"):
        Tool.from_mesh(file)
    with pytest.raises(InputError, match="one of them"):
        Tool.from_mesh(file, density=1.0, mass=1.0)
    with pytest.raises(InputError, match="density must be above zero, got -1"):
        Tool.from_mesh(file, density=-1.0)
    with pytest.raises(InputError, match=r"junk\.stl"):
        Tool.from_mesh(file, mass=1.0)
    with pytest.raises(MissingFileError):
        Tool.from_mesh(tmp_path / "none.stl", mass=1.0)


def test_solids_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="unknown solid 'cone'"):
        Solid("cone", (1.0,), np.eye(4))
    with pytest.raises(ModelError, match="a box has 3 sizes above zero"):
        Solid("box", (1.0, 0.0, 1.0), np.eye(4))


def test_a_robot_is_no_tool() -> None:
    text = Arm("left", "electric_standard").to_urdf()
    with pytest.raises(InputError, match=r"the joint left_s0 of the arm .*'base': 'left_hand'"):
        Tool.from_urdf(text)
    assert Tool.from_urdf(text, links={"base": "left_hand"}).T_hand_tip[2, 3] == 0.12


def test_a_missing_mesh_of_a_tool_can_be_left_out() -> None:
    text = (
        "<robot name='a'><link name='l'><collision><geometry><mesh filename='b.stl'/></geometry>"
        "</collision></link></robot>"
    )
    with pytest.raises(UrdfError, match=r"the mesh b.stl is not beside .*; shape=False leaves the"):
        Tool.from_urdf(text)
    assert Tool.from_urdf(text, shape=False).shape == ()

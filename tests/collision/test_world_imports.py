"""Worlds from files of other programs: exact places, and nothing that is left out silently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from world_files import MOVEIT, OLDER_MOVEIT, SDF, URDF

from baxterkit import spatial
from baxterkit.collision import FLOOR, World
from baxterkit.errors import ModelError


def loaded(folder: Path, name: str, text: str, T: object = None) -> World:
    path = folder / name
    path.write_text(text)
    return World.load(path, T)  # type: ignore[arg-type]


def test_a_planning_scene_of_moveit(tmp_path: Path) -> None:
    world = loaded(tmp_path, "lab.scene", MOVEIT)
    assert world.names == ("the table", "the table 2", "ball")
    top, leg, ball = world.state
    assert (top.kind, top.size, top.color) == ("box", (1.4, 0.7, 0.04), (0.8, 0.5, 0.2))
    assert (leg.kind, leg.size, leg.color) == ("cylinder", (0.7, 0.03), None)
    turned = spatial.transform(spatial.rpy_to_matrix([0, 0, np.pi / 2]), [0.9, 0.0, -0.2])
    np.testing.assert_allclose(top.T, turned, rtol=0, atol=1e-15)
    np.testing.assert_allclose(leg.T[:3, 3], [0.9, 0.1, -0.55], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(ball.T[:3, 3], [1.0, 0.0, 0.5])


def test_an_older_planning_scene(tmp_path: Path) -> None:
    world, expected = loaded(tmp_path, "lab.scene", OLDER_MOVEIT), World()
    expected.add_plane("floor", [0, 0, 1], -0.93)
    np.testing.assert_array_equal(world["floor"].T, expected["floor"].T)
    assert world["post"].size == (1.2, 0.05)
    np.testing.assert_array_equal(world["post"].T[:3, 3], [0.6, 0.4, 0.1])


def test_a_world_of_gazebo(tmp_path: Path) -> None:
    world = loaded(tmp_path, "lab.world", SDF, [0.0, 0.0, FLOOR])
    assert world.names == ("ground", "table", "table 2")
    assert (world["ground"].kind, world["ground"].T[2, 3]) == ("plane", FLOOR)
    np.testing.assert_allclose(world["table"].T[:3, 3], [0.9, 0, 0.7 + FLOOR], rtol=0, atol=1e-15)
    assert world["table 2"].size == (0.7, 0.03)
    place = [0.9, 0.1, 0.35 + FLOOR]
    np.testing.assert_allclose(world["table 2"].T[:3, 3], place, rtol=0, atol=1e-15)


def test_an_object_of_a_urdf_is_put_where_it_is_told(tmp_path: Path) -> None:
    world = loaded(tmp_path, "shelf.urdf", URDF, [0.8, 0.1, -0.2])
    assert [(one.name, one.kind) for one in world.state] == [
        ("shelf", "box"),
        ("shelf 2", "sphere"),
    ]
    np.testing.assert_allclose(world["shelf"].T[:3, 3], [0.8, 0.1, 0.3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(world["shelf 2"].T[:3, 3], [0.8, 0.1, 0.9], rtol=0, atol=1e-15)


def test_a_world_of_ours_is_moved_but_for_what_is_held(tmp_path: Path) -> None:
    world = World()
    world.add_sphere("ball", 0.1, [0.8, 0.0, 0.0])
    world.add_sphere("held", 0.05, [0.8, 0.0, 0.0])
    world.attach("held", "left", np.eye(4))
    moved = World.load(world.save(tmp_path / "lab.toml"), [0.0, 0.2, 0.1])
    np.testing.assert_array_equal(moved["ball"].T[:3, 3], [0.8, 0.2, 0.1])
    np.testing.assert_array_equal(moved["held"].T, np.eye(4))


MESH = "<mesh><uri>model://a.dae</uri></mesh>"
BOX = "<box><size> 1.4 0.7\n 0.04 </size></box>"
POSE = "<pose>0 0 0.7 0 0 0</pose>"
ROBOT = "<robot name='a'><link name='a'/></robot>"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.scene", MOVEIT.replace("cylinder", "mesh"), r"line 11: a mesh is not read; put boxes"),
        ("a.scene", MOVEIT.replace("cylinder", "cone"), r"line 11: a cone is not read"),
        ("a.scene", MOVEIT.replace("\n.\n", "\n"), r"the file ends here; a planning scene ends"),
        ("a.scene", MOVEIT.replace(" 0.04", ""), r"'cylinder' where a number is expected"),
        ("a.scene", MOVEIT.replace("0.03 0.7", "nan 0.7"), r"line 12: nan is not finite"),
        ("a.scene", OLDER_MOVEIT.replace("0 0 0 2", "0 0 0 0"), r"line 7: the quaternion is zero"),
        ("a.scene", OLDER_MOVEIT.replace("* post\n1\n", "* post\n1e9\n"), r"1e\+09 is not a"),
        ("a.scene", MOVEIT.replace("sphere\n0.1", "sphere\n0"), r"a sphere has 1 sizes above zero"),
        ("a.scene", MOVEIT.replace("ball", "left_w0"), r"'left_w0' is a part of the robot"),
        ("a.sdf", SDF.replace(BOX, MESH), r"line 7, collision 'top': its geometry is not read"),
        ("a.sdf", SDF.replace("1.4", "x"), r"line 7, <size> of collision 'top': "),
        ("a.sdf", SDF.replace(POSE, f"<pose frame='b'{POSE[5:]}"), r"frame is not read; give x y"),
        ("a.sdf", SDF.replace('<link name="l">', "<include><uri>b</uri></include><link name='l'>"),
         r"<include> of model 'ground': <include> is not read"),
        ("a.sdf", SDF.replace("0 0 1<", "0 0 0<"), r"its normal is zero"),
        ("a.sdf", SDF.replace('name="table"', 'name="ground"'), r"an obstacle 'ground' already"),
        ("a.sdf", SDF.replace("collision", "visual"), r"model 'ground': it has no <collision> sha"),
        ("a.urdf", URDF.replace("collision", "visual"), r"robot 'shelf' has no <collision> shape"),
        ("a.urdf", URDF.replace('<sphere radius="0.1"/>', "<mesh filename='b.stl'/>"),
         r"b.stl is not beside the file nor in a folder above it; put it there, or put b[^;]*$"),
        ("a.sdf", ROBOT, r"a.sdf: line 1, <robot>: the outermost element must be <sdf>"),
        ("a.sdf", "", r"a.sdf: the SDF is empty; a <sdf> element is needed"),
        ("a.urdf", URDF.replace('<sphere radius="0.1"/>', "<cone/>"), r"its geometry is not a box"),
        ("a.urdf", URDF.replace("0.3 0.8", "0 0.8"), r"a box has 3 sizes above zero"),
        ("a.stl", "solid", r"a.stl: a world is read from .toml, .urdf, .sdf, .w"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        loaded(tmp_path, name, text)
    assert name in str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    for name in ("a.scene", "a.sdf", "a.urdf", "a.toml"):
        with pytest.raises(ModelError, match=name):
            World.load(tmp_path / name)

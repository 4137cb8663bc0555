"""Worlds from files of other programs: exact places, and nothing that is left out silently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baxterkit import spatial
from baxterkit.collision import FLOOR, World
from baxterkit.errors import ModelError

NEW = """(noname)+
* the table
0.9 0 -0.2
0 0 0.7071067811865476 0.7071067811865476
2
box
1.4 0.7 0.04
0 0 0
0 0 0 1
0.8 0.5 0.2 1
cylinder
0.03 0.7
0.1 0 -0.35
0 0 0 1
0 0 0 0
1
corner
0.7 0.35 0.02
0 0 0 1
* ball
1 0 0.5
0 0 0 1
1
sphere
0.1
0 0 0
0 0 0 1
0 0 0 0
0
.
"""
OLD = """lab
* post
1
cylinder
0.05 1.2
0.6 0.4 0.1
0 0 0 2
0 0 0 0
* floor
1
plane
0 0 2 1.86
0 0 0
0 0 0 1
0 0 0 0
.
"""
SDF = """<?xml version="1.0"?>
<sdf version="1.6"><world name="lab"><light name="sun"><pose>0 0 9 0 0 0</pose></light>
<model name="ground"><static>1</static><link name="l"><collision name="c"><geometry>
<plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>
<model name="table"><pose>0.9 0 0 0 0 1.5707963267948966</pose><link name="l">
<pose>0 0 0.7 0 0 0</pose><inertial><mass>3</mass></inertial>
<collision name="top"><geometry><box><size> 1.4 0.7
 0.04 </size></box></geometry></collision>
<collision name="leg"><pose>0.1 0 -0.35 0 0 0</pose><geometry>
<cylinder><radius>0.03</radius><length>0.7</length></cylinder></geometry></collision>
<collision name="none"><geometry><empty/></geometry></collision>
<visual name="v"><geometry><mesh><uri>model://table.dae</uri></mesh></geometry></visual>
</link></model></world></sdf>"""
URDF = """<robot name="shelf"><link name="a"><collision><origin xyz="0 0 0.5"/>
<geometry><box size="0.3 0.8 1"/></geometry></collision></link><link name="b"><collision>
<geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0 0 1.1"/>
<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""


def loaded(folder: Path, name: str, text: str, T: object = None) -> World:
    path = folder / name
    path.write_text(text)
    return World.load(path, T)  # type: ignore[arg-type]


def test_a_planning_scene_of_moveit(tmp_path: Path) -> None:
    world = loaded(tmp_path, "lab.scene", NEW)
    assert world.names == ("the table", "the table 2", "ball")
    top, leg, ball = world.state
    assert (top.kind, top.size, top.color) == ("box", (1.4, 0.7, 0.04), (0.8, 0.5, 0.2))
    assert (leg.kind, leg.size, leg.color) == ("cylinder", (0.7, 0.03), None)
    turned = spatial.transform(spatial.rpy_to_matrix([0, 0, np.pi / 2]), [0.9, 0.0, -0.2])
    np.testing.assert_allclose(top.T, turned, rtol=0, atol=1e-15)
    np.testing.assert_allclose(leg.T[:3, 3], [0.9, 0.1, -0.55], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(ball.T[:3, 3], [1.0, 0.0, 0.5])


def test_an_older_planning_scene(tmp_path: Path) -> None:
    world, expected = loaded(tmp_path, "lab.scene", OLD), World()
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
        ("a.scene", NEW.replace("cylinder", "mesh"), r"line 11: a mesh is not read; put boxes"),
        ("a.scene", NEW.replace("cylinder", "cone"), r"line 11: a cone is not read"),
        ("a.scene", NEW.replace("\n.\n", "\n"), r"the file ends here; a planning scene ends with"),
        ("a.scene", NEW.replace(" 0.04", ""), r"'cylinder' where a number is expected"),
        ("a.scene", NEW.replace("0.03 0.7", "nan 0.7"), r"line 12: nan is not finite"),
        ("a.scene", OLD.replace("0 0 0 2", "0 0 0 0"), r"line 7: the quaternion is zero"),
        ("a.scene", OLD.replace("* post\n1\n", "* post\n1e9\n"), r"1e\+09 is not a number of"),
        ("a.scene", NEW.replace("sphere\n0.1", "sphere\n0"), r"a sphere has 1 sizes above zero"),
        ("a.scene", NEW.replace("ball", "left_w0"), r"'left_w0' is a part of the robot"),
        ("a.sdf", SDF.replace(BOX, MESH), r"line 7, collision 'top': its geometry is not read"),
        ("a.sdf", SDF.replace("1.4", "x"), r"line 7, <size> of collision 'top': "),
        ("a.sdf", SDF.replace(POSE, f"<pose frame='b'{POSE[5:]}"), r"frame is not read; give x y"),
        ("a.sdf", SDF.replace('<link name="l">', "<include><uri>b</uri></include><link name='l'>"),
         r"<include> of model 'ground': <include> is not read"),
        ("a.sdf", SDF.replace("0 0 1<", "0 0 0<"), r"its normal is zero"),
        ("a.sdf", SDF.replace('name="table"', 'name="ground"'), r"an obstacle 'ground' already"),
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

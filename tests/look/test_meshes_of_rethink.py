from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.errors import InputError
from baxterkit.look.collada import read_collada
from baxterkit.look.meshes import (
    ARM_FILES,
    NECK_FILE,
    SCREEN_FILE,
    TORSO_FILES,
    find_meshes,
    load_meshes,
)
from baxterkit.viewer import Viewer

# A cube of side 0.2 as Blender writes one: polygons of four, two materials, normals beside.
CUBE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <library_effects>
    <effect id="red-effect"><profile_COMMON><technique><phong><diffuse>
      <color sid="diffuse">0.5 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials>
    <material id="red"><instance_effect url="#red-effect"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array count="24">
      -.1 -.1 -.1 .1 -.1 -.1 .1 .1 -.1 -.1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 .1 .1 .1 -.1 .1 .1
    </float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist material="red" count="5">
      <input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#n" offset="1"/>
      <vcount>4 4 4 4 4</vcount>
      <p>0 0 3 0 2 0 1 0  4 1 5 1 6 1 7 1  0 2 1 2 5 2 4 2  1 3 2 3 6 3 5 3  2 4 3 4 7 4 6 4</p>
    </polylist>
    <triangles count="2">
      <input semantic="VERTEX" source="#v" offset="0"/>
      <p>3 0 4 3 4 7</p>
    </triangles>
  </mesh></geometry></library_geometries>
</COLLADA>
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    """A baxter_description whose meshes are all cubes."""
    for name in (*ARM_FILES, *TORSO_FILES, NECK_FILE, SCREEN_FILE):
        path = tmp_path / "meshes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CUBE, encoding="utf-8")
    return tmp_path


def test_polygons_become_triangles_with_colours_and_sharp_edges(tmp_path: Path) -> None:
    path = tmp_path / "cube.dae"
    path.write_text(CUBE, encoding="utf-8")
    (box, red), (side, plain) = read_collada(path)
    assert len(box.faces) == 10
    assert len(side.faces) == 2
    assert len(box.vertices) == 20  # a corner for each of the faces that meet there
    assert red == (186, 0, 0)
    assert plain != red
    # Together they enclose the cube, looking outward.
    volume = 0.0
    for mesh in (box, side):
        a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
        volume += np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(0.2**3)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("not xml", "is not a COLLADA mesh that can be read: syntax error: line 1, column 0"),
        ("<COLLADA/>", "holds no polygons"),
        (CUBE.replace('source="#p"', 'source="#q"'), "'source q'"),
        (CUBE.replace("3 0 4 3 4 7", "3 0 99 3 4 7"), "index 99 is out of bounds"),
        (CUBE.replace("-.1 -.1 -.1 .1", "nan -.1 -.1 .1"), "a corner is not finite"),
    ],
)
def test_a_broken_mesh_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "broken.dae"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_collada(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_every_link_gets_its_mesh(description: Path) -> None:
    meshes = load_meshes(description, Baxter().head)
    assert {part.frame for part in meshes.arm} == set(range(7))
    assert len(meshes.torso) == 4
    # The screen's mesh is where the description puts it.
    screen = meshes.head[-1][1].vertices
    T = Baxter().head.T_head_screen
    middle = T[:3, :3] @ [0.0, -0.00953, -0.0347] + T[:3, 3]
    np.testing.assert_allclose((screen.min(axis=0) + screen.max(axis=0)) / 2, middle, atol=0.1)
    assert np.linalg.det(meshes.T_head_glass[:3, :3]) == pytest.approx(1.0)


def test_a_missing_mesh_is_named(description: Path) -> None:
    (description / "meshes" / ARM_FILES[3]).unlink()
    with pytest.raises(InputError, match=r"E1\.DAE; a baxter_description has one"):
        load_meshes(description, Baxter().head)


def test_the_installed_package_is_found(description: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Installed:
        def locate_file(self, path: str) -> Path:
            assert path.endswith("robots/baxter_description")
            return description

    def distribution(name: str) -> Any:
        if name != "example-robot-data":
            raise importlib.metadata.PackageNotFoundError(name)
        return Installed()

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    assert find_meshes() == description

    def missing(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert find_meshes() is None


def test_the_viewer_draws_them(description: Path) -> None:
    components.require("viser")
    with Viewer(port=0, meshes=description) as viewer:
        names = [handle.name for handle in viewer.stage.parts["left"]]
        assert "/left/6/mesh0" in names
        assert "/left/0/shell" not in names
        assert viewer.failures == 0

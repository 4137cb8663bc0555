from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest
from cube_meshes import CUBE, cube_description

from baxterkit import Baxter
from baxterkit.errors import InputError
from baxterkit.look.collada import read_collada
from baxterkit.look.meshes import (
    ARM_FILES,
    find_meshes,
    load_meshes,
)
from baxterkit.viewer import Viewer


# A cube of side 0.2 as Blender writes one: polygons of four, two materials, normals beside.
@pytest.fixture
def description(tmp_path: Path) -> Path:
    return cube_description(tmp_path)


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

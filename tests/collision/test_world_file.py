"""Worlds in files: what is read is what was written, and bad files are refused by their entry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baxterkit import Baxter, spatial
from baxterkit.collision import World
from baxterkit.errors import ModelError

RNG = np.random.default_rng(3)


def full() -> World:
    """Every kind of obstacle, in every kind of pose; a held one, and names that need care."""
    world, T = World(), spatial.transform(spatial.so3_exp([0.3, -0.2, 0.5]), [0.7, 0.1, 0.2])
    world.add_box("file", [0.1, 0.2, 0.3], T, color=(0.1, 0.2, 0.3))
    world.add_sphere("ball one", 0.05, [1.4, 0.5, 0.5], mass=0.25)
    world.add_capsule("rod/1", 0.3, 0.02, T)
    world.add_cylinder("tin.can", 0.2, 0.03, [1.4, 1.0, 0.5], mass=0.1)
    world.attach("tin.can", "right", T)
    world.add_plane("floor", [0.1, 0.2, 1.0], -0.8)
    world.add_height_field("ridge", [[0.1, np.nan], [0.2, 0.3]], 0.1, T, bottom=-0.5)
    world.add_points("cloud", RNG.uniform(1.2, 1.6, (20, 3)), 0.01, T)
    return world


def test_a_world_comes_back_to_the_bit(tmp_path: Path) -> None:
    world = full()
    back = World.load(world.save(tmp_path / "lab.toml"))
    assert back.names == world.names
    for one, other in zip(world.state, back.state, strict=True):
        assert (one.kind, one.size, one.held, one.mass, one.color) == (
            other.kind, other.size, other.held, other.mass, other.color,
        )  # fmt: skip
        np.testing.assert_array_equal(one.T, other.T)
        np.testing.assert_array_equal(one.data, other.data)  # type: ignore[arg-type]
    q = RNG.uniform(-1.0, 1.0, (2, 50, 7))
    robot = Baxter()
    np.testing.assert_array_equal(robot.scene(world).clearance(*q), robot.scene(back).clearance(*q))
    assert not World.load(World().save(tmp_path / "empty.toml")).names
    assert not (tmp_path / "empty.npz").exists()


def test_a_file_can_be_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_text("""
format = 1
[objects.table]
kind = "box"
size = [0.7, 1.4, 0.04]
position = [0.85, 0, -0.17]
rpy = [0, 0, 1.5707963267948966]
[objects."the floor"]
kind = "plane"
normal = [0, 0, 2]
offset = -0.93
[objects.post]
kind = "cylinder"
height = 1
radius = 0.05
position = [0.6, 0.4, 0.0]
quaternion = [0, 0, 0, 1]
""")
    world, expected = World.load(path), World()
    expected.add_plane("the floor", [0.0, 0.0, 1.0], -0.93)
    assert world.names == ("table", "the floor", "post")
    assert world["table"].T[0, 1] == -1.0
    np.testing.assert_array_equal(world["the floor"].T, expected["the floor"].T)
    np.testing.assert_array_equal(world["post"].T[:3, :3], np.eye(3))


BOX = 'kind = "box"\nsize = [1, 1, 1]\nposition = [1, 0, 0]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lab.toml: format is missing"),
        ("format = 2", "format = 2 is not known here; this version reads format = 1"),
        ("format = 1\nobstacles = 3", "obstacles is not known; available: format, objects"),
        ("format = 1\nobjects = 3", "objects must be a table, got int 3"),
        ("format = 1\n[objects.a]\nsize = 1", "objects.a.kind is missing"),
        ('format = 1\n[objects.a]\nkind = "cube"', "kind = 'cube' is not known; available: box,"),
        (f"format = 1\n[objects.a]\n{BOX}radius = 1", "objects.a.radius is not known; available"),
        (f"format = 1\n[objects.a]\n{BOX}mass = -1", "objects.a: mass = -1 kg; it must not be"),
        (f"format = 1\n[objects.a]\n{BOX}T = [1]", "objects.a has T and position; give one"),
        (f'format = 1\n[objects.a]\n{BOX}held = "foot"', "objects.a: unknown arm 'foot'"),
        (f"format = 1\n[objects.left_w0]\n{BOX}", "'left_w0' is a part of the robot"),
        (
            'format = 1\n[objects.a]\nkind = "box"\nsize = [1, 0, 1]\nposition = [1, 0, 0]',
            "objects.a: a box has 3 sizes above zero",
        ),
        (
            'format = 1\n[objects.a]\nkind = "sphere"\nradius = nan\nposition = [1, 0, 0]',
            "objects.a.radius holds nan",
        ),
        (
            'format = 1\n[objects.a]\nkind = "plane"\nnormal = [0, 0, 0]',
            "objects.a.normal is zero; it must have a direction",
        ),
        (
            f"format = 1\n[objects.a]\n{BOX}\nquaternion = [0, 0, 0, 2]",
            "objects.a: the quaternion 0 0 0 2 has length 2",
        ),
        (
            'format = 1\n[objects.a]\nkind = "points"\nradius = 0.1\nposition = [1, 0, 0]',
            "the arrays of the world: .*lab.npz",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(text)
    with pytest.raises(ModelError, match=says) as caught:
        World.load(path)
    assert "lab" in str(caught.value)


def test_arrays_that_do_not_belong_are_refused(tmp_path: Path) -> None:
    path = full().save(tmp_path / "lab.toml")
    np.savez(tmp_path / "lab.npz", cloud=np.ones((3, 3)))
    with pytest.raises(ModelError, match=r"ridge: its numbers are not in the .npz .* has cloud;"):
        World.load(path)
    np.savez(tmp_path / "lab.npz", cloud=np.ones((3, 2)), ridge=np.ones((3, 2)))
    with pytest.raises(ModelError, match=r"objects.cloud: points must have shape \(n, 3\)"):
        World.load(path)
    (tmp_path / "lab.npz").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(ModelError, match=r"lab.npz does not hold the arrays of a world"):
        World.load(path)
    with pytest.raises(ModelError, match=r"a world is a .toml file; call it lab.toml"):
        World().save(tmp_path / "lab.yaml")

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.errors import InputError
from baxterkit.ik import Position
from baxterkit.workspace import Mesh, canopy, reach_box
from baxterkit.workspace.surface import level_set


def ball(n: int) -> Mesh:
    """The unit ball on a lattice."""
    x = np.linspace(-1.3, 1.3, n)
    values = np.linalg.norm(np.stack(np.meshgrid(x, x, x, indexing="ij")), axis=0)
    mesh, _, _ = level_set(values, lambda at: x[0] + at * (x[1] - x[0]), 1.0)
    return mesh


def test_a_ball_has_its_volume_and_area() -> None:
    errors = []
    for n in (24, 48):
        mesh = ball(n)
        assert mesh.is_watertight
        errors.append([mesh.volume / (4.0 / 3.0 * np.pi) - 1.0, mesh.area / (4.0 * np.pi) - 1.0])
    assert np.abs(errors[1]).max() < 3e-3
    assert np.abs(errors[0]).min() / np.abs(errors[1]).max() > 2.0  # of second order


def test_two_holes_and_a_handle_are_closed_too() -> None:
    """A torus, and a ball inside of a shell: Euler's number says what they are."""
    x = np.linspace(-1.6, 1.6, 40)
    X, Y, Z = np.meshgrid(x, x, x, indexing="ij")
    place = lambda at: at  # noqa: E731
    torus, _, _ = level_set(np.hypot(np.hypot(X, Y) - 1.0, Z), place, 0.35)
    r = np.sqrt(X**2 + Y**2 + Z**2)
    shells, _, _ = level_set(np.minimum(np.abs(r - 1.2), r), place, 0.25)
    for mesh, euler in ((torus, 0), (shells, 6)):
        assert mesh.is_watertight
        edges = len(mesh.triangles) * 3 // 2
        assert len(mesh.vertices) - edges + len(mesh.triangles) == euler
        assert mesh.volume > 0.0


def test_a_mesh_with_a_hole_is_not_watertight() -> None:
    mesh = ball(16)
    assert not Mesh(mesh.vertices, mesh.triangles[1:]).is_watertight
    assert not Mesh(mesh.vertices, mesh.triangles[:, ::-1][:0]).is_watertight


def test_a_mesh_whose_vertices_meet_is_not_watertight() -> None:
    """Two tetrahedra that share an edge: four triangles meet there."""
    corners = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
    one = np.array([[0, 2, 3], [0, 1, 2], [0, 3, 1], [1, 3, 2]])
    vertices = np.concatenate([corners[:4], corners[[0, 1, 4, 5]]]).astype(float)
    assert Mesh(vertices[:4], one).is_watertight
    assert not Mesh(vertices, np.concatenate([one, one + 4])).is_watertight


def test_files_hold_the_mesh(tmp_path: Path) -> None:
    import trimesh

    mesh = ball(16)
    for name in ("ball.stl", "ball.obj"):
        loaded = trimesh.load(mesh.save(tmp_path / name))
        assert loaded.is_watertight
        assert loaded.volume == pytest.approx(mesh.volume, rel=1e-5)
        assert loaded.area == pytest.approx(mesh.area, rel=1e-5)
    (count,) = struct.unpack("<I", (tmp_path / "ball.stl").read_bytes()[80:84])
    assert count == len(mesh.triangles)
    with pytest.raises(InputError, match=r"ball\.ply: a mesh is written as \.stl or \.obj"):
        mesh.save(tmp_path / "ball.ply")


@pytest.fixture(scope="module")
def left() -> Arm:
    return Arm("left")


def closed_on_file(mesh: Mesh, folder: Path) -> None:
    """The files are closed too to a reader that joins equal vertices, as all readers of STL do."""
    import trimesh

    for name in ("canopy.stl", "canopy.obj"):
        loaded = trimesh.load(mesh.save(folder / name))
        assert len(loaded.faces) == len(mesh.triangles)
        assert loaded.is_watertight
        assert loaded.is_winding_consistent
        assert loaded.volume == pytest.approx(mesh.volume, rel=1e-5)


def test_the_canopy_holds_what_the_arm_reaches(left: Arm, tmp_path: Path) -> None:
    """Its volume is that of the points that inverse kinematics reaches, by random points."""
    found = canopy(left, 0.25, samples=25_000)
    assert found.mesh.is_watertight
    tips = left.fk(found.q)[:, :3, 3]
    off = np.abs(tips - found.mesh.vertices).max(axis=-1)
    assert (off == 0.0).mean() > 0.9  # vertices are reached
    assert off.max() < 0.02 * found.step  # but where several would meet
    assert left.limits.contains(found.q).all()
    closed_on_file(found.mesh, tmp_path)
    low, high = reach_box(left)
    p = np.random.default_rng(5).uniform(low, high, (200, 3))
    reached = left.ik(Position(p)).solved.mean()
    volume = np.prod(high - low) * reached
    sigma = np.prod(high - low) * np.sqrt(reached * (1.0 - reached) / len(p))
    assert abs(found.volume - volume) < 3.0 * sigma + found.volume_error
    finer = 4.108, 12.64  # m^3, m^2: those of a lattice of 5 cm
    assert abs(found.volume - finer[0]) < 2.0 * found.volume_error + 0.02
    assert abs(found.area - finer[1]) < 2.0 * found.area_error + 0.1


def test_the_body_takes_volume_away(left: Arm, tmp_path: Path) -> None:
    robot = Baxter()
    found = canopy(left, 0.35, samples=12_000, scene=robot)
    assert found.mesh.is_watertight
    assert 2.9 < found.volume < 3.8
    assert not np.asarray(robot.in_collision(found.q, robot.right.configuration("untuck"))).any()
    closed_on_file(found.mesh, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.001}, "step = 0.001 m must be from 0.005 to 0.5"),
        ({"samples": 10}, "samples must be a whole number, 1000 or above, got 10"),
        ({"other": np.zeros(7)}, "other is about the body"),
        ({"step": [0.1, 0.2]}, "step must be one number"),
        ({"scene": Arm("left")}, "give a Scene, a Baxter"),
        ({"scene": Baxter(Arm("left", "vacuum"))}, "has another mount or tool than arm"),
    ],
)
def test_bad_settings_are_refused(left: Arm, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        canopy(left, **options)  # type: ignore[arg-type]

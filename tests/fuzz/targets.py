"""Every reader of the package: seeds that it reads, and what a user does with them next."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from recording_seeds import (
    bag_seeds,
    csv_seeds,
    klampt_seeds,
    mat_seeds,
    mcap_seeds,
    packed,
    parquet_seeds,
    tf_seeds,
    use_recording,
    use_tf,
)
from seed_files import N, quiet, tried, written
from world_files import MOVEIT, OLDER_MOVEIT, SDF

from baxterkit import Arm, Baxter, JointEffects, Payload, Tool, trajectory, workspace
from baxterkit.collision import World
from baxterkit.errors import BaxterkitError
from baxterkit.lesson import Lesson, load_lerobot, save_lerobot
from baxterkit.model.urdf_reader import read_urdf


@dataclass(frozen=True)
class Target:
    """One kind of file.

    Attributes:
        ending: Of the file's name.
        seeds: Makes whole files of the kind.
        use: Reads a file and works with the result.
    """

    ending: str
    seeds: Callable[[], list[bytes]]
    use: Callable[[Path], object]


# Robot files.


def robot_seeds() -> list[bytes]:
    left = Arm("left", "electric_standard", payload=Payload(0.5, np.array([0.0, 0.0, 0.05])))
    spring = np.zeros((7, 2))
    spring[1] = (3.0, -1.0)
    effects = JointEffects(
        bias=np.full(7, 0.1), coulomb=np.full(7, 0.2), viscous=np.full(7, 0.3), spring_sin=spring,
        spring_cos=spring,
    )  # fmt: skip
    about = {"sources": ["a.csv", "b.csv"], "date": "2026-01-01", "scores": {"rms": [0.1, 0.2]}}
    right = Arm("right").with_effects(effects)

    def both(path: Path) -> None:
        left.to_file(path, about)
        right.to_file(path, about)

    return [written(".toml", lambda path: right.to_file(path, about)), written(".toml", both)]


def use_robot(path: Path) -> None:
    for side in ("left", "right"):
        with contextlib.suppress(BaxterkitError):
            use_arm(Arm.from_file(path, side), path)


def use_arm(arm: Arm, path: Path | None = None) -> None:
    q = arm.configuration("neutral")
    tried(
        lambda: arm.fk(q),
        lambda: arm.inverse_dynamics(q, q, q),
        lambda: arm.forward_dynamics(q, q, q),
        lambda: arm.ik(arm.fk(q)),
        lambda: arm.to_urdf(),
        lambda: repr(arm),
    )
    if path is not None:
        tried(lambda: arm.to_file(path.with_name("again.toml")))


# Worlds.


def world_seeds() -> list[bytes]:
    world = World()
    world.add_table("table", -0.15)
    world.add_cylinder("can", 0.1, 0.03, [0.7, 0.2, -0.1], mass=0.2, color=(0.1, 0.2, 0.3))
    world.add_plane("floor", [0.1, 0.0, 1.0], -0.9)
    world.add_sphere("ball", 0.1, [1.0, 0.0, 0.0])
    world.attach("ball", "left", np.eye(4))
    return [written(".toml", world.save)]


def use_world(path: Path) -> None:
    world, robot = World.load(path), Baxter()
    q = robot.left.configuration("untuck"), robot.right.configuration("untuck")
    tried(
        lambda: robot.scene(world).clearance(*q),
        lambda: world.save(path.with_name("again.toml")),
        lambda: repr(world),
    )


# URDF.


def urdf_seeds() -> list[bytes]:
    loaded = Arm("right", "vacuum", payload=Payload(0.3, np.array([0.0, 0.0, 0.1])))
    return [arm.to_urdf().encode() for arm in (Arm("left"), loaded)]


def tool_seeds() -> list[bytes]:
    """A gripper with collision geometry of every kind."""
    solids = (
        '<box size="0.08 0.06 0.06"/>',
        '<cylinder length="0.04" radius="0.008"/>',
        '<sphere radius="0.01"/>',
        '<mesh filename="package://claw/claw.stl" scale="1 1 1"/>',
    )
    parts = "".join(
        f'<collision><origin xyz="0 0 0.{i}" rpy="0 0 1"/><geometry>{solid}</geometry></collision>'
        for i, solid in enumerate(solids)
    )
    body = '<inertial><mass value="0.6"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="tip"/></joint>'
    link = f'<link name="a">{body}{parts}</link><link name="tip"/>'
    texts = (link, link.replace(solids[-1], solids[0]))
    return [f'<robot name="claw">{text}{joint}</robot>'.encode() for text in texts]


def use_tool(path: Path) -> None:
    """Reads it with its shape and without, and puts it on an arm."""
    for shape in (True, False):
        with contextlib.suppress(BaxterkitError):
            use_arm(Arm("left", Tool.from_urdf(path, shape=shape)))


def use_urdf(path: Path) -> None:
    from baxterkit.model.dh import dh_from_chain

    tree = read_urdf(path)
    tried(lambda: dh_from_chain(tree.chain(tree.root, next(iter(tree.links)))))
    for side in ("left", "right"):
        with contextlib.suppress(BaxterkitError):
            use_arm(Arm.from_urdf(path, side))


# Trajectories, points and rows.


def trajectory_seeds(ending: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        arm = Arm("left")
        neutral = arm.configuration("neutral")
        way = trajectory.min_jerk(arm, neutral, neutral + 0.1, 0.3)
        other = trajectory.through(arm, np.stack([neutral, neutral + 0.1, neutral]))
        return [written(ending, one.save) for one in (way, other)]

    return seeds


def use_trajectory(path: Path) -> None:
    found = trajectory.Trajectory.load(path)
    tried(
        lambda: found.sample(0.5 * found.duration),
        lambda: found.at_rate(100.0),
        lambda: found.check(Arm("left").limits),
        lambda: found.stretched(2.0),
        lambda: repr(found),
        lambda: found.save(path.with_name("again.npz")),
    )


def taught() -> Lesson:
    arm = Arm("left")
    q = arm.configuration("neutral")
    way = trajectory.min_jerk(arm, q, q + 0.1, 0.3).with_grippers(left=[(0.1, 0.0)])
    return Lesson(way, (0.2,))


def lesson_seeds() -> list[bytes]:
    return [written(".json", taught().save)]


def use_lesson(path: Path) -> None:
    found = Lesson.load(path)
    tried(
        lambda: found.cut(0.0, 0.5 * found.duration),
        lambda: found.join(found, seconds=2.0),
        lambda: found.mirrored(),
        lambda: repr(found),
        lambda: found.save(path.with_name("again.json")),
    )


DATASET_FILES = (
    "data/chunk-000/file-000.parquet", "meta/tasks.parquet", "meta/info.json",
    "meta/baxterkit.json",
)  # fmt: skip


@cache
def whole_dataset() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return save_lerobot(Path(folder) / "set", [taught()])


def dataset_seeds() -> list[bytes]:
    return [f"{name}\n".encode() + (whole_dataset() / name).read_bytes() for name in DATASET_FILES]


def use_dataset(path: Path) -> None:
    name, _, data = path.read_bytes().partition(b"\n")
    known = name.decode(errors="replace")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "set"
        shutil.copytree(whole_dataset(), place)
        (place / (known if known in DATASET_FILES else "meta/info.json")).write_bytes(data)
        for one in load_lerobot(place):
            repr(one)


def point_seeds() -> list[bytes]:
    turn = np.linspace(0.0, 6.0, N)
    rows = "\n".join(f"{0.6 + 0.1 * np.cos(a):.4f} {0.2 + 0.1 * np.sin(a):.4f} 0.2" for a in turn)
    return [
        rows.encode(),
        b"x,y,z [m],pressure\n" + rows.replace(" ", ",").replace("\n", ",1\n").encode() + b",1",
    ]


def use_points(path: Path) -> None:
    trajectory.read_points(path)
    drawn = trajectory.drawn(path, smoothing=0.01)
    tried(lambda: drawn.sample(0.5 * drawn.duration))


def row_seeds() -> list[bytes]:
    rows = "\n".join(" ".join(f"{0.1 * (i + j):.3f}" for j in range(7)) for i in range(10))
    return [
        rows.encode(),
        b"left_s0,left_s1,left_e0,left_e1,left_w0,left_w1,left_w2\n"
        + rows.replace(" ", ",").encode(),
    ]


def use_rows(path: Path) -> None:
    from baxterkit.cli.app import run

    status = quiet(lambda: run(["fk", str(path), "--json"]))
    assert status in (0, 1, 2), status


# Meshes.


# Maps of the workspace: folders, of which one file is damaged; its first line names it.

MAP = {"step": 1.0, "orientations": 2, "chunk": 9}
MAP_FILES = (
    "zarr.json",
    "status/zarr.json",
    "done/zarr.json",
    "counts/c/0/0/0/0/0",
    "done/c/0/0/0/0",
)


@cache
def whole_map() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    workspace.make_map(Path(folder) / "map.zarr", workspace.Question(**MAP), threads=1)  # type: ignore[arg-type]
    return Path(folder) / "map.zarr"


def map_seeds() -> list[bytes]:
    return [f"{name}\n".encode() + (whole_map() / name).read_bytes() for name in MAP_FILES]


def use_map(path: Path) -> None:
    name, _, data = path.read_bytes().partition(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "map.zarr"
        shutil.copytree(whole_map(), place)
        known = name.decode(errors="replace")
        (place / (known if known in MAP_FILES else "zarr.json")).write_bytes(data)

        def look() -> None:
            made = workspace.open_map(place)
            made.reasons()
            made.score(np.eye(4))

        tried(look, lambda: workspace.make_map(place, workspace.Question(**MAP), threads=1))  # type: ignore[arg-type]


def mesh_seeds() -> list[bytes]:
    return [MESH.encode()]


def use_mesh(path: Path) -> None:
    from baxterkit.look.collada import read_collada

    read_collada(path)


MESH = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_effects><effect id="e"><profile_COMMON><technique><phong>
<diffuse><color>0.1 0.2 0.3 1</color></diffuse>
</phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<source id="n"><float_array id="b" count="3">0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist material="m" count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><vcount>3 4</vcount>
<p>0 0 1 0 2 0 0 0 1 0 2 0 3 0</p></polylist>
<triangles material="m" count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 3</p></triangles>
</mesh></geometry></library_geometries></COLLADA>
"""

TARGETS: dict[str, Target] = {
    "robot file": Target(".toml", robot_seeds, use_robot),
    "world file": Target(".toml", world_seeds, use_world),
    "world, MoveIt": Target(".scene", lambda: [MOVEIT.encode(), OLDER_MOVEIT.encode()], use_world),
    "world, SDF": Target(".sdf", lambda: [SDF.encode()], use_world),
    "URDF": Target(".urdf", urdf_seeds, use_urdf),
    "tool, URDF": Target(".urdf", tool_seeds, use_tool),
    "recording, CSV": Target(".csv", csv_seeds, use_recording),
    "recording, packed CSV": Target(".csv.gz", packed(csv_seeds), use_recording),
    "recording, Klamp't path": Target(".path", klampt_seeds, use_recording),
    "recording, Parquet": Target(".parquet", parquet_seeds, use_recording),
    "recording, MATLAB": Target(".mat", mat_seeds, use_recording),
    "recording, bag": Target(".bag", bag_seeds, use_recording),
    "recording, mcap": Target(".mcap", mcap_seeds, use_recording),
    "tf, bag": Target(".bag", tf_seeds, use_tf),
    "recording, packed bag": Target(".bag.gz", packed(bag_seeds), use_recording),
    "trajectory, NumPy": Target(".npz", trajectory_seeds(".npz"), use_trajectory),
    "trajectory, JSON": Target(".json", trajectory_seeds(".json"), use_trajectory),
    "trajectory, CSV": Target(".csv", trajectory_seeds(".csv"), use_trajectory),
    "lesson": Target(".json", lesson_seeds, use_lesson),
    "dataset of LeRobot": Target(".set", dataset_seeds, use_dataset),
    "points": Target(".csv", point_seeds, use_points),
    "rows of the command line": Target(".csv", row_seeds, use_rows),
    "map": Target(".map", map_seeds, use_map),
    "mesh": Target(".dae", mesh_seeds, use_mesh),
}
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

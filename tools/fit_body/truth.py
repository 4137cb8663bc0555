"""The input of the fit as files: the meshes, and their collisions at random configurations.

Usage: BAXTERKIT_MESHES=.../baxter_description BAXTERKIT_TOOL_MESHES=.../rethink_ee_description
       python tools/fit_body/truth.py FOLDER [meshes]

Writes FOLDER/meshes.npz (vertices and triangles of each visual, in the frame of its joint; of the
parts of tools, in that of w2), and unless `meshes` are asked for alone, of the robot with bare
hands v_train.npz, v_train2.npz and v_test.npz (random configurations of both arms and whether
meshes touch).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from oracles.mesh_robot import MeshRobot, mesh_of  # noqa: E402
from oracles.tool_meshes import SETS as FINGERS  # noqa: E402
from oracles.tool_meshes import tool_meshes  # noqa: E402

from baxterkit import Arm  # noqa: E402
from baxterkit.model.library import load_baxter  # noqa: E402

SETS = {"v_train": (30_000, 11), "v_test": (30_000, 12), "v_train2": (100_000, 13)}
"""Name -> how many configurations, and the seed."""


def corners(shape) -> np.ndarray:
    """The triangles of a mesh, by the numbers of their corners."""
    sides = [shape.tri_indices(i) for i in range(shape.num_tris)]
    return np.array([[side[0], side[1], side[2]] for side in sides])


def tools() -> dict[str, np.ndarray]:
    """Meshes of the parts of tools in the frame of w2, closed; of fingers the one along +y."""
    arrays, hand = {}, load_baxter().T_last_hand
    for tool in ("vacuum", *(f"electric_{name}" for name in FINGERS)):
        for n, part in enumerate(tool_meshes(tool)):
            name = "electric" if tool != "vacuum" else tool
            flip = np.ones(3)
            if part.opens:
                name = tool.removeprefix("electric_")
                flip = np.array([part.opens, part.opens, 1.0])
            mesh, T = mesh_of(part.path), hand @ part.T
            vertices = np.array(mesh.vertices()) @ T[:3, :3].T + T[:3, 3]
            key = f"tool/{name}/{n}"
            arrays |= {f"{key}/V": vertices * flip, f"{key}/F": corners(mesh)}
    return arrays


def main() -> None:
    """Writes the files."""
    folder = Path(sys.argv[1])
    robot = MeshRobot(tools=("hand", "hand"))
    arrays = tools()
    for visual in robot.shapes.geometryObjects:
        shape, place = visual.geometry, visual.placement
        if not hasattr(shape, "vertices"):
            continue  # cylinders and boxes: parts.py has them
        name = visual.name[:-2]
        arrays[f"{name}/V"] = np.array(shape.vertices()) @ place.rotation.T + place.translation
        arrays[f"{name}/F"] = corners(shape)
    np.savez_compressed(folder / "meshes.npz", **arrays)
    if "meshes" in sys.argv[2:]:
        return
    limits = Arm("left").limits
    for name, (n, seed) in SETS.items():
        rng = np.random.default_rng(seed)
        q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (n, 14))
        hit = robot.touches(q)
        np.savez_compressed(folder / f"{name}.npz", Q=q, hit=hit)
        print(name, n, f"{100 * (1 - hit.mean()):.1f} % free")


if __name__ == "__main__":
    main()

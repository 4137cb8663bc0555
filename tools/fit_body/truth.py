"""The input of the fit as files: the meshes, and their collisions at random postures.

Usage: BAXTERKIT_MESHES=.../baxter_description python tools/fit_body/truth.py FOLDER

Writes FOLDER/meshes.npz (vertices and triangles of each visual, in the frame of its joint),
v_train.npz, v_train2.npz and v_test.npz (random postures of both arms and whether meshes touch).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from oracles.mesh_robot import MeshRobot  # noqa: E402

from baxterkit import Arm  # noqa: E402

SETS = {"v_train": (30_000, 11), "v_test": (30_000, 12), "v_train2": (100_000, 13)}
"""Name -> how many postures, and the seed."""


def main() -> None:
    """Writes the files."""
    folder = Path(sys.argv[1])
    robot = MeshRobot()
    arrays = {}
    for visual in robot.shapes.geometryObjects:
        shape, place = visual.geometry, visual.placement
        if not hasattr(shape, "vertices"):
            continue  # cylinders and boxes: parts.py has them
        name = visual.name[:-2]
        corners = [shape.tri_indices(i) for i in range(shape.num_tris)]
        arrays[f"{name}/V"] = np.array(shape.vertices()) @ place.rotation.T + place.translation
        arrays[f"{name}/F"] = np.array([[t[0], t[1], t[2]] for t in corners])
    np.savez_compressed(folder / "meshes.npz", **arrays)
    limits = Arm("left").limits
    for name, (n, seed) in SETS.items():
        rng = np.random.default_rng(seed)
        q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (n, 14))
        hit = robot.touches(q)
        np.savez_compressed(folder / f"{name}.npz", Q=q, hit=hit)
        print(name, n, f"{100 * (1 - hit.mean()):.1f} % free")


if __name__ == "__main__":
    main()

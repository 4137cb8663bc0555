"""Makes the capsules of `collision/body.toml` grow until all triangles of the meshes are inside.

Usage: python tools/fit_body/regrow.py DATA/meshes.npz src/baxterkit/collision/body.toml

For meshes that the fit did not see, such as those of further materials of a file. Entries that need
not grow stay as they are.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
from finish import DIGITS, SAMPLES, Capsule, cover, numbers
from parts import MIRRORED, on_triangles, parts
from scipy.spatial import cKDTree


def main() -> None:
    """Rewrites radius and excess of the entries that grow."""
    target = Path(sys.argv[2])
    head, *tables = target.read_text().split("[[")
    entries = [tomllib.loads("[[" + table) for table in tables]
    rng = np.random.default_rng(0)
    for name, meshes in parts(sys.argv[1]).items():
        if name in MIRRORED:
            continue
        mine = [k for k, e in enumerate(entries) if e.get("capsule", [{}])[0].get("part") == name]
        capsules = []
        for k in mine:
            entry = entries[k]["capsule"][0]
            row = [*entry["start"], *entry["end"], np.log(entry["radius"])]
            capsules.append(Capsule(row))
            capsules[-1].r = entry["radius"]
        before = [capsule.r for capsule in capsules]
        cover(capsules, np.concatenate([V[F] for V, F in meshes]))
        dense = np.vstack([np.vstack([V, on_triangles(V, F, 60_000, rng)]) for V, F in meshes])
        tree = cKDTree(dense)
        for k, capsule, radius in zip(mine, capsules, before, strict=True):
            if capsule.r == radius:
                continue
            X = capsule.sample(SAMPLES, rng)
            X = X[
                np.all([other.depth(X) < 0 for other in capsules if other is not capsule], axis=0)
            ]
            shown = 1e3 * tree.query(X)[0] if len(X) else np.zeros(1)
            lines = tables[k].splitlines(keepends=True)
            for n, line in enumerate(lines):
                if line.startswith("radius"):
                    lines[n] = f"radius = {capsule.r:.{DIGITS}f}\n"
                if line.startswith("excess"):
                    lines[n] = f"excess = {numbers((shown.mean(), shown.max()), 1)}\n"
            tables[k] = "".join(lines)
            print(f"{name}: {1e3 * (capsule.r - radius):.2f} mm, excess {shown.mean():.1f} mm")
    target.write_text("[[".join([head, *tables]))


if __name__ == "__main__":
    main()

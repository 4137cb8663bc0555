"""The capsules of a finger, laid by hand, grown until every triangle is inside, into `body.toml`.

Usage: python tools/fit_body/fingers.py DATA/meshes.npz src/baxterkit/collision/body.toml

A finger is thin where it grips: a plate of 40 x 36 x 4 mm, or half a cylinder. The fit, which looks
at the whole robot, covers it with few fat capsules; then no thing fits between the fingers. So the
fit's are replaced: the foot, the bend, the rod, the body of the tip, and four across the plate.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
from finish import SAMPLES, Capsule, cover, numbers
from parts import on_triangles, parts
from scipy.spatial import cKDTree

ACROSS = (242.5, 251.9, 260.9, 270.3)
"""Heights of the capsules across the plate [mm]."""
START = [
    [-5.3, -24.7, 165.6, -5.6, 12.8, 166.0, 9.4],
    [-6.5, 13.2, 167.0, -0.8, 16.0, 185.0, 8.0],
    [0.0, 15.9, 190.0, 0.0, 14.2, 266.0, 7.6],
    [0.0, 11.6, 245.0, 0.0, 11.6, 267.9, 6.5],
    *([-17.5, 10.4, z, 17.5, 10.4, z, 4.9] for z in ACROSS),
]
"""Both ends and the radius of each, closed, in the frame of w2 [mm]."""


def main() -> None:
    """Replaces the capsules of part "f" in the file."""
    meshes, rng = parts(sys.argv[1])["f"], np.random.default_rng(0)
    own = [Capsule([*1e-3 * np.array(row[:6]), np.log(1e-3 * row[6])]) for row in START]
    growth = cover(own, np.concatenate([V[F] for V, F in meshes]))
    tree = cKDTree(np.vstack([np.vstack([V, on_triangles(V, F, 60_000, rng)]) for V, F in meshes]))
    lines, shown = [], []
    for capsule in own:
        X = capsule.sample(SAMPLES, rng)
        X = X[np.all([c.depth(X) < 0 for c in own if c is not capsule], axis=0)]
        shown.append(1e3 * tree.query(X)[0] if len(X) else np.zeros(1))
        excess = numbers((shown[-1].mean(), shown[-1].max()), 1)
        lines.append(capsule.text("f", f"excess = {excess}"))
    together = np.concatenate(shown)
    print(
        f"{len(own)} capsules, grown by {1e3 * growth:.2f} mm at most; excess "
        f"{together.mean():.1f} mm in the mean, {together.max():.1f} at most"
    )
    target = Path(sys.argv[2])
    pieces = re.split(r"(?m)^(?=\[\[)", target.read_text(encoding="utf-8"))
    kept = [piece.rstrip("\n") + "\n" for piece in pieces if 'part = "f"' not in piece]
    target.write_text("\n".join([*kept, *lines]), encoding="utf-8")


if __name__ == "__main__":
    main()

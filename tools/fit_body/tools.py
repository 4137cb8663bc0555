"""The bodies of the tools into `tools.toml`, and the bare w2 into `body.toml`.

Usage: python tools/fit_body/tools.py DATA/meshes.npz FIT.json src/baxterkit/collision

FIT.json is of `fit.py ... alone=w2,electric,vacuum`. The capsules of fingers are laid by hand: a
finger is thin where it grips, a plate of 40 x 36 x 4 mm or half a cylinder; a fit covers it with
few fat capsules; then no object fits between the fingers. They are the foot, the bend, the rod,
the body of the tip, and four across the plate. All grow until every triangle is inside. The head of
`tools.toml` (comments, sources, which parts a tool has) stays as it is.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
from finish import SAMPLES, Capsule, cover, numbers
from parts import on_triangles, parts, tool_parts
from scipy.spatial import cKDTree

BELOW = [
    [-5.3, -24.7, 165.6, -5.6, 12.8, 166.0, 9.4],
    [-6.5, 13.2, 167.0, -0.8, 16.0, 185.0, 8.0],
    [0.0, 15.9, 190.0, 0.0, 14.2, 266.0, 7.6],
    [0.0, 11.6, 245.0, 0.0, 11.6, 267.9, 6.5],
    *([-17.5, 10.4, z, 17.5, 10.4, z, 4.9] for z in (242.5, 251.9, 260.9, 270.3)),
]
"""Of a narrow extended finger, closed: both ends and the radius, in the frame of w2 [mm]."""
SHORTER, WIDER = 37.7, 37.78
"""By how much a standard finger is shorter, and a wide one is farther out [mm]."""
STRAIGHT = 200.0
"""Height above which standard fingers differ from extended ones [mm]."""
FINGERS = ("standard_narrow", "standard_wide", "extended_narrow", "extended_wide")


def finger(name: str) -> list[Capsule]:
    """The capsules of a finger before they grow."""
    rows = np.array(BELOW)
    for z in (2, 5):
        high = rows[:, z] > STRAIGHT
        rows[high, z] -= SHORTER if name.startswith("standard") else 0.0
    if name.endswith("wide"):
        rows[0, 4] += WIDER
        rows[1:, [1, 4]] += WIDER
    return [Capsule([*1e-3 * row[:6], np.log(1e-3 * row[6])]) for row in rows]


def entries(name, own, meshes, rng) -> list[str]:
    """The tables of a part, after its capsules have grown."""
    growth = cover(own, np.concatenate([V[F] for V, F in meshes]))
    tree = cKDTree(np.vstack([np.vstack([V, on_triangles(V, F, 60_000, rng)]) for V, F in meshes]))
    lines, shown = [], []
    for capsule in own:
        X = capsule.sample(SAMPLES, rng)
        X = X[np.all([c.depth(X) < 0 for c in own if c is not capsule], axis=0)]
        shown.append(1e3 * tree.query(X)[0] if len(X) else np.zeros(1))
        excess = numbers((shown[-1].mean(), shown[-1].max()), 1)
        lines.append(capsule.text(name, f"excess = {excess}"))
    together = np.concatenate(shown)
    print(
        f"{name}: {len(own)} capsules, grown by {1e3 * growth:.2f} mm at most; excess "
        f"{together.mean():.1f} mm in the mean, {together.max():.1f} at most"
    )
    return lines


def main() -> None:
    """Writes both files."""
    meshes, rng = parts(sys.argv[1]) | tool_parts(sys.argv[1]), np.random.default_rng(0)
    fit, folder = json.loads(Path(sys.argv[2]).read_text())["parts"], Path(sys.argv[3])
    lines = []
    for name in ("electric", "vacuum"):
        lines += entries(name, [Capsule(row) for row in fit[name]], meshes[name], rng)
    for name in FINGERS:
        lines += entries(name, finger(name), meshes[name], rng)
    target = folder / "tools.toml"
    head = target.read_text(encoding="utf-8").split("[[")[0]
    target.write_text(head + "\n".join(lines), encoding="utf-8")
    wrist = entries("w2", [Capsule(row) for row in fit["w2"]], meshes["w2"], rng)
    target = folder / "body.toml"
    pieces = re.split(r"(?m)^(?=\[\[)", target.read_text(encoding="utf-8"))
    kept = [piece.rstrip("\n") + "\n" for piece in pieces if 'part = "w2"' not in piece]
    target.write_text("\n".join([*kept, *wrist]), encoding="utf-8")


if __name__ == "__main__":
    main()

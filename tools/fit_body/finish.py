"""From the fit to `collision/body.toml`: every triangle inside, numbers rounded, errors measured.

Usage: python tools/fit_body/finish.py DATA/meshes.npz FIT.json src/baxterkit/collision/body.toml

A triangle is inside when all three corners are inside one (convex) primitive; one that is not is
quartered, down to LEAF. What is then still outside makes the primitive grow that needs least.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from parts import MIRRORED, on_triangles, parts
from scipy.spatial import cKDTree

from baxterkit.spatial import so3_exp

LEAF = 0.0008
"""Longest side of a piece of a triangle that is not quartered again [m]."""
DIGITS = 5
MIRROR = np.array([1.0, -1.0, 1.0])
SAMPLES = 4000
"""Points on a primitive from which its error is measured."""


def up(x: float) -> float:
    """Rounded up to the digits of the file."""
    return float(np.ceil(x * 10**DIGITS - 1e-9) / 10**DIGITS)


class Capsule:
    """A capsule of the fit, rounded."""

    def __init__(self, row):
        row = np.array(row)
        self.a, self.b, self.r = row[0:3].round(DIGITS), row[3:6].round(DIGITS), up(np.exp(row[6]))
        if np.linalg.norm(self.b - self.a) < 1e-3:  # kernels want a length
            self.b = self.b + np.array([0, 0, 1e-3])

    def depth(self, X):
        """How deep points lie inside."""
        d = self.b - self.a
        t = np.clip((X - self.a) @ d / (d @ d), 0, 1)
        return self.r - np.linalg.norm(X - self.a - t[..., None] * d, axis=-1)

    def sample(self, n, rng):
        """Random points of its surface."""
        d = self.b - self.a
        length = np.linalg.norm(d)
        u = rng.normal(size=(n, 3))
        side = rng.random(n) < length / (length + 2 * self.r)
        t = np.where(side, rng.random(n), u @ d > 0)
        u = u - np.where(side, u @ d / length**2, 0.0)[:, None] * d
        return self.a + t[:, None] * d + self.r * u / np.linalg.norm(u, axis=1)[:, None]

    def text(self, part, excess):
        """Its entry in the file."""
        lines = [f"start = {numbers(self.a)}", f"end = {numbers(self.b)}"]
        return entry("capsule", part, [*lines, f"radius = {self.r:.{DIGITS}f}", excess])


class Box:
    """A rounded box of the fit, rounded."""

    def __init__(self, row, central):
        row, self.central = np.array(row), central
        self.c, self.w = row[0:3].round(DIGITS), row[3:6].round(6)
        if central:
            self.c[1] = self.w[0] = self.w[2] = 0.0
        self.h, self.r, self.R = np.exp(row[6:9]).round(DIGITS), up(np.exp(row[9])), so3_exp(self.w)

    def depth(self, X):
        """How deep points lie inside."""
        e = np.abs((X - self.c) @ self.R) - self.h
        return self.r - np.linalg.norm(np.maximum(e, 0), axis=-1) - np.minimum(e.max(-1), 0)

    def sample(self, n, rng):
        """Random points of its surface."""
        u = rng.normal(size=(n, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        p = rng.uniform(-1, 1, (n, 3)) * self.h
        k = rng.choice(3, n, p=self.h / self.h.sum())
        p[np.arange(n), k] = np.sign(u[np.arange(n), k]) * self.h[k]
        return self.c + (p + self.r * u) @ self.R.T

    def text(self, part, excess):
        """Its entry in the file."""
        lines = [
            f"center = {numbers(self.c)}",
            f"turn = {numbers(self.w, 6)}",
            f"half = {numbers(self.h)}",
            f"radius = {self.r:.{DIGITS}f}",
            f"mirrored = {str(not self.central).lower()}",
        ]
        return entry("box", part, [*lines, excess])


class Image:
    """The mirror image of a box; it grows with it."""

    def __init__(self, box):
        self.box = box

    def depth(self, X):
        """How deep points lie inside."""
        return self.box.depth(X * MIRROR)

    @property
    def r(self):
        """Radius of both."""
        return self.box.r

    @r.setter
    def r(self, value):
        self.box.r = value


def numbers(values, digits=DIGITS):
    """A list of numbers in the file."""
    return "[" + ", ".join(f"{x:.{digits}f}" for x in values) + "]"


def entry(kind, part, lines):
    """A table of the file."""
    return "\n".join([f"[[{kind}]]", f'part = "{part}"', *lines, ""])


def quarters(T):
    """Four triangles for each."""
    a, b, c = T[:, 0], T[:, 1], T[:, 2]
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(three, axis=1) for three in corners])


def cover(primitives, triangles):
    """Makes primitives grow until every triangle is inside; returns by how much at most [m]."""
    before = [p.r for p in primitives]
    while len(triangles):
        depth = np.stack([p.depth(triangles).min(-1) for p in primitives])
        outside = ~(depth >= 0).any(0)
        triangles, depth = triangles[outside], depth[:, outside]
        if len(triangles) > 2_000_000:
            raise SystemExit("too many pieces: the fit is far off")
        sides = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=-1)
        small = sides.max(1, initial=0.0) < LEAF
        nearest, need = depth[:, small].argmax(0), -depth[:, small].max(0, initial=-np.inf)
        for k in np.unique(nearest):
            primitives[k].r = up(primitives[k].r + need[nearest == k].max() + 1e-9)
        triangles = np.concatenate([quarters(triangles[~small]), triangles[small]])
    return max(p.r - r for p, r in zip(primitives, before, strict=True))


def main() -> None:
    """Writes the file, its head (comments, source, finger) as it was."""
    fit = json.loads(Path(sys.argv[2]).read_text())
    target, rng, lines = Path(sys.argv[3]), np.random.default_rng(0), []
    for name, meshes in parts(sys.argv[1]).items():
        rows, central = fit["parts"][name], fit["boxes"].get(name, [None])[0]
        if central is None:
            own = primitives = [Capsule(row) for row in rows]
        else:
            own = [Box(row, k < central) for k, row in enumerate(rows)]
            primitives = own + [Image(box) for box in own[central:]]
        growth = cover(primitives, np.concatenate([V[F] for V, F in meshes]))
        dense = np.vstack([np.vstack([V, on_triangles(V, F, 60_000, rng)]) for V, F in meshes])
        tree = cKDTree(np.vstack([dense, dense * MIRROR]) if name in MIRRORED else dense)
        shown = []
        for primitive in own:
            X = primitive.sample(SAMPLES, rng)
            others = [p.depth(X) < 0 for p in primitives if p is not primitive]
            X = X[np.all(others, axis=0)]
            shown.append(1e3 * tree.query(X)[0] if len(X) else np.zeros(1))
            excess = numbers((shown[-1].mean(), shown[-1].max()), 1)
            lines.append(primitive.text(name, f"excess = {excess}"))
        shown = np.concatenate(shown)
        print(
            f"{name}: {len(own)} primitives, grown by {1e3 * growth:.2f} mm at most; excess "
            f"{shown.mean():.1f} mm in the mean, {shown.max():.1f} at most"
        )
    head = target.read_text().split("[[")[0]
    target.write_text(head + "\n".join(lines))


if __name__ == "__main__":
    main()

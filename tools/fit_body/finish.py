"""From the fit to `collision/body.toml`: every triangle inside, numbers rounded, errors measured.

A triangle is inside when all three corners are inside one (convex) primitive; one that is not is
quartered, down to LEAF. What is then still outside makes the primitive grow that needs least.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from parts import MIRRORED, parts
from scipy.spatial import cKDTree

LEAF = 0.0008  # [m]
DIGITS = 5
MIRROR = np.array([1.0, -1.0, 1.0])


def rotation(w):
    th = np.linalg.norm(w)
    if th < 1e-12:
        return np.eye(3)
    k = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / th
    return np.eye(3) + np.sin(th) * k + (1 - np.cos(th)) * k @ k


class Capsule:
    def __init__(self, row):
        row = np.array(row)
        self.a, self.b = row[0:3].round(DIGITS), row[3:6].round(DIGITS)
        if np.linalg.norm(self.b - self.a) < 1e-3:
            self.b = self.b + [0, 0, 1e-3]
        self.r = np.ceil(np.exp(row[6]) * 1e5) / 1e5

    def depth(self, X):
        d = self.b - self.a
        t = np.clip((X - self.a) @ d / (d @ d), 0, 1)
        return self.r - np.linalg.norm(X - self.a - t[..., None] * d, axis=-1)

    def sample(self, n, rng):
        d = self.b - self.a
        L = np.linalg.norm(d)
        u = rng.normal(size=(n, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        t = np.where(rng.random(n) < L / (L + 2 * self.r), rng.random(n), (u @ d > 0).astype(float))
        return self.a + t[:, None] * d + self._out(u, d, t) * self.r

    def _out(self, u, d, t):
        side = (t > 0) & (t < 1)
        e = d / np.linalg.norm(d)
        u = np.where(side[:, None], u - (u @ e)[:, None] * e, u)
        return u / np.linalg.norm(u, axis=1)[:, None]


class Box:
    def __init__(self, row, central):
        row = np.array(row)
        self.c, self.w = row[0:3].copy(), row[3:6].copy()
        self.central = central
        if central:
            self.c[1] = self.w[0] = self.w[2] = 0.0
        self.c, self.w = self.c.round(DIGITS), self.w.round(6)
        self.h, self.r = np.exp(row[6:9]).round(DIGITS), np.ceil(np.exp(row[9]) * 1e5) / 1e5
        self.R = rotation(self.w)

    def _one(self, X):
        e = np.abs((X - self.c) @ self.R) - self.h
        return self.r - np.linalg.norm(np.maximum(e, 0), axis=-1) - np.minimum(e.max(-1), 0)

    def depth(self, X):
        return self._one(X)

    def sample(self, n, rng):
        u = rng.normal(size=(n, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        p = rng.uniform(-1, 1, (n, 3)) * self.h
        k = rng.choice(3, n, p=self.h / self.h.sum())
        p[np.arange(n), k] = np.sign(u[np.arange(n), k]) * self.h[k]
        return self.c + (p + self.r * u) @ self.R.T


class Mirrored:
    """A box seen in the mirror: shares its radius."""

    def __init__(self, box):
        self.box = box

    def depth(self, X):
        return self.box.depth(X * MIRROR)

    @property
    def r(self):
        return self.box.r

    @r.setter
    def r(self, value):
        self.box.r = value


def cover(prims, triangles, low=0.0):
    """Grows radii until every triangle is inside; returns the growth [m]."""
    before = [p.r for p in prims]
    todo = triangles
    while len(todo):
        D = np.stack([p.depth(todo) for p in prims])  # (K, T, 3)
        worst = D.min(-1)
        inside = (worst >= low).any(0)
        todo, worst = todo[~inside], worst[:, ~inside]
        if not len(todo):
            break
        size = np.linalg.norm(todo - np.roll(todo, 1, axis=1), axis=-1).max(1)
        small = size < LEAF
        if small.any():
            leaf = worst[:, small]
            k = leaf.argmax(0)
            need = -leaf.max(0)
            for j in range(len(prims)):
                if (k == j).any():
                    prims[j].r = np.ceil((prims[j].r + need[k == j].max() + low + 1e-9) * 1e5) / 1e5
        big = todo[~small]
        m = 0.5 * (big + np.roll(big, -1, axis=1))
        a, b, c = big[:, 0], big[:, 1], big[:, 2]
        ab, bc, ca = m[:, 0], m[:, 1], m[:, 2]
        todo = np.concatenate([np.stack(x, 1) for x in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))] + [todo[small]])
        if len(todo) > 2_000_000:
            raise SystemExit("too many pieces: the fit is far off")
    return [p.r - b for p, b in zip(prims, before)]


def main():
    meshes_path, fit_path, out = sys.argv[1:4]
    fit = json.load(open(fit_path))
    rng = np.random.default_rng(0)
    lines = []
    for name, meshes in parts(meshes_path).items():
        rows = fit["parts"][name]
        T = np.concatenate([V[F] for V, F in meshes])
        if name in fit["boxes"]:
            C = fit["boxes"][name][0]
            own = [Box(r, k < C) for k, r in enumerate(rows)]
            prims = own + [Mirrored(b) for b in own[C:]]
        else:
            own = prims = [Capsule(r) for r in rows]
        growth = cover(prims, T)
        dense = np.vstack([V for V, F in meshes] + [sample_mesh(V, F, rng) for V, F in meshes])
        if name in MIRRORED:
            dense = np.vstack([dense, dense * MIRROR])
        tree = cKDTree(dense)
        total = []
        for k, p in enumerate(own):
            X = p.sample(4000, rng)
            seen = np.ones(len(X), bool)
            for o in prims:
                if o is not p:
                    seen &= o.depth(X) < 0
            d = tree.query(X[seen])[0] if seen.any() else np.zeros(1)
            total.append(d)
            err = f"excess = [{1e3 * d.mean():.1f}, {1e3 * d.max():.1f}]"
            v = lambda x: "[" + ", ".join(f"{y:.{DIGITS}f}" for y in x) + "]"
            if isinstance(p, Box):
                w = "[" + ", ".join(f"{y:.6f}" for y in p.w) + "]"
                lines.append(f'[[box]]\npart = "{name}"\ncenter = {v(p.c)}\nturn = {w}\nhalf = {v(p.h)}\nradius = {p.r:.5f}\nmirrored = {str(not p.central).lower()}\n{err}\n')
            else:
                lines.append(f'[[capsule]]\npart = "{name}"\nstart = {v(p.a)}\nend = {v(p.b)}\nradius = {p.r:.5f}\n{err}\n')
        total = np.concatenate(total)
        print(name, len(own), "grown by [mm]", (1e3 * np.array(growth)).round(2).tolist(), f"excess mean {1e3 * total.mean():.1f} 95% {1e3 * np.quantile(total, .95):.1f} max {1e3 * total.max():.1f} mm", flush=True)
    open(out, "w").write("\n".join(lines))


def sample_mesh(V, F, rng, n=60000):
    T = V[F]
    area = np.linalg.norm(np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]), axis=1)
    k = rng.choice(len(T), n, p=area / area.sum())
    u = rng.random((n, 2))
    m = u.sum(1) > 1
    u[m] = 1 - u[m]
    return T[k, 0] + u[:, :1] * (T[k, 1] - T[k, 0]) + u[:, 1:] * (T[k, 2] - T[k, 0])


if __name__ == "__main__":
    main()

"""Triangle meshes of simple round bodies, in plain NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.types import Array

AROUND = 28
"""Corners of a circle."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Attributes:
        vertices: Corners [m], shape (n, 3).
        faces: Indices of the corners, counter-clockwise from outside, shape (m, 3).
    """

    vertices: Array
    faces: NDArray[np.int64]

    def moved(self, R: Array, p: ArrayLike) -> Mesh:
        """The mesh turned by `R`, then moved by `p` [m]."""
        return Mesh(self.vertices @ R.T + np.asarray(p, dtype=np.float64), self.faces)


def merged(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def revolved(profile: ArrayLike, around: int = AROUND) -> Mesh:
    """A body of revolution about z.

    Args:
        profile: Radius and height [m] from the bottom up, shape (k, 2); the first and the last
            radius are zero, so that the body is closed.
        around: Corners of each circle.
    """
    rows = np.asarray(profile, dtype=np.float64)
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=-1)
    inner = rows[1:-1]
    vertices = (inner[:, None, :1] * ring) + np.array([0.0, 0.0, 1.0]) * inner[:, None, 1:]
    poles = [[0.0, 0.0, rows[0, 1]], [0.0, 0.0, rows[-1, 1]]]
    points = np.concatenate([vertices.reshape(-1, 3), poles])
    return Mesh(points, _revolved_faces(len(inner), around))


@cache
def _revolved_faces(levels: int, around: int) -> NDArray[np.int64]:
    """Faces of a body of revolution: circles from the bottom up, then both poles; read-only."""
    bottom, top = levels * around, levels * around + 1
    here = np.arange(around)
    after = (here + 1) % around
    faces = [np.stack([np.full(around, bottom), after, here], axis=-1)]
    for level in range(levels - 1):
        a, b = level * around, (level + 1) * around
        faces.append(np.stack([a + here, a + after, b + after], axis=-1))
        faces.append(np.stack([a + here, b + after, b + here], axis=-1))
    last = (levels - 1) * around
    faces.append(np.stack([last + here, last + after, np.full(around, top)], axis=-1))
    joined = np.concatenate(faces)
    joined.flags.writeable = False
    return joined


def capsule(a: ArrayLike, b: ArrayLike, radius: float, end_radius: float | None = None) -> Mesh:
    """A round-ended rod from point `a` to point `b` [m], tapering if the radii differ."""
    start, end = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    r0, r1 = radius, radius if end_radius is None else end_radius
    length = float(np.linalg.norm(end - start))
    bow = np.linspace(0.0, 0.5 * np.pi, 8)
    low = np.stack([r0 * np.sin(bow), -r0 * np.cos(bow)], axis=-1)
    high = np.stack([r1 * np.cos(bow), length + r1 * np.sin(bow)], axis=-1)
    low[0, 0] = high[-1, 0] = 0.0
    return revolved(np.concatenate([low, high])).moved(_z_to(end - start), start)


def drum(
    center: ArrayLike, axis: ArrayLike, radius: float, height: float, fillet: float = 0.012
) -> Mesh:
    """A cylinder with rounded rims.

    Args:
        center: Its middle [m].
        axis: Its axis.
        radius: Radius [m].
        height: Height [m].
        fillet: Radius of the rims [m].
    """
    f = min(fillet, radius, 0.5 * height)
    bow = np.linspace(0.0, 0.5 * np.pi, 6)
    half = 0.5 * height
    low = np.stack([radius - f + f * np.sin(bow), -half + f - f * np.cos(bow)], axis=-1)
    high = np.stack([radius - f + f * np.cos(bow), half - f + f * np.sin(bow)], axis=-1)
    # The rim's first circle twice: shading must not round off the flat ends.
    flat = 0.985 * (radius - f)
    profile = [[0.0, -half], [flat, -half], *low, *high, [flat, half], [0.0, half]]
    return revolved(profile).moved(_z_to(axis), center)


def slab(center: ArrayLike, size: ArrayLike, fillet: float) -> Mesh:
    """A box with round edges, its sides along x, y, z.

    Args:
        center: Its middle [m].
        size: Its lengths along x, y, z [m].
        fillet: Radius of the edges [m].
    """
    ball = revolved(_ball_profile(), 32)
    half = np.asarray(size, dtype=np.float64) / 2.0 - fillet
    corner = np.sign(np.round(ball.vertices, 9))
    corner[corner == 0.0] = 1.0
    return Mesh(
        ball.vertices * fillet + corner * half + np.asarray(center, dtype=np.float64), ball.faces
    )


def ball(radius: float = 1.0) -> Mesh:
    """A sphere about the origin [m]."""
    mesh = revolved(_ball_profile(), 32)
    return Mesh(radius * mesh.vertices, mesh.faces)


def _ball_profile() -> Array:
    # No circle at the equator: a rounded box is pulled apart there.
    height = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 18)
    profile = np.stack([np.cos(height), np.sin(height)], axis=-1)
    profile[0, 0] = profile[-1, 0] = 0.0
    return profile


def _z_to(direction: ArrayLike) -> Array:
    """A rotation that turns z into a direction."""
    z = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(z))
    if length < 1e-12:
        return np.eye(3)
    z = z / length
    helper = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = np.cross(helper, z)
    x = x / math.hypot(*x)
    return np.stack([x, np.cross(z, x), z], axis=-1)

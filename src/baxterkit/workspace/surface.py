"""Closed triangle meshes: the level set of a function on a lattice, its volume, its files."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.types import Array

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles, whose corners run anticlockwise seen from outside.

    Attributes:
        vertices: In base [m], shape (n, 3).
        triangles: Numbers of three vertices each, shape (m, 3).
    """

    vertices: Array
    triangles: Ints

    @property
    def corners(self) -> Array:
        """The corners of the triangles [m], shape (m, 3, 3)."""
        return self.vertices[self.triangles]

    @property
    def volume(self) -> float:
        """Volume inside [m^3]."""
        a, b, c = np.moveaxis(self.corners - self.vertices.mean(axis=0), 1, 0)
        return float(np.sum(a * np.cross(b, c)) / 6.0)

    @property
    def area(self) -> float:
        """Area [m^2]."""
        a, b, c = np.moveaxis(self.corners, 1, 0)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum() / 2.0)

    @property
    def is_watertight(self) -> bool:
        """Whether each edge belongs to two triangles that run along it in opposite directions.

        Vertices that are equal in single precision are one, as they are to who reads an STL file.
        """
        n = len(self.vertices)
        _, joined = np.unique(self.vertices.astype(np.float32), axis=0, return_inverse=True)
        triangles = joined.reshape(-1)[self.triangles]
        ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        there, back = np.sort(ends[:, 0] * n + ends[:, 1]), np.sort(ends[:, 1] * n + ends[:, 0])
        return bool(len(ends) and (there == back).all() and (np.diff(there) > 0).all())

    def save(self, path: str | Path) -> Path:
        """Writes the mesh as .stl (binary) or .obj, in metres.

        Raises:
            InputError: If the extension is another one.
            FileError: If it cannot be written.
        """
        place = self.check_name(path)
        if place.suffix.lower() == ".stl":
            disk.write_bytes(place, self._stl())
        else:
            disk.write_text(place, self._obj())
        return place

    @staticmethod
    def check_name(path: str | Path) -> Path:
        """The path, if a mesh can be written there by its extension.

        Raises:
            InputError: If it is another one than .stl and .obj.
        """
        place = disk.as_path(path)
        if place.suffix.lower() not in (".stl", ".obj"):
            raise InputError(f"{place}: a mesh is written as .stl or .obj")
        return place

    def _stl(self) -> bytes:
        corners = self.corners
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
        rows = np.zeros(len(corners), dtype=[("f", "<f4", (12,)), ("n", "<u2")])
        rows["f"][:, :3] = normals / np.where(lengths > 0.0, lengths, 1.0)
        rows["f"][:, 3:] = corners.reshape(-1, 9)
        head = b"baxterkit: surface of the workspace [m]".ljust(80)
        return head + struct.pack("<I", len(corners)) + rows.tobytes()

    def _obj(self) -> str:
        lines = ["# baxterkit: surface of the workspace [m]"]
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in self.vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (self.triangles + 1).tolist()]
        return "\n".join(lines) + "\n"


def level_set(
    values: Array, place: Callable[[Array], Array], level: float
) -> tuple[Mesh, Ints, Array]:
    """The closed surface where a function on a lattice passes a level: marching tetrahedra.

    Each cube of the lattice is cut into six tetrahedra around its diagonal, which neighbours share,
    so there are no ambiguous cases and no gaps. The lattice's outermost nodes must lie above.

    Args:
        values: At the nodes, shape (nx, ny, nz).
        place: Coordinates in base of lattice coordinates, both of shape (n, 3).
        level: The surface encloses the nodes below it.

    Returns:
        The mesh; for each of its vertices, the two nodes (flat indices) of its edge, the inner one
        first, shape (n, 2); and how far along that edge it is, 0 to 1, shape (n,).
    """
    shape = values.shape
    flat = values.reshape(-1)
    inside = values < level
    if inside[[0, -1]].any() or inside[:, [0, -1]].any() or inside[:, :, [0, -1]].any():
        raise InputError("the surface leaves the lattice; make it larger")
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    # Only cubes that the surface passes.
    corner = [inside[i : shape[0] - 1 + i, j : shape[1] - 1 + j, k : shape[2] - 1 + k]
              for i in (0, 1) for j in (0, 1) for k in (0, 1)]  # fmt: skip
    count = np.sum(corner, axis=0)
    first = np.argwhere((count > 0) & (count < 8)) @ strides
    faces: list[Ints] = []
    for order in permutations(strides.tolist()):
        steps = np.concatenate([[0], np.cumsum(order)])
        nodes = first[:, None] + steps
        faces += _cut(nodes, flat[nodes] < level)
    edges = np.concatenate(faces) if faces else np.empty((0, 3, 2), dtype=np.int64)
    keys, numbers = np.unique(edges[..., 0] * flat.size + edges[..., 1], return_inverse=True)
    ends = np.stack([keys // flat.size, keys % flat.size], axis=-1)
    low, high = flat[ends[:, 0]], flat[ends[:, 1]]
    t = np.clip((level - low) / (high - low), 0.0, 1.0)
    at = np.stack(np.unravel_index(ends, shape), axis=-1).astype(np.float64)
    lattice = at[:, 0] + t[:, None] * (at[:, 1] - at[:, 0])
    triangles = numbers.reshape(-1, 3)
    # Outwards is from the inner ends of a triangle's edges to the outer ones.
    corners = lattice[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = (at[:, 1] - at[:, 0])[triangles].sum(axis=1)
    wrong = np.sum(normal * outward, axis=-1) < 0.0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return Mesh(place(lattice), triangles), ends, t


def _cut(nodes: Ints, inside: NDArray[np.bool_]) -> list[Ints]:
    """Triangles of tetrahedra (n, 4): edges from an inner to an outer node, each (m, 3, 2)."""
    found = []
    count = inside.sum(axis=-1)
    order = np.argsort(~inside, axis=-1, kind="stable")  # the inner nodes first
    sorted_nodes = np.take_along_axis(nodes, order, axis=-1)
    for inner in (1, 2, 3):
        a, b, c, d = sorted_nodes[count == inner].T
        if inner == 1:
            triangles = [((a, b), (a, c), (a, d))]
        elif inner == 3:
            triangles = [((a, d), (b, d), (c, d))]
        else:
            quad = ((a, c), (a, d), (b, d), (b, c))
            triangles = [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
        found += [np.stack([np.stack(e, axis=-1) for e in t], axis=1) for t in triangles]
    return found

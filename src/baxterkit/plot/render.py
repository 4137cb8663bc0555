"""Pictures of meshes without OpenGL: a camera, and triangles into a depth buffer with NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.look.shapes import Mesh
from baxterkit.types import Array, Vector3

CHUNK = 2_000_000
"""Pixels of triangles that are tested at once; bounds the memory."""
LIGHTS = ((-0.45, 0.8, 0.7, 0.46), (0.8, 0.2, 0.5, 0.24))
"""Directions towards the lights, along the camera's right, back and up, and their strength."""
AMBIENT = 0.56


@dataclass(frozen=True)
class Camera:
    """A perspective camera.

    Attributes:
        target: Point in the middle of the picture [m].
        azimuth: Direction from the target to the camera, about z from x [deg].
        elevation: Its height above the horizon [deg].
        distance: From the target to the camera [m].
        extent: Height of what the picture shows at the target [m].
        width: Width of the picture [pixel].
        height: Height of the picture [pixel].
    """

    target: tuple[float, float, float]
    azimuth: float
    elevation: float
    extent: float
    distance: float = 6.0
    width: int = 800
    height: int = 800

    @property
    def axes(self) -> Array:
        """Rows: right, up and back in the world, from azimuth and elevation, shape (3, 3)."""
        a, e = np.radians(self.azimuth), np.radians(self.elevation)
        back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.stack([right, np.cross(back, right), back])

    def project(self, points: ArrayLike) -> Vector3:
        """Pixels of points in the world, and their depth.

        Args:
            points: Points [m], shape (*batch, 3).

        Returns:
            Column and row from the upper left [pixel], and distance along the view [m].
        """
        p = (np.asarray(points, dtype=np.float64) - np.array(self.target)) @ self.axes.T
        depth = self.distance - p[..., 2]
        scale = self.height / self.extent * self.distance / depth
        x = 0.5 * self.width + scale * p[..., 0]
        y = 0.5 * self.height - scale * p[..., 1]
        return np.stack([x, y, depth], axis=-1)


class Projection(Protocol):
    """A camera: that of this module, or one of matplotlib's axes."""

    @property
    def width(self) -> int:
        """Width of the picture [pixel]."""

    @property
    def height(self) -> int:
        """Height of the picture [pixel]."""

    @property
    def axes(self) -> Array:
        """Rows: right, up, and back (towards the camera), in the world, shape (3, 3)."""

    def project(self, points: ArrayLike) -> Vector3:
        """Pixels of points in the world, and their depth."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh in the world with a colour.

    Attributes:
        mesh: The mesh, in the world [m].
        color: Red, green, blue, 0 to 255.
    """

    mesh: Mesh
    color: tuple[int, int, int]


def render(solids: Sequence[Solid], camera: Camera, smooth: int = 2) -> NDArray[np.float64]:
    """A picture of solids.

    Args:
        solids: What to draw.
        camera: From where.
        smooth: Samples for a pixel, along each side.

    Returns:
        Red, green, blue and opacity, 0 to 1, shape (height, width, 4); no opacity beside solids.
    """
    return Canvas(camera, smooth).drawn(solids).picture()


class Canvas:
    """Samples of a picture with their depths: solids can be drawn among those that are there.

    Args:
        camera: From where.
        smooth: Samples for a pixel, along each side.
    """

    def __init__(self, camera: Projection, smooth: int = 2) -> None:
        self._camera, self._smooth = camera, smooth
        self._size = (smooth * camera.width, smooth * camera.height)
        self._nearest = np.full(self._size[0] * self._size[1], np.inf)
        self._samples = np.zeros((len(self._nearest), 4))

    def drawn(self, solids: Sequence[Solid]) -> Canvas:
        """Another canvas, with these solids too."""
        made = Canvas.__new__(Canvas)
        made._camera, made._smooth, made._size = self._camera, self._smooth, self._size
        made._nearest, made._samples = self._nearest.copy(), self._samples.copy()
        made._fill(solids)
        return made

    def picture(self) -> NDArray[np.float64]:
        """Red, green, blue and opacity, 0 to 1, shape (height, width, 4)."""
        smooth, camera = self._smooth, self._camera
        samples = self._samples.reshape(camera.height, smooth, camera.width, smooth, 4)
        mean: Array = samples.mean(axis=(1, 3))
        shown = mean[..., 3:] > 0.0
        mean[..., :3] = np.where(shown, mean[..., :3] / np.where(shown, mean[..., 3:], 1.0), 1.0)
        return np.clip(mean, 0.0, 1.0)

    def _fill(self, solids: Sequence[Solid]) -> None:
        screen, normal, color = _triangles(solids, self._camera)
        screen = screen * np.array([self._smooth, self._smooth, 1.0])
        nearest, picture = self._nearest, self._samples
        # From back to front is not enough where solids intersect: every pixel compares depths.
        for pixel, which, weights in _fragments(screen, *self._size):
            depth = np.einsum("ij,ij->i", weights, screen[which, :, 2])
            order = np.lexsort((depth, pixel))
            first = order[np.diff(pixel[order], prepend=-1) > 0]
            first = first[depth[first] < nearest[pixel[first]]]
            at = pixel[first]
            nearest[at] = depth[first]
            n = np.einsum("ij,ijk->ik", weights[first], normal[which[first]])
            picture[at, :3] = color[which[first]] * _shade(n, self._camera)[:, None]
            picture[at, 3] = 1.0


def _triangles(solids: Sequence[Solid], camera: Projection) -> tuple[Array, Array, Array]:
    """Corners on the screen, their normals, and colours of triangles that face the camera."""
    screens, normals, colors = [], [], []
    for solid in solids:
        v, f = solid.mesh.vertices, solid.mesh.faces
        flat = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
        corner = np.zeros_like(v)
        for k in range(3):
            np.add.at(corner, f[:, k], flat)
        corner /= np.maximum(np.linalg.norm(corner, axis=1, keepdims=True), 1e-12)
        screen = camera.project(v)[f]
        a, b, c = (screen[:, k, :2] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        facing = area < -1e-12  # rows grow downwards
        screens.append(screen[facing])
        normals.append(corner[f[facing]])
        colors.append(np.tile(np.array(solid.color) / 255.0, (int(facing.sum()), 1)))
    return np.concatenate(screens), np.concatenate(normals), np.concatenate(colors)


def _fragments(
    screen: Array, width: int, height: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Array]]:
    """Pixels inside triangles: their index, the triangle, and weights of its corners."""
    low = np.floor(screen[:, :, :2].min(axis=1)).astype(np.int64)
    high = np.ceil(screen[:, :, :2].max(axis=1)).astype(np.int64)
    size = high - low
    seen = (high > 0).all(axis=1) & (low < (width, height)).all(axis=1) & (size > 0).all(axis=1)
    # Triangles whose boxes have about the same width and height are tested together.
    kind = np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)
    for log_w, log_h in np.unique(kind[seen], axis=0).tolist():
        chosen = np.flatnonzero(seen & (kind == (log_w, log_h)).all(axis=1))
        columns, rows = 2**log_w, 2**log_h
        dy, dx = np.divmod(np.arange(rows * columns), columns)
        count = max(1, CHUNK // (rows * columns))
        for start in range(0, len(chosen), count):
            part = chosen[start : start + count]
            x, y = low[part, :1] + dx, low[part, 1:] + dy
            weights = _barycentric(screen[part], x + 0.5, y + 0.5)
            hit = (weights >= -1e-9).all(axis=0)
            hit &= (x >= 0) & (x < width) & (y >= 0) & (y < height)
            if hit.any():
                which, _ = np.nonzero(hit)
                yield (y * width + x)[hit], part[which], weights[:, hit].T


def _barycentric(screen: Array, x: Array, y: Array) -> Array:
    """Weights of the corners at pixels, shape (3, n, m)."""
    (ax, ay), (bx, by), (cx, cy) = (screen[:, k, :2].T[..., None] for k in range(3))
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
    v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
    return np.stack([u, v, 1.0 - u - v])


def _shade(normal: Array, camera: Projection) -> Array:
    """Brightness of surfaces, shape (n,)."""
    right, up, back = camera.axes
    n = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    light = np.full(len(n), AMBIENT)
    for a, b, c, strength in LIGHTS:
        direction = a * right + b * back + c * up
        light += strength * np.maximum(n @ (direction / np.linalg.norm(direction)), 0.0)
    return light

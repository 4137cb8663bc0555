"""Solids inside matplotlib's 3D axes: drawn with a depth buffer, in the axes' own perspective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.plot.render import Canvas, Solid
from baxterkit.plot.style import DPI, Axes, Mpl
from baxterkit.types import Array, Vector3


@dataclass(frozen=True, eq=False)
class AxesCamera:
    """The camera of 3D axes, for `baxterkit.plot.render.Canvas`.

    Attributes:
        of: The axes, with their projection up to date.
        width: Width of the picture of the whole figure [pixel].
        height: Its height [pixel].
    """

    of: Axes
    width: int
    height: int

    @property
    def axes(self) -> Array:
        """Rows: right, up and back in the world, as matplotlib has them, shape (3, 3)."""
        return np.stack([self.of._view_u, self.of._view_v, self.of._view_w])

    def project(self, points: ArrayLike) -> Vector3:
        """Pixels of points in the world, and their depth, shape (n, 3)."""
        p = np.asarray(points, dtype=np.float64)
        seen = np.concatenate([p, np.ones((len(p), 1))], axis=-1) @ self.of.M.T
        flat = self.of.transData.transform(seen[:, :2] / seen[:, 3:])
        scale = np.array([self.width, self.height]) / self.of.figure.bbox.size
        x, y = (flat * scale).T
        return np.stack([x, self.height - y, -(p @ self.of._view_w)], axis=-1)


def draw_solids(axes: Axes, solids: Sequence[Solid], zorder: float = 2.0) -> None:
    """Draws solids into 3D axes; in SVG and PDF files they are pixels.

    Args:
        axes: matplotlib 3D axes.
        solids: The solids, in base.
        zorder: Lines with a greater one are drawn over them.
    """
    from matplotlib.image import BboxImage

    class Picture(BboxImage):
        """Rendered when the figure is drawn, since the projection is known only then."""

        def draw(self, renderer: Mpl, *rest: Mpl, **options: Mpl) -> None:
            """Renders the solids, and draws them."""
            axes.M = axes.get_proj()
            size = axes.figure.get_size_inches() * max(DPI, axes.figure.dpi)
            camera = AxesCamera(axes, *(round(float(x)) for x in size))
            self.set_data(Canvas(camera, 1 if size[0] > 1000 else 2).drawn(solids).picture())
            super().draw(renderer, *rest, **options)

    picture = Picture(axes.figure.bbox, origin="upper", zorder=zorder)
    picture.set_clip_on(False)
    axes.add_artist(picture)

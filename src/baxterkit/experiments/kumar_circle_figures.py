"""Figures of the circle through the position interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.plot.style import CYCLE, INK, RC, matplotlib, new_figure, panel_title
from baxterkit.types import Array, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["circle_figure"]


MAGNIFY = 50.0
"""Magnification of deviations from the circle."""


def circle_figure(
    t: Array, wanted: Vector3, tips: Mapping[str, Vector3], center: ArrayLike, radius: float
) -> Figure:
    """The actual path with magnified deviations, and the tip's error over time.

    Args:
        t: Time [s], shape (n,).
        wanted: Reference positions of the tip in base [m], shape (n, 3).
        tips: Name of the interface -> actual positions of the tip in base [m], shape (n, 3).
        center: Centre of the circle, which lies in the y z plane, in base [m], shape (3,).
        radius: Its radius [m].
    """
    middle = np.asarray(center, dtype=np.float64)[1:]
    with matplotlib().rc_context(RC):
        figure = new_figure(9.6, 4.0)
        plane = figure.add_axes((0.07, 0.14, 0.36, 0.76))
        error = figure.add_axes((0.52, 0.14, 0.46, 0.76))
        plane.plot(wanted[:, 1], wanted[:, 2], color=INK, lw=1.0, ls=(0, (4, 2)), label="wanted")
        for (name, tip), color in zip(tips.items(), CYCLE, strict=False):
            spoke = tip[:, 1:] - middle
            length = np.linalg.norm(spoke, axis=1, keepdims=True)
            drawn = middle + spoke / length * (radius + MAGNIFY * (length - radius))
            plane.plot(*drawn.T, color=color, lw=1.1, label=name)
            distance = 1e3 * np.linalg.norm(tip - wanted, axis=1)
            error.plot(t, distance, color=color, lw=1.2, label=name)
        plane.set_aspect("equal", adjustable="datalim")
        plane.set_xlabel("y [m]")
        plane.set_ylabel("z [m]")
        plane.legend(loc="center", fontsize=8.5)
        error.set_xlabel("time [s]")
        error.set_ylabel("tip off by [mm]")
        error.set_ylim(bottom=0.0)
        error.margins(x=0.0)
        titles = f"Path, off the circle drawn {MAGNIFY:g} times larger", "Tracking error of the tip"
        for axes, title in zip((plane, error), titles, strict=True):
            axes.grid(visible=True)
            panel_title(axes, title)
    return figure

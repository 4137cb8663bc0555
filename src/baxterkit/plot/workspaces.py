"""The reachable workspace, coloured by manipulability (Kumar et al., Fig. 4).

Joint positions are drawn at random within the limits. Of all samples whose tip falls into a cell,
the best manipulability counts: that of the best configuration for the cell. With samples that
exclude collisions of the body, the remaining ones are drawn beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import GREY, INK
from baxterkit.plot.robot_pictures import arm_solids
from baxterkit.plot.skeletons import draw_solids, set_equal
from baxterkit.plot.style import Mpl, fit, headline, new_axes_3d, new_figure, panel_title, styled
from baxterkit.types import Array, Vector3
from baxterkit.workspace.sampling import Reach, best_in_cells, sample_reach

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm
    from baxterkit.baxter import Baxter

CELL = 0.05  # m, edge of a cell of the 3D view
PIXEL = 0.025  # m, edge of a pixel of a section
SLAB = 0.10  # m, thickness of a section
COLORS = "viridis"  # even steps of lightness, which colour-blind readers see too


@styled
def workspace(
    arm: Arm,
    samples: int | Reach = 1_000_000,
    *,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
    title: str | None = None,
    robot: Baxter | None = None,
) -> Figure:
    """The workspace of one arm: cut open along the arm's plane, and in two sections.

    Args:
        arm: The arm.
        samples: Number of random joint positions, or the samples themselves.
        seed: Random seed, a non-negative integer.
        progress: Called with the number of samples that were just done.
        title: The figure's title; the side and the number of samples if None.
        robot: The robot that the arm is part of: what its body leaves is then drawn beside what the
            joints allow, as it is for samples that say what is free.
    """
    if isinstance(samples, Reach):
        reach = samples
    else:
        reach = sample_reach(arm, samples, seed=seed, progress=progress, scene=robot)
    scale = _Scale(0.0, float(reach.manipulability.max()))
    title = title or f"Baxter, {arm.side} arm: workspace by manipulability"
    count = f"{len(reach.position):,} joint positions within the limits; best of each cell"
    if reach.free is not None:
        return _beside(arm, reach, scale, title, count)
    figure = new_figure(10.5, 6.0)
    headline(figure, 0.02, 0.945, title, 13)
    figure.text(0.02, 0.905, f"{count}; collisions ignored", fontsize=9, color=INK)
    _cut_open(figure, arm, reach, scale, (0.01, 0.02, 0.60, 0.89), reach)
    drawn = _sections(figure, arm, reach, scale, _PLACES)
    _color_bar(figure, drawn, (0.91, 0.09, 0.013, 0.845))
    return figure


def _beside(arm: Arm, reach: Reach, scale: _Scale, title: str, count: str) -> Figure:
    """What the joints allow, and what the body leaves of it, side by side."""
    assert reach.free is not None
    allowed = reach.allowed
    figure = new_figure(11.0, 8.2)
    headline(figure, 0.02, 0.96, title, 13)
    lost = 100.0 * (1.0 - float(reach.free.mean()))
    figure.text(
        0.02, 0.932, f"{count}; in {lost:.0f} % of them the robot touches itself", fontsize=9,
        color=INK,
    )  # fmt: skip
    for k, (part, name) in enumerate(((reach, "within the limits"), (allowed, "without touching"))):
        left = 0.02 + 0.45 * k
        figure.text(left + 0.2, 0.895, name, fontsize=11, ha="center", color=INK)
        _cut_open(figure, arm, part, scale, (left, 0.39, left + 0.42, 0.89), reach)
        places = [(left + 0.045 + 0.215 * n, 0.06, 0.16, 0.28) for n in (0, 1)]
        drawn = _sections(figure, arm, part, scale, places, reach)
    _color_bar(figure, drawn, (0.925, 0.09, 0.013, 0.78))
    return figure


@dataclass(frozen=True)
class _Scale:
    """Colours of values."""

    low: float
    high: float

    def options(self) -> dict[str, object]:
        return {"cmap": COLORS, "vmin": self.low, "vmax": self.high, "linewidths": 0}


def _plane(arm: Arm) -> tuple[Vector3, Vector3, Vector3]:
    """Origin, forward and sideward direction of the arm's vertical plane, s0 at zero."""
    T = arm.model.T_base_s0
    forward = np.array([T[0, 0], T[1, 0], 0.0])
    forward /= np.linalg.norm(forward)
    side = np.array([forward[1], -forward[0], 0.0])
    return T[:3, 3], forward, side if arm.side == "left" else -side


def _cut_open(
    figure: Figure,
    arm: Arm,
    reach: Reach,
    scale: _Scale,
    area: tuple[float, float, float, float],
    whole: Reach,
) -> None:
    """The half behind the arm's plane, seen from the front, with the arm on the cut."""
    from matplotlib.ticker import MultipleLocator

    axes = new_axes_3d(figure)
    origin, _, toward = _plane(arm)
    centers, best = best_in_cells(reach.position, reach.manipulability, CELL)
    behind = (centers - origin) @ toward <= 0.0
    centers, best = centers[behind], best[behind]
    axes.scatter(
        *centers.T, c=best, s=20, marker="s", depthshade=False, zorder=3, **scale.options()
    )
    draw_solids(axes, arm_solids(arm, arm.configuration("neutral")), zorder=7)
    # The whole reach gives the box: both halves look alike.
    low, high = whole.position.min(axis=0) - CELL, whole.position.max(axis=0) + CELL
    set_equal(axes, low, high)
    axes.view_init(22, np.degrees(np.arctan2(toward[1], toward[0])) - 12)
    axes.set_proj_type("persp", focal_length=0.9)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MultipleLocator(0.5))
    fit(figure, axes, area)


_PLACES = ((0.655, 0.575, 0.225, 0.36), (0.655, 0.09, 0.225, 0.36))
"""Where the two sections are on the figure of one workspace."""


def _sections(
    figure: Figure,
    arm: Arm,
    reach: Reach,
    scale: _Scale,
    places: Sequence[tuple[float, float, float, float]],
    whole: Reach | None = None,
) -> Mpl:
    """Draws a section in the arm's plane and a horizontal one; returns the last image."""
    origin, forward, toward = _plane(arm)
    shoulder = float(arm.link_poses(np.zeros(7))[1, 2, 3])
    relative = reach.position - origin
    vertical = np.stack([relative @ forward, reach.position[:, 2]], axis=-1)
    views = (
        ("in the arm's plane", vertical, relative @ toward, "forward of s0 [m]", "z [m]"),
        (
            f"horizontal, z = {shoulder:.2f} m",
            reach.position[:, :2],
            reach.position[:, 2] - shoulder,
            "x [m]",
            "y [m]",
        ),
    )
    for i, (name, points, distance, x, y) in enumerate(views):
        axes = figure.add_axes(places[i])
        near = np.abs(distance) <= SLAB / 2.0
        image, extent = _image(points[near], reach.manipulability[near])
        drawn = axes.imshow(
            image, extent=extent, origin="lower", cmap=COLORS, vmin=scale.low, vmax=scale.high,
            interpolation="nearest",
        )  # fmt: skip
        axes.set(xlabel=x, ylabel=y)
        panel_title(axes, name)
        axes.tick_params(labelsize=8)
        axes.set_anchor("W")
        axes.locator_params(nbins=5)
        mark = (0.0, float(origin[2])) if i == 0 else (float(origin[0]), float(origin[1]))
        axes.plot(*mark, "o", ms=5, mfc="white", mec=INK)
        axes.annotate("s0", mark, xytext=(5, 4), textcoords="offset points", fontsize=8)
        if whole is not None and whole is not reach:
            _same_range(axes, figure.axes[figure.axes.index(axes) - 3])
    return drawn


def _same_range(axes: Mpl, other: Mpl) -> None:
    """Shows the same part of the plane as other axes."""
    axes.set_xlim(other.get_xlim())
    axes.set_ylim(other.get_ylim())


def _color_bar(figure: Figure, drawn: Mpl, place: tuple[float, float, float, float]) -> None:
    bar = figure.colorbar(drawn, cax=figure.add_axes(place))
    bar.set_label("best manipulability √det(J Jᵀ) in a cell")
    bar.outline.set_edgecolor(GREY)


def _image(points: Array, values: Array) -> tuple[Array, tuple[float, float, float, float]]:
    """Best values on a grid of pixels, NaN where the arm does not reach, and its extent."""
    if not len(points):
        return np.full((1, 1), np.nan), (-0.5, 0.5, -0.5, 0.5)
    centers, best = best_in_cells(points, values, PIXEL)
    index = np.rint(centers / PIXEL - 0.5).astype(np.int64)
    low, high = index.min(axis=0), index.max(axis=0) + 1
    image = np.full(tuple((high - low)[::-1]), np.nan)
    image[index[:, 1] - low[1], index[:, 0] - low[0]] = best
    left, bottom = PIXEL * low
    right, top = PIXEL * high
    return image, (float(left), float(right), float(bottom), float(top))

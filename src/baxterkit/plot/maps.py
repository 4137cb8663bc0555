"""Maps of the workspace: one number a cell, in space and in three slices; why poses are missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.instances import need
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.look.colors import GREEN, GREY, INK, ORANGE, PALE, SKY, VERMILION
from baxterkit.plot.robot_pictures import arm_solids
from baxterkit.plot.skeletons import draw_solids, set_equal
from baxterkit.plot.style import Mpl, fit, headline, new_axes_3d, new_figure, panel_title, styled
from baxterkit.types import Array
from baxterkit.workspace.maps import Map

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LABELS = {
    "fraction": "share of the orientations that are reached",
    "both": "smaller share of the two arms",
    "manipulability": "best manipulability √det(J Jᵀ)",
    "clearance": "best clearance [m]",
    "margin": "best margin to the joint limits [rad]",
    "width": "widest free self-motion in e0 [rad]",
}
REASON_COLORS = {
    "SOLVED": ("reached", GREEN),
    "COLLISION": ("the robot would touch", VERMILION),
    "LIMITS": ("beyond the limits", ORANGE),
    "NOT_CONVERGED": ("not decided", GREY),
    "OUT_OF_REACH": ("out of reach", PALE),
}
COLORS = "viridis"


@styled
def workspace_map(
    made: Map,
    name: str = "fraction",
    side: str | None = None,
    *,
    at: tuple[float, float, float] | None = None,
    title: str | None = None,
) -> Figure:
    """One number a cell: cut open in space, and in three slices.

    Args:
        made: The map.
        name: What is drawn: "fraction", "both", or of a full map "manipulability", "clearance",
            "margin" or "width".
        side: The arm, if the map is of both; not for "both".
        at: Where the slices x, y and z are [m]; through the middle of what is reached if None.
        title: The figure's title.
    """
    need(made, Map, "made", "workspace.open_map opens one")
    if not isinstance(name, str) or name not in LABELS:
        raise UnknownNameError("array to draw", name, LABELS)
    if side is None and len(made.sides) == 2 and name != "both":
        raise InputError('this map is of both arms; say side="left" or "right", or draw "both"')
    values = made.values(name, side)
    reached = made.both > 0 if name == "both" else made.values("fraction", side) > 0
    shown = np.where(reached, values, np.nan)
    if not reached.any():
        raise InputError(f"nothing is reached in {made!r}; there is nothing to draw")
    low = min(0.0, float(np.nanmin(shown)))
    colors = {"cmap": COLORS, "vmin": low, "vmax": max(float(np.nanmax(shown)), low + 1e-9)}
    cut = _cells(made, shown, at)
    whose = "both arms" if name == "both" else _whose(side or made.sides[0])
    figure = new_figure(11.0, 6.4)
    heading = title or f"Baxter, {whose}: {LABELS[name]}"
    headline(figure, 0.02, 0.95, heading, 13)
    figure.text(0.02, 0.915, _line(made), fontsize=9, color=INK)
    _space(figure, made, shown, cut, side, colors)
    drawn = _slices(figure, made, shown, cut, colors)
    bar = figure.colorbar(drawn, cax=figure.add_axes((0.922, 0.08, 0.013, 0.80)))
    bar.set_label(LABELS[name])
    bar.outline.set_edgecolor(GREY)
    return figure


@styled
def workspace_reasons(made: Map) -> Figure:
    """Why poses are not reached, by height: shares of all poses in each layer of cells."""
    need(made, Map, "made", "workspace.open_map opens one")
    figure = new_figure(4.6 * len(made.sides) + 1.2, 4.2)
    z = made.grid.axes[2]
    for n, side in enumerate(made.sides):
        width = 0.80 / len(made.sides)
        axes = figure.add_axes((0.12 + n * width, 0.14, width - 0.08, 0.66))
        counts = made["counts"][n].sum(axis=(0, 1), dtype=np.int64)
        shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
        left = np.zeros(len(z))
        for reason, (text, color) in REASON_COLORS.items():
            share = shares[:, list(_order()).index(reason)]
            if share.any():
                axes.barh(z, share, made.grid.step, left, color=color, label=text)
                left += share
        axes.set(xlabel="share of the poses", xlim=(0.0, 1.0))
        if n == 0:
            axes.set_ylabel("z [m]")
        panel_title(axes, _whose(side))
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), fontsize=9)
    return figure


def _whose(side: str) -> str:
    return "both hands at once" if side == "pair" else f"{side} arm"


def _order() -> tuple[str, ...]:
    from baxterkit.workspace.compute import REASONS

    return tuple(status.name for status in REASONS)


def _arms(made: Map) -> tuple[str, ...]:
    """The arms that a map is about."""
    return ("left", "right") if made.sides == ("pair",) else made.sides


def _line(made: Map) -> str:
    settings = made.settings
    what = {"reach": "reach and limits", "body": "without touching", "full": "without touching"}
    names = made.scene.world.names
    world = f"; with {', '.join(names)}" if names else ""
    apart = "" if settings.apart is None else f"; tips {100 * settings.apart:g} cm apart"
    return (
        f"cells of {100 * made.grid.step:g} cm, {settings.orientations} orientations each; "
        f"{what[settings.level]}{apart}{world}"
    )


def _cells(made: Map, values: Array, at: tuple[float, float, float] | None) -> tuple[int, int, int]:
    """The cell that the slices go through."""
    if at is None:
        middle = np.argwhere(np.isfinite(values)).mean(axis=0)
        x, y, z = np.rint(middle).astype(int).tolist()
        return x, y, z
    index, inside = made.grid.cell_of(at)
    if not inside:
        raise InputError(f"the slices at {at} m are outside of the map")
    x, y, z = index.tolist()
    return x, y, z


def _space(
    figure: Figure,
    made: Map,
    values: Array,
    cut: tuple[int, int, int],
    side: str | None,
    colors: dict[str, Mpl],
) -> None:
    """The cells on the far side of the slice in x and z, seen from the front."""
    from matplotlib.ticker import MultipleLocator

    axes = new_axes_3d(figure)
    middles = made.grid.middles()
    outer = "right" if "right" in (side, made.sides[0]) else "left"
    y = made.grid.axes[1]
    behind = y >= y[cut[1]] if outer == "left" else y <= y[cut[1]]
    keep = np.isfinite(values) & behind[None, :, None]
    points = middles[keep]
    axes.scatter(
        *points.T, c=values[keep], s=(2600.0 * made.grid.step) ** 2 / 400.0, marker="s",
        depthshade=False, linewidths=0, zorder=3, **colors,
    )  # fmt: skip
    for name in _arms(made):
        arm = made.arm(name)
        draw_solids(axes, arm_solids(arm, arm.configuration("neutral")), zorder=7)
    reached = middles[np.isfinite(values)]
    set_equal(axes, reached.min(axis=0) - made.grid.step, reached.max(axis=0) + made.grid.step)
    axes.view_init(22, -62 if outer == "left" else 62)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MultipleLocator(0.5))
    fit(figure, axes, (0.01, 0.02, 0.50, 0.89))


def _slices(
    figure: Figure, made: Map, values: Array, cut: tuple[int, int, int], colors: dict[str, Mpl]
) -> Mpl:
    axes_names = "xyz"
    drawn = None
    places = ((0.55, 0.55, 0.145, 0.33), (0.76, 0.55, 0.145, 0.33), (0.60, 0.08, 0.25, 0.36))
    reached = np.argwhere(np.isfinite(values))
    first, last = reached.min(axis=0), reached.max(axis=0) + 1
    for normal, place in enumerate(places):
        across, up = (n for n in (0, 1, 2) if n != normal)
        image = np.take(values, cut[normal], axis=normal).T
        edges = [axis - made.grid.step / 2 for axis in made.grid.axes]
        extent = (
            float(edges[across][0]),
            float(edges[across][-1]) + made.grid.step,
            float(edges[up][0]),
            float(edges[up][-1]) + made.grid.step,
        )
        axes = figure.add_axes(place)
        drawn = axes.imshow(image, origin="lower", extent=extent, interpolation="nearest", **colors)
        axes.set(xlabel=f"{axes_names[across]} [m]", ylabel=f"{axes_names[up]} [m]")
        panel_title(axes, f"{axes_names[normal]} = {made.grid.axes[normal][cut[normal]]:.2f} m")
        axes.set_xlim(
            *(edges[across][0] + made.grid.step * np.array([first[across], last[across]]))
        )
        axes.set_ylim(*(edges[up][0] + made.grid.step * np.array([first[up], last[up]])))
        axes.tick_params(labelsize=8)
        axes.locator_params(nbins=5)
        for side, color in (("left", SKY), ("right", ORANGE)):
            if side in _arms(made):
                shoulder = made.arm(side).model.T_base_s0[:3, 3]
                axes.plot(shoulder[across], shoulder[up], "o", ms=5, mfc=color, mec=INK)
    return drawn

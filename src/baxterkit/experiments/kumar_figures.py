"""Figures of the kinematics experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.look.colors import BLUE, CYCLE, GREEN, GREY, INK, VERMILION
from baxterkit.plot.render import Camera
from baxterkit.plot.robot_pictures import Picture, robot_solids
from baxterkit.plot.style import Axes, headline, new_figure, panel_title, styled
from baxterkit.types import Array, JointVector, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.baxter import Baxter

GROUP_COLORS = (VERMILION, BLUE, GREEN)


@styled
def fk_figure(errors: Mapping[str, Array], paper: float) -> Figure:
    """Position errors [m] by name, sorted by size; the paper's average [m] is a line."""
    figure = new_figure(6.4, 3.4)
    axes = figure.add_axes((0.12, 0.15, 0.85, 0.74))
    for (name, values), color in zip(errors.items(), CYCLE, strict=False):
        size = np.maximum(np.sort(values), 1e-18)
        part = np.linspace(0.0, 100.0, len(size))
        axes.plot(part, size, color=color, linewidth=1.8, label=name)
    axes.axhline(paper, color=GREY, linestyle="--", linewidth=1.2)
    axes.text(1.0, paper * 1.6, "paper, average", color=GREY, fontsize=8.5)
    axes.set_yscale("log")
    axes.set_ylim(1e-17, 1e-3)
    axes.set_xlim(0.0, 100.0)
    axes.set_xlabel("poses below [%]")
    axes.set_ylabel("position error [m]")
    axes.grid(True)
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.86))
    panel_title(axes, "Forward kinematics")
    return figure


@dataclass(frozen=True)
class Bar:
    """Solve rate of a method.

    Attributes:
        label: Its name.
        group: Its group; bars of one group have one colour.
        rate: Poses solved [%].
        seconds: Time per pose [s].
    """

    label: str
    group: str
    rate: float
    seconds: float


@styled
def ik_figure(bars: Sequence[Bar]) -> Figure:
    """Solve rates as bars, with the time per pose."""
    from matplotlib.patches import Patch

    groups = list(dict.fromkeys(bar.group for bar in bars))
    figure = new_figure(9.2, 0.30 * len(bars) + 1.2)
    axes = figure.add_axes((0.385, 0.12, 0.52, 0.78))
    for i, bar in enumerate(reversed(bars)):
        color = GROUP_COLORS[groups.index(bar.group) % len(GROUP_COLORS)]
        axes.barh(i, bar.rate, color=color, height=0.62)
        axes.text(bar.rate + 1.0, i, f"{bar.rate:.1f} %", va="center", fontsize=8.5)
        time = shown_time(bar.seconds)
        axes.text(127.0, i, time, va="center", ha="right", fontsize=8.5, color=GREY)
    axes.set_yticks(range(len(bars)), [bar.label for bar in reversed(bars)], fontsize=9)
    for tick, bar in zip(axes.get_yticklabels(), reversed(bars), strict=True):
        tick.set_color(GROUP_COLORS[groups.index(bar.group) % len(GROUP_COLORS)])
    axes.set_xlim(0.0, 112.0)
    axes.set_ylim(-0.6, len(bars) - 0.4)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("reachable poses solved within the limits [%]")
    axes.grid(True, axis="x")
    axes.set_axisbelow(True)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    handles = [
        Patch(color=color, label=group) for color, group in zip(GROUP_COLORS, groups, strict=False)
    ]
    figure.legend(handles=handles, loc="upper right", ncols=len(groups), fontsize=9)
    headline(figure, 0.012, 0.945, "Solve rate, and processor time a pose", 11)
    return figure


def shown_time(seconds: float) -> str:
    """A time in µs or ms."""
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"


@styled
def circle_figure(
    t: Array,
    wanted: Vector3,
    tips: Mapping[str, Vector3],
    center: ArrayLike,
    radius: float,
    robot: Baxter,
    q: JointVector,
) -> Figure:
    """The robot on the circle, the path at true scale, and its deviations beside it.

    Args:
        t: Time [s], shape (n,).
        wanted: Reference positions of the tip in base [m], shape (n, 3).
        tips: Name of the interface -> actual positions of the tip in base [m], shape (n, 3).
        center: Centre of the circle, which lies in the y z plane, in base [m], shape (3,).
        radius: Its radius [m].
        robot: The robot that is drawn.
        q: Joint positions of its right arm [rad], shape (7,).
    """
    middle = np.asarray(center, dtype=np.float64)[1:]
    figure = new_figure(12.6, 5.2)
    _robot(figure, robot, q, wanted)
    plane = figure.add_axes((0.41, 0.13, 0.235, 0.69))
    off = figure.add_axes((0.715, 0.55, 0.27, 0.27))
    error = figure.add_axes((0.715, 0.13, 0.27, 0.27))
    # The last two lines lie on each other: dashes let the lower one show.
    dashes = ("-", "-", (0, (3, 3)))
    for (name, tip), color, ls in zip(tips.items(), CYCLE, dashes, strict=False):
        spoke = tip[:, 1:] - middle
        plane.plot(tip[:, 1], tip[:, 2], color=color, lw=1.4, ls=ls, label=name)
        angle = np.degrees(np.unwrap(np.arctan2(spoke[:, 1], spoke[:, 0])))
        outwards = 1e3 * (np.linalg.norm(spoke, axis=1) - radius)
        off.plot(angle, outwards, color=color, lw=1.1, ls=ls)
        apart = 1e3 * np.linalg.norm(tip - wanted, axis=1)
        error.plot(t, apart, color=color, lw=1.4, ls=ls)
    plane.plot(wanted[:, 1], wanted[:, 2], color=INK, lw=0.8, ls=":", label="reference")
    _label(plane, "(b) path at true scale", "y [m]", "z [m]")
    plane.set_aspect("equal", adjustable="box")
    _label(off, "(c) off the circle", "angle on the circle [°]", "outwards [mm]")
    off.axhline(0.0, color=INK, lw=0.8)
    off.margins(x=0.0)
    _label(error, "(d) tip, lag included", "time [s]", "off by [mm]")
    error.set_ylim(bottom=0.0)
    error.margins(x=0.0)
    handles, labels = plane.get_legend_handles_labels()
    figure.legend(handles, labels, loc="center right", bbox_to_anchor=(0.99, 0.945), ncols=4,
                  fontsize=9)  # fmt: skip
    headline(figure, 0.016, 0.935, "Kumar, Fig. 8, in the twin: a circle by three interfaces")
    return figure


def _robot(figure: Figure, robot: Baxter, q: JointVector, path: Vector3) -> None:
    solids = robot_solids(
        robot, {"left": robot.left.configuration("untuck"), "right": q}, pedestal=False
    )
    camera = Camera((0.35, -0.12, 0.2), -32.0, 18.0, 1.55)
    picture = Picture.drawn(figure, (0.0, 0.03, 0.36, 0.82), solids, camera)
    picture.line(path, color=VERMILION, lw=1.8, zorder=6)
    headline(figure, 0.016, 0.845, "(a) the robot on the circle", 9.5)


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    panel_title(axes, title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(visible=True)

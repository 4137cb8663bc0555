"""Figures of the circle through the position interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.look.colors import CYCLE, INK, VERMILION
from baxterkit.plot.render import Camera
from baxterkit.plot.robot_pictures import Picture, robot_solids
from baxterkit.plot.style import RC, Axes, matplotlib, new_figure, panel_title
from baxterkit.types import Array, JointVector, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.baxter import Baxter


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
    with matplotlib().rc_context(RC):
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
        figure.text(0.016, 0.935, "Kumar, Fig. 8, in the twin: a circle by three interfaces",
                    fontsize=12, fontweight="bold", color=INK)  # fmt: skip
    return figure


def _robot(figure: Figure, robot: Baxter, q: JointVector, path: Vector3) -> None:
    solids = robot_solids(robot, {"left": robot.left.pose("untuck"), "right": q}, pedestal=False)
    camera = Camera((0.35, -0.12, 0.2), -32.0, 18.0, 1.55)
    picture = Picture.drawn(figure, (0.0, 0.03, 0.36, 0.82), solids, camera)
    picture.line(path, color=VERMILION, lw=1.8, zorder=6)
    figure.text(0.016, 0.845, "(a) the robot on the circle", fontsize=9.5, fontweight="bold")


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    panel_title(axes, title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(visible=True)

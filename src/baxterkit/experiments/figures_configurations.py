"""Ju's configurations: the robot, and the stick figure of Table 1 over it (Ju, Fig. 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.experiments.figures_robot import caption
from baxterkit.look.colors import GREY, INK
from baxterkit.papers import ju
from baxterkit.plot.render import Camera
from baxterkit.plot.robot_pictures import Picture, robot_solids
from baxterkit.plot.skeletons import bones
from baxterkit.plot.style import RC, matplotlib, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE = ju.corrected.misprinted("Table 1, digits")
"""Table 1 with the printed digits, ending at the hand."""
CAMERA = Camera((0.32, 0.0, 0.38), 10.0, 20.0, 1.42)
HEAD = "          x      y      z   roll  pitch    yaw"


def configurations() -> Figure:
    """Four configurations, among them Ju's untucked (b) and tucked (d) one.

    The errors are those of the table's rounded digits, for the nominal robot: nothing is measured.
    """
    robot = Baxter()
    poses = (
        ("(a) neutral", {side: _arm(robot, side).pose("neutral") for side in ("left", "right")}),
        ("(b) untucked", {side: _arm(robot, side).pose("untuck") for side in ("left", "right")}),
        ("(c) all joints at zero", {"left": np.zeros(7), "right": np.zeros(7)}),
        ("(d) tucked", {side: _arm(robot, side).pose("tuck") for side in ("left", "right")}),
    )
    with matplotlib().rc_context(RC):
        figure = new_figure(11.0, 8.6)
        for i, (name, q) in enumerate(poses):
            left, low = 0.5 * (i % 2), 0.49 if i < 2 else 0.055
            picture = Picture.drawn(
                figure, (left, low + 0.06, 0.5, 0.35), robot_solids(robot, q, pedestal=False),
                CAMERA, opacity=0.55,
            )  # fmt: skip
            figure.text(left + 0.02, low + 0.405, name, fontsize=10, color=INK, fontweight="bold")
            figure.text(left + 0.02, low + 0.06, HEAD, fontsize=8, color=GREY, family="monospace")
            for k, side in enumerate(("left", "right")):
                model = TABLE.of_side(side)
                Ts = model.frames(q[side], side)
                picture.line(bones(Ts), color=INK, lw=2.4, zorder=5, solid_capstyle="round")
                pixels = picture.pixels(Ts[:, :3, 3])
                picture.axes.plot(*pixels.T, "o", ms=4, mfc="white", mec=INK, mew=1.0, zorder=6)
                error = 1e3 * model.deviation(q[side], _arm(robot, side).fk(q[side]))
                numbers = "".join(f"{round(float(x), 2) + 0.0:7.2f}" for x in error)
                figure.text(left + 0.02, low + 0.037 - 0.022 * k, f"{side:5}{numbers}", fontsize=8,
                            color=INK, family="monospace")  # fmt: skip
        caption(
            figure,
            "Ju, Fig. 7: the nominal robot and Table 1 over it; not a measurement",
            "Model less robot, x y z [mm], roll pitch yaw [mrad]: what the printed digits leave "
            "out. The paper does not print its configurations (a) and (c).",
        )
    return figure  # fmt: skip


def _arm(robot: Baxter, side: str) -> Arm:
    return robot.left if side == "left" else robot.right

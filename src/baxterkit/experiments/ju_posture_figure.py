"""Postures of robot and model with their errors (Ju et al., Fig. 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.experiments.pose_errors import COMPONENTS
from baxterkit.look.colors import ARM_COLORS, BLUE, GREY, INK, VERMILION
from baxterkit.plot.skeletons import bones
from baxterkit.plot.style import RC, Axes, matplotlib, new_axes_3d, new_figure
from baxterkit.types import Array, JointVector, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

_COLORS = {"nominal mount": VERMILION, "fitted mount": BLUE}
BOX = ((-0.25, 1.25), (-1.05, 1.05), (-0.45, 0.85))
"""What each picture shows of x, y and z in base [m]."""


@dataclass(frozen=True, eq=False)
class ArmPosture:
    """One arm in one posture.

    Attributes:
        q: Recorded joint positions [rad], shape (7,).
        tip: Recorded position of the tip in base [m], shape (3,).
        errors: Name of the mount -> x y z [mm], roll pitch yaw [mrad], shape (6,).
    """

    q: JointVector
    tip: Vector3
    errors: Mapping[str, Array]


def posture_figure(
    arms: Mapping[str, Arm], postures: Sequence[tuple[str, Mapping[str, ArmPosture]]], title: str
) -> Figure:
    """Both arms of the model at recorded joint positions, with errors below each picture.

    Args:
        arms: Side -> the model that is drawn.
        postures: Name of each, and side -> posture; four at most.
        title: Heading.
    """
    with matplotlib().rc_context(RC):
        figure = new_figure(12.0, 5.1)
        for i, (name, sides) in enumerate(postures):
            axes = new_axes_3d(figure)
            left = 0.005 + 0.249 * i
            axes.set_position((left, 0.27, 0.243, 0.62))
            _draw(axes, arms, sides)
            figure.text(left + 0.012, 0.865, f"({'abcd'[i]}) {name}", fontsize=9.5, color=INK)
            _write(figure, left + 0.012, sides)
        figure.text(0.012, 0.945, f"{title}: x y z [mm], roll pitch yaw [mrad]", fontsize=12,
                    fontweight="bold", color=INK)  # fmt: skip
        _legend(figure)
    return figure


def _draw(axes: Axes, arms: Mapping[str, Arm], sides: Mapping[str, ArmPosture]) -> None:
    shoulders = []
    for side, posture in sides.items():
        line = bones(arms[side].link_poses(posture.q))
        shoulders.append(line[0])
        axes.plot(*line.T, color=ARM_COLORS[side], lw=4.5, solid_capstyle="round", zorder=5)
        axes.plot(line[:, 0], line[:, 1], BOX[2][0], color=GREY, alpha=0.35, lw=2, zorder=1)
        axes.plot(*posture.tip[:, None], "o", ms=9, mfc="none", mec=INK, mew=1.6, zorder=8)
    neck = np.array([0.0, 0.0, shoulders[0][2]])
    for line in (np.stack([shoulders[0], neck, shoulders[-1]]),
                 np.stack([np.array([0.0, 0.0, BOX[2][0]]), neck])):  # fmt: skip
        axes.plot(*line.T, color=GREY, lw=3, alpha=0.5, zorder=3)
    axes.set(xlim=BOX[0], ylim=BOX[1], zlim=BOX[2])
    axes.set_box_aspect([high - low for low, high in BOX], zoom=1.55)
    corners = [(x, y) for x in BOX[0] for y in BOX[1]]
    floor = np.array([(*corners[i], BOX[2][0]) for i in (0, 1, 3, 2, 0)])
    axes.plot(*floor.T, color=GREY, lw=0.8, alpha=0.5, zorder=0)
    axes.set_axis_off()
    axes.view_init(24, 25)


def _write(figure: Figure, left: float, sides: Mapping[str, ArmPosture]) -> None:
    """The errors of a posture, a line for each side and mount."""
    y = 0.262
    head = "".join(f"{name:>6}" for name in COMPONENTS)
    figure.text(left, y, f"{'':5}{head}", fontsize=7.4, color=GREY, family="monospace")
    for side, posture in sides.items():
        for mount, values in posture.errors.items():
            y -= 0.043
            numbers = "".join(f"{round(float(x), 1) + 0.0:6.1f}" for x in values)
            figure.text(left, y, f"{side:5}{numbers}", fontsize=7.4, color=_COLORS[mount],
                        family="monospace")  # fmt: skip


def _legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker="o", mfc="none", mec=INK, mew=1.6, label="recorded tip"),
        *(Line2D([], [], color=c, lw=4, label=f"model, {s} arm") for s, c in ARM_COLORS.items()),
        *(Line2D([], [], color=c, lw=1.5, label=f"errors, {m}") for m, c in _COLORS.items()),
    ]
    figure.legend(handles=handles, loc="lower right", ncols=5, fontsize=8.5)

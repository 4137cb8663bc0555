"""Figures of the pose experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.experiments.ju_paper import COMPONENTS, UNITS
from baxterkit.look.colors import ARM_COLORS, BLUE, GREY, INK, VERMILION
from baxterkit.plot.robot_pictures import robot_solids
from baxterkit.plot.skeletons import bones, draw_solids
from baxterkit.plot.style import Axes, headline, new_axes_3d, new_figure, panel_title, styled
from baxterkit.spatial.formulas import matrix_to_rpy
from baxterkit.types import Array, JointVector, Transform, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm
    from baxterkit.recording import Recording

_COLORS = {"nominal mount": VERMILION, "fitted mount": BLUE}
BOX = ((-0.35, 1.35), (-1.35, 1.35), (-0.45, 0.85))
"""What each picture shows of x, y and z in base [m]."""


@styled
def error_figure(
    errors: Mapping[str, Mapping[str, Array]], paper: Mapping[str, Sequence[float]]
) -> Figure:
    """Sizes of the errors: one panel per component and arm, sorted, on a log scale.

    Args:
        errors: Side -> name of the mount -> errors, shape (n, 6).
        paper: Side -> largest errors of the paper, drawn as lines.
    """
    figure = new_figure(10.0, 4.6)
    for group in range(2):
        left = 0.062 + 0.51 * group
        grid = figure.add_gridspec(
            len(errors), 3, left=left, right=left + 0.418, bottom=0.1, top=0.87,
            wspace=0.1, hspace=0.28,
        )  # fmt: skip
        for row, side in enumerate(errors):
            for column in range(3):
                panel = figure.add_subplot(grid[row, column])
                j = 3 * group + column
                _panel(panel, {name: e[:, j] for name, e in errors[side].items()})
                panel.axhline(paper[side][j], color=GREY, linestyle="--", linewidth=1.0)
                panel_title(panel, f"{side} {COMPONENTS[j]}")
                panel.tick_params(labelleft=column == 0, labelbottom=row == len(errors) - 1)
                if column == 0:
                    panel.set_ylabel(f"|error| [{UNITS[j]}]")
                if row == len(errors) - 1:
                    panel.set_xlabel("rows below [%]", fontsize=8)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    handles.append(figure.axes[0].lines[-1])
    labels.append("largest in the paper, another motion")
    figure.legend(handles, labels, loc="upper right", ncols=3, fontsize=9)
    headline(figure, 0.012, 0.955, "Model against recorded tip poses")
    return figure


def _panel(panel: Axes, errors: Mapping[str, Array]) -> None:
    """Sizes of one component, sorted."""
    for name, values in errors.items():
        size = np.sort(np.abs(values)) + 1e-4
        part = np.linspace(0.0, 100.0, len(size))
        panel.plot(part, size, color=_COLORS[name], label=name, linewidth=1.6)
    panel.set_yscale("log")
    panel.set_ylim(1e-3, 1e2)
    panel.set_xlim(0.0, 101.0)
    panel.set_xticks((0, 25, 50, 75))
    panel.grid(True, which="major")
    panel.tick_params(labelsize=7.5)


@dataclass(frozen=True, eq=False)
class ArmConfiguration:
    """One arm in one configuration.

    Attributes:
        q: Recorded joint positions [rad], shape (7,).
        tip: Recorded position of the tip in base [m], shape (3,).
        errors: Name of the mount -> x y z [mm], roll pitch yaw [mrad], shape (6,).
    """

    q: JointVector
    tip: Vector3
    errors: Mapping[str, Array]


@styled
def configuration_figure(
    arms: Mapping[str, Arm],
    configurations: Sequence[tuple[str, Mapping[str, ArmConfiguration]]],
    title: str,
) -> Figure:
    """Both arms of the model at recorded joint positions, with errors below each picture.

    Args:
        arms: Side -> the model that is drawn.
        configurations: Name of each, and side -> configuration; four at most.
        title: Heading.
    """
    figure = new_figure(12.0, 5.1)
    for i, (name, sides) in enumerate(configurations):
        axes = new_axes_3d(figure)
        left = 0.005 + 0.249 * i
        axes.set_position((left, 0.27, 0.243, 0.62))
        _draw(axes, arms, sides)
        figure.text(left + 0.012, 0.865, f"({'abcd'[i]}) {name}", fontsize=9.5, color=INK)
        _write(figure, left + 0.012, sides)
    headline(figure, 0.012, 0.945, f"{title}: x y z [mm], roll pitch yaw [mrad]")
    _legend(figure)
    return figure


def _draw(axes: Axes, arms: Mapping[str, Arm], sides: Mapping[str, ArmConfiguration]) -> None:
    solids = robot_solids(Baxter(**arms), {side: one.q for side, one in sides.items()})
    draw_solids(axes, solids)
    for side, configuration in sides.items():
        line = bones(arms[side].link_poses(configuration.q))
        axes.plot(line[:, 0], line[:, 1], BOX[2][0], color=GREY, alpha=0.35, lw=2, zorder=1)
        axes.plot(*configuration.tip[:, None], "o", ms=9, mfc="none", mec=INK, mew=1.6, zorder=8)
    axes.set(xlim=BOX[0], ylim=BOX[1], zlim=BOX[2])
    axes.set_box_aspect([high - low for low, high in BOX], zoom=1.25)
    corners = [(x, y) for x in BOX[0] for y in BOX[1]]
    floor = np.array([(*corners[i], BOX[2][0]) for i in (0, 1, 3, 2, 0)])
    axes.plot(*floor.T, color=GREY, lw=0.8, alpha=0.5, zorder=0)
    axes.set_axis_off()
    axes.view_init(24, 25)


def _write(figure: Figure, left: float, sides: Mapping[str, ArmConfiguration]) -> None:
    """The errors of a configuration, a line for each side and mount."""
    y = 0.262
    head = "".join(f"{name:>6}" for name in COMPONENTS)
    figure.text(left, y, f"{'':5}{head}", fontsize=7.4, color=GREY, family="monospace")
    for side, configuration in sides.items():
        for mount, values in configuration.errors.items():
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


@styled
def tuck_figure(
    recording: Recording, model: Arm, errors: Mapping[str, Array], *, title: str, robot: str
) -> Figure:
    """Position and orientation of the tip over time, robot and model, with the errors below.

    Args:
        recording: Angles and tip poses of the robot.
        model: The model that is drawn beside it.
        errors: Name of the mount -> errors, x y z [mm], roll pitch yaw [mrad], shape (n, 6).
        title: Heading.
        robot: Source of the recording: "robot", "twin".
    """
    recorded, drawn = _six(recording.T_base_tip), _six(model.fk(recording.q))
    t = recording.t - recording.t[0]
    figure = new_figure(10.0, 5.6)
    outer = figure.add_gridspec(2, 3, left=0.08, right=0.985, top=0.845, bottom=0.09,
                                hspace=0.4, wspace=0.36)  # fmt: skip
    for i, name in enumerate(COMPONENTS):
        inner = outer[i // 3, i % 3].subgridspec(2, 1, height_ratios=(2.4, 1.0), hspace=0.1)
        top = figure.add_subplot(inner[0])
        below = figure.add_subplot(inner[1], sharex=top)
        top.plot(t, recorded[:, i], color=GREY, lw=3.2, alpha=0.75, label=f"{robot}'s tip")
        top.plot(t, drawn[:, i], color=VERMILION, lw=1.1, label="_")
        for mount, values in errors.items():
            below.plot(t, values[:, i], color=_COLORS[mount], lw=0.9, label=f"model, {mount}")
        panel_title(top, name)
        top.set_ylabel("[m]" if i < 3 else "[rad]")
        below.set_ylabel(f"error\n[{UNITS[i]}]", fontsize=8)
        below.set_xlabel("time [s]", fontsize=8.5)
        top.tick_params(labelbottom=False)
        for axes in (top, below):
            axes.grid(visible=True)
            axes.margins(x=0.0)
            axes.locator_params(axis="y", nbins=4)
            axes.tick_params(labelsize=8)
            axes.yaxis.set_label_coords(-0.19, 0.5)
    handles, labels = [], []
    for axes in figure.axes[:2]:
        more, names = axes.get_legend_handles_labels()
        handles += more
        labels += names
    figure.legend(handles, labels, loc="upper right", ncols=4, fontsize=8.5,
                  bbox_to_anchor=(0.985, 0.945))  # fmt: skip
    headline(figure, 0.012, 0.958, title)
    return figure


def _six(T: Transform) -> Array:
    """Positions [m] and roll pitch yaw [rad] without jumps of 2π, shape (n, 6)."""
    rpy = np.unwrap(matrix_to_rpy(T[:, :3, :3]), axis=0)
    return np.concatenate([T[:, :3, 3], rpy], axis=1)

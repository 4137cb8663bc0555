"""A motion against its limits: joints over time, torques, and the path of the tip."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.arms import need_arm
from baxterkit.errors import InputError
from baxterkit.look.colors import GREY, JOINT_COLORS, VERMILION
from baxterkit.model.names import JOINTS
from baxterkit.plot.skeletons import draw_arm, draw_frame, set_equal
from baxterkit.plot.style import (
    Axes,
    Mpl,
    fit,
    headline,
    new_axes_3d,
    new_figure,
    panel_title,
    styled,
)
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

POINTS = 1500
"""Number of times at which lines are drawn."""
MARGIN = 0.08  # m, around the path of the tip


@styled
def trajectory(motion: Trajectory, arm: Arm | None = None, *, title: str | None = None) -> Figure:
    """A figure of a motion: positions, velocities and accelerations of the joints over time.

    Velocities and torques are drawn as shares of their limits, which are the lines at ±100 %.

    Args:
        motion: The motion; both arms side by side if it is of both.
        arm: The arm, to draw torques and the tip too, of its part of a motion of both; neither if
            None.
        title: The figure's title; the motion's name if None.

    Raises:
        InputError: If `motion` is no trajectory.
    """
    if not isinstance(motion, Trajectory):
        raise InputError(
            f"motion must be a Trajectory, got {type(motion).__name__}; "
            "Trajectory.from_points(t, q) makes one of positions"
        )
    if arm is not None:
        need_arm(arm)
        motion = motion.of(arm.side)
    t = np.linspace(0.0, motion.duration, POINTS)
    parts = {f"{side} ": motion.of(side) for side in motion.sides}
    parts = parts if len(parts) > 1 else {"": motion}
    rows = 3 if arm is None else 4
    figure = new_figure(7.0 if arm is None and len(parts) == 1 else 11.0, 1.0 + 1.55 * rows)
    height = figure.get_size_inches()[1]
    grid = figure.add_gridspec(
        rows,
        len(parts),
        left=0.53 if arm is not None else 0.07,
        right=0.985,
        top=1.0 - 0.85 / height,
        bottom=0.5 / height,
        hspace=0.32,
        wspace=0.12,
    )
    for column, (whose, part) in enumerate(parts.items()):
        for row, (name, values, relative) in enumerate(_panels(part, arm, t)):
            ax = figure.add_subplot(grid[row, column])
            _lines(ax, t, values, relative)
            panel_title(ax, whose + name)
            ax.tick_params(labelbottom=row == rows - 1)
        ax.set_xlabel("time [s]")
    if arm is not None:
        _tip(figure, motion, arm, motion.sample(t).q)
    _captions(figure, title or motion.name)
    return figure


def _panels(motion: Trajectory, arm: Arm | None, t: Array) -> list[tuple[str, Array, bool]]:
    """Title and lines of each panel, and whether they are shares of a limit."""
    q, qd, qdd = motion.sample(t)
    limits = motion.limits if motion.limits is not None or arm is None else arm.limits
    panels = [("position [rad]", q, False)]
    if limits is None:
        panels.append(("velocity [rad/s]", qd, False))
    else:
        panels.append(("velocity [% of limit]", 100.0 * qd / limits.velocity, True))
    panels.append(("acceleration [rad/s²]", qdd, False))
    if arm is not None:
        tau = arm.inverse_dynamics(q, qd, qdd) / arm.limits.effort
        panels.append(("torque [% of limit]", 100.0 * tau, True))
    return panels


def _lines(ax: Axes, t: Array, values: Array, relative: bool) -> None:
    for j in range(len(JOINTS)):
        ax.plot(t, values[:, j], **joint_line(j))
    ax.grid(visible=True)
    ax.margins(x=0.0)
    ax.tick_params(labelsize=8)
    if relative:
        most = float(np.abs(values).max())
        reach = max(1.15 * most, 10.0)
        if most > 55.0:  # otherwise the limits are far away, and the lines would be flat
            reach = max(reach, 112.0)
            for limit in (-100.0, 100.0):
                ax.axhline(limit, color=GREY, lw=1.0, ls=(0, (1, 1.5)))
        ax.set_ylim(-reach, reach)


def _tip(figure: Figure, motion: Trajectory, arm: Arm, q: Array) -> None:
    """The arm at the start, and the path of its tip."""
    axes = new_axes_3d(figure)
    axes.patch.set_visible(False)
    Ts = arm.fk(q)
    tip: Vector3 = Ts[:, :3, 3]
    corners = draw_arm(axes, arm, motion.start, frames=False, labels=False)
    axes.plot(*tip.T, color=VERMILION, lw=1.8, zorder=8)
    axes.plot(*tip[:1].T, ls="", marker="o", ms=6, color=VERMILION, zorder=9)
    if np.linalg.norm(tip[-1] - tip[0]) > 1e-3:
        axes.plot(*tip[-1:].T, ls="", marker="s", ms=5, color=VERMILION, zorder=9)
    draw_frame(axes, np.eye(4), 0.13, width=2.2)
    points = np.concatenate([corners, tip, np.zeros((1, 3))])
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    for line, color in ((corners, GREY), (tip, VERMILION)):
        axes.plot(line[:, 0], line[:, 1], low[2], color=color, alpha=0.35, lw=1.5, zorder=1)
    set_equal(axes, low, high)
    axes.locator_params(nbins=5)
    axes.view_init(22, -52 if arm.side == "left" else 52)
    axes.set_proj_type("persp", focal_length=0.9)
    fit(figure, axes, (0.01, 0.02, 0.48, 0.9))


def _captions(figure: Figure, title: str) -> None:
    height = figure.get_size_inches()[1]
    headline(figure, 0.03, 1.0 - 0.36 / height, title, 13)
    joint_legend(figure, range(len(JOINTS)))


def joint_line(joint: int) -> dict[str, Mpl]:
    """Style of the line of a joint."""
    dashed = (0, (4, 1.5))
    return {"color": JOINT_COLORS[joint], "lw": 1.3, "ls": "-" if joint < 4 else dashed}


def joint_legend(figure: Figure, joints: Iterable[int]) -> None:
    """A legend of joints in the figure's upper right corner."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], label=JOINTS[j], **(joint_line(j) | {"lw": 2})) for j in joints]
    figure.legend(
        handles=lines,
        loc="upper right",
        bbox_to_anchor=(0.99, 1.0 - 0.12 / figure.get_size_inches()[1]),
        ncols=len(lines),
        fontsize=9,
        handlelength=1.6,
        columnspacing=1.0,
    )

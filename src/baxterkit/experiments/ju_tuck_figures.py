"""The tip over time, robot and model (Ju et al., Fig. 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.experiments.pose_errors import COMPONENTS, UNITS
from baxterkit.look.colors import BLUE, GREY, INK, VERMILION
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title
from baxterkit.spatial import matrix_to_rpy
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm
    from baxterkit.recording import Recording

_COLORS = {"nominal mount": VERMILION, "fitted mount": BLUE}


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
    with matplotlib().rc_context(RC):
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
        figure.text(0.012, 0.958, title, fontsize=12, fontweight="bold", color=INK)
    return figure


def _six(T: Transform) -> Array:
    """Positions [m] and roll pitch yaw [rad] without jumps of 2π, shape (n, 6)."""
    rpy = np.unwrap(matrix_to_rpy(T[:, :3, :3]), axis=0)
    return np.concatenate([T[:, :3, 3], rpy], axis=1)

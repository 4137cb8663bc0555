"""Figures of the pose experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.experiments.pose_errors import COMPONENTS, UNITS
from baxterkit.plot.style import BLUE, INK, RC, VERMILION, matplotlib, new_figure, panel_title
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["error_figure"]

_COLORS = {"nominal mount": VERMILION, "fitted mount": BLUE}


def error_figure(errors: Mapping[str, Mapping[str, Array]]) -> Figure:
    """How large the errors are: one panel a component and arm, sorted by size, on a log scale.

    Args:
        errors: Side -> name of the mount -> errors, shape (n, 6).
    """
    with matplotlib().rc_context(RC):
        figure = new_figure(10.0, 4.6)
        axes = figure.subplots(len(errors), 6, sharex=True, squeeze=False)
        for row, (side, by_mount) in zip(axes, errors.items(), strict=True):
            for j, panel in enumerate(row):
                for name, values in by_mount.items():
                    size = np.sort(np.abs(values[:, j])) + 1e-4
                    part = np.linspace(0.0, 100.0, len(size))
                    panel.plot(part, size, color=_COLORS[name], label=name, linewidth=1.6)
                panel.set_yscale("log")
                panel.set_ylim(1e-3, 1e2)
                panel.grid(True, which="major")
                panel_title(panel, f"{side} {COMPONENTS[j]}")
                panel.tick_params(labelsize=7.5)
                if j in (0, 3):
                    panel.set_ylabel(f"|error| [{UNITS[j]}]")
                else:
                    panel.tick_params(labelleft=False)
        for panel in axes[-1]:
            panel.set_xlabel("rows below [%]", fontsize=8)
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", ncols=2, fontsize=9)
        figure.text(
            0.012,
            0.955,
            "Model against recorded tip poses",
            fontsize=12,
            fontweight="bold",
            color=INK,
        )
        figure.subplots_adjust(0.06, 0.1, 0.99, 0.87, wspace=0.16, hspace=0.28)
    return figure

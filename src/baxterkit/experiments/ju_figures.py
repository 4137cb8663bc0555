"""Figures of the pose experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.experiments.pose_errors import COMPONENTS, UNITS
from baxterkit.look.colors import BLUE, GREY, INK, VERMILION
from baxterkit.plot.style import RC, Axes, matplotlib, new_figure, panel_title
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = {"nominal mount": VERMILION, "fitted mount": BLUE}


def error_figure(
    errors: Mapping[str, Mapping[str, Array]], paper: Mapping[str, Sequence[float]]
) -> Figure:
    """Sizes of the errors: one panel per component and arm, sorted, on a log scale.

    Args:
        errors: Side -> name of the mount -> errors, shape (n, 6).
        paper: Side -> largest errors of the paper, drawn as lines.
    """
    with matplotlib().rc_context(RC):
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
        figure.text(0.012, 0.955, "Model against recorded tip poses", fontsize=12,
                    fontweight="bold", color=INK)  # fmt: skip
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

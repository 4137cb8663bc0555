"""Figures of predictive control at the torque limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import BLUE, GREEN, GREY, INK, VERMILION
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.experiments.smith_predictive import LimitedRun

COLORS = (VERMILION, BLUE, GREEN)


def limit_figure(number: int, speed: float, runs: Mapping[str, LimitedRun]) -> Figure:
    """Errors over time, and the command of the joint that is limited most, with its limit.

    Args:
        number: The set.
        speed: How much faster than the paper's it is.
        runs: Controller -> run.
    """
    first = next(iter(runs.values()))
    hits = sum(np.abs(one.recording.command) >= 0.999 * one.effort for one in runs.values())
    joint = int(np.argmax(np.sum(hits, axis=0)))
    with matplotlib().rc_context(RC):
        figure = new_figure(10.0, 3.8)
        left, right = figure.subplots(1, 2)
        for (name, one), color in zip(runs.items(), COLORS, strict=True):
            rec = one.recording
            worst = 1e3 * np.abs(rec.error).max(axis=1)
            left.plot(rec.t, worst, color=color, linewidth=1.4, label=name)
            right.plot(rec.t, rec.command[:, joint], color=color, linewidth=1.0)
        left.set_yscale("log")
        left.set_ylim(bottom=0.1)
        left.set_ylabel("largest joint error [mrad]")
        bound = float(first.effort[joint])
        for sign in (-1.0, 1.0):
            right.axhline(sign * bound, color=GREY, linestyle="--", linewidth=1.0)
        right.set_ylabel(f"command of {JOINTS[joint]} [N m]")
        panel_title(left, "(a) error")
        panel_title(right, f"(b) torque of {JOINTS[joint]}; dashed: its limit, {bound:.1f} N m")
        for axes in (left, right):
            axes.set_xlabel("t [s]")
            axes.set_xlim(0.0, float(first.recording.t[-1]))
            axes.grid(visible=True)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", ncols=3, fontsize=9)
        figure.suptitle(
            f"Set {number}, {speed:g} times as fast, at the limits", x=0.01, ha="left", color=INK
        )
        figure.subplots_adjust(left=0.08, right=0.985, bottom=0.14, top=0.83, wspace=0.2)
    return figure

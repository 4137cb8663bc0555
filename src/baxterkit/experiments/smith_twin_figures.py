"""Figures of Smith's experiment in the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.smith_twin_runs import Runs
from baxterkit.look.colors import AXIS_COLORS, BLUE, GREY, INK, ORANGE, VERMILION
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {1: "(a) set 1: all three axes", 2: "(b) set 2: quick switches in y", 3: "(c) set 3: z"}


def path_figure(runs: Mapping[int, Runs], arm: Arm) -> Figure:
    """Actual and reference positions of the tip in the three sets (Smith et al., Fig. 3)."""
    with matplotlib().rc_context(RC):
        figure = new_figure(10.0, 3.6)
        every = figure.subplots(1, len(runs), sharey=True)
        for (number, run), axes in zip(runs.items(), np.atleast_1d(every), strict=True):
            wanted = arm.fk(run.pid.reference.q)[:, :3, 3]
            actual = arm.fk(run.pid.truth.q)[:, :3, 3]
            for k, (name, color) in enumerate(AXIS_COLORS.items()):
                axes.plot(run.pid.t, wanted[:, k], color=GREY, linewidth=1.0, linestyle="--")
                axes.plot(run.pid.t, actual[:, k], color=color, linewidth=1.6, label=name)
            axes.set_xlabel("t [s]")
            axes.set_xlim(0.0, float(run.pid.t[-1]))
            axes.grid(True)
            panel_title(axes, TITLES[number])
        first = np.atleast_1d(every)[0]
        first.set_ylabel("tip position [m]")
        first.plot([], [], color=GREY, linewidth=1.0, linestyle="--", label="reference")
        handles, labels = first.get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", ncols=4, fontsize=9)
        figure.suptitle("Smith, Fig. 3, in the twin", x=0.01, ha="left", color=INK,
                        fontsize=12, fontweight="bold")  # fmt: skip
        figure.subplots_adjust(left=0.07, right=0.985, bottom=0.15, top=0.82, wspace=0.08)
    return figure


def tracking_figure(runs: Mapping[int, Runs]) -> Figure:
    """The largest error of any joint over time, of three controllers."""
    lines = (
        ("double-loop PID", "pid", VERMILION),
        ("computed torque, identified model", "computed", BLUE),
        ("computed torque, rigid twin", "rigid", ORANGE),
    )
    with matplotlib().rc_context(RC):
        figure = new_figure(10.0, 3.6)
        every = np.atleast_1d(figure.subplots(1, len(runs), sharey=True))
        for (number, run), axes in zip(runs.items(), every, strict=True):
            for label, which, color in lines:
                recording = getattr(run, which)
                worst = np.abs(recording.error).max(axis=1)
                axes.plot(recording.t, worst, color=color, linewidth=1.2, label=label)
            axes.set_yscale("log")
            axes.set_ylim(1e-7, 1.0)
            axes.set_xlabel("t [s]")
            axes.set_xlim(0.0, float(run.pid.t[-1]))
            axes.grid(True)
            panel_title(axes, TITLES[number])
        every[0].set_ylabel("largest joint error [rad]")
        handles, labels = every[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", ncols=3, fontsize=9)
        figure.suptitle("Tracking", x=0.01, ha="left", color=INK)
        figure.subplots_adjust(left=0.07, right=0.985, bottom=0.15, top=0.82, wspace=0.08)
    return figure

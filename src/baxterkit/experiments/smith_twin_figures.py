"""Figures of Smith's experiment in the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.smith_twin_runs import Runs, Torques
from baxterkit.plot.style import (
    AXIS_COLORS,
    BLUE,
    CYCLE,
    GREY,
    INK,
    ORANGE,
    RC,
    VERMILION,
    matplotlib,
    new_figure,
    panel_title,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["path_figure", "torque_figure", "tracking_figure"]

JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
COLUMNS = ("sensed", "Lagrange-Euler", "Newton-Euler", "errors (alike to {:.0e} Nm)")
TITLES = {1: "(a) set 1: all three axes", 2: "(b) set 2: quick switches in y", 3: "(c) set 3: z"}


def path_figure(runs: Mapping[int, Runs], arm: Arm) -> Figure:
    """Where the tip was in the three sets, and where it should have been (Smith et al., Fig. 3)."""
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
        figure.suptitle("Smith et al., Fig. 3, in the twin", x=0.01, ha="left", color=INK)
        figure.subplots_adjust(left=0.07, right=0.985, bottom=0.15, top=0.82, wspace=0.08)
    return figure


def torque_figure(number: int, raw: Torques, smooth: Torques, hz: float) -> Figure:
    """Sensed torques, those of the motion by both methods, and errors (Smith et al., Figs. 5-7).

    Args:
        number: Of the set.
        raw: Torques as recorded: the upper row.
        smooth: Torques through a low-pass: the lower row.
        hz: Its cut-off frequency [Hz].
    """
    with matplotlib().rc_context(RC):
        figure = new_figure(12.0, 5.6)
        every = figure.subplots(2, 4, sharex=True)
        for row, (values, how) in enumerate(
            ((raw, "as recorded"), (smooth, f"low-pass, {hz:g} Hz"))
        ):
            shown = (values.sensed, values.lagrange, values.newton_euler)
            error = values.sensed - values.lagrange
            apart = float(np.abs(values.lagrange - values.newton_euler).max())
            low, high = min(x.min() for x in shown), max(x.max() for x in shown)
            room = 0.05 * (high - low)
            for axes, x, title in zip(every[row], (*shown, error), COLUMNS, strict=True):
                for joint, (name, color) in enumerate(zip(JOINTS, CYCLE, strict=False)):
                    axes.plot(values.t, x[:, joint], color=color, linewidth=0.9, label=name)
                axes.grid(True)
                axes.set_xlim(0.0, float(raw.t[-1]))
                if row == 0:
                    panel_title(axes, title.format(apart))
                else:
                    axes.set_xlabel("t [s]")
                if x is not error:
                    axes.set_ylim(low - room, high + room)
            every[row, 0].set_ylabel(f"{how}\ntorque [Nm]")
        lines, labels = every[0, 0].get_legend_handles_labels()
        figure.legend(lines, labels, loc="upper right", ncols=7, fontsize=9)
        title = f"Smith et al., Fig. {number + 4}, in the twin: set {number}"
        figure.suptitle(title, x=0.01, ha="left", color=INK)
        figure.subplots_adjust(left=0.07, right=0.985, bottom=0.09, top=0.87, wspace=0.27)
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

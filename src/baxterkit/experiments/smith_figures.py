"""Torques as Smith et al. draw them (Figs. 5-7): recorded, L-E, RN-E, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.both_methods import Torques
from baxterkit.experiments.smith_claims import method_difference
from baxterkit.look.colors import (
    AXIS_COLORS,
    BLUE,
    GREEN,
    GREY,
    INK,
    JOINT_COLORS,
    ORANGE,
    VERMILION,
)
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import headline, new_figure, panel_title, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.experiments.smith_predictive import LimitedRun
    from baxterkit.experiments.smith_twin import Runs

COLUMNS = ("recorded", "Lagrange-Euler (L-E)", "Newton-Euler (RN-E)", "recorded less L-E")
TITLES = {1: "(a) set 1: all three axes", 2: "(b) set 2: quick switches in y", 3: "(c) set 3: z"}
COLORS = (VERMILION, BLUE, GREEN)


@styled
def torque_figure(title: str, rows: Mapping[str, Torques]) -> Figure:
    """Recorded torques, those of the motion by both methods, and errors.

    Args:
        title: Heading.
        rows: What each row of pictures shows ("as recorded") -> torques. Where the errors of the
            first row are large, as with first differences, the others have a scale of their own.
    """
    height = 2.5 * len(rows) + 1.0
    figure = new_figure(12.0, height)
    every = figure.subplots(len(rows), 4, sharex=True, squeeze=False)
    end = max(float(values.t[-1]) for values in rows.values())
    start = min(float(values.t[0]) for values in rows.values())
    for row, (how, values) in enumerate(rows.items()):
        shown = (values.sensed, values.lagrange, values.newton_euler)
        error = values.sensed - values.lagrange
        low, high = min(x.min() for x in shown), max(x.max() for x in shown)
        room = 0.05 * (high - low)
        for axes, x, head in zip(every[row], (*shown, error), COLUMNS, strict=True):
            for joint, (name, color) in enumerate(zip(JOINTS, JOINT_COLORS, strict=True)):
                axes.plot(values.t, x[:, joint], color=color, linewidth=0.9, label=name)
            axes.grid(visible=True)
            axes.set_xlim(start, end)
            if row == 0:
                panel_title(axes, head)
            if row == len(rows) - 1:
                axes.set_xlabel("t [s]")
            if x is not error:
                axes.set_ylim(low - room, high + room)
        every[row, 0].set_ylabel(f"{how}\ntorque [N m]")
    lines, labels = every[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="upper right", ncols=7, fontsize=9,
                  bbox_to_anchor=(0.99, 1.0 - 0.36 / height))  # fmt: skip
    headline(figure, 0.012, 1.0 - 0.3 / height, title)
    apart = method_difference()
    figure.text(0.012, 1.0 - 0.58 / height, f"L-E and RN-E differ by {apart:.0e} N m at most",
                fontsize=9, color=INK)  # fmt: skip
    figure.subplots_adjust(
        left=0.07, right=0.985, bottom=0.5 / height, top=1.0 - 0.95 / height, wspace=0.27
    )
    return figure


@styled
def path_figure(runs: Mapping[int, Runs], arm: Arm) -> Figure:
    """Actual and reference positions of the tip in the three sets (Smith et al., Fig. 3)."""
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
    figure.legend(*first.get_legend_handles_labels(), loc="upper right", ncols=4, fontsize=9)
    figure.suptitle("Smith, Fig. 3, in the twin", x=0.01, ha="left", color=INK,
                    fontsize=12, fontweight="bold")  # fmt: skip
    figure.subplots_adjust(left=0.07, right=0.985, bottom=0.15, top=0.82, wspace=0.08)
    return figure


@styled
def tracking_figure(runs: Mapping[int, Runs]) -> Figure:
    """The largest error of any joint over time, of three controllers."""
    lines = (
        ("double-loop PID", "pid", VERMILION),
        ("computed torque, identified model", "computed", BLUE),
        ("computed torque, rigid twin", "rigid", ORANGE),
    )
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
    figure.legend(*every[0].get_legend_handles_labels(), loc="upper right", ncols=3, fontsize=9)
    figure.suptitle("Tracking", x=0.01, ha="left", color=INK)
    figure.subplots_adjust(left=0.07, right=0.985, bottom=0.15, top=0.82, wspace=0.08)
    return figure


@styled
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
    figure.legend(*left.get_legend_handles_labels(), loc="upper right", ncols=3, fontsize=9)
    figure.suptitle(
        f"Set {number}, {speed:g} times as fast, at the limits", x=0.01, ha="left", color=INK
    )
    figure.subplots_adjust(left=0.08, right=0.985, bottom=0.14, top=0.83, wspace=0.2)
    return figure

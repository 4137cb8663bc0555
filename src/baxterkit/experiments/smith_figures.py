"""Torques as Smith et al. draw them (Figs. 5-7): recorded, L-E, RN-E, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from baxterkit.experiments.both_methods import Torques
from baxterkit.experiments.smith_claims import method_difference
from baxterkit.look.colors import INK, JOINT_COLORS
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
COLUMNS = ("recorded", "Lagrange-Euler (L-E)", "Newton-Euler (RN-E)", "recorded less L-E")


def torque_figure(title: str, rows: Mapping[str, Torques]) -> Figure:
    """Recorded torques, those of the motion by both methods, and errors.

    Args:
        title: Heading.
        rows: What each row of pictures shows ("as recorded") -> torques. Where the errors of the
            first row are large, as with first differences, the others have a scale of their own.
    """
    with matplotlib().rc_context(RC):
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
        figure.text(0.012, 1.0 - 0.3 / height, title, fontsize=12, fontweight="bold", color=INK)
        apart = method_difference()
        figure.text(0.012, 1.0 - 0.58 / height, f"L-E and RN-E differ by {apart:.0e} N m at most",
                    fontsize=9, color=INK)  # fmt: skip
        figure.subplots_adjust(
            left=0.07, right=0.985, bottom=0.5 / height, top=1.0 - 0.95 / height, wspace=0.27
        )
    return figure

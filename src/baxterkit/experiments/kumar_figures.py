"""Figures of the kinematics experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import BLUE, CYCLE, GREEN, GREY, INK, VERMILION
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP_COLORS = (VERMILION, BLUE, GREEN)


def fk_figure(errors: Mapping[str, Array], paper: float) -> Figure:
    """Position errors [m] by name, sorted by size; the paper's average [m] is a line."""
    with matplotlib().rc_context(RC):
        figure = new_figure(6.4, 3.4)
        axes = figure.add_axes((0.12, 0.15, 0.85, 0.74))
        for (name, values), color in zip(errors.items(), CYCLE, strict=False):
            size = np.maximum(np.sort(values), 1e-18)
            part = np.linspace(0.0, 100.0, len(size))
            axes.plot(part, size, color=color, linewidth=1.8, label=name)
        axes.axhline(paper, color=GREY, linestyle="--", linewidth=1.2)
        axes.text(1.0, paper * 1.6, "paper, average", color=GREY, fontsize=8.5)
        axes.set_yscale("log")
        axes.set_ylim(1e-17, 1e-3)
        axes.set_xlim(0.0, 100.0)
        axes.set_xlabel("poses below [%]")
        axes.set_ylabel("position error [m]")
        axes.grid(True)
        axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.86))
        panel_title(axes, "Forward kinematics")
    return figure


@dataclass(frozen=True)
class Bar:
    """Solve rate of a method.

    Attributes:
        label: Its name.
        group: Its group; bars of one group have one colour.
        rate: Poses solved [%].
        seconds: Time per pose [s].
    """

    label: str
    group: str
    rate: float
    seconds: float


def ik_figure(bars: Sequence[Bar]) -> Figure:
    """Solve rates as bars, with the time per pose."""
    from matplotlib.patches import Patch

    groups = list(dict.fromkeys(bar.group for bar in bars))
    with matplotlib().rc_context(RC):
        figure = new_figure(9.2, 0.30 * len(bars) + 1.2)
        axes = figure.add_axes((0.385, 0.12, 0.52, 0.78))
        for i, bar in enumerate(reversed(bars)):
            color = GROUP_COLORS[groups.index(bar.group) % len(GROUP_COLORS)]
            axes.barh(i, bar.rate, color=color, height=0.62)
            axes.text(bar.rate + 1.0, i, f"{bar.rate:.1f} %", va="center", fontsize=8.5)
            time = shown_time(bar.seconds)
            axes.text(127.0, i, time, va="center", ha="right", fontsize=8.5, color=GREY)
        axes.set_yticks(range(len(bars)), [bar.label for bar in reversed(bars)], fontsize=9)
        for tick, bar in zip(axes.get_yticklabels(), reversed(bars), strict=True):
            tick.set_color(GROUP_COLORS[groups.index(bar.group) % len(GROUP_COLORS)])
        axes.set_xlim(0.0, 112.0)
        axes.set_ylim(-0.6, len(bars) - 0.4)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel("reachable poses solved within the limits [%]")
        axes.grid(True, axis="x")
        axes.set_axisbelow(True)
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
        handles = [
            Patch(color=color, label=group)
            for color, group in zip(GROUP_COLORS, groups, strict=False)
        ]
        figure.legend(handles=handles, loc="upper right", ncols=len(groups), fontsize=9)
        figure.text(0.012, 0.945, "Solve rate, and processor time a pose", fontsize=11,
                    fontweight="bold", color=INK)  # fmt: skip
    return figure


def shown_time(seconds: float) -> str:
    """A time in µs or ms."""
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"

"""Figures of the kinematics experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.plot.style import BLUE, CYCLE, GREY, RC, matplotlib, new_figure, panel_title
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["fk_figure", "ik_figure", "shown_time"]


def fk_figure(errors: Mapping[str, Array], paper: float) -> Figure:
    """Position errors [m], sorted by size; the paper's average [m] is a line."""
    with matplotlib().rc_context(RC):
        figure = new_figure(6.4, 3.4)
        axes = figure.add_axes((0.12, 0.15, 0.85, 0.74))
        for (name, values), color in zip(errors.items(), CYCLE, strict=False):
            size = np.maximum(np.sort(values), 1e-18)
            part = np.linspace(0.0, 100.0, len(size))
            axes.plot(part, size, color=color, linewidth=1.8, label=f"against {name}")
        axes.axhline(paper, color=GREY, linestyle="--", linewidth=1.2)
        axes.text(1.0, paper * 1.4, "paper, average", color=GREY, fontsize=8.5)
        axes.set_yscale("log")
        axes.set_ylim(1e-17, 1e-3)
        axes.set_xlim(0.0, 100.0)
        axes.set_xlabel("poses below [%]")
        axes.set_ylabel("position error [m]")
        axes.grid(True)
        axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.86))
        panel_title(axes, "Forward kinematics")
    return figure


def ik_figure(rates: Mapping[str, float], times: Mapping[str, float]) -> Figure:
    """Solve rates as bars, with the time a pose takes written beside."""
    with matplotlib().rc_context(RC):
        figure = new_figure(7.2, 3.6)
        axes = figure.add_axes((0.25, 0.14, 0.62, 0.76))
        names = list(rates)[::-1]
        axes.barh(names, [rates[name] for name in names], color=BLUE, height=0.62)
        for i, name in enumerate(names):
            axes.text(rates[name] + 1.0, i, f"{rates[name]:.1f} %", va="center", fontsize=8.5)
            axes.text(117.0, i, shown_time(times[name]), va="center", fontsize=8.5, color=GREY)
        axes.set_xlim(0.0, 112.0)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel("reachable poses solved [%]")
        axes.grid(True, axis="x")
        axes.set_axisbelow(True)
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
        panel_title(axes, "Inverse kinematics: solve rate, and time a pose")
    return figure


def shown_time(seconds: float) -> str:
    """A time in µs or ms."""
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"

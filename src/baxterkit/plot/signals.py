"""Signals over time, one panel per joint: torques against models, tracking of a reference.

As in the figures of Smith et al.: the measured signal, the predicted or reference one, and the
difference below each panel; the last panel is a summary.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.named import has_names
from baxterkit.errors import InputError, ShapeError
from baxterkit.look.colors import BLUE, CYCLE, GREY, INK, PALE
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import Axes, Mpl, new_figure, panel_title, styled
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.recording import Recording

CARTESIAN = ("x", "y", "z")


@dataclass(frozen=True)
class _Words:
    """The labels of a kind of figure."""

    quantity: str
    unit: str
    base: str  # the signal that the others are compared with
    difference: str
    milli: bool = False  # whether differences are shown in thousandths of the unit

    @property
    def difference_unit(self) -> str:
        return f"m{self.unit}" if self.milli else self.unit


def torques(
    t: ArrayLike | Recording,
    measured: JointsLike | None = None,
    predicted: Mapping[str, JointsLike] | None = None,
    *,
    names: Sequence[str] = JOINTS,
    title: str = "Joint torques",
) -> Figure:
    """Measured joint torques and those of models, with the differences (Smith et al., Figs. 5-7).

    Args:
        t: Time [s], shape (n,); or a `Recording`, whose `t` and `tau` are drawn.
        measured: Torques [N m], shape (n, 7); not given with a recording.
        predicted: Name of a model -> its torques [N m], shape (n, 7); with a recording it must be
            given by name: `plot.torques(rec, predicted={"rigid": tau})`.
        names: Names of the joints.
        title: The figure's title.

    Returns:
        The figure: one panel per joint with the difference measured - predicted below it, and the
        root mean square of the differences in the last panel.
    """
    t, measured = _recorded(t, measured, "tau")
    words = _Words("torque", "N m", "measured", "measured − model")
    return _figure(t, measured, predicted or {}, names, title, words, base_first=True)


def tracking(
    t: ArrayLike,
    reference: JointsLike,
    actual: ArrayLike | Recording | Mapping[str, JointsLike],
    *,
    names: Sequence[str] | None = None,
    unit: str | None = None,
    title: str = "Tracking",
) -> Figure:
    """A reference and the motion that followed it, with the errors.

    Args:
        t: Time [s], shape (n,).
        reference: Reference joint positions [rad], shape (n, 7), or tip positions [m], shape (n,
            3).
        actual: Actual positions, of the same shape; a `Recording`, whose `q` is drawn; or several
            of them by name, for example by controller.
        names: Names of the columns; joints or x y z if None.
        unit: Unit of the values; rad for joints and m for positions if None.
        title: The figure's title.

    Returns:
        The figure: one panel per column with the error actual - reference [mrad, mm] below it, and
        the root mean square of the errors in the last panel.
    """
    wanted = _signal("reference", reference, None, "position")
    cartesian = wanted.shape[-1] == len(CARTESIAN)
    followed = actual if isinstance(actual, Mapping) else {"actual": actual}
    runs = {name: getattr(run, "q", run) for name, run in followed.items()}
    words = _Words(
        "position",
        unit or ("m" if cartesian else "rad"),
        "reference",
        "actual − reference",
        milli=unit is None,
    )
    names = names or (CARTESIAN if cartesian else JOINTS)
    return _figure(t, wanted, runs, names, title, words, base_first=False)


def _recorded(t: Mpl, values: JointsLike | None, field: str) -> tuple[Mpl, Mpl]:
    """Time and values, both from a recording if one is given."""
    if not hasattr(t, "t"):
        if values is None:
            raise InputError("give the measured values with the time, or a recording")
        return t, values
    if values is not None:
        raise InputError(
            f"a recording holds the measured {field} itself; give models by name: "
            "predicted={'model': torques}"
        )
    found = getattr(t, field)
    if found is None:
        raise InputError(f"this recording has no {field}: {t!r}")
    return t.t, found


@styled
def _figure(
    t: Mpl,
    base: JointsLike,
    others: Mapping[str, Mpl],
    names: Sequence[str],
    title: str,
    words: _Words,
    base_first: bool,
) -> Figure:
    base = _signal(words.base, base, None, words.quantity)
    t = _signal("t", t, (len(base),))
    if base.shape != (len(base), len(names)):
        raise ShapeError(
            f"{words.base} has shape {base.shape}, expected (n, {len(names)}): {' '.join(names)}"
        )
    runs = {name: _signal(name, run, base.shape, words.quantity) for name, run in others.items()}
    sign = -1.0 if base_first else 1000.0 if words.milli else 1.0
    differences = {name: sign * (run - base) for name, run in runs.items()}
    colors = dict(zip(runs, itertools.cycle(CYCLE), strict=False))
    rows = (len(names) + 2) // 2  # the last cell is the summary's
    figure = new_figure(10.0, 0.7 + 2.1 * rows)
    outer = figure.add_gridspec(
        rows, 2, left=0.082, right=0.985, top=1 - 0.62 / (0.7 + 2.1 * rows),
        bottom=0.5 / (0.7 + 2.1 * rows), hspace=0.42, wspace=0.21,
    )  # fmt: skip
    for i, name in enumerate(names):
        row, column = i % rows, i // rows
        panels = _panel(figure, outer[row, column], bool(runs))
        values = {label: run[:, i] for label, run in runs.items()}
        _draw(panels[0], t, base[:, i], values, colors, base_first)
        panel_title(panels[0], name)
        for label, difference in differences.items():
            panels[1].plot(t, difference[:, i], color=colors[label], lw=0.9)
        if runs:
            panels[1].locator_params(axis="y", nbins=3)
            panels[1].axhline(0.0, color=GREY, lw=0.6, zorder=0)
            panels[0].tick_params(labelbottom=False)
            panels[1].set_ylabel(f"[{words.difference_unit}]", fontsize=8)
        panels[0].set_ylabel(f"[{words.unit}]")
        last = i == len(names) - 1 or row == rows - 1
        panels[-1].set_xlabel("time [s]" if last else "")
    if runs:
        _summary(figure.add_subplot(outer[rows - 1, 1]), differences, names, colors, words)
    _captions(figure, title, words, colors)
    return figure


def _panel(figure: Figure, cell: Axes, with_difference: bool) -> list[Axes]:
    """Axes of one joint: the signals, and the difference below."""
    if not with_difference:
        axes = [figure.add_subplot(cell)]
    else:
        inner = cell.subgridspec(2, 1, height_ratios=(2.6, 1.0), hspace=0.08)
        first = figure.add_subplot(inner[0])
        axes = [first, figure.add_subplot(inner[1], sharex=first)]
    for ax in axes:
        ax.grid(visible=True)
        ax.margins(x=0.0)
        ax.locator_params(axis="y", nbins=4)
        ax.tick_params(labelsize=8)
        ax.yaxis.set_label_coords(-0.1, 0.5)
    return axes


def _draw(
    ax: Axes, t: Array, base: Array, runs: dict[str, Array], colors: dict[str, str], first: bool
) -> None:
    # The measured signal is noisy and lies below; a reference is thin and dashed above.
    style = {"lw": 1.5, "color": GREY} if first else {"lw": 1.0, "ls": (0, (4, 2)), "color": INK}
    ax.plot(t, base, zorder=2 if first else 4, **(style if runs else {"lw": 1.1, "color": BLUE}))
    for label, run in runs.items():
        ax.plot(t, run, color=colors[label], lw=1.2, zorder=3)


def _summary(
    ax: Axes, differences: dict[str, Array], names: Sequence[str], colors: dict[str, str], w: _Words
) -> None:
    """Bars: the root mean square of each difference, joint by joint."""
    width = 0.8 / len(differences)
    place = np.arange(len(names))
    for i, (label, difference) in enumerate(differences.items()):
        rms = np.sqrt(np.mean(difference**2, axis=0))
        left = place - 0.4 + (i + 0.5) * width
        ax.bar(left, rms, 0.92 * width, color=colors[label])
    ax.set_xticks(place, names)
    ax.set_ylabel(f"[{w.difference_unit}]")
    ax.yaxis.set_label_coords(-0.1, 0.5)
    panel_title(ax, f"RMS of {w.difference}")
    ax.tick_params(labelsize=8)
    ax.grid(visible=True, axis="y")
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_color(PALE)


def _captions(figure: Figure, title: str, words: _Words, colors: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    height = float(figure.get_size_inches()[1])
    top = 1 - 0.2 / height
    figure.text(0.02, top, title, fontsize=13, fontweight="bold", color=INK, va="center")
    measured = words.base == "measured"
    base = (
        Line2D([], [], color=GREY if colors else BLUE, lw=2, label=words.base)
        if measured or not colors
        else Line2D([], [], color=INK, lw=1.2, ls=(0, (4, 2)), label=words.base)
    )
    runs = [Line2D([], [], color=color, lw=2, label=label) for label, color in colors.items()]
    figure.legend(
        handles=[base, *runs],
        loc="center right",
        bbox_to_anchor=(0.99, top),
        ncols=len(runs) + 1,
        fontsize=9,
    )


def _signal(
    name: str, value: JointsLike, shape: tuple[int, ...] | None, quantity: str = ""
) -> Array:
    """Values as an array; those with names of joints in our order, if a quantity is given."""
    if quantity and has_names(value):
        value = joint_array(value, quantity)
    array = np.asarray(value, dtype=np.float64)
    if shape is None and array.ndim != 2:
        raise ShapeError(f"{name} has shape {array.shape}, expected (n, 7)")
    if shape is not None and array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}, expected {shape}")
    return array

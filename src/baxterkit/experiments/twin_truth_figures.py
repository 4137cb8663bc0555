"""Picture of the twin against recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import BLUE, GREY, INK, VERMILION
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (
    ("error", VERMILION, "o"),
    ("floor", BLUE, "_"),
    ("steady", GREY, "x"),
    ("neural ODE", INK, "+"),
)


def truth_figure(
    horizons: Sequence[float],
    medians: Mapping[str, Mapping[str, Array]],
    replays: Mapping[str, tuple[Array, Array, Array]],
    aims: Mapping[float, float],
) -> Figure:
    """Median errors of q joint by joint, and recorded commands replayed.

    Args:
        horizons: Times after the start [s].
        medians: Group of recordings -> kind -> median |error| [rad], shape (horizons, 7).
        replays: Side -> times [s], sensed and simulated positions [rad], shapes (n,), (n, 7).
        aims: Time after the start [s] -> error that was aimed at [rad].
    """
    panels = len(medians) + (1 if replays else 0)
    with matplotlib().rc_context(RC):
        figure = new_figure(11.0, 3.1 * panels)
        every = np.atleast_2d(figure.subplots(panels, len(horizons), squeeze=False))
        for row, (group, kinds) in zip(every, medians.items(), strict=False):
            for n, (axes, horizon) in enumerate(zip(row, horizons, strict=True)):
                for name, color, marker in KINDS:
                    axes.plot(JOINTS, kinds[name][n], marker, color=color, ms=8, mew=2, label=name)
                if horizon in aims:
                    axes.axhline(aims[horizon], color=INK, lw=0.8, ls=":", label="aim")
                axes.set_yscale("log")
                axes.set_ylim(2e-4, 6.0)
                axes.grid(True)
                panel_title(axes, f"{group}, after {horizon:g} s")
            row[0].set_ylabel("median |error of q| [rad]")
        every[0, 0].legend(fontsize=8, ncols=2, loc="upper left")
        for axes, j in zip(every[-1] if replays else (), (0, 3, 5), strict=False):
            t, sensed, simulated = replays["left"]
            axes.plot(t, sensed[:, j], color=INK, lw=1.4, label="robot")
            axes.plot(t, simulated[:, j], color=VERMILION, lw=1.0, ls="--", label="twin")
            axes.set_xlabel("t [s]")
            axes.grid(True)
            panel_title(axes, f"recorded commands, left {JOINTS[j]}")
        if replays:
            every[-1, 0].set_ylabel("q [rad]")
            every[-1, 0].legend(fontsize=8)
        figure.suptitle("The twin against recordings, open loop and by commands", x=0.01,
                        ha="left", color=INK, fontsize=12, fontweight="bold")  # fmt: skip
        figure.subplots_adjust(left=0.07, right=0.99, bottom=0.07, top=0.9, wspace=0.2, hspace=0.4)
    return figure

"""Torque and error of a run in the twin, as plots in the panel."""

from __future__ import annotations

import numpy as np

from baxterkit.model.names import JOINTS
from baxterkit.types import Array
from baxterkit.viewer.page.html import note_html
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.rehearsal import Rehearsal

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
MOST_ROWS = 600
"""Largest number of rows of a plot."""


class Plots:
    """A summary line and two plots, hidden until there is a run to show.

    Args:
        gui: The server's `gui`; the plots are put into the present container.

    Attributes:
        text: The line that is shown.
    """

    def __init__(self, gui: Viser) -> None:
        self.text = ""
        self._summary = gui.add_html("", visible=False)
        self._error = self._plot(gui, "joint error [deg]")
        self._torque = self._plot(gui, "torque [N m]")

    def show(self, run: Rehearsal) -> None:
        """Shows a run."""
        self.note(f"{run.motion.name}: {run.summary}")
        self._error.data = _rows(run.record.t, np.degrees(run.record.error))
        self._torque.data = _rows(run.record.t, run.tau)
        for handle in (self._error, self._torque):
            handle.visible = True

    def note(self, text: str, *, warning: bool = False) -> None:
        """Shows a line of text."""
        self.text = text
        self._summary.content = note_html(text, warning=warning)
        self._summary.visible = bool(text)

    def _plot(self, gui: Viser, title: str) -> Viser:
        series: list[dict[str, object]] = [{"label": "t [s]"}]
        series += [
            {"label": name, "stroke": color, "width": 1.5}
            for name, color in zip(JOINTS, COLORS, strict=True)
        ]
        empty = np.array([0.0, 1.0])
        return gui.add_uplot(
            (empty, *(np.zeros(2) for _ in JOINTS)),
            tuple(series),
            title=title,
            scales={"x": {"time": False}},
            height=190,
            padding=(4, 8, 0, 0),
            visible=False,
        )


def _rows(t: Array, values: Array) -> tuple[Array, ...]:
    every = max(len(t) // MOST_ROWS, 1)
    return (t[::every].copy(), *(np.ascontiguousarray(column) for column in values[::every].T))

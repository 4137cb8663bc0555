"""The signals of a motion over time, as plots in the panel."""

from __future__ import annotations

import numpy as np

from baxterkit.look.colors import JOINT_COLORS
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, JointVector
from baxterkit.viewer.page.html import cursor_html
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.motion import Motion, Player

MOST_PLOTS = 4
MOST_ROWS = 600
"""Rows that a plot is thinned to."""
FIRST = ("joint error", "torque")
"""Signals that come first where there are any."""


class Plots:
    """Plots below one another, hidden until there is something to show.

    Args:
        gui: The server's `gui`; the plots are put into the present container.

    Attributes:
        titles: Titles of the plots that are shown.
    """

    def __init__(self, gui: Viser) -> None:
        self.titles: list[str] = []
        self._motion: Motion | None = None
        self.cursor = gui.add_html("")
        self._plots = [_plot(gui) for _ in range(MOST_PLOTS)]

    def update(self, player: Player) -> None:
        """Shows the signals of the player's motion, and a line at its time."""
        motion = player.motion
        if motion is not self._motion:
            self._motion = motion
            self._show(motion)
        put(
            self.cursor,
            content="" if motion is None else cursor_html(player.time / motion.duration),
        )

    def _show(self, motion: Motion | None) -> None:
        """The signals of a motion; of more than there is room for, the first."""
        if motion is None:
            self.titles = []
            for handle in self._plots:
                handle.visible = False
            return
        ranked = sorted(motion.signals, key=lambda title: not any(word in title for word in FIRST))
        self.titles = ranked[:MOST_PLOTS]
        for title, handle in zip(self.titles, self._plots, strict=False):
            handle.title = title
            handle.data = _rows(motion.t, motion.signals[title])
            handle.visible = True
        for handle in self._plots[len(self.titles) :]:
            handle.visible = False


def _plot(gui: Viser) -> Viser:
    series: list[dict[str, object]] = [{"label": "t [s]"}]
    series += [
        {"label": name, "stroke": color, "width": 1.5, "pxAlign": 0}
        for name, color in zip(JOINTS, JOINT_COLORS, strict=True)
    ]
    empty = np.array([0.0, 1.0])
    return gui.add_uplot(
        (empty, *(np.zeros(2) for _ in JOINTS)),
        tuple(series),
        title="",
        scales={"x": {"time": False}},
        cursor={"drag": {"x": False, "y": False}},
        height=180,
        padding=(4, 8, 0, 0),
        visible=False,
    )


def _rows(t: Array, values: JointVector) -> tuple[Array, ...]:
    every = max(len(t) // MOST_ROWS, 1)
    return (t[::every].copy(), *(np.ascontiguousarray(column) for column in values[::every].T))

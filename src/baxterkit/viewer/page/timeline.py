"""The timeline of a motion: a slider, a pause button, and plots of its signals."""

from __future__ import annotations

from baxterkit.viewer.page.host import Host
from baxterkit.viewer.page.plots import Plots
from baxterkit.viewer.state.motion import Motion, Player

LEAST = 0.1
"""Least length of the slider [s]; it has to have one before there is a motion."""


class Timeline:
    """The player's controls; hidden until there is a motion.

    Args:
        viewer: The viewer; the controls are put into the present container.

    Attributes:
        slider: The time [s].
        button: Pauses, or plays on.
        plots: The signals of the motion, once `add_plots` has made them.
    """

    def __init__(self, viewer: Host) -> None:
        gui, session = viewer.server.gui, viewer.session
        self._viewer = viewer
        self._motion: Motion | None = None
        self.slider = gui.add_slider("time [s]", 0.0, LEAST, 0.01, 0.0, visible=False)
        viewer.on_change(self.slider, "seek", session.seek)
        self.button = gui.add_button("Pause", visible=False)
        viewer.on_change(self.button, "pause", lambda value: session.pause())
        self.plots: Plots | None = None

    def add_plots(self) -> None:
        """Puts plots of the motion's signals into the present container."""
        self.plots = Plots(self._viewer.server.gui)

    def update(self, player: Player) -> None:
        """Updates slider and button."""
        motion = player.motion
        if motion is None:
            return
        if motion is not self._motion:
            self._motion = motion
            self.slider.value = 0.0
            self.slider.max = max(round(motion.duration, 2), LEAST)
            self.slider.visible = self.button.visible = True
            if self.plots is not None:
                self.plots.show(motion)
        self._viewer.put(self.slider, player.time)
        label = "Pause" if player.playing else "Play on"
        if self.button.label != label:
            self.button.label = label

"""The transport bar: the motion that is loaded, its time, and its buttons. There is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.viewer.page.html import line_html
from baxterkit.viewer.server.viser_types import put
from baxterkit.viewer.state.motion import Motion, Player

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

LEAST = 0.1
"""Least length of the slider [s]; it has to have one before there is a motion."""
PLAY, PAUSE, RESTART, CLOSE = "play", "pause", "restart", "close"


class Transport:
    """The player's controls, above the tabs; hidden while there is no motion.

    Args:
        viewer: The viewer; the controls are put into the present container.

    Attributes:
        slider: The time [s].
        buttons: Play or pause, restart, close.
    """

    def __init__(self, viewer: Viewer) -> None:
        gui = viewer.server.gui
        self._viewer = viewer
        self._motion: Motion | None = None
        self._name = gui.add_html("", visible=False)
        self.slider = gui.add_slider("time [s]", 0.0, LEAST, 0.01, 0.0, visible=False)
        viewer.on_change(self.slider, "seek", viewer.session.seek)
        self.buttons = gui.add_button_group("motion", (PAUSE, RESTART, CLOSE), visible=False)
        viewer.on_change(self.buttons, "transport", self.press)

    def press(self, name: str) -> None:
        """Does what a button says."""
        session = self._viewer.session
        if name == CLOSE:
            session.close_motion()
        elif name == RESTART and session.player.motion is not None:
            session.play(session.player.motion)
        elif name in (PLAY, PAUSE):
            session.pause()

    def update(self, player: Player) -> None:
        """Updates name, slider and buttons."""
        motion = player.motion
        if motion is not self._motion:
            self._motion = motion
            for handle in (self._name, self.slider, self.buttons):
                handle.visible = motion is not None
            if motion is not None:
                self._name.content = line_html(f"Motion: {motion.name}")
                self.slider.value = 0.0
                self.slider.max = max(round(motion.duration, 2), LEAST)
        if motion is None:
            return
        self._viewer.put(self.slider, player.time)
        put(self.buttons, options=(PAUSE if player.playing else PLAY, RESTART, CLOSE))

"""The tab "Hardware": hands on a twin that is shown live. A real robot's are for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.errors import BaxterkitError
from baxterkit.robot.hardware import Hardware, HardwareState, spring_force
from baxterkit.types import Array, Transform
from baxterkit.viewer.page.html import RED
from baxterkit.viewer.page.stage import on_moved
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.session import SIDES

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

STOP_COLOR, FREE_COLOR = "red", "gray"
PRESS_STOP, RELEASE_STOP = "Press the emergency stop", "Release the emergency stop"
ARM_BUTTONS = {
    "cuff, upper": "upper_button", "cuff, lower": "lower_button", "shoulder": "shoulder_button",
}  # fmt: skip
NAVIGATORS = {
    "left arm": "left", "right arm": "right",
    "torso, left": "torso_left", "torso, right": "torso_right",
}  # fmt: skip
KEYS = ("ok", "cancel", "show")
TURNS = {"−10": -10, "−1": -1, "+1": 1, "+10": 10}
PULL_EVERY = 0.1
"""Time between two messages of a pull [s]; one counts for half a second."""
LOOK_EVERY = 0.25
"""Time between two looks at the state [s]."""
AMBER = (213, 94, 0)


class HardwarePanel:
    """The tab of a twin's hardware.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        hardware: The hands on it.

    Attributes:
        status: What the twin says of its hardware.
        stop_button: Presses and releases the emergency stop.
        cuffs: A box for each arm: its cuff is squeezed.
        buttons: The other buttons of each arm.
        place: Which navigator.
        keys: The buttons of that navigator.
        wheel: Turns its wheel.
        pulling: Whether the hands can be pulled with the mouse.
        gizmos: Where the hands are pulled to, by side.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, hardware: Hardware) -> None:
        self._viewer, self._hardware = viewer, hardware
        self._worker = viewer.worker("hardware")
        self._state = HardwareState()
        self._goals: dict[str, Array] = {}
        self._looked = self._pulled = -1.0
        self._presses = 0
        gui = viewer.server.gui
        with tabs.add_tab("Hardware"):
            self.status = gui.add_markdown("")
            self.stop_button = gui.add_button(PRESS_STOP, color=STOP_COLOR)
            self.cuffs = {
                side: gui.add_checkbox(
                    f"{side} cuff", False, hint="Squeezed while it is ticked: the arm floats."
                )
                for side in SIDES
            }
            self.buttons = {
                side: gui.add_button_group(f"{side} arm", tuple(ARM_BUTTONS)) for side in SIDES
            }
            self.place = gui.add_dropdown("navigator", tuple(NAVIGATORS))
            self.keys = gui.add_button_group("press", KEYS)
            self.wheel = gui.add_button_group("wheel", tuple(TURNS))
            self.pulling = gui.add_checkbox(
                "pull hands", False,
                hint="Drag the arrows at a hand: a spring of 300 N/m pulls it, with 40 N at most.",
            )  # fmt: skip
        self.gizmos = {side: self._gizmo(side) for side in SIDES}
        on = viewer.on_change
        on(self.stop_button, "estop", lambda _: self.stop(not self._state.estop))
        for side in SIDES:
            on(self.cuffs[side], ("cuff", side), lambda value, side=side: self.squeeze(side, value))  # type: ignore[misc]
            on(self.buttons[side], ("button", side),
               lambda value, side=side: self.press(f"{side}_{ARM_BUTTONS[value]}"))  # type: ignore[misc]  # fmt: skip
        on(self.keys, "key", lambda value: self.press(f"{self._navigator}_{value}"))
        on(self.wheel, "wheel", lambda value: self.turn(TURNS[value]))
        on(self.pulling, "pulling", lambda _: self._show_gizmos())

    @property
    def _navigator(self) -> str:
        return NAVIGATORS[self.place.value]

    def stop(self, on: bool) -> None:
        """Presses or releases the emergency stop."""
        self._do("estop", lambda: self._hardware.estop(on))

    def squeeze(self, side: str, on: bool) -> None:
        """Squeezes a cuff, or lets it go."""
        self._do(("cuff", side), lambda: self._hardware.hold(f"{side}_cuff", on))

    def press(self, name: str) -> None:
        """Presses a button for a moment."""
        self._presses += 1
        self._do(("press", self._presses), lambda: self._hardware.press(name, 0.3))

    def turn(self, steps: int) -> None:
        """Turns the wheel of the chosen navigator."""
        place = self._navigator
        self._presses += 1
        self._do(("turn", self._presses), lambda: self._hardware.turn(place, steps))

    def pull(self, side: str, to: Array | None) -> None:
        """Pulls a hand to a point in base [m], shape (3,), until the next call; None lets go."""
        if to is None:
            self._goals.pop(side, None)
            self._viewer.stage.show_line(f"/pull/{side}", (), AMBER, 4.0)
            self._viewer.tell("")
        else:
            self._goals[side] = to
        self._pulled = -1.0

    def watch(self) -> None:
        """Shows what the twin says, and keeps on pulling; for the viewer's thread."""
        now = self._viewer.clock.now()
        if now - self._looked > LOOK_EVERY:
            self._looked = now
            self._worker.post("state", self._look)
        if now - self._pulled > PULL_EVERY:
            self._pulled = now
            for side, to in self._goals.items():
                self._do(("pull", side), lambda side=side, to=to: self._hardware.pull(side, to))  # type: ignore[misc]
        for side, gizmo in self.gizmos.items():
            tip = self._viewer.session.limb(side).T_base_tip[:3, 3]
            if side in self._goals:
                self._show_pull(side, tip)
            elif self.pulling.value:
                put(gizmo, position=tuple(float(x) for x in tip))
        self._show_state()

    def _show_pull(self, side: str, tip: Array) -> None:
        to = self._goals[side]
        self._viewer.stage.show_line(f"/pull/{side}", (np.stack([tip, to]),), AMBER, 4.0)
        size = float(np.linalg.norm(spring_force(tip, to)))
        self._viewer.tell(f"The {side} hand is pulled with {size:.0f} N.")

    def _show_state(self) -> None:
        state = self._state
        parts = [f"pressed: {_names(state.pressed)}", f"lamps on: {_names(state.lamps)}"]
        if self._navigator in state.wheels:
            parts.append(f"wheel at {state.wheels[self._navigator]}")
        word = f'<span style="color:{RED}">**emergency stop pressed**</span>; '
        put(self.status, content=(word if state.estop else "") + "; ".join(parts) + ".")
        put(self.stop_button, label=RELEASE_STOP if state.estop else PRESS_STOP)
        put(self.stop_button, color=FREE_COLOR if state.estop else STOP_COLOR)

    def _look(self) -> None:
        self._state = self._hardware.state()

    def _gizmo(self, side: str) -> Viser:
        gizmo = self._viewer.server.scene.add_transform_controls(
            f"/pull_hand/{side}", scale=0.2, line_width=4.0, disable_rotations=True,
            depth_test=False, visible=False,
        )  # fmt: skip

        def moved(T: Transform | None, _who: int) -> None:
            to = None if T is None else T[:3, 3]
            self._viewer.mailbox.post(("pull", side), lambda: self.pull(side, to))

        on_moved(gizmo, moved)
        return gizmo

    def _show_gizmos(self) -> None:
        for side, gizmo in self.gizmos.items():
            self.pull(side, None)
            put(gizmo, visible=self.pulling.value)

    def _do(self, key: object, act: Callable[[], None]) -> None:
        """Does something in the tab's thread; an error is shown in the panel."""

        def run() -> None:
            try:
                act()
            except BaxterkitError as error:
                text = str(error)
                self._viewer.mailbox.post("hardware", lambda: self._viewer.tell(text, warning=True))

        self._worker.post(key, run)


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(name.replace("_", " ") for name in names) or "none"

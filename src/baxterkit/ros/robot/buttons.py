"""Cuffs, buttons and lights of the arms and of their navigators; nobody presses them but a test."""

from __future__ import annotations

from baxterkit.errors import UnknownNameError
from baxterkit.messages import message_class
from baxterkit.model.names import SIDES
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.topics import Topic

State = message_class("baxter_core_msgs/DigitalIOState")
Navigator = message_class("baxter_core_msgs/NavigatorState")
Output = message_class("baxter_core_msgs/DigitalOutputCommand")
NAMES = tuple(
    f"{side}_{name}" for side in SIDES for name in ("lower_cuff", "lower_button", "upper_button")
)
NAVIGATORS = ("left", "right", "torso_left", "torso_right")
KEYS = {"ok": "OK_BUTTON", "cancel": "CANCEL_BUTTON", "show": "SHOW_BUTTON"}
"""Buttons of a navigator, in their order: the wheel, that above and that below it ("Rethink")."""
LIGHTS = ("inner", "outer")


class Buttons:
    """Publishes `/robot/digital_io/<name>/state` and `/robot/navigators/<name>/state`.

    Args:
        node: The node that publishes them.
    """

    def __init__(self, node: Node) -> None:
        lights = [f"{place}_{light}_light" for place in NAVIGATORS for light in LIGHTS]
        self._lit = dict.fromkeys(lights, False)
        keys = [f"{place}_{key}" for place in NAVIGATORS for key in KEYS]
        self._pressed = dict.fromkeys((*NAMES, *keys), False)
        self._outlets = {
            name: Outlet(node, Topic(f"/robot/digital_io/{name}/state", State))
            for name in (*NAMES, *lights)
        }
        self._navigators = {
            place: Outlet(node, Topic(f"/robot/navigators/{place}_navigator/state", Navigator))
            for place in NAVIGATORS
        }
        node.subscribe("/robot/digital_io/command", Output, lambda message, _: self._light(message))

    def press(self, name: str, on: bool = True) -> None:
        """Presses or releases a button, as a person would.

        Args:
            name: Such as "left_ok", "torso_left_show" (of navigators), "left_lower_cuff".
            on: Whether it is pressed from now on.

        Raises:
            UnknownNameError: If there is no such button.
        """
        if name not in self._pressed:
            raise UnknownNameError("button", name, tuple(self._pressed))
        self._pressed[name] = on

    def publish(self) -> None:
        """Publishes which buttons are pressed, and which lights are on."""
        for name, outlet in self._outlets.items():
            if outlet:
                on = self._lit.get(name, False) or self._pressed.get(name, False)
                outlet(state=int(on), isInputOnly=name not in self._lit)
        for place, navigator in self._navigators.items():
            if navigator:
                navigator(
                    button_names=list(KEYS.values()),
                    buttons=[self._pressed[f"{place}_{key}"] for key in KEYS],
                    light_names=list(LIGHTS),
                    lights=[self._lit[f"{place}_{light}_light"] for light in LIGHTS],
                )

    def _light(self, message: object) -> None:
        name = getattr(message, "name", "")
        if name in self._lit:
            self._lit[name] = bool(getattr(message, "value", False))

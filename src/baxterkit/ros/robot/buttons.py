"""Cuffs, buttons and lights of the arms and of their navigators; nobody presses them."""

from __future__ import annotations

from baxterkit.model.names import SIDES
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.messages import message_class
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.topics import Topic

__all__ = ["Buttons"]

State = message_class("baxter_core_msgs/DigitalIOState")
Navigator = message_class("baxter_core_msgs/NavigatorState")
Output = message_class("baxter_core_msgs/DigitalOutputCommand")
NAMES = ("lower_cuff", "lower_button", "upper_button")
NAVIGATORS = ("left", "right", "torso_left", "torso_right")
LIGHTS = ("inner", "outer")


class Buttons:
    """Publishes `/robot/digital_io/<name>/state` and `/robot/navigators/<name>/state`.

    Args:
        node: The node that publishes them.
    """

    def __init__(self, node: TcpNode) -> None:
        names = [f"{side}_{name}" for side in SIDES for name in NAMES]
        lights = [f"{place}_{light}_light" for place in NAVIGATORS for light in LIGHTS]
        self._lit = dict.fromkeys(lights, False)
        self._outlets = {
            name: Outlet(node, Topic(f"/robot/digital_io/{name}/state", State))
            for name in (*names, *lights)
        }
        self._navigators = [
            Outlet(node, Topic(f"/robot/navigators/{place}_navigator/state", Navigator))
            for place in NAVIGATORS
        ]
        node.subscribe("/robot/digital_io/command", Output, lambda message, _: self._light(message))

    def publish(self) -> None:
        """Publishes that no button is pressed, and which lights are on."""
        for name, outlet in self._outlets.items():
            if outlet:
                outlet(state=int(self._lit.get(name, False)), isInputOnly=name not in self._lit)
        for navigator in self._navigators:
            if navigator:
                navigator(
                    button_names=["OK_BUTTON", "CANCEL_BUTTON", "SHOW_BUTTON"],
                    buttons=[False] * 3,
                    light_names=["inner", "outer"],
                    lights=[False] * 2,
                )

    def _light(self, message: object) -> None:
        name = getattr(message, "name", "")
        if name in self._lit:
            self._lit[name] = bool(getattr(message, "value", False))

"""Cuffs and buttons of the arms, which nobody presses."""

from __future__ import annotations

from baxterkit.model.names import SIDES
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.messages import message_class
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.topics import Topic

__all__ = ["Buttons"]

State = message_class("baxter_core_msgs/DigitalIOState")
NAMES = ("lower_cuff", "lower_button", "upper_button")


class Buttons:
    """Publishes `/robot/digital_io/<name>/state` of every button.

    Args:
        node: The node that publishes them.
    """

    def __init__(self, node: TcpNode) -> None:
        self._outlets = [
            Outlet(node, Topic(f"/robot/digital_io/{side}_{name}/state", State))
            for side in SIDES
            for name in NAMES
        ]

    def publish(self) -> None:
        """Publishes that no button is pressed."""
        for outlet in self._outlets:
            if outlet:
                outlet(state=0, isInputOnly=True)

"""The robot's parts, as they report themselves: assembly states and diagnostics."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import outlet

Header = message_class("std_msgs/Header")
Status = message_class("diagnostic_msgs/DiagnosticStatus")
PARTS = ("head", "left", "right", "torso")


class Parts:
    """States of the parts; each is that of the whole robot.

    Args:
        node: The node that publishes them.
        state: Gives the state of the robot as a message.
    """

    def __init__(self, node: Node, state: Callable[[], Message]) -> None:
        self._message = state
        names = [f"/robot/assembly/{part}/state" for part in PARTS]
        names += ["/robot/head/state", *(f"/robot/limb/{side}/state" for side in SIDES)]
        self._states = [outlet(node, name) for name in names]
        self._arrays = [outlet(node, name) for name in ("/diagnostics", "/diagnostics_agg")]
        self._overall = outlet(node, "/diagnostics_toplevel_state")

    def publish(self) -> None:
        """Publishes the states of the parts."""
        for state in self._states:
            if state:
                state.send(self._message())

    def diagnose(self, stamp: int) -> None:
        """Publishes the diagnostics."""
        state = self._message()
        word = "stopped" if state.stopped else "enabled" if state.enabled else "disabled"
        status = Status(
            level=int(state.stopped), name="/baxter", message=word, hardware_id="baxterkit-twin"
        )
        for array in self._arrays:
            if array:
                array(header=Header(stamp=stamp), status=[status])
        if self._overall:
            self._overall.send(status)

"""A hand that the robot has no gripper in: bare, or with a tool of somebody's own.

A program that drives such a tool may tell the robot of it, on `rsdk/set_properties` and
`rsdk/set_state`; the robot then says the same to everybody.
"""

from __future__ import annotations

from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.robot.end_effector import NUMBERS, EndEffector
from baxterkit.ros.robot.pace import Pace
from baxterkit.sim.limb import TwinLimb

IDENTITY = 131073
"""Number of a gripper that the robot does not know, as baxter_interface has it."""
UNKNOWN = 2


class CustomHand(EndEffector):
    """A hand without a gripper that the robot knows.

    Args:
        node: The node `end_effector_publisher`.
        limb: The arm in the twin.
        pace: Of the twin.
    """

    def __init__(self, node: Node, limb: TwinLimb, pace: Pace) -> None:
        unknown = dict.fromkeys(("calibrated", "ready", "moving", "gripping", "missed"), UNKNOWN)
        self._told: dict[str, object] = {"id": IDENTITY, "enabled": 1, **unknown}
        self._told |= {"error": UNKNOWN, "reverse": UNKNOWN}
        node.subscribe(*topics.limb(limb.side, "gripper_set_state"), self._set_state)
        node.subscribe(*topics.limb(limb.side, "gripper_set_properties"), self._set_properties)
        super().__init__(
            node,
            limb,
            pace,
            "custom",
            {"id": IDENTITY, "manufacturer": "Rethink Research Robot",
             "product": "SDK End Effector"},
        )  # fmt: skip

    def _status(self) -> dict[str, object]:
        return self._told

    def _set_state(self, message: Message, _who: str) -> None:
        own = ("timestamp", "command", "command_sender", "command_sequence")
        self._told = {
            name: getattr(message, name) for name, _ in message._fields if name not in own
        }

    def _set_properties(self, message: Message, _who: str) -> None:
        fields = {name: getattr(message, name) for name, _ in message._fields}
        self._properties(**fields | {"ui_type": NUMBERS["custom"]})

"""What the grippers of the robot have in common: their topics, and the last command in the state.

The kind follows from the tool: `electric` fingers, a `suction` cup, and `custom`, which is what the
robot calls everything else, a bare hand too. In the field that the properties leave open, the twin
names the tool itself.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable

from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.mounted_tools import KINDS, TOOL_KEY
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.robot.pace import Pace
from baxterkit.sim.limb import TwinLimb

NUMBERS = {word: number for number, word in KINDS.items()}


class EndEffector(ABC):
    """The tool of one hand on its topics.

    Args:
        node: The node `end_effector_publisher`.
        limb: The arm in the twin.
        pace: Of the twin.
        kind: "electric", "suction" or "custom".
        properties: What its properties say, besides its kind and its tool.
    """

    def __init__(
        self, node: Node, limb: TwinLimb, pace: Pace, kind: str, properties: dict[str, object]
    ) -> None:
        self._limb, self._pace, self.kind = limb, pace, kind
        self._last = ("", "", 0)
        self._state = Outlet(node, topics.limb(limb.side, "gripper_state"))
        self._properties = Outlet(node, topics.limb(limb.side, "gripper_properties"), latch=True)
        node.subscribe(*topics.limb(limb.side, "gripper"), lambda message, _: self._obey(message))
        tool = json.dumps({TOOL_KEY: limb.arm.tool.name})
        self._properties(**{"ui_type": NUMBERS[kind], "properties": tool} | properties)

    @property
    def finger(self) -> float:
        """Position of a finger [m]; 0 without fingers."""
        return 0.0

    def step(self) -> None:  # noqa: B027  (most do nothing)
        """What happens without a command; called at the rate of the states."""

    def publish(self) -> None:
        """Publishes the state."""
        if not self._state:
            return
        with self._pace:
            state = self._status()
            stamp = self._pace.stamp
        command, sender, sequence = self._last
        self._state(
            **{
                "timestamp": stamp,
                "command": command,
                "command_sender": sender,
                "command_sequence": sequence,
            }
            | state
        )

    @abstractmethod
    def _status(self) -> dict[str, object]:
        """The fields of the state that the kind gives."""

    def _actions(self) -> dict[str, Callable[[str], None]]:
        """What each command does with its arguments."""
        return {}

    def _obey(self, message: Message) -> None:
        with self._pace:
            act = self._actions().get(message.command)
            if act is not None:
                act(message.args)
            self._last = (message.command, message.sender, message.sequence)


def number(args: str, name: str, default: float, most: float = 100.0) -> float:
    """A value from 0 to `most` among the arguments of a command."""
    try:
        value = float(json.loads(args)[name])
    except (ValueError, TypeError, KeyError, RecursionError):
        return default
    return default if math.isnan(value) else min(max(value, 0.0), most)

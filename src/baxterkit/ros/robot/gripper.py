"""An electric gripper as the robot's topics show it: calibrate, go, stop; it holds nothing."""

from __future__ import annotations

import json
import time

from baxterkit.ros import topics
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.messages import Message, message_class
from baxterkit.ros.robot.outlet import Outlet

__all__ = ["RobotGripper"]

Properties = message_class("baxter_core_msgs/EndEffectorProperties")
SPEED = 200.0
"""Speed of the fingers [% of the opening per second]: half a second from end to end."""
IDENTITY = 65664
"""Number of the electric gripper's hardware."""
STROKE = 0.020833
"""Travel of a finger [m]."""


class RobotGripper:
    """The gripper of one hand.

    Args:
        node: The node `end_effector_publisher`.
        side: The hand.
    """

    def __init__(self, node: TcpNode, side: str) -> None:
        self._side = side
        self.position, self._goal = 100.0, 100.0
        self._calibrated = False
        self._last = ("", "", 0)
        self._state = Outlet(node, topics.limb(side, "gripper_state"))
        self._properties = Outlet(node, topics.limb(side, "gripper_properties"), latch=True)
        node.subscribe(*topics.limb(side, "gripper"), lambda message, _: self._command(message))
        for word in ("gripper_set_properties", "gripper_set_state"):
            node.subscribe(*topics.limb(side, word), lambda *_: None)
        self._properties(
            id=IDENTITY,
            ui_type=Properties.ELECTRIC_GRIPPER,  # type: ignore[attr-defined]
            manufacturer="baxterkit",
            product="the twin's electric gripper",
            serial_number="0",
            hardware_rev="1",
            firmware_rev="1.1.242",
            firmware_date="2015/1/1 00:00:00",
            has_calibration=True,
            controls_grip=True,
            senses_grip=True,
            reverses_grip=False,
            controls_force=True,
            senses_force=True,
            controls_position=True,
            senses_position=True,
            properties="{}",
        )

    @property
    def finger(self) -> float:
        """Position of a finger [m]."""
        return STROKE * self.position / 100.0

    def step(self, dt: float) -> None:
        """Lets the fingers move for `dt` seconds."""
        far = self._goal - self.position
        self.position += max(-SPEED * dt, min(SPEED * dt, far))

    def publish(self) -> None:
        """Publishes the state."""
        if not self._state:
            return
        moving = abs(self._goal - self.position) > 1e-6
        command, sender, sequence = self._last
        self._state(
            timestamp=time.time_ns(),
            id=IDENTITY,
            enabled=1,
            calibrated=int(self._calibrated),
            ready=int(self._calibrated),
            moving=int(moving),
            gripping=0,
            missed=0,
            error=0,
            reverse=0,
            position=self.position,
            force=0.0,
            state="moving" if moving else "idle",
            command=command,
            command_sender=sender,
            command_sequence=sequence,
        )

    def _command(self, message: Message) -> None:
        if message.command == "calibrate":
            self._calibrated, self._goal = True, 100.0
        elif message.command == "clear_calibration":
            self._calibrated = False
        elif message.command == "go":
            self._goal = self._wanted(message.args, self._goal)
        elif message.command == "grip":
            self._goal = 0.0
        elif message.command == "release":
            self._goal = 100.0
        elif message.command == "stop":
            self._goal = self.position
        self._last = (message.command, message.sender, message.sequence)

    @staticmethod
    def _wanted(args: str, default: float) -> float:
        try:
            return min(max(float(json.loads(args)["position"]), 0.0), 100.0)
        except (ValueError, TypeError, KeyError):
            return default

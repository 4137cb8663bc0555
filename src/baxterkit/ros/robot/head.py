"""The head: it pans by command, and says when it nods."""

from __future__ import annotations

import numpy as np

from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.sim.twin import Twin

NOD = 0.4
"""Duration of a nod [s]; chosen here. The twin's head has no joint for it."""
TURNS = 0.01
"""A head that is farther from its goal than this is turning [rad]; chosen here."""


class Head:
    """The head's state and its commands.

    Args:
        node: The node `realtime_loop`.
        twin: The twin.
        assembly: The robot's state: a disabled robot ignores commands.
    """

    def __init__(self, node: Node, twin: Twin, assembly: Assembly) -> None:
        self._clock, self._twin, self._assembly = node.clock, twin, assembly
        self._nodding = -1.0e9
        self._state = Outlet(node, topics.of_robot("head"))

    def publish(self) -> None:
        """Publishes its state."""
        if self._state:
            pan, goal = self._twin.head_pan, float(self._twin.data.ctrl[0])
            self._state(
                pan=pan,
                isTurning=abs(goal - pan) > TURNS,
                isNodding=self._clock.now() - self._nodding < NOD,
                isPanEnabled=True,
            )

    def pan(self, message: Message) -> None:
        """A message on `command_head_pan`."""
        if self._assembly.enabled and np.isfinite(message.target):
            head = self._twin.robot.head
            self._twin.turn_head(float(np.clip(message.target, head.lower, head.upper)))

    def nod(self, message: Message) -> None:
        """A message on `command_head_nod`."""
        if self._assembly.enabled and message.data:
            self._nodding = self._clock.now()

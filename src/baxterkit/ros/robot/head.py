"""The head: it pans by command, and says when it nods."""

from __future__ import annotations

import numpy as np

from baxterkit.messages import Message
from baxterkit.robot.head import FASTEST
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.sim.twin import Twin

NOD = 0.4
"""Duration of a nod [s]; chosen here. The twin's head has no joint for it."""
TURNS = 0.01
"""A head that is farther from its goal than this is turning [rad]; chosen here."""
LONGEST = 0.05
"""Longest time between two steps of its goal [s]: it does not make up for a stall."""


class Head:
    """The head's state and its commands.

    Args:
        node: The node `realtime_loop`.
        twin: The twin.
        assembly: The robot's state: a disabled robot ignores commands, and its head stays.
    """

    def __init__(self, node: Node, twin: Twin, assembly: Assembly) -> None:
        self._clock, self._twin, self._assembly = node.clock, twin, assembly
        self._nodding = -1.0e9
        self._goal: tuple[float, float] | None = None
        self._before = self._clock.now()
        self._enabled, self._twin_before = assembly.enabled, twin.t
        self._state = Outlet(node, topics.of_robot("head"))

    def publish(self) -> None:
        """Turns it on, and publishes its state.

        A goal is forgotten where the robot is not enabled, and where the twin was reset.
        """
        enabled, t = self._assembly.enabled, self._twin.t
        if not enabled or t < self._twin_before:
            self._goal = None
        if self._enabled and not enabled:
            self._twin._rest_head()
        self._enabled, self._twin_before = enabled, t
        now, at = self._clock.now(), float(self._twin.data.ctrl[0])
        step, self._before = min(max(now - self._before, 0.0), LONGEST), now
        if self._goal is not None:
            goal, speed = self._goal
            self._twin.turn_head(at + float(np.clip(goal - at, -speed * step, speed * step)))
            if abs(goal - at) <= speed * step:
                self._goal = None
        if self._state:
            pan, goal = self._twin.head_pan, at if self._goal is None else self._goal[0]
            self._state(
                pan=pan,
                isTurning=abs(goal - pan) > TURNS,
                isNodding=self._clock.now() - self._nodding < NOD,
                isPanEnabled=True,
            )

    def pan(self, message: Message) -> None:
        """A message on `command_head_pan`; without a speed it turns at the greatest."""
        if self._assembly.enabled and np.isfinite([message.target, message.speed_ratio]).all():
            head = self._twin.robot.head
            ratio = min(max(float(message.speed_ratio), 0.0), 1.0) or 1.0
            goal = float(np.clip(message.target, head.lower, head.upper))
            self._goal = (goal, FASTEST * ratio)

    def nod(self, message: Message) -> None:
        """A message on `command_head_nod`."""
        if self._assembly.enabled and message.data:
            self._nodding = self._clock.now()

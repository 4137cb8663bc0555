"""The twin's hardware from outside: another program presses its buttons, stops it, pushes its arms.

The topics are the twin's own; a robot has none of them. `TwinHardware` is the other side.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.robot.hardware import spring_force
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.io import Io
from baxterkit.ros.robot.pace import Pace
from baxterkit.ros.topics import Topic
from baxterkit.sim.twin import Twin

PRESS = Topic("/baxterkit/twin/press", message_class("baxter_core_msgs/DigitalOutputCommand"))
TURN = Topic("/baxterkit/twin/turn", message_class("baxter_core_msgs/AnalogOutputCommand"))
ESTOP = Topic("/baxterkit/twin/estop", message_class("std_msgs/Bool"))
PUSH = Topic("/baxterkit/twin/push", message_class("geometry_msgs/PoseStamped"))
LASTS = 0.5
"""A push that is not repeated ends after this time [s]."""


class Outside:
    """Listens to the hands of others, and lets the twin feel them.

    Args:
        node: The node that listens.
        twin: The twin.
        pace: Of the twin.
        io: Its buttons.
        assembly: Its state, with the emergency stop.
    """

    def __init__(self, node: Node, twin: Twin, pace: Pace, io: Io, assembly: Assembly) -> None:
        self._twin, self._pace = twin, pace
        self._pulls: dict[str, tuple[float, np.ndarray]] = {}
        for topic, act in (
            (PRESS, lambda m: io.press(m.name, bool(m.value))),
            (TURN, lambda m: io.turn(m.name, m.value)),
            (ESTOP, lambda m: assembly.press(bool(m.data))),
            (PUSH, self._pull),
        ):
            node.subscribe(*topic, self._locked(act))

    def before_step(self) -> None:
        """Applies the springs; called before the twin is stepped."""
        data = self._twin.data
        for side, (until, goal) in list(self._pulls.items()):
            body = self._twin.model.body(f"{side}_w2_link").id
            if self._pace.t > until:
                data.xfrc_applied[body] = 0.0
                del self._pulls[side]
                continue
            tip = self._twin.limb(side).true_tip[:3, 3]
            force = spring_force(tip, goal)
            data.xfrc_applied[body, :3] = force
            data.xfrc_applied[body, 3:] = np.cross(tip - data.xipos[body], force)

    def _pull(self, message: Message) -> None:
        side, p = message.header.frame_id, message.pose.position
        goal = np.array([p.x, p.y, p.z])
        if side in SIDES and np.isfinite(goal).all():
            self._pulls[side] = (self._pace.t + LASTS, goal)

    def _locked(self, act: Callable[[Message], None]) -> Callable[[Message, str], None]:
        def callback(message: Message, who: str) -> None:
            try:
                with self._pace:
                    act(message)
            except BaxterkitError as error:
                LOG.warning("%s: %s", who, error)

        return callback

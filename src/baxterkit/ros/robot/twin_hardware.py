"""`TwinHardware`: presses the buttons of a twin at a master, and pushes its arms."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import vector_array
from baxterkit.messages import Message, message_class
from baxterkit.model.names import check_side
from baxterkit.robot.hardware import Hardware, HardwareState
from baxterkit.ros import topics
from baxterkit.ros.errors import MasterError, NoReplyError
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.node import open_node
from baxterkit.ros.node import Node
from baxterkit.ros.poses import pose_message
from baxterkit.ros.robot.components import BUTTONS, button
from baxterkit.ros.robot.outside import ESTOP, PRESS, PUSH, TURN
from baxterkit.ros.topics import Topic
from baxterkit.ros.waiting import seconds
from baxterkit.spatial.formulas import transform

CONNECT = 5.0
"""Time that the twin has to connect [s]."""
EVERY = 0.1
"""Time between two messages of a push [s]."""
LISTEN = 0.3
"""Time until the first states have come [s]."""


class TwinHardware(Hardware):
    """The hardware of a twin; a real robot is refused, whose buttons are for people.

    Args:
        master: Address of the master; ROS_MASTER_URI if None. Or a graph of this process.

    Raises:
        MasterError: If there is no master, or the robot there is no twin.
    """

    def __init__(self, master: str | LocalGraph | None = None) -> None:
        self._node: Node = open_node("hands", master)
        serial = self._node.parameter(topics.SERIAL)
        if serial != topics.TWIN_SERIAL:
            self._node.close()
            robot = "no robot" if serial is None else f"the robot {serial}"
            raise MasterError(
                f"there is {robot} at that master, no twin; press its buttons by hand"
            )
        self._state, self._listens = HardwareState(), False
        self._topics = {
            topic.name: self._node.advertise(topic.name, topic.kind)
            for topic in (PRESS, TURN, ESTOP, PUSH)
        }

    def press(self, name: str, duration: float = 0.5) -> None:
        """Presses a button, and releases it after a while.

        Args:
            name: Such as "left_ok", "left_cuff".
            duration: For how long [s].

        Raises:
            UnknownNameError: If there is no such button.
        """
        full = button(name)
        seconds(duration, "duration")
        self.hold(full, True)
        self._node.clock.sleep(duration)
        self.hold(full, False)

    def hold(self, name: str, on: bool) -> None:
        """Presses or releases a button from now on."""
        self._send(PRESS, name=button(name), value=on)

    def turn(self, navigator: str, steps: int) -> None:
        """Turns the wheel of a navigator ("left", "torso_right", ...) by whole steps."""
        self._send(TURN, name=navigator, value=int(steps) % 256)

    def estop(self, on: bool = True) -> None:
        """Presses or releases the emergency stop of the twin, over ROS."""
        self._send(ESTOP, data=on)

    def push(self, side: str, to: ArrayLike, duration: float = 1.0) -> None:
        """Pulls a hand to a point by a spring of 300 N/m, with 40 N at most.

        Args:
            side: "left" or "right".
            to: The point in base [m], shape (3,).
            duration: For how long [s].
        """
        end = self._node.clock.now() + seconds(duration, "duration")
        while True:
            self.pull(side, to)
            if self._node.clock.now() >= end:
                return
            self._node.clock.sleep(EVERY)

    def pull(self, side: str, to: ArrayLike) -> None:
        """Pulls a hand as `push` does, from now on for half a second; returns at once."""
        goal = transform(np.eye(3), vector_array(to, "to"))
        header = message_class("std_msgs/Header")(frame_id=check_side(side))
        self._send(PUSH, 0.0, header=header, pose=pose_message(goal))

    def state(self) -> HardwareState:
        """What the twin says of its buttons, lamps, wheels and emergency stop."""
        if not self._listens:
            self._listens = True
            for name, kind in (
                ("/robot/digital_io_states", "baxter_core_msgs/DigitalIOStates"),
                ("/robot/navigators_states", "baxter_core_msgs/NavigatorStates"),
                ("/robot/state", "baxter_core_msgs/AssemblyState"),
            ):
                self._node.subscribe(name, message_class(kind), partial(self._note, name))
            self._node.clock.sleep(LISTEN)
        return self._state

    def close(self) -> None:
        """Lets go."""
        self._node.close()

    def __enter__(self) -> TwinHardware:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _note(self, name: str, message: Message, _who: str) -> None:
        if name == "/robot/state":
            pressed = message.estop_button == type(message).ESTOP_BUTTON_PRESSED  # type: ignore[attr-defined]
            self._state = replace(self._state, estop=pressed)
        elif name == "/robot/navigators_states":
            names = [one.removesuffix("_navigator") for one in message.names]
            wheels = dict(zip(names, (int(one.wheel) for one in message.states), strict=True))
            self._state = replace(self._state, wheels=wheels)
        else:
            pairs = zip(message.names, message.states, strict=True)
            on = [one for one, state in pairs if state.state]
            self._state = replace(
                self._state,
                pressed=tuple(one for one in on if one in BUTTONS),
                lamps=tuple(one for one in on if one.endswith("_light")),
            )

    def _send(self, topic: Topic, wait: float = 0.05, /, **fields: object) -> None:
        publisher = self._topics[topic.name]
        end = self._node.clock.now() + CONNECT
        while not publisher.subscribers:
            if self._node.clock.now() > end:
                raise NoReplyError(f"the twin has not connected to {topic.name} in {CONNECT:g} s")
            self._node.clock.sleep(0.01)
        publisher.publish(topic.kind(**fields))
        if wait:
            self._node.clock.sleep(wait)

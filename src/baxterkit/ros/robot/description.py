"""What the robot says of its own shape: `/robot_description`, `/tf` and `/tf_static`."""

from __future__ import annotations

import math

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.poses import transform_message
from baxterkit.ros.robot.fragments import merged
from baxterkit.ros.robot.outlet import Outlet, listen
from baxterkit.ros.robot.tree import robot_links
from baxterkit.ros.robot.urdf import describe
from baxterkit.spatial.formulas import so3_exp, transform

SOFTWARE = "1.2.0.57"
"""Version of the robot's software that the twin stands for."""


class Description:
    """Parameters and frames.

    Args:
        node: The node that publishes them.
        robot: The robot.
    """

    def __init__(self, node: Node, robot: Baxter) -> None:
        links = robot_links(robot)
        self._moving = [link for link in links if link.moves is not None]
        self._tf = Outlet(node, topics.of_robot("tf"))
        self._static = Outlet(node, topics.of_robot("tf_static"), latch=True)
        stamp = node.clock.stamp()
        self._static(
            transforms=[
                transform_message(link.parent, link.name, link.T, stamp)
                for link in links
                if link.moves is None
            ]
        )
        self._node, self._text = node, describe(robot)
        self._configured: set[tuple[int, str, str]] = set()
        node.set_parameter(topics.DESCRIPTION, self._text)
        listen(node, "/robot/urdf", self._configure)
        node.set_parameter(topics.VERSION, SOFTWARE)
        node.set_parameter(topics.CLASS, "Baxter")
        node.set_parameter(topics.SERIAL, topics.TWIN_SERIAL)

    def publish(self, joints: dict[str, float], stamp: int) -> None:
        """Publishes the frames that move, each in the link before it.

        Args:
            joints: Positions by name [rad, m]; a joint that is not named is at 0.
            stamp: Their time [ns].
        """
        if not self._tf:
            return
        messages: list[Message] = []
        for link in self._moving:
            assert link.moves is not None
            value = -joints.get(link.mimics, 0.0) if link.mimics else joints.get(link.joint, 0.0)
            axis = link.moves.axis
            if link.moves.kind == "prismatic":
                step = transform(np.eye(3), value * axis)
            elif axis[2] == 1.0:
                c, s = math.cos(value), math.sin(value)
                step = np.eye(4)
                step[0, 0] = step[1, 1] = c
                step[1, 0], step[0, 1] = s, -s
            else:
                step = transform(so3_exp(value * axis), np.zeros(3))
            messages.append(transform_message(link.parent, link.name, link.T @ step, stamp))
        self._tf(transforms=messages)

    def _configure(self, message: Message) -> None:
        """Takes up a fragment; its time tells whether it is a new one."""
        key = (message.time, message.link, message.joint)
        if key in self._configured:
            return
        self._configured.add(key)
        try:
            self._text = merged(self._text, message)
        except BaxterkitError as error:
            LOG.warning("a fragment of the description is refused: %s", error)
            return
        self._node.set_parameter(topics.DESCRIPTION, self._text)

"""What the robot says of its own shape: `/robot_description`, and `/tf` of every frame."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.messages import Message
from baxterkit.model.library import load_baxter
from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.poses import transform_message
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.spatial import inverse
from baxterkit.types import Array, Transform

SOFTWARE = "1.2.0.57"
"""Version of the robot's software that the twin stands for."""
LINKS = (
    "upper_shoulder",
    "lower_shoulder",
    "upper_elbow",
    "lower_elbow",
    "upper_forearm",
    "lower_forearm",
    "wrist",
)


class Description:
    """Parameters and frames.

    Args:
        node: The node that publishes them.
        robot: The robot.
    """

    def __init__(self, node: Node, robot: Baxter) -> None:
        self._robot = robot
        self._tf = Outlet(node, topics.of_robot("tf"))
        node.set_parameter(topics.DESCRIPTION, robot.to_urdf())
        node.set_parameter(topics.VERSION, SOFTWARE)
        node.set_parameter("/manifest/robot_class", "Baxter")
        node.set_parameter(topics.SERIAL, topics.TWIN_SERIAL)

    def publish(self, q_left: Array, q_right: Array, head: float, stamp: int) -> None:
        """Publishes the frames: links in the link before, all others in the link they ride on."""
        if not self._tf:
            return
        messages: list[Message] = []
        for side, q in zip(SIDES, (q_left, q_right), strict=True):
            arm = getattr(self._robot, side)
            poses = arm.link_poses(q)[:7]
            mount: Transform = self._mounts[side]
            messages.append(transform_message("torso", f"{side}_arm_mount", mount, stamp))
            before, parent = mount, f"{side}_arm_mount"
            for name, T in zip(self._links[side], poses, strict=True):
                messages.append(transform_message(parent, name, inverse(before) @ T, stamp))
                before, parent = T, name
            for name, T in self._riders[side].items():
                messages.append(transform_message(parent, name, T, stamp))
        messages.append(transform_message("base", "torso", np.eye(4), stamp))
        messages.append(transform_message("torso", "head", self._robot.head.fk(head), stamp))
        self._tf(transforms=messages)

    @cached_property
    def _links(self) -> dict[str, list[str]]:
        return {side: [f"{side}_{link}" for link in LINKS] for side in SIDES}

    @cached_property
    def _mounts(self) -> dict[str, Transform]:
        T_s0_mount = inverse(load_baxter().T_mount_s0)
        return {side: getattr(self._robot, side).model.T_base_s0 @ T_s0_mount for side in SIDES}

    @cached_property
    def _riders(self) -> dict[str, dict[str, Transform]]:
        """Frames on the last link of each arm, in that link."""
        found: dict[str, dict[str, Transform]] = {}
        q = np.zeros(7)
        for side in SIDES:
            last = inverse(getattr(self._robot, side).link_poses(q)[6])
            found[side] = {
                name: last @ self._robot.transform("base", name, q, q)
                for name in (f"{side}_hand", f"{side}_gripper", f"{side}_tip")
                if name in self._robot.frames
            }
        return found

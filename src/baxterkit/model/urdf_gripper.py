"""The gripper of a robot's URDF: found on the hand, and separated from the arm.

A robot that was dumped with its gripper has the gripper's links on its hand: `left_gripper_base`,
the fingers `l_gripper_l_finger`, and so on. They are a tool, which can be changed, so their mass
must not be part of the wrist. Without a gripper, the same links are frames of 0.1 g.
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import TYPE_CHECKING

from baxterkit.model.inertial import Inertial

if TYPE_CHECKING:
    from baxterkit.model.urdf_tree import UrdfTree

__all__ = ["GRIPPER", "PLACEHOLDER_MASS", "without_gripper"]

GRIPPER = "gripper"
"""Text that the names of a gripper's links contain, and the name of the resulting tool."""

PLACEHOLDER_MASS = 0.01
"""A gripper lighter than this [kg] is a frame: Rethink's files give frames 0.0001 kg."""


def without_gripper(tree: UrdfTree, hand: str) -> tuple[UrdfTree, Inertial | None]:
    """The tree without the gripper on a hand, and the gripper.

    Args:
        tree: A robot.
        hand: Name of the hand's link.

    Returns:
        The tree, and the gripper as one body in the hand's frame; the same tree and None if there
        is no gripper, or only its frames.
    """
    tops = [joint for joint in tree.child_joints[hand] if GRIPPER in joint.child]
    body: Inertial | None = None
    for joint in tops:
        part = tree.lump(joint.child).at(joint.T_parent_joint)
        body = part if body is None else body.combine(part)
    if body is None or body.mass < PLACEHOLDER_MASS:
        return tree, None
    joints = dict(tree.joints)
    for joint in tops:
        del joints[joint.name]
    gone = {name for joint in tops for name in tree.below(joint.child)}
    joints = {name: joint for name, joint in joints.items() if joint.parent not in gone}
    links = {name: link for name, link in tree.links.items() if name not in gone}
    rest = dataclasses.replace(tree, links=MappingProxyType(links), joints=MappingProxyType(joints))
    return rest, body

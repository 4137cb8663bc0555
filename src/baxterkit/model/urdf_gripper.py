"""The gripper of a robot's URDF: found on the hand, and separated from the arm.

A robot that was dumped with its gripper has the gripper's links on its hand: `left_gripper_base`,
the fingers `l_gripper_l_finger`, and so on. They are a tool, which can be changed, so their mass
must not be part of the wrist. Without a gripper, the same links are frames of 0.1 g.

Rethink's grippers are recognised by their joints: where a finger's tip is on its finger, or where
the tip of a gripper without fingers is. Another gripper is "gripper", whose body is the largest.
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.model.inertial import Inertial
from baxterkit.model.tool import ANY_ELECTRIC, ANY_GRIPPER

if TYPE_CHECKING:
    from baxterkit.model.urdf_tree import UrdfTree

GRIPPER = "gripper"
"""Text that the names of a gripper's links contain."""

PLACEHOLDER_MASS = 0.01
"""A gripper lighter than this [kg] is a frame: Rethink's files give frames 0.0001 kg."""

FINGER_TIPS = {
    (0.01725, 0.075): "electric_standard_narrow",
    (0.05503, 0.075): "electric_standard_wide",
    (0.01725, 0.1127): "electric_extended_narrow",
    (0.05503, 0.1127): "electric_extended_wide",
}
"""Where a finger's tip is on its finger, sideways and along [m], and the gripper's name."""
SLOT = 0.0015
"""How far from the middle the joints of fingers in slot 2 of the gripper are [m]."""
VACUUM = 0.08
"""From the hand to the tip of the vacuum gripper [m]."""
NEAR = 1e-3
"""Distance of a place from Rethink's that counts as the same [m]."""


def gripper_name(tree: UrdfTree, hand: str) -> str:
    """Which gripper is on a hand.

    Args:
        tree: A robot.
        hand: Name of the hand's link.

    Returns:
        "hand" for none; a tool's name; "electric_gripper" if its fingers are not Rethink's in slot
        2, or are not described; "gripper" for any other.
    """
    if without_gripper(tree, hand)[1] is None:
        return "hand"
    places = {hand: np.eye(4)}
    queue = [hand]
    below = []
    while queue:
        link = queue.pop()
        for joint in tree.child_joints[link]:
            places[joint.child] = places[link] @ joint.T_parent_joint
            queue.append(joint.child)
            below.append(joint)
    fingers = [joint for joint in below if joint.kind == "prismatic" and GRIPPER in joint.child]
    if not fingers:
        at = [T[:3, 3] for link, T in places.items() if link.endswith(f"_{GRIPPER}")]
        return "vacuum" if any(np.abs(p - [0, 0, VACUUM]).max() < NEAR for p in at) else ANY_GRIPPER
    sets = set()
    for finger in fingers:
        tips = [joint for joint in below if joint.parent == finger.child]
        place = tips[0].T_parent_joint[:3, 3] if len(tips) == 1 else np.zeros(3)
        found = [
            name
            for (y, z), name in FINGER_TIPS.items()
            if np.abs(np.abs(place) - [0.0, y, z]).max() < NEAR
        ]
        in_slot = abs(abs(float(finger.T_parent_joint[1, 3])) - SLOT) < NEAR
        sets.add(found[0] if found and in_slot else ANY_ELECTRIC)
    return sets.pop() if len(sets) == 1 else ANY_ELECTRIC


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

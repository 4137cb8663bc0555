"""Where a URDF file has the robot's fixed frames: cameras, range finders, navigators, the head."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from baxterkit.model.frames import robot_frames
from baxterkit.model.head import HeadModel
from baxterkit.model.library import NOMINAL_TOLERANCE
from baxterkit.model.model import ArmModel
from baxterkit.model.names import SIDES, joint_names
from baxterkit.model.parts import Frame
from baxterkit.model.urdf_tree import UrdfTree
from baxterkit.types import frozen

PAN = "head_pan"
"""The joint of the head."""


def base_of(tree: UrdfTree) -> str:
    """The link `base`, or the root of a file without one."""
    return "base" if "base" in tree.links else tree.root


def moved_frames(
    tree: UrdfTree, base: str, nominal: Mapping[str, Frame], tolerance: float = NOMINAL_TOLERANCE
) -> dict[str, Frame]:
    """The frames that a file has elsewhere than they are nominally.

    Joints that are not the robot's own, as those of fingers, are at zero.

    Args:
        tree: The robot.
        base: Its link `base`.
        nominal: Frames by name.
        tolerance: Differences that are rounding of the file [m, rad].
    """
    found = {}
    for name, known in nominal.items():
        place = _place(tree, base, name)
        if place is None:
            continue
        same = (place.body, place.link) == (known.body, known.link)
        if not same or np.abs(place.T_link_frame - known.T_link_frame).max() > tolerance:
            found[name] = place
    return found


def arm_with_frames(model: ArmModel, tree: UrdfTree, base: str, bare: bool) -> ArmModel:
    """An arm with the frames on it that the file has elsewhere than nominally.

    Args:
        model: The arm as the file describes it.
        tree: The file.
        base: Its link `base`.
        bare: Whether the file's hand is bare; if not, `<side>_gripper` is the tip of its tool.
    """
    side = model.side
    given = {f"{side}_hand", f"{side}_tip", *([] if bare else [f"{side}_gripper"])}
    mine = {
        name: frame
        for name, frame in robot_frames({side: model}).items()
        if frame.body == side and name not in given
    }
    moved = moved_frames(tree, base, mine).values()
    return dataclasses.replace(model, frames=tuple(f for f in moved if f.body == side))


def head_with_frames(head: HeadModel, tree: UrdfTree, base: str) -> HeadModel:
    """The head with its joint, screen and camera where the file has them."""
    changes: dict[str, Any] = {}
    joint = tree.joints.get(PAN)
    mount = None if joint is None else _place(tree, base, joint.parent)
    if joint is not None and mount is not None and mount.body == "base":
        T = mount.T_link_frame @ joint.T_parent_joint
        if np.abs(T - head.T_base_pan).max() > NOMINAL_TOLERANCE:
            changes["T_base_pan"] = T
    for name, field in (("screen", "T_head_screen"), ("head_camera", "T_head_camera")):
        frame = Frame(name, "head", 0, getattr(head, field))
        place = moved_frames(tree, base, {name: frame}).get(name)
        if place is not None and place.body == "head":
            changes[field] = place.T_link_frame
    return dataclasses.replace(head, **changes)


def _place(tree: UrdfTree, base: str, name: str) -> Frame | None:
    """A link by name, on the body that carries it; None if the file does not have it there."""
    link = name if name in tree.links else f"{name}_link"
    if link not in tree.links:
        return None
    moving = {joint: (side, i) for side in SIDES for i, joint in enumerate(joint_names(side))}
    moving[PAN] = ("head", 0)
    T = np.eye(4)
    while link != base:
        joint = tree.parent_joint.get(link)
        if joint is None:
            return None
        if joint.name in moving:
            return Frame(name, *moving[joint.name], frozen(T))
        T = joint.T_parent_joint @ T
        link = joint.parent
    return Frame(name, "base", 0, frozen(T))

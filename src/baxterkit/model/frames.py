"""The robot's frames by name: the body that carries each, and its pose on that body."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from baxterkit.errors import UnknownNameError
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.model.model import ArmModel
from baxterkit.model.parts import Frame
from baxterkit.spatial.formulas import inverse
from baxterkit.types import frozen

HAND = "hand"
"""The bare hand, as a tool."""


def robot_frames(arms: Mapping[str, ArmModel], head: HeadModel | None = None) -> dict[str, Frame]:
    """Every frame of a robot by name.

    `left_gripper` is the tool's tip if there is a tool, as on the robot; of the bare hand it is
    25 mm beyond it, as in Rethink's description, and `left_tip` the hand itself, as in `arm.fk`.

    Args:
        arms: The arms by side, with their mounts, tools and frames of their own.
        head: The head; the nominal one if None.
    """
    data, one = load_baxter(), np.eye(4)
    head = data.head if head is None else head
    found = [
        Frame("base", "base", 0, frozen(one)),
        Frame("torso", "base", 0, frozen(one)),
        Frame("head", "head", 0, frozen(one)),
        Frame("screen", "head", 0, head.T_head_screen),
        Frame("head_camera", "head", 0, head.T_head_camera),
    ]
    for side, arm in arms.items():
        mount = frozen(arm.T_base_s0 @ inverse(data.T_mount_s0))
        last = arm.dof - 1
        found.append(Frame(f"{side}_arm_mount", "base", 0, mount))
        found += [Frame(joint.link, side, i, frozen(one)) for i, joint in enumerate(arm.joints)]
        found.append(Frame(f"{side}_hand", side, last, arm.T_last_hand))
        found.append(Frame(f"{side}_tip", side, last, arm.T_last_tip))
    frames = {frame.name: frame for frame in found}
    # The links of a file may have other names than Rethink's.
    links = {
        f"{side}_{joint.link}": Frame(f"{side}_{joint.link}", side, i, frozen(one))
        for side, arm in arms.items()
        for i, joint in enumerate(data.joints[: arm.dof])
    }
    for name, (link, T_link_frame) in data.frames.items():
        for side in arms if "{side}" in name else ("",):
            carrier = link.format(side=side)
            parent = frames[carrier] if carrier in frames else links[carrier]
            T = frozen(parent.T_link_frame @ T_link_frame)
            whole = name.format(side=side)
            frames[whole] = Frame(whole, parent.body, parent.link, T)
    for arm in arms.values():
        frames |= {frame.name: frame for frame in arm.frames}
    for side, arm in arms.items():
        if arm.tool.name != HAND:
            frames[f"{side}_gripper"] = Frame(f"{side}_gripper", side, arm.dof - 1, arm.T_last_tip)
    return frames


def find_frame(name: str, frames: Mapping[str, Frame]) -> Frame:
    """The frame of that name; descriptions that end their names in `_link` are understood.

    Raises:
        UnknownNameError: If there is none; lists the names.
    """
    for known in (name, str(name).removesuffix("_link")):
        if isinstance(known, str) and known in frames:
            return frames[known]
    raise UnknownNameError("frame", name, sorted(frames))

"""The robot's links as its own description names them, each with the link that it hangs on.

`description` publishes them as frames, `urdf` writes them. Names of links and joints are Rethink's;
where a link is, the model says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.hand import has_fingers
from baxterkit.model.frames import robot_frames
from baxterkit.model.library import load_baxter
from baxterkit.model.model import Joint
from baxterkit.model.names import SIDES
from baxterkit.model.tool import full_name
from baxterkit.model.urdf_gripper import FINGER_TIPS, SLOT
from baxterkit.ros import topics
from baxterkit.spatial.formulas import inverse, rpy_to_matrix, transform
from baxterkit.types import Transform

STROKE = 0.020833
"""Travel of a finger of the electric gripper [m]."""
KNUCKLE = 0.045
"""From the hand to the fingers' joints, along the hand's z [m]."""
_FIXED = (
    ("torso_t0", "base", "torso"),
    ("collision_head_1", "base", "collision_head_link_1"),
    ("collision_head_2", "base", "collision_head_link_2"),
    ("pedestal_fixed", "torso", "pedestal"),
    ("sonar_s0", "torso", "sonar_ring"),
    ("dummy", "head", "dummyhead1"),
    ("head_nod", "head", "screen"),
    ("head_camera", "head", "head_camera"),
    ("display_joint", "screen", "display"),
)
_FIXED_OF_A_SIDE = (
    ("{side}_torso_itb_fixed", "torso", "{side}_torso_itb"),
    ("{side}_torso_arm_mount", "torso", "{side}_arm_mount"),
    ("{side}_e0_fixed", "{side}_lower_shoulder", "{side}_upper_elbow_visual"),
    ("{side}_w0_fixed", "{side}_lower_elbow", "{side}_upper_forearm_visual"),
    ("{side}_w0_to_itb_fixed", "{side}_upper_forearm", "{side}_arm_itb"),
    ("{side}_hand", "{side}_wrist", "{side}_hand"),
    ("{side}_hand_camera", "{side}_hand", "{side}_hand_camera"),
    ("{side}_hand_camera_axis", "{side}_hand", "{side}_hand_camera_axis"),
    ("{side}_hand_range", "{side}_hand", "{side}_hand_range"),
    ("{side}_hand_accelerometer", "{side}_hand", "{side}_hand_accelerometer"),
    ("{side}_gripper_base", "{side}_hand", "{side}_gripper_base"),
    ("{side}_endpoint", "{side}_gripper_base", "{side}_gripper"),
)
_RIGHT_ANGLES = rpy_to_matrix(np.array([np.pi / 2, 0.0, np.pi / 2]))
_ONLY_THERE = {
    "collision_head_link_1": transform(np.eye(3), np.array([0.11, 0.0, 0.75])),
    "collision_head_link_2": transform(np.eye(3), np.array([0.11, 0.0, 0.75])),
    "dummyhead1": np.eye(4),
    "upper_elbow_visual": transform(_RIGHT_ANGLES, np.array([0.107, 0.0, 0.0])),
    "upper_forearm_visual": transform(_RIGHT_ANGLES, np.array([0.088, 0.0, 0.0])),
}
"""Links of Rethink's description that no model needs, on the links before them."""


@dataclass(frozen=True)
class Link:
    """A link and the joint that carries it.

    Attributes:
        name: The link's name.
        joint: The joint's.
        parent: The link that it hangs on.
        T: Its pose there, a moving joint being at 0, shape (4, 4).
        moves: The joint that moves it; None if it is fixed.
        mimics: The joint that it moves against; "" for none.
    """

    name: str
    joint: str
    parent: str
    T: Transform
    moves: Joint | None = None
    mimics: str = ""


def robot_links(robot: Baxter) -> list[Link]:
    """Every link but `base`, parents first."""
    arms = {side: robot.arm(side) for side in SIDES}
    frames = robot_frames({side: arm.model for side, arm in arms.items()}, robot.head)

    def fixed(joint: str, parent: str, child: str) -> Link:
        if child in frames:
            T = inverse(frames[parent].T_link_frame) @ frames[child].T_link_frame
        else:
            bare = child.removeprefix("left_").removeprefix("right_")
            T = _ONLY_THERE[bare]
        return Link(child, joint, parent, T)

    head = robot.head
    pan = Joint("head_pan", "revolute", head.T_base_pan, lower=head.lower, upper=head.upper,
                velocity=10000.0, effort=50000.0, damping=head.damping,
                friction=head.friction, link="head")  # fmt: skip
    links = [Link("head", "head_pan", "torso", head.T_base_pan, pan)]
    links += [fixed(*names) for names in _FIXED]
    for side, arm in arms.items():
        T_mount = load_baxter().T_mount_s0
        parent = f"{side}_arm_mount"
        for i, joint in enumerate(arm.model.joints):
            T = T_mount @ joint.T_parent_joint if i == 0 else joint.T_parent_joint
            links.append(Link(joint.link, joint.name, parent, T, joint))
            parent = joint.link
        for names in _FIXED_OF_A_SIDE:
            links.append(fixed(*(name.format(side=side) for name in names)))
        links += _fingers(arm)
    return _parents_first(links)


def _fingers(arm: Arm) -> list[Link]:
    """The fingers of an electric gripper, under the names of `/robot/joint_states`."""
    if not has_fingers(arm.model):
        return []
    side = arm.side
    sizes = {name: place for place, name in FINGER_TIPS.items()}
    found = []
    first = topics.GRIPPER_JOINTS[side]
    for finger, sign in (("l", 1.0), ("r", -1.0)):
        name = f"{side[0]}_gripper_{finger}_finger"
        T = transform(np.eye(3), np.array([0.0, -sign * SLOT, KNUCKLE]))
        lower, upper = (0.0, STROKE) if sign > 0.0 else (-STROKE, 0.0)
        joint = Joint(f"{name}_joint", "prismatic", T, np.array([0.0, 1.0, 0.0]),
                      lower=lower, upper=upper, velocity=5.0, effort=20.0, link=name)  # fmt: skip
        mimics = "" if joint.name == first else first
        found.append(Link(name, joint.name, f"{side}_gripper_base", T, joint, mimics))
        if (size := sizes.get(full_name(arm.tool.name))) is not None:
            tip = transform(np.eye(3), np.array([0.0, sign * size[0], size[1]]))
            found.append(Link(f"{name}_tip", f"{name}_tip_joint", name, tip))
    return found


def _parents_first(links: list[Link]) -> list[Link]:
    children: dict[str, list[Link]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    ordered: list[Link] = []
    names = ["base"]
    for name in names:  # grows as it goes
        ordered += children.get(name, [])
        names += [link.name for link in children.get(name, [])]
    return ordered

"""Small URDF texts for the tests, and a comparison of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.model.model import ArmModel, Inertial

INERTIAL = (
    '<inertial><origin xyz="0.1 0.02 -0.03" rpy="0 0 0"/><mass value="2"/>'
    '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial>'
)
LINKS = '<link name="a"/>\n<link name="b"/>\n'
ENDS = '<parent link="a"/><child link="b"/>'
LIMIT = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def robot(body: str) -> str:
    return f'<robot name="r">\n{body}\n</robot>'


def joint(inside: str, kind: str = "fixed", name: str = "j") -> str:
    return f'{LINKS}<joint name="{name}" type="{kind}">\n{inside}\n</joint>'


@dataclass(frozen=True)
class J:
    """A joint of a serial test chain."""

    kind: str
    xyz: Sequence[float] = (0.0, 0.0, 0.0)
    rpy: Sequence[float] = (0.0, 0.0, 0.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)


def numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def serial(joints: Sequence[J]) -> str:
    """A chain link0 - joint1 - link1 - ... as URDF text."""
    lines = ['<robot name="chain">', '<link name="link0"/>']
    for i, joint in enumerate(joints, start=1):
        limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
        lines += [
            f'<link name="link{i}">{INERTIAL}</link>',
            f'<joint name="joint{i}" type="{joint.kind}">',
            f'<parent link="link{i - 1}"/><child link="link{i}"/>',
            f'<origin xyz="{numbers(joint.xyz)}" rpy="{numbers(joint.rpy)}"/>',
            f'<axis xyz="{numbers(joint.axis)}"/>{limit}</joint>',
        ]
    return "\n".join([*lines, "</robot>"])


def body(mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), size: float = 1e-5) -> str:
    """An <inertial> of a small ball."""
    inertia = f'<inertia ixx="{size}" iyy="{size}" izz="{size}"/>'
    return f'<inertial><origin xyz="{numbers(com)}"/><mass value="{mass}"/>{inertia}</inertial>'


def fixed(name: str, parent: str, child: str, z: float = 0.0, kind: str = "fixed") -> str:
    """A joint along z."""
    inside = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>'
    axis = "" if kind == "fixed" else f'<axis xyz="0 1 0"/>{LIMIT}'
    return f'<joint name="{name}" type="{kind}">{inside}{axis}</joint>'


def with_gripper(text: str, side: str, hand: str = "{side}_hand", weighs: bool = True) -> str:
    """`write_urdf`'s text of an arm with a bare hand, as a robot with a gripper has it.

    Args:
        text: The URDF.
        side: Its side.
        hand: Pattern of the hand link's name; some packages say `{side}_hand_link`.
        weighs: Whether there is a gripper, or only its frames, as Rethink's file has them.
    """
    start = text.index("<baxterkit")
    ends = [text.find(end, start) for end in ("</baxterkit>", "/>")]
    end = ends[0] + len("</baxterkit>") if ends[0] > 0 else ends[1] + 2
    text = text[:start] + text[end:]
    new = hand.format(side=side)
    text = text.replace(f'"{side}_hand"', f'"{new}"')
    suffix = "_link" if new.endswith("_link") else ""
    letter, base = side[0], f"{side}_gripper_base{suffix}"
    parts = [f'<link name="{base}">{body(0.3 if weighs else 0.0001, (0, 0, 0.025))}</link>']
    parts.append(f'<link name="{side}_gripper">{body(0.0001)}</link>')
    parts.append(fixed(f"{side}_gripper_base_joint", new, base))
    parts.append(fixed(f"{side}_endpoint", base, f"{side}_gripper", 0.12))
    for finger in (f"{letter}_gripper_l_finger", f"{letter}_gripper_r_finger") * weighs:
        parts.append(f'<link name="{finger}">{body(0.02)}</link>')
        parts.append(f'<link name="{finger}_tip">{body(0.01)}</link>')
        parts.append(fixed(f"{finger}_joint", base, finger, 0.045, "prismatic"))
        parts.append(fixed(f"{finger}_tip_joint", finger, f"{finger}_tip", 0.075))
    parts.append(f'<link name="{side}_hand_camera{suffix}">{body(0.0001)}</link>')
    parts.append(fixed(f"{side}_camera_joint", new, f"{side}_hand_camera{suffix}", 0.01))
    return text.replace("</robot>", "\n".join([*parts, "</robot>"]))


def _body_difference(a: Inertial, b: Inertial) -> float:
    return max(
        abs(a.mass - b.mass),
        float(np.abs(a.com - b.com).max()),
        float(np.abs(a.inertia - b.inertia).max()),
    )


def model_difference(a: ArmModel, b: ArmModel) -> float:
    """Largest difference of any number of two models; names and kinds must be equal."""
    assert (a.side, a.joint_names, a.tool.name) == (b.side, b.joint_names, b.tool.name)
    pairs = [
        (a.T_base_s0, b.T_base_s0),
        (a.T_last_hand, b.T_last_hand),
        (a.T_hand_tip, b.T_hand_tip),
        (a.gravity, b.gravity),
    ]
    for one, other in zip(a.joints, b.joints, strict=True):
        for what in ("kind", "link", "lower", "upper", "velocity", "effort", "damping", "friction"):
            assert getattr(one, what) == getattr(other, what)
        pairs += [(one.T_parent_joint, other.T_parent_joint), (one.axis, other.axis)]
    worst = max(float(np.abs(x - y).max()) for x, y in pairs)
    bodies = list(zip(a.inertials, b.inertials, strict=True))
    assert (a.tool.inertial is None) == (b.tool.inertial is None)
    if a.tool.inertial is not None and b.tool.inertial is not None:
        bodies.append((a.tool.inertial, b.tool.inertial))
    assert (a.payload is None) == (b.payload is None)
    if a.payload is not None and b.payload is not None:
        bodies.append((a.payload.inertial, b.payload.inertial))
    return max(worst, *(_body_difference(x, y) for x, y in bodies))

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

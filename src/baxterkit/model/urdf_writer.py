"""Writes an arm as a URDF file that Pinocchio, MuJoCo and ROS load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel, Joint
from baxterkit.model.shape import Solid
from baxterkit.spatial.formulas import matrix_to_rpy, transform
from baxterkit.types import Transform

SNAP = "1e-15"
"""Angles are written exactly: only rounding of right angles is to be undone on reading [rad]."""


def write_urdf(model: ArmModel, note: str = "") -> str:
    """One arm as URDF text, with 17 significant digits.

    The root link is `base`; the first joint's origin is the mount. `<side>_hand` and `<side>_tip`
    hang on the last link by fixed joints, and the tip link stands last. No joint has a link's name.
    The last moving link's inertial includes hand, tool and payload, so that any engine gets the
    whole arm's dynamics. A `<baxterkit>` element, which other programs skip, keeps them apart along
    with gravity, so that `arm_from_urdf` gives back the same model. The solids of a tool are
    collision elements of the hand's link, those of a payload of the tip's. Frames that are not
    nominal are links of their own.

    Args:
        model: The arm.
        note: A comment for the top of the file.
    """
    hand, tip = f"{model.side}_hand", f"{model.side}_tip"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!-- Written by baxterkit. SI units; angles in radians. -->",
        *([f"<!-- {note} -->"] if note else []),
        f"<robot name={quoted(f'baxter_{model.side}_arm')}>",
        f'  <baxterkit snap="{SNAP}" gravity="{numbers(model.gravity)}">',
        *record_lines(model, "    "),
        "  </baxterkit>",
        '  <link name="base"/>',
    ]
    lines += arm_lines(model, model.link_inertials())
    parent = joint_link(model.joints[-1])
    for frame in model.frames:
        lines += fixed_lines(frame.name, joint_link(model.joints[frame.link]), frame.T_link_frame)
    for name, T in ((hand, model.T_last_hand), (tip, model.T_hand_tip)):
        lines += fixed_lines(name, parent, T)
        parent = name
    return "\n".join([*lines, "</robot>", ""])


def arm_lines(model: ArmModel, inertials: Sequence[Inertial]) -> Iterator[str]:
    """Joints and moving links; the last link carries the solids of tool and payload."""
    parent, T_parent = "base", model.T_base_s0
    for joint, inertial in zip(model.joints, inertials, strict=True):
        link = joint_link(joint)
        yield from joint_lines(joint, parent, link, T_parent @ joint.T_parent_joint)
        solids = _solid_lines(model) if joint is model.joints[-1] else ()
        yield from link_lines(link, [*inertial_lines(inertial, "    "), *solids])
        parent, T_parent = link, np.eye(4)


def fixed_lines(
    name: str, parent: str, T_parent_link: Transform, body: Inertial | None = None
) -> list[str]:
    """A link that is fixed to another one, and the joint that does so."""
    inner = [] if body is None else inertial_lines(body, "    ")
    joint = fixed_joint_lines(f"{name}_fixed", parent, name, T_parent_link)
    return [*joint, *link_lines(name, inner)]


def fixed_joint_lines(name: str, parent: str, child: str, T_parent_child: Transform) -> list[str]:
    """The element of a joint that does not move."""
    return [
        f'  <joint name={quoted(name)} type="fixed">',
        f"    <parent link={quoted(parent)}/>",
        f"    <child link={quoted(child)}/>",
        f"    {origin(T_parent_child)}",
        "  </joint>",
    ]


def link_lines(name: str, inner: Sequence[str]) -> list[str]:
    """A link's element, with those within it."""
    if not inner:
        return [f"  <link name={quoted(name)}/>"]
    return [f"  <link name={quoted(name)}>", *inner, "  </link>"]


def _solid_lines(model: ArmModel) -> Iterator[str]:
    """The collision elements of tool and payload, in the frame of the last moving link.

    URDF knows no capsule: one is written as a cylinder and two spheres, which `named_solids` makes
    a capsule again.
    """
    payload = () if model.payload is None else model.payload.shape
    for role, T, solids in (
        ("tool", model.T_last_hand, model.tool.shape),
        ("payload", model.T_last_tip, payload),
    ):
        parts = [part for solid in solids for part in _without_caps(solid.at(T))]
        for n, part in enumerate(parts, 1):
            yield from _collision(f"{model.side}_{role}_{n}", part)


def _without_caps(solid: Solid) -> list[Solid]:
    """A capsule as a cylinder and the spheres at its ends; any other solid as it is."""
    if solid.kind != "capsule":
        return [solid]
    height, radius = solid.size
    ends = [
        Solid("sphere", (radius,), solid.T @ transform(np.eye(3), np.array([0.0, 0.0, z])))
        for z in (-height / 2, height / 2)
    ]
    return [Solid("cylinder", solid.size, solid.T), *ends]


def _collision(name: str, solid: Solid) -> list[str]:
    if solid.kind == "box":
        size = f'size="{numbers(solid.size)}"'
    elif solid.kind == "sphere":
        size = f'radius="{number(solid.size[0])}"'
    else:
        size = f'length="{number(solid.size[0])}" radius="{number(solid.size[1])}"'
    return [
        f"    <collision name={quoted(name)}>",
        f"      {origin(solid.T)}",
        f"      <geometry><{solid.kind} {size}/></geometry>",
        "    </collision>",
    ]


def joint_link(joint: Joint) -> str:
    """Name of the link that a joint moves; no link has a joint's name."""
    return joint.link if joint.link not in ("", joint.name) else f"{joint.name}_link"


def record_lines(model: ArmModel, indent: str) -> list[str]:
    """Properties of an arm for which URDF has no element: tool and payload apart from the link."""
    inner = f"{indent}  "
    lines = []
    if model.tool.inertial is not None or model.payload is not None:
        last = inertial_lines(model.inertials[-1], inner)
        lines += [f"{indent}<last_link>", *last, f"{indent}</last_link>"]
    lines += [f"{indent}<tool name={quoted(model.tool.name)}>"]
    if model.tool.inertial is not None:
        lines += inertial_lines(model.tool.inertial, inner)
    lines += [f"{indent}</tool>"]
    if model.payload is not None:
        payload = inertial_lines(model.payload.inertial, inner)
        lines += [f"{indent}<payload>", *payload, f"{indent}</payload>"]
    return lines


def joint_lines(joint: Joint, parent: str, link: str, T_parent_joint: Transform) -> list[str]:
    """A joint's element."""
    free = joint.kind == "revolute" and joint.lower == -np.inf and joint.upper == np.inf
    kind = "continuous" if free else joint.kind
    limits = {"lower": joint.lower, "upper": joint.upper} if kind != "continuous" else {}
    limits |= {"velocity": joint.velocity, "effort": joint.effort}
    # URDF has no infinity; 1e308 is read as "no limit" by every engine.
    bounds = " ".join(f'{key}="{number(np.clip(x, -1e308, 1e308))}"' for key, x in limits.items())
    damping, friction = number(joint.damping), number(joint.friction)
    return [
        f'  <joint name={quoted(joint.name)} type="{kind}">',
        f"    <parent link={quoted(parent)}/>",
        f"    <child link={quoted(link)}/>",
        f"    {origin(T_parent_joint)}",
        f'    <axis xyz="{numbers(joint.axis)}"/>',
        f"    <limit {bounds}/>",
        f'    <dynamics damping="{damping}" friction="{friction}"/>',
        "  </joint>",
    ]


def inertial_lines(inertial: Inertial, indent: str) -> list[str]:
    """A body's element."""
    tensor = inertial.inertia
    entries = {
        "ixx": tensor[0, 0], "ixy": tensor[0, 1], "ixz": tensor[0, 2],
        "iyy": tensor[1, 1], "iyz": tensor[1, 2], "izz": tensor[2, 2],
    }  # fmt: skip
    text = " ".join(f'{name}="{number(value)}"' for name, value in entries.items())
    return [
        f"{indent}<inertial>",
        f'{indent}  <origin xyz="{numbers(inertial.com)}" rpy="0 0 0"/>',
        f'{indent}  <mass value="{number(inertial.mass)}"/>',
        f"{indent}  <inertia {text}/>",
        f"{indent}</inertial>",
    ]


def origin(T: Transform) -> str:
    """A pose's element."""
    return f'<origin xyz="{numbers(T[:3, 3])}" rpy="{numbers(matrix_to_rpy(T[:3, :3]))}"/>'


def numbers(values: ArrayLike) -> str:
    """Several numbers, with spaces between them."""
    return " ".join(number(float(value)) for value in np.asarray(values))


def number(value: float) -> str:
    """The shortest text that reads back as the same double, up to 17 significant digits."""
    text = repr(float(value))
    return text.removesuffix(".0")


def quoted(text: str) -> str:
    """`text` as an XML attribute's value, in double quotes."""
    text = text.replace("&", "&amp;")
    for character in '<>"\n\t\r':
        text = text.replace(character, f"&#{ord(character)};")
    return f'"{text}"'

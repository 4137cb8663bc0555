"""The robot's description as URDF text: Rethink's links and joints, masses, and shapes to draw.

No XML declaration stands before it: readers that have the text already (lxml, and so urdf_parser_py
and baxter_pykdl) refuse one that names an encoding. Shapes are those of collision checks, as
cylinders, spheres and boxes, so that no package of meshes is needed; they are to be seen and to be
touched alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.body import FINGERS, BodyBox, BodyCapsule, load_body
from baxterkit.collision.hand import has_fingers
from baxterkit.collision.tool_bodies import tool_body
from baxterkit.model.inertial import Inertial
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.model.shape import Solid
from baxterkit.model.urdf_writer import (
    fixed_joint_lines,
    inertial_lines,
    joint_lines,
    link_lines,
    number,
    numbers,
    origin,
    quoted,
)
from baxterkit.ros.robot.tree import KNUCKLE, Link, robot_links
from baxterkit.spatial.formulas import inverse, transform
from baxterkit.types import Array, Transform


def describe(robot: Baxter) -> str:
    """The URDF text that the robot sets as `/robot_description`."""
    links = robot_links(robot)
    bodies, shapes = _bodies(robot), _shapes(robot)
    lines = ['<robot name="baxter">', '  <link name="base"/>']
    for link in links:
        lines += _joint(link)
        inside = inertial_lines(bodies[link.name], "    ") if link.name in bodies else []
        inside += shapes.get(link.name, ())
        lines += link_lines(link.name, inside)
    return "\n".join([*lines, "</robot>", ""])


def _joint(link: Link) -> list[str]:
    if link.moves is None:
        return fixed_joint_lines(link.joint, link.parent, link.name, link.T)
    lines = joint_lines(link.moves, link.parent, link.name, link.T)
    if link.mimics:
        lines.insert(-1, f'    <mimic joint={quoted(link.mimics)} multiplier="-1"/>')
    return lines


def _bodies(robot: Baxter) -> dict[str, Inertial]:
    """Masses by link: those of the arms' links, of head and screen, and of tools and payloads."""
    found = {"head": robot.head.head, "screen": robot.head.screen}
    for side in SIDES:
        arm = robot.arm(side)
        model = arm.model
        found |= {j.link: body for j, body in zip(model.joints, model.inertials, strict=True)}
        if model.tool.inertial is not None:
            found[f"{side}_gripper_base"] = model.tool.inertial
    return found


def _shapes(robot: Baxter) -> dict[str, list[str]]:
    """Elements of shapes by link."""
    found = {part: list(lines) for part, lines in _body_parts().items()}
    for side in SIDES:
        arm = robot.arm(side)
        for name, joint in zip(JOINTS, arm.model.joints, strict=True):
            found[joint.link] = list(_arm_links().get(name, ()))
        for link, solid in _tool_shapes(arm):
            found.setdefault(link, []).extend(_elements(solid))
    return found


@cache
def _body_parts() -> dict[str, list[str]]:
    """Elements of what does not move with an arm, by link."""
    found: dict[str, list[str]] = {}
    for box in load_body().boxes:
        found.setdefault(box.part, []).extend(_elements(_box(box)))
    return found


@cache
def _arm_links() -> dict[str, list[str]]:
    """Elements of an arm's links, by the joint that moves them: those of both arms are alike."""
    found: dict[str, list[str]] = {}
    for capsule in load_body().capsules:
        for solid in _capsule(capsule, np.eye(4)):
            found.setdefault(capsule.link, []).extend(_elements(solid))
    return found


def _elements(solid: Solid) -> list[str]:
    """The elements of a shape in the link's frame: to be seen, and to be touched."""
    inside = [f"      {origin(solid.T)}", f"      <geometry>{_geometry(solid)}</geometry>"]
    return [
        line
        for tag in ("visual", "collision")
        for line in (f"    <{tag}>", *inside, f"    </{tag}>")
    ]


def _tool_shapes(arm: Arm) -> Iterator[tuple[str, Solid]]:
    side, letter = arm.side, arm.side[0]
    T_hand_last = inverse(arm.model.T_last_hand)
    base = f"{side}_gripper_base"
    for capsule in tool_body(arm.tool.name) or ():
        assert capsule.link == FINGERS
        away = float(capsule.slide[1])
        link, T = base, T_hand_last
        if away and has_fingers(arm.model):
            sign, finger = (1.0, "l") if away > 0.0 else (-1.0, "r")
            link = f"{letter}_gripper_{finger}_finger"
            T = transform(np.eye(3), np.array([0.0, 0.0, -KNUCKLE])) @ T_hand_last
            T = transform(np.eye(3), np.array([0.0, sign * 0.0015, 0.0])) @ T
        yield from ((link, solid) for solid in _capsule(capsule, T))
    for solid in arm.tool.shape or ():
        yield f"{side}_gripper", solid


def _capsule(capsule: BodyCapsule, T: Transform) -> list[Solid]:
    """A cylinder with a sphere at either end: URDF has no capsule."""
    ends = [T[:3, :3] @ end + T[:3, 3] for end in (capsule.start, capsule.end)]
    spheres = [Solid("sphere", (capsule.radius,), _at(end)) for end in ends]
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return spheres[:1]
    pose = transform(_z_along(along / length), 0.5 * (ends[0] + ends[1]))
    return [Solid("cylinder", (length, capsule.radius), pose), *spheres]


def _box(box: BodyBox) -> Solid:
    sides = 2.0 * (box.half + box.radius)
    return Solid("box", tuple(sides.tolist()), transform(box.R, box.center))


def _at(place: Array) -> Transform:
    return transform(np.eye(3), place)


def _z_along(axis: Array) -> Array:
    """A rotation whose third column is `axis`."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _geometry(solid: Solid) -> str:
    if solid.kind == "box":
        return f'<box size="{numbers(solid.size)}"/>'
    if solid.kind == "sphere":
        return f'<sphere radius="{number(solid.size[0])}"/>'
    height, radius = solid.size
    height += 2.0 * radius if solid.kind == "capsule" else 0.0
    return f'<cylinder length="{number(height)}" radius="{number(radius)}"/>'

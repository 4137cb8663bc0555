"""Reads URDF text into a tree, with every value checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from baxterkit.errors import UrdfError, shortened
from baxterkit.model.inertial import Inertial, inertia_matrix
from baxterkit.model.parts import SNAP_TOLERANCE, Snap
from baxterkit.model.urdf_tree import MOVING, UrdfJoint, UrdfLink, UrdfTree
from baxterkit.model.xml_reader import Element, Source, label, parse_xml
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import Transform, Vector3, frozen

_KINDS = (*MOVING, "fixed", "floating", "planar")
_ANGLES = ("roll", "pitch", "yaw")


def read_urdf(source: Source, snap: float = SNAP_TOLERANCE) -> UrdfTree:
    """Reads a URDF file.

    Args:
        source: A path, or the text itself.
        snap: Roll, pitch and yaw angles this near [rad] to a multiple of pi/2 become that multiple.

    Returns:
        The tree, with a record of each snap.

    Raises:
        UrdfError: If the file is not a valid URDF; names the element and the line.
    """
    robot = parse_xml(source)
    extension = robot.one("baxterkit")
    if extension is not None:
        snap = min(snap, extension.number("snap", snap))
    snaps: list[Snap] = []
    links: dict[str, UrdfLink] = {}
    for element in robot.all("link"):
        name = element.text("name")
        if name in links:
            element.fail(f"line {links[name].line} has a link of this name already")
        links[name] = UrdfLink(name, _inertial(element, snap, snaps), element.line)
    joints: dict[str, UrdfJoint] = {}
    for element in robot.all("joint"):
        name = element.text("name")
        if name in joints:
            element.fail(f"line {joints[name].line} has a joint of this name already")
        joints[name] = _joint(element, links, snap, snaps)
    root = _root(robot, links, joints)
    return UrdfTree(
        robot.attributes.get("name", ""),
        MappingProxyType(links),
        MappingProxyType(joints),
        root,
        tuple(snaps),
        extension,
    )


def _root(robot: Element, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> str:
    """The root link, after checking that the joints make one tree."""
    if not links:
        robot.fail("the robot has no links; one at least is needed")
    above: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in above:
            raise UrdfError(
                f"{label('link', joint.child)} is the child of "
                f"{label('joint', above[joint.child].name)} already; "
                "a link hangs on one joint only",
                label("joint", joint.name),
                joint.line,
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise UrdfError(
            f"there are {len(roots)} roots: {', '.join(map(shortened, roots[:5]))}"
            f"{', ...' if len(roots) > 5 else ''}; every link but one must be a joint's child",
            label("link", roots[1]),
            links[roots[1]].line,
        )
    below: dict[str, list[str]] = {}
    for joint in joints.values():
        below.setdefault(joint.parent, []).append(joint.child)
    reached = set(roots)
    queue = list(roots)
    while queue:
        for child in below.get(queue.pop(), ()):
            reached.add(child)
            queue.append(child)
    for name in links:
        if name not in reached:
            cycle = _cycle(name, above)
            first = above[cycle[0]]
            shown = [*map(shortened, cycle[:6]), *["..."][: len(cycle) > 6], shortened(cycle[0])]
            raise UrdfError(
                f"the links {' -> '.join(shown)} form a cycle; a URDF is a tree",
                label("joint", first.name),
                first.line,
            )
    return roots[0]


def _cycle(link: str, above: Mapping[str, UrdfJoint]) -> list[str]:
    """The links of the cycle above a link that no root reaches, parent before child."""
    seen: dict[str, int] = {}
    while link not in seen:
        seen[link] = len(seen)
        link = above[link].parent
    return list(reversed(list(seen)[seen[link] :]))


def _joint(
    element: Element, links: Mapping[str, UrdfLink], snap: float, snaps: list[Snap]
) -> UrdfJoint:
    kind = element.text("type")
    if kind not in _KINDS:
        element.fail(f"type '{shortened(kind)}' is not known; available: {', '.join(_KINDS)}")
    ends = []
    for tag in ("parent", "child"):
        end = element.one(tag)
        if end is None:
            element.fail(f"<{tag} link=...> is missing")
        name = end.text("link")
        if name not in links:
            end.fail(f"there is no {label('link', name)}")
        ends.append(name)
    if ends[0] == ends[1]:
        element.fail(f"it joins {label('link', ends[0])} to itself")
    mimic = element.one("mimic")
    dynamics = element.one("dynamics")
    lower, upper, velocity, effort = _limits(element, kind)
    return UrdfJoint(
        name=element.text("name"),
        kind=kind,
        parent=ends[0],
        child=ends[1],
        T_parent_joint=origin_of(element, element.label, snap, snaps),
        axis=_axis(element, kind),
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        damping=0.0 if dynamics is None else dynamics.number("damping", 0.0),
        friction=0.0 if dynamics is None else dynamics.number("friction", 0.0),
        mimic=None if mimic is None else mimic.text("joint"),
        line=element.line,
    )


def _axis(element: Element, kind: str) -> Vector3:
    axis = element.one("axis")
    if kind not in MOVING:
        return frozen(np.zeros(3))
    if axis is None:
        return frozen([1.0, 0.0, 0.0])  # URDF's default
    values = axis.numbers("xyz", 3)
    scale = np.abs(values).max()
    if scale == 0.0:
        axis.fail(f"the axis of a {kind} joint must not be zero")
    values = values / scale if scale < 1e-100 else values
    length = np.linalg.norm(values)
    return frozen(values if length == 1.0 else values / length)


def _limits(element: Element, kind: str) -> tuple[float, float, float, float]:
    limit = element.one("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            element.fail(f"a {kind} joint needs <limit>; without limits it is 'continuous'")
        return -np.inf, np.inf, np.inf, np.inf
    velocity, effort = (_bound(limit, key, np.inf) for key in ("velocity", "effort"))
    if kind not in ("revolute", "prismatic"):
        return -np.inf, np.inf, velocity, effort
    lower, upper = (_bound(limit, key, 0.0) for key in ("lower", "upper"))
    if lower > upper:
        limit.fail(f"lower={lower:g} is above upper={upper:g}")
    return lower, upper, velocity, effort


def _bound(limit: Element, attribute: str, default: float) -> float:
    """One of a joint's limits. URDF has no infinity: 1e300 and more stand for it."""
    value = limit.number(attribute, default, largest=math.inf)
    return value if abs(value) < 1e300 else math.copysign(math.inf, value)


def _inertial(link: Element, snap: float, snaps: list[Snap]) -> Inertial | None:
    element = link.one("inertial")
    if element is None:
        return None
    return inertial_of(element, f"inertial of {link.label}", snap, snaps)


def inertial_of(element: Element, label: str, snap: float, snaps: list[Snap]) -> Inertial:
    """The body that an `<inertial>` element describes, in the frame around it."""
    mass_element = element.one("mass")
    inertia_element = element.one("inertia")
    if mass_element is None or inertia_element is None:
        missing = "mass" if mass_element is None else "inertia"
        element.fail(f"<{missing}> is missing")
    mass = mass_element.number("value")
    if mass < 0.0:
        mass_element.fail(f"the mass {mass:g} kg is negative")
    six = [
        inertia_element.number(name, None if name in ("ixx", "iyy", "izz") else 0.0)
        for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    ]
    body = Inertial(mass, np.zeros(3), inertia_matrix(six))
    return body.at(origin_of(element, label, snap, snaps))


def origin_of(element: Element, label: str, snap: float, snaps: list[Snap]) -> Transform:
    """The transform of an element's `<origin>`, identity without one; angles snapped."""
    origin = element.one("origin")
    if origin is None:
        return frozen(np.eye(4))
    rpy = origin.numbers("rpy", 3, 0.0)
    exact = np.round(rpy / (np.pi / 2)) * (np.pi / 2)
    near = (np.abs(rpy - exact) <= snap) & (rpy != exact) & (np.abs(exact) < 7.0)
    for i in np.flatnonzero(near):
        snaps.append(Snap(label, origin.line, _ANGLES[i], float(rpy[i]), float(exact[i])))
        rpy[i] = exact[i]
    return frozen(transform(rpy_to_matrix(rpy), origin.numbers("xyz", 3, 0.0)))

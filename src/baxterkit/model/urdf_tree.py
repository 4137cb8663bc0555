"""A URDF as a tree of links and joints, and serial chains in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baxterkit.errors import UnknownNameError, UrdfError
from baxterkit.model.chain import SerialChain
from baxterkit.model.inertial import Inertial
from baxterkit.model.parts import Joint, Snap
from baxterkit.model.xml_reader import Element, label
from baxterkit.types import Transform, Vector3, frozen

MOVING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"}
"""Kinds of URDF joints with one degree of freedom, and the kind of `Joint` that each becomes."""


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A link: a frame, perhaps with mass.

    Attributes:
        name: Its name.
        inertial: Mass distribution in the link's frame, or None.
        line: Its line in the file.
    """

    name: str
    inertial: Inertial | None
    line: int


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint: a transform between two links, fixed or moving.

    Attributes:
        name: Its name.
        kind: "revolute", "continuous", "prismatic", "fixed", "floating" or "planar".
        parent: Name of its parent link.
        child: Name of its child link.
        T_parent_joint: Child's frame at q = 0 in the parent's, shape (4, 4).
        axis: Unit axis in the joint's frame, shape (3,); zero for joints that have none.
        lower: Least position [rad or m], -inf without limits.
        upper: Greatest position [rad or m], inf without limits.
        velocity: Greatest speed [rad/s or m/s].
        effort: Greatest torque or force [N m or N].
        damping: Viscous friction [N m s/rad or N s/m].
        friction: Dry friction [N m or N].
        mimic: Name of the joint that it follows, or None.
        line: Its line in the file.
    """

    name: str
    kind: str
    parent: str
    child: str
    T_parent_joint: Transform
    axis: Vector3
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float
    mimic: str | None
    line: int


@dataclass(frozen=True, eq=False)
class UrdfTree:
    """A URDF file, checked: one root, every joint between two links that exist, no cycle.

    Attributes:
        name: The robot's name.
        links: By name, in file order.
        joints: By name, in file order.
        root: Name of the root link.
        snaps: Angles that were moved to multiples of pi/2.
        extension: The `<baxterkit>` element of files that this library wrote, or None.
    """

    name: str
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    root: str
    snaps: tuple[Snap, ...]
    extension: Element | None = None

    @cached_property
    def parent_joint(self) -> Mapping[str, UrdfJoint]:
        """The joint above each link but the root, by link name."""
        return {joint.child: joint for joint in self.joints.values()}

    @cached_property
    def child_joints(self) -> Mapping[str, tuple[UrdfJoint, ...]]:
        """The joints below each link, by link name, in file order."""
        below: dict[str, list[UrdfJoint]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            below[joint.parent].append(joint)
        return {name: tuple(joints) for name, joints in below.items()}

    def path(self, root: str, tip: str) -> tuple[UrdfJoint, ...]:
        """The joints from link `root` down to link `tip`.

        Raises:
            UnknownNameError: If a link does not exist.
            UrdfError: If `tip` is not below `root`.
        """
        for name in (root, tip):
            if name not in self.links:
                raise UnknownNameError("link", name, self.links)
        found: list[UrdfJoint] = []
        link = tip
        while link != root:
            if link not in self.parent_joint:
                raise UrdfError(
                    f"it is not below {label('link', root)}",
                    label("link", tip),
                    self.links[tip].line,
                )
            found.append(self.parent_joint[link])
            link = found[-1].parent
        return tuple(reversed(found))

    def chain(self, root: str, tip: str) -> SerialChain:
        """The serial chain of moving joints from link `root` to link `tip`.

        Raises:
            UnknownNameError: If a link does not exist.
            UrdfError: If `tip` is not below `root`, or a floating, planar or mimic joint is there.
        """
        path = self.path(root, tip)
        on_path = {joint.name for joint in path}
        used = set(on_path)
        joints: list[Joint] = []
        inertials: list[Inertial] = []
        T = np.eye(4)
        for joint in path:
            T = T @ joint.T_parent_joint
            if joint.kind == "fixed":
                continue
            joints.append(_moving_joint(joint, T))
            inertials.append(self._lump(joint.child, on_path, used))
            T = np.eye(4)
        labels = _labels(used, self.joints)
        snaps = tuple(snap for snap in self.snaps if snap.element in labels)
        return SerialChain(root, tip, tuple(joints), tuple(inertials), frozen(T), snaps)

    def below(self, link: str) -> tuple[str, ...]:
        """The names of a link and of all links below it.

        Raises:
            UnknownNameError: If there is no such link.
        """
        if link not in self.links:
            raise UnknownNameError("link", link, self.links)
        found = [link]
        for name in found:  # it grows as we go
            found += [joint.child for joint in self.child_joints[name]]
        return tuple(found)

    def lump(self, link: str) -> Inertial:
        """A link and all that is below it as one body, joints at zero, in the link's frame.

        Raises:
            UnknownNameError: If there is no such link.
        """
        if link not in self.links:
            raise UnknownNameError("link", link, self.links)
        return self._lump(link, set(), set())

    def _lump(self, link: str, on_path: set[str], used: set[str]) -> Inertial:
        """All that moves with `link` while the joints of the path and no others move."""
        total = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
        queue: list[tuple[str, Transform]] = [(link, np.eye(4))]
        while queue:
            name, T = queue.pop()
            inertial = self.links[name].inertial
            if inertial is not None:
                total = total.combine(inertial.at(T))
            for joint in self.child_joints[name]:
                if joint.name not in on_path or joint.kind == "fixed":
                    used.add(joint.name)
                    queue.append((joint.child, T @ joint.T_parent_joint))
        return total


def _moving_joint(joint: UrdfJoint, T_parent_joint: Transform) -> Joint:
    if joint.kind not in MOVING:
        raise UrdfError(
            f"a {joint.kind} joint cannot be part of an arm; "
            "available: revolute, continuous, prismatic, fixed",
            label("joint", joint.name),
            joint.line,
        )
    if joint.mimic is not None:
        raise UrdfError(
            f"it follows {label('joint', joint.mimic)} (mimic) and cannot be part of an arm",
            label("joint", joint.name),
            joint.line,
        )
    return Joint(
        name=joint.name,
        kind=MOVING[joint.kind],
        T_parent_joint=T_parent_joint,
        axis=joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        velocity=joint.velocity,
        effort=joint.effort,
        damping=joint.damping,
        friction=joint.friction,
        link=joint.child,
    )


def _labels(names: Iterable[str], joints: Mapping[str, UrdfJoint]) -> frozenset[str]:
    """Names of the joints, and of the inertials of their child links, in snaps."""
    labels = set()
    for name in names:
        labels.add(label("joint", name))
        labels.add(f"inertial of {label('link', joints[name].child)}")
    return frozenset(labels)

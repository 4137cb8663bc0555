"""The model of an arm: frozen dataclasses with read-only arrays.

An `ArmModel` is a chain base -> mount -> joints -> last link -> hand -> tip. Change one with
`dataclasses.replace(model, payload=...)`. Objects pickle and copy with their arrays read-only.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array, rotation_defect, transform_array, vector_array
from baxterkit.errors import InputError, ModelError
from baxterkit.model.inertial import Inertial, Payload
from baxterkit.model.limits import Limits
from baxterkit.model.names import check_side
from baxterkit.model.shape import Solid
from baxterkit.spatial import nearest_rotation
from baxterkit.types import JointVector, Transform, Vector3, frozen

__all__ = ["ArmModel", "Inertial", "Joint", "Limits", "Payload", "Snap", "Tool"]

GRAVITY = (0.0, 0.0, -9.81)
"""Default gravity in base axes [m/s^2]."""
MOST_GRAVITY = 1e100
"""Largest gravity that is taken [m/s^2]."""
SNAP_TOLERANCE = 1e-8
"""An angle in a file this near [rad] to a multiple of pi/2 is taken to be that multiple."""

FARTHEST_LIMIT = 1e3
"""An angle beyond this [rad] is rounded by 1e-13 rad: too coarse for exact inverse kinematics."""


class Frozen:
    """Pickles and copies through the constructor, so that arrays stay read-only."""

    def __reduce__(self) -> tuple[object, ...]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return type(self), tuple(getattr(self, field.name) for field in fields)


@dataclass(frozen=True, eq=False)
class Joint(Frozen):
    """A joint of one degree of freedom. Limits are infinite where a joint has none.

    Attributes:
        name: As in the robot's messages, for example left_s0.
        kind: "revolute" or "prismatic".
        T_parent_joint: Joint frame at q = 0 in the frame of the link before it, shape (4, 4).
        axis: Unit vector along the axis, joint frame, shape (3,).
        lower: Least position [rad or m].
        upper: Greatest position [rad or m].
        velocity: Greatest speed [rad/s or m/s].
        effort: Greatest torque or force [N m or N].
        damping: Viscous friction [N m s/rad or N s/m], as the description states it.
        friction: Dry friction [N m or N], as the description states it.
        link: Name of the link that moves with the joint.
    """

    name: str
    kind: str
    T_parent_joint: Transform
    axis: Vector3 = dataclasses.field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    link: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise ModelError(
                f"joint {self.name} has kind {self.kind!r}; it must be revolute or prismatic"
            )
        _set(self, "T_parent_joint", rigid(self.T_parent_joint, f"{self.name}.T_parent_joint"))
        axis = vector_array(self.axis, f"{self.name}.axis")
        length = float(np.linalg.norm(axis))
        if axis.shape != (3,) or not length > 0.0:
            raise ModelError(f"joint {self.name} has axis {axis.tolist()}; it must be a direction")
        _set(self, "axis", frozen(axis if abs(length - 1.0) <= 2e-16 else axis / length))
        if not self.lower <= self.upper:
            raise ModelError(
                f"joint {self.name} has its lower limit {self.lower:g} above its upper one, "
                f"{self.upper:g}"
            )
        if self.kind == "revolute" and max(self.lower, -self.upper) > FARTHEST_LIMIT:
            raise ModelError(
                f"joint {self.name} has limits {self.lower:g} and {self.upper:g} rad, so that it "
                f"is never within {FARTHEST_LIMIT:g} rad of 0; take whole turns off them"
            )


@dataclass(frozen=True, eq=False)
class Tool(Frozen):
    """A tool, fixed to the hand.

    Attributes:
        name: Name, or "custom"; printable, since files that are written hold it.
        T_hand_tip: Tip in the hand's frame, shape (4, 4).
        inertial: Mass, in the hand's frame, or None if it weighs nothing.
        shape: Solids that contain it, in the hand's frame; none if that is not known.
    """

    name: str
    T_hand_tip: Transform
    inertial: Inertial | None = None
    shape: tuple[Solid, ...] = ()

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        links: Mapping[str, str] | None = None,
        T_hand_base: ArrayLike | None = None,
        *,
        name: str | None = None,
        shape: bool = True,
    ) -> Tool:
        """The tool that a URDF file describes: its mass, its tip and its collision geometry.

        Joints, as those of fingers, are at zero. Meshes become the boxes around them (extra
        `[mesh]`).

        Args:
            source: A path, or the text itself; a gripper alone, or a robot with one.
            links: Which links have a role: "base", the link that is bolted to the hand (the
                file's root if not given), and "tip", the frame of the tip (the last link if there
                is one only, or the only one with "tip", "tcp", "tool", "endpoint" or "grasp" in
                its name).
            T_hand_base: Pose of the base link in the hand's frame, shape (4, 4); the same frame if
                None.
            name: What it is called; the robot's name in the file if None.
            shape: Whether to read the collision geometry.

        Raises:
            UrdfError: If the file is not a valid URDF; names element and line.
            InputError: If it is not clear which link is the tip.
            UnknownNameError: If there is no such link.
        """
        from baxterkit.model.tool_files import tool_from_urdf

        return tool_from_urdf(source, links, T_hand_base, name, shape)

    @classmethod
    def from_mesh(
        cls,
        path: str | os.PathLike[str],
        *,
        density: float | None = None,
        mass: float | None = None,
        T_hand_mesh: ArrayLike | None = None,
        T_hand_tip: ArrayLike | None = None,
        scale: float = 1.0,
        hull: bool = False,
        name: str | None = None,
    ) -> Tool:
        """The tool of a mesh that is filled evenly: mass, inertia, tip and the box around it.

        Args:
            path: A file that trimesh reads: .stl, .obj, .ply, .dae and others (extra `[mesh]`).
            density: Density [kg/m^3]; or give `mass`.
            mass: Mass [kg].
            T_hand_mesh: Pose of the mesh's frame in the hand's, shape (4, 4); the same frame if
                None.
            T_hand_tip: Tip in the hand's frame, shape (4, 4); on the hand's z axis, at the end of
                the mesh, if None.
            scale: Metres in a unit of the file: 0.001 if it is in millimetres.
            hull: Whether to fill the convex hull: for a surface that is not closed.
            name: What it is called; the file's name if None.

        Raises:
            InputError: If the file is not a mesh, its surface is not closed, or it is larger than
                3 m.
            MissingExtraError: If trimesh is not installed.
        """
        from baxterkit.model.tool_files import tool_from_mesh

        return tool_from_mesh(
            path,
            density=density,
            mass=mass,
            T_hand_mesh=T_hand_mesh,
            T_hand_tip=T_hand_tip,
            scale=scale,
            hull=hull,
            name=name,
        )

    def __post_init__(self) -> None:
        name = self.name
        if not (isinstance(name, str) and name and name.isprintable() and name == name.strip()):
            raise ModelError(
                f"a tool's name must be printable text without spaces around it, got {name!r}"
            )
        _set(self, "T_hand_tip", rigid(self.T_hand_tip, "T_hand_tip"))
        if self.inertial is not None:
            _check_type(self.inertial, Inertial, f"inertial of tool {self.name}")
            self.inertial.check(f"tool {self.name}")
        for solid in self.shape:
            _check_type(solid, Solid, f"shape of tool {self.name}")
        _set(self, "shape", tuple(self.shape))


@dataclass(frozen=True)
class Snap:
    """An angle that was moved to the multiple of pi/2 next to it when a file was read.

    Attributes:
        element: The element in the file, as `joint 'left_s1'`.
        line: Its line, counted from 1.
        angle: "roll", "pitch" or "yaw".
        value: As written [rad].
        snapped: As used [rad].
    """

    element: str
    line: int
    angle: str
    value: float
    snapped: float

    def __str__(self) -> str:
        return (
            f"line {self.line}, {self.element}: {self.angle} {self.value!r} -> {self.snapped!r} "
            f"({self.snapped - self.value:+.1e} rad)"
        )


@dataclass(frozen=True, eq=False)
class ArmModel(Frozen):
    """A serial arm: geometry, limits and inertias.

    Attributes:
        side: "left" or "right".
        joints: From the base outwards. The first one's `T_parent_joint` is the identity, since
            `T_base_s0` holds the mount.
        inertials: One per joint: of everything that moves with it, in the joint's (URDF link)
            frame. The last one includes the hand, but neither tool nor payload.
        T_base_s0: The mount: first joint's frame at q = 0, in base, shape (4, 4).
        T_last_hand: Hand in the last joint's frame, shape (4, 4).
        tool: The tool on the hand; its tip is the arm's tip.
        payload: Body that the tip carries, or None.
        gravity: Gravity in base axes [m/s^2], shape (3,).
        snaps: Angles that reading a file moved to multiples of pi/2.
    """

    side: str
    joints: tuple[Joint, ...]
    inertials: tuple[Inertial, ...]
    T_base_s0: Transform
    T_last_hand: Transform
    tool: Tool
    payload: Payload | None = None
    gravity: Vector3 = dataclasses.field(default_factory=lambda: np.array(GRAVITY))
    snaps: tuple[Snap, ...] = ()

    def __post_init__(self) -> None:
        check_side(self.side)
        _check_type(self.tool, Tool, "tool")
        if self.payload is not None:
            _check_type(self.payload, Payload, "payload")
        _set(self, "joints", tuple(self.joints))
        _set(self, "inertials", tuple(self.inertials))
        _set(self, "snaps", tuple(self.snaps))
        if not self.joints:
            raise ModelError("an arm needs at least one joint")
        if len(self.inertials) != len(self.joints):
            raise ModelError(
                f"{len(self.joints)} joints need as many inertials, got {len(self.inertials)}"
            )
        names = [joint.name for joint in self.joints]
        if len(set(names)) != len(names):
            raise ModelError(f"joint names must differ, got {', '.join(names)}")
        if (self.joints[0].T_parent_joint != np.eye(4)).any():
            raise ModelError("the first joint's T_parent_joint must be the identity; use T_base_s0")
        _set(self, "T_base_s0", rigid(self.T_base_s0, "mount"))
        _set(self, "T_last_hand", rigid(self.T_last_hand, "T_last_hand"))
        gravity = vector_array(self.gravity, "gravity")
        if gravity.shape != (3,):
            raise InputError(f"gravity must be one vector of 3 values, got shape {gravity.shape}")
        most = float(np.abs(gravity).max())
        if most > MOST_GRAVITY:
            raise InputError(f"gravity = {most:g} m/s²; at most {MOST_GRAVITY:g} are taken")
        _set(self, "gravity", frozen(gravity))

    @property
    def dof(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, from the base outwards."""
        return tuple(joint.name for joint in self.joints)

    def joint_values(self, x: ArrayLike, name: str = "q", nan: bool = False) -> JointVector:
        """One value for each joint, checked, shape (*batch, dof); names are those of this arm.

        Args:
            x: Joint values, shape (*batch, dof), or values with names.
            name: The argument's name, for the message.
            nan: Whether NaN is accepted.

        Raises:
            ShapeError: If the last axis has another length.
            InputError: If a value is not finite, or a joint is missing.
        """
        return joint_array(x, name, self.dof, self.joint_names, nan)

    @property
    def T_hand_tip(self) -> Transform:
        """Tip in the hand's frame, shape (4, 4)."""
        return self.tool.T_hand_tip

    @cached_property
    def T_last_tip(self) -> Transform:
        """Tip in the last joint's frame, shape (4, 4)."""
        return frozen(self.T_last_hand @ self.T_hand_tip)

    @cached_property
    def limits(self) -> Limits:
        """Limits of all joints as arrays."""
        return Limits(
            lower=frozen([joint.lower for joint in self.joints]),
            upper=frozen([joint.upper for joint in self.joints]),
            velocity=frozen([joint.velocity for joint in self.joints]),
            effort=frozen([joint.effort for joint in self.joints]),
            names=self.joint_names,
            units=tuple("rad" if joint.kind == "revolute" else "m" for joint in self.joints),
        )

    def link_inertials(self) -> tuple[Inertial, ...]:
        """Inertials with tool and payload added to the last link, in the joints' frames."""
        return self._link_inertials

    @cached_property
    def _link_inertials(self) -> tuple[Inertial, ...]:
        last = self.inertials[-1]
        if self.tool.inertial is not None:
            last = last.combine(self.tool.inertial.at(self.T_last_hand))
        if self.payload is not None:
            last = last.combine(self.payload.inertial.at(self.T_last_tip))
        return (*self.inertials[:-1], last)

    @cached_property
    def is_baxter_geometry(self) -> bool:
        """Whether joints and hand are Baxter's nominal ones to 1e-12; the mount may be any."""
        from baxterkit.model.library import geometry_difference

        return geometry_difference(self) <= 1e-12


def rigid(T: ArrayLike, name: str) -> Transform:
    """Checks one rigid transform and freezes it.

    A matrix that is a rotation to 1e-6, but not to rounding, is replaced by the nearest rotation.

    Raises:
        ShapeError: If `T` is not 4 by 4.
        InputError: If it is not rigid.
    """
    array = transform_array(T, name)
    if array.ndim != 2:
        raise InputError(f"{name} must be one 4 by 4 transform, got shape {array.shape}")
    if rotation_defect(array[:3, :3]) > 1e-14:
        array = array.copy()
        array[:3, :3] = nearest_rotation(array[:3, :3])
    return frozen(array)


def _check_type(value: object, wanted: type, name: str) -> None:
    if not isinstance(value, wanted):
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        raise InputError(f"{name} must be {article} {wanted.__name__}, got {type(value).__name__}")


def _set(instance: object, name: str, value: object) -> None:
    object.__setattr__(instance, name, value)

"""The model of an arm: frozen dataclasses with read-only arrays.

An `ArmModel` is a chain base -> mount -> joints -> last link -> hand -> tip. Change one with
`dataclasses.replace(model, payload=...)`. Objects pickle and copy with their arrays read-only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baxterkit.checks.arrays import joint_array, vector_array
from baxterkit.errors import InputError, ModelError
from baxterkit.model.baxter_data import geometry_difference
from baxterkit.model.inertial import Inertial, Payload
from baxterkit.model.limits import Limits
from baxterkit.model.names import check_side
from baxterkit.model.parts import Frame, Frozen, Joint, Snap, check_type, rigid, set_field
from baxterkit.model.tool import Tool
from baxterkit.types import JointsLike, JointVector, Transform, Vector3, frozen

__all__ = [
    "GRAVITY",
    "ArmModel",
    "Frozen",
    "Inertial",
    "Joint",
    "Limits",
    "Payload",
    "Snap",
    "Tool",
    "rigid",
]

GRAVITY = (0.0, 0.0, -9.81)
"""Default gravity in base axes [m/s^2]."""
MOST_GRAVITY = 1e100
"""Largest gravity that is taken [m/s^2]."""


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
        frames: Frames on this arm that are elsewhere than nominally, as a robot's own file has its
            cameras.
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
    frames: tuple[Frame, ...] = ()

    def __post_init__(self) -> None:
        check_side(self.side)
        check_type(self.tool, Tool, "tool")
        if self.payload is not None:
            check_type(self.payload, Payload, "payload")
        set_field(self, "joints", tuple(self.joints))
        set_field(self, "inertials", tuple(self.inertials))
        set_field(self, "snaps", tuple(self.snaps))
        set_field(self, "frames", tuple(self.frames))
        for frame in self.frames:
            check_type(frame, Frame, "frames")
            if frame.body != self.side or frame.link not in range(len(self.joints)):
                raise ModelError(f"the frame {frame.name} is not on the {self.side} arm")
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
        set_field(self, "T_base_s0", rigid(self.T_base_s0, "mount"))
        set_field(self, "T_last_hand", rigid(self.T_last_hand, "T_last_hand"))
        gravity = vector_array(self.gravity, "gravity")
        if gravity.shape != (3,):
            raise InputError(f"gravity must be one vector of 3 values, got shape {gravity.shape}")
        most = float(np.abs(gravity).max())
        if most > MOST_GRAVITY:
            raise InputError(f"gravity = {most:g} m/s²; at most {MOST_GRAVITY:g} are taken")
        set_field(self, "gravity", frozen(gravity))

    @property
    def dof(self) -> int:
        """Number of joints of the arm: 7."""
        return len(self.joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, from the base outwards."""
        return tuple(joint.name for joint in self.joints)

    def joint_values(self, x: JointsLike, name: str = "q", nan: bool = False) -> JointVector:
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
        return geometry_difference(self) <= 1e-12

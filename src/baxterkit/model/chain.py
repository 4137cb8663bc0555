"""A serial chain of moving joints, from a URDF or an arm."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.model.inertial import Inertial
from baxterkit.model.parts import Joint, Snap
from baxterkit.types import Transform


@dataclass(frozen=True, eq=False)
class SerialChain:
    """The moving joints between two links; bodies fixed to a link are lumped into it.

    Attributes:
        root: Name of the first link.
        tip: Name of the last link.
        joints: Moving joints; the first one's `T_parent_joint` starts at the root link's frame.
        inertials: Inertial of everything that moves with each joint, in the joint's frame: its link
            and all links attached to it. Joints beside the chain are held at zero.
        T_last_tip: Tip in the last joint's frame (in the root's, without joints), shape (4, 4).
        snaps: The snaps of the elements that the chain is made of.
    """

    root: str
    tip: str
    joints: tuple[Joint, ...]
    inertials: tuple[Inertial, ...]
    T_last_tip: Transform
    snaps: tuple[Snap, ...]

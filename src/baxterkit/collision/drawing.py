"""The body of an arm with its tool as capsules to draw, and for the twin's contacts."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.collision.body import ARM_LINKS
from baxterkit.collision.hand import arm_body
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.types import Vector3, frozen


@dataclass(frozen=True, eq=False)
class DrawnCapsule(Frozen):
    """All points within `radius` of a segment, on an arm.

    Attributes:
        frame: The joint frame it is fixed to, 0 to 6 for s0 to w2.
        link: The link that it is of, as in `baxterkit.collision.LINKS`: "left_w0"; "left_fingers"
            for all that the hand carries.
        start: One end of the segment, in that frame [m], shape (3,).
        end: The other end [m], shape (3,).
        radius: Radius [m].
        is_finger: Whether it is of a finger, and so moves when the hand opens.
    """

    frame: int
    link: str
    start: Vector3
    end: Vector3
    radius: float
    is_finger: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", frozen(self.start))
        object.__setattr__(self, "end", frozen(self.end))


def arm_capsules(model: ArmModel, opening: float = 1.0) -> tuple[DrawnCapsule, ...]:
    """The arm's links, its tool and its payload: the capsules that are checked.

    Args:
        model: An arm with Baxter's joints.
        opening: Gripper opening from 0 (closed) to 1 (open).
    """
    capsules = []
    for capsule in arm_body(model):
        shift = opening * capsule.slide
        ends = (capsule.start + shift, capsule.end + shift)
        frame, link = min(ARM_LINKS.index(capsule.link), 6), f"{model.side}_{capsule.link}"
        moves = bool(capsule.slide.any())
        capsules.append(DrawnCapsule(frame, link, *ends, capsule.radius, moves))
    return tuple(capsules)

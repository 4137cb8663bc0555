"""The body of an arm with its tool as capsules to draw, and for the twin's contacts."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.collision.body import ARM_LINKS, FINGERS, load_body
from baxterkit.collision.hand import WITH_FINGERS, tool_capsules
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.types import Vector3, frozen

__all__ = ["DrawnCapsule", "arm_capsules"]


@dataclass(frozen=True, eq=False)
class DrawnCapsule(Frozen):
    """All points within `radius` of a segment, on an arm.

    Attributes:
        frame: The joint frame it is fixed to, 0 to 6 for s0 to w2.
        link: The link that it is of, with its side, for example "left_w0", or "left_tool".
        start: One end of the segment, in that frame [m], shape (3,).
        end: The other end [m], shape (3,).
        radius: Radius [m].
    """

    frame: int
    link: str
    start: Vector3
    end: Vector3
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", frozen(self.start))
        object.__setattr__(self, "end", frozen(self.end))

    @property
    def is_finger(self) -> bool:
        """Whether it is of a finger, and so moves when the hand opens."""
        return self.link.endswith(FINGERS)


def arm_capsules(model: ArmModel, opening: float = 1.0) -> tuple[DrawnCapsule, ...]:
    """The arm's links as in the body, then its tool and its payload.

    Args:
        model: An arm with Baxter's joints. The fingers are those of the body if that is its tool,
            and its shape is not given.
        opening: Of the fingers, 0 (closed) to 1 (open).
    """
    fingers = model.tool.name == WITH_FINGERS and not model.tool.shape
    capsules = []
    for capsule in load_body().capsules:
        if capsule.link == FINGERS and not fingers:
            continue
        frame = min(ARM_LINKS.index(capsule.link), 6)
        shift = opening * capsule.slide
        ends = (capsule.start + shift, capsule.end + shift)
        capsules.append(DrawnCapsule(frame, f"{model.side}_{capsule.link}", *ends, capsule.radius))
    for tool in tool_capsules(model):
        capsules.append(DrawnCapsule(6, f"{model.side}_tool", tool.start, tool.end, tool.radius))
    return tuple(capsules)

"""The body of an arm with its tool as capsules to draw, and for the twin's contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.collision.body import ARM_LINKS, FINGERS, load_body
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.types import Vector3, frozen

__all__ = ["WITH_FINGERS", "DrawnCapsule", "arm_capsules"]

TOOL_RADIUS = 0.03
"""Radius of a tool between hand and tip [m]."""
WITH_FINGERS = "electric_extended"
"""The tool whose fingers the body has."""


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
    """The arm's links as in the body, then its tool.

    Args:
        model: An arm with Baxter's joints. The fingers are those of the body if that is its tool;
            a capsule from hand to tip stands for another one, if it is longer than it is wide.
        opening: Of the fingers, 0 (closed) to 1 (open).
    """
    capsules = []
    for capsule in load_body().capsules:
        if capsule.link == FINGERS and model.tool.name != WITH_FINGERS:
            continue
        frame = min(ARM_LINKS.index(capsule.link), 6)
        shift = opening * capsule.slide
        ends = (capsule.start + shift, capsule.end + shift)
        capsules.append(DrawnCapsule(frame, f"{model.side}_{capsule.link}", *ends, capsule.radius))
    hand, tip = model.T_last_hand[:3, 3], model.T_last_tip[:3, 3]
    length = float(np.linalg.norm(tip - hand))
    if length > TOOL_RADIUS and model.tool.name != WITH_FINGERS:
        # The rounded end stops at the tip.
        end = tip - min(TOOL_RADIUS, length) * (tip - hand) / length
        capsules.append(DrawnCapsule(6, f"{model.side}_tool", hand, end, TOOL_RADIUS))
    return tuple(capsules)

"""The robot's body as capsules: for contacts, clearances and drawings where there are no meshes.

A capsule is a segment with a radius. Those of the arm follow the collision cylinders of the
published description (radius 0.06 m, hand 0.04 m), shortened at the ends by the rounding. The
description has only meshes for torso, pedestal and head: these capsules are our own, and a little
slimmer than the robot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.model.model import ArmModel, Frozen
from baxterkit.types import Vector3, frozen

__all__ = ["BODY", "HEAD", "LINKS", "Capsule", "arm_capsules", "shoulder"]

TOOL_RADIUS = 0.03
"""Radius of a tool between hand and tip [m]."""


@dataclass(frozen=True, eq=False)
class Capsule(Frozen):
    """All points within `radius` of a segment.

    Attributes:
        frame: The frame it is fixed to: "base", "head", or a joint's short name, s0 ... w2.
        start: One end of the segment, in that frame [m], shape (3,).
        end: The other end [m], shape (3,).
        radius: Radius [m].
        part: Part of the robot that it represents, for example "forearm".
    """

    frame: str
    start: Vector3
    end: Vector3
    radius: float
    part: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", frozen(self.start))
        object.__setattr__(self, "end", frozen(self.end))


def _along_z(frame: str, start: float, end: float, radius: float, part: str) -> Capsule:
    return Capsule(frame, np.array([0, 0, start]), np.array([0, 0, end]), radius, part)


LINKS = (
    _along_z("s0", 0.06, 0.27, 0.06, "shoulder"),
    _along_z("s1", -0.05, 0.05, 0.06, "shoulder joint"),
    _along_z("e0", -0.04, 0.24, 0.06, "upper arm"),
    _along_z("e1", -0.04, 0.04, 0.06, "elbow"),
    _along_z("w0", -0.03, 0.25, 0.055, "forearm"),
    _along_z("w1", -0.04, 0.04, 0.05, "wrist joint"),
    _along_z("w2", -0.04, 0.08, 0.04, "hand"),
)
"""One capsule for each moving link, both arms alike."""

BODY = (
    Capsule("base", np.array([-0.03, 0.0, 0.08]), np.array([-0.03, 0.0, 0.52]), 0.13, "torso"),
    Capsule("base", np.array([0.0, 0.0, -0.80]), np.array([0.0, 0.0, -0.05]), 0.12, "pedestal"),
)
"""Capsules fixed to base."""

HEAD = (Capsule("head", np.array([0.1, -0.07, 0.0]), np.array([0.1, 0.07, 0.0]), 0.06, "screen"),)
"""Capsules that turn with the head."""


def arm_capsules(model: ArmModel) -> tuple[Capsule, ...]:
    """The arm's links, and its tool if that is longer than it is wide.

    Args:
        model: An arm with Baxter's seven joints; the tool's capsule runs from hand to tip.
    """
    hand, tip = model.T_last_hand[:3, 3], model.T_last_tip[:3, 3]
    length = float(np.linalg.norm(tip - hand))
    if length <= TOOL_RADIUS:
        return LINKS
    # The rounded end stops at the tip.
    end = tip - min(TOOL_RADIUS, length) * (tip - hand) / length
    return (*LINKS, Capsule("w2", hand, end, TOOL_RADIUS, "tool"))


def shoulder(model: ArmModel) -> Capsule:
    """The mount between torso and arm, in base: only for drawings, since it touches the arm."""
    end = model.T_base_s0[:3, 3] + np.array([0.0, 0.0, 0.05])
    start = np.array([BODY[0].start[0], 0.25 * end[1], end[2] + 0.02])
    return Capsule("base", start, end, 0.065, "shoulder mount")

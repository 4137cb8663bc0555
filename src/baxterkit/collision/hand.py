"""The capsules of an arm: its links, and what its hand carries, its tool and its payload.

What the hand carries rides on w2 and counts as one link, "fingers". A tool that was sold with the
robot has its own body (`tools.toml`), a tool with a shape is covered by it, and any other is a
capsule from the hand to its tip.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.collision.body import ARM_LINKS, FINGERS, BodyCapsule, load_body
from baxterkit.collision.cover import covering_capsules
from baxterkit.collision.tool_bodies import tool_body, tool_reach
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.model.shape import Solid
from baxterkit.model.tool import ANY_ELECTRIC, ANY_GRIPPER, full_name
from baxterkit.types import Transform, Vector3, frozen

TOOL_RADIUS = 0.03
"""Radius of a tool of unknown shape between hand and tip [m]."""
UNKNOWN = (np.nan, np.nan)


def arm_body(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """The capsules of an arm: links, then the tool, then the payload."""
    return (*load_body().capsules, *hand_body(model))


def hand_body(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """The capsules of an arm's tool and payload."""
    return (*_sold(model), *carried_capsules(model))


def has_fingers(model: ArmModel) -> bool:
    """Whether the tool is an electric gripper, whose fingers move."""
    return any(capsule.slide.any() for capsule in _sold(model))


def carried_capsules(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """Capsules of the tool and of the payload, as far as they are not a tool that was sold.

    Solids of a tool and of a payload are covered, with up to 10 mm more. Where the tip of a tool
    without a shape is farther out than that of the tool whose body it has, a capsule from hand to
    tip is added.
    """
    hand, tip = model.T_last_hand, model.T_last_tip
    capsules: list[BodyCapsule] = []
    for solid in model.tool.shape:
        capsules += _cover(solid, hand)
    if not model.tool.shape:
        axis = tip[:3, 3] - hand[:3, 3]
        length = float(np.linalg.norm(axis))
        if length > tool_reach(model.tool.name) + TOOL_RADIUS:
            # The rounded end stops at the tip.
            end = tip[:3, 3] - min(TOOL_RADIUS, length * (1.0 - 1e-6)) * axis / length
            capsules.append(_capsule(hand[:3, 3], end, TOOL_RADIUS))
    if model.payload is not None:
        for solid in model.payload.shape:
            capsules += _cover(solid, tip)
    return tuple(capsules)


def _sold(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """Capsules of the tool's own body; a shape takes its place, unless the tool is not known."""
    name = full_name(model.tool.name)
    if model.tool.shape and name not in (ANY_ELECTRIC, ANY_GRIPPER):
        return ()
    return tool_body(name) or ()


def _cover(solid: Solid, T_link_frame: Transform) -> list[BodyCapsule]:
    T = T_link_frame @ solid.T
    rows = covering_capsules(solid.kind, solid.size)
    starts, ends = (x @ T[:3, :3].T + T[:3, 3] for x in (rows[:, :3], rows[:, 3:6]))
    return [_capsule(*row) for row in zip(starts, ends, rows[:, 6].tolist(), strict=True)]


def _capsule(start: np.ndarray, end: np.ndarray, radius: float) -> BodyCapsule:
    return BodyCapsule(FINGERS, start, end, radius, np.zeros(3), UNKNOWN)


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

"""What an arm's hand carries, as capsules: the gripper's fingers, the arm's tool, its payload.

All of it rides on w2 and counts as one link, "fingers".
"""

from __future__ import annotations

import numpy as np

from baxterkit.collision.body import FINGERS, BodyCapsule, load_body
from baxterkit.collision.cover import covering_capsules
from baxterkit.model.model import ArmModel
from baxterkit.model.shape import Solid
from baxterkit.types import Transform

__all__ = ["WITH_FINGERS", "arm_body", "tool_capsules"]

TOOL_RADIUS = 0.03
"""Radius of a tool of unknown shape between hand and tip [m]."""
WITH_FINGERS = "electric_extended"
"""The tool whose fingers the body has."""
ON_THE_BODY = ("hand", WITH_FINGERS)
"""Tools that the body has: none, and its gripper."""
UNKNOWN = (np.nan, np.nan)


def arm_body(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """The capsules of an arm: links, then the fingers or the tool, then the payload.

    The gripper's fingers are there unless the shape of the tool is known.
    """
    capsules = load_body().capsules
    if model.tool.shape:
        capsules = tuple(capsule for capsule in capsules if capsule.link != FINGERS)
    return (*capsules, *tool_capsules(model))


def tool_capsules(model: ArmModel) -> tuple[BodyCapsule, ...]:
    """Capsules of the tool and of the payload, where they are not the gripper of the body.

    Solids of a tool and of a payload are covered, with up to 10 mm more. For a tool of unknown
    shape a capsule from hand to tip stands, if it is longer than wide.
    """
    hand, tip = model.T_last_hand, model.T_last_tip
    capsules: list[BodyCapsule] = []
    for solid in model.tool.shape:
        capsules += _cover(solid, hand)
    if not model.tool.shape and model.tool.name not in ON_THE_BODY:
        way = tip[:3, 3] - hand[:3, 3]
        length = float(np.linalg.norm(way))
        if length > TOOL_RADIUS:
            # The rounded end stops at the tip.
            end = tip[:3, 3] - min(TOOL_RADIUS, length * (1.0 - 1e-6)) * way / length
            capsules.append(_capsule(hand[:3, 3], end, TOOL_RADIUS))
    if model.payload is not None:
        for solid in model.payload.shape:
            capsules += _cover(solid, tip)
    return tuple(capsules)


def _cover(solid: Solid, T_link_frame: Transform) -> list[BodyCapsule]:
    T = T_link_frame @ solid.T
    rows = covering_capsules(solid.kind, solid.size)
    starts, ends = (x @ T[:3, :3].T + T[:3, 3] for x in (rows[:, :3], rows[:, 3:6]))
    return [_capsule(*row) for row in zip(starts, ends, rows[:, 6].tolist(), strict=True)]


def _capsule(start: np.ndarray, end: np.ndarray, radius: float) -> BodyCapsule:
    return BodyCapsule(FINGERS, start, end, radius, np.zeros(3), UNKNOWN)

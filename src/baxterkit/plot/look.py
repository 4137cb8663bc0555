"""Baxter's look, of our own: capsules and drums around the joint frames, a torso, a head.

Sizes along the arm follow from the joint frames of the model; thicknesses are chosen by eye from
pictures of the robot, and serve only for drawing. Tools are drawn with the shape that is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from baxterkit.collision.body import FINGERS
from baxterkit.collision.drawing import arm_capsules
from baxterkit.model.model import ArmModel
from baxterkit.plot.shapes import Mesh, capsule, drum, merged, slab

Color: TypeAlias = tuple[int, int, int]

CHARCOAL: Color = (58, 62, 70)
STEEL: Color = (150, 156, 165)
PALE: Color = (228, 231, 235)
SHELLS: dict[str, Color] = {"left": (86, 180, 233), "right": (230, 159, 0)}
"""The colours of the arms in all figures: Okabe and Ito's sky blue and orange."""

FLOOR = -0.93
"""Height of the floor below the base frame with the usual pedestal [m]."""
T_HEAD_GLASS = np.array(
    [[0.0, 0.0, 1.0, 0.112], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.02], [0.0, 0.0, 0.0, 1.0]]
)
"""Middle of the screen in the head's frame: x right and y up for the viewer."""
GLASS_SIZE = (0.27, 0.17)
"""Width and height of the picture on it [m]."""


@dataclass(frozen=True, eq=False)
class Part:
    """One coloured mesh that moves with a frame.

    Attributes:
        frame: Index of the link frame that carries it: 0 to 6 for s0 … w2.
        name: Its name.
        mesh: Its mesh, in that frame.
        color: Its colour.
    """

    frame: int
    name: str
    mesh: Mesh
    color: Color


SHELL_RADII = (0.068, 0.058, 0.062, 0.052, 0.052, 0.044, 0.040)
JOINT_RADII = (0.082, 0.078, 0.064, 0.066, 0.054, 0.056, 0.046)
JOINT_HEIGHTS = (0.11, 0.15, 0.10, 0.125, 0.09, 0.105, 0.07)


def arm_parts(model: ArmModel) -> list[Part]:
    """The parts of one arm: a dark drum about every joint axis, a coloured shell to the next joint.

    Args:
        model: The arm.
    """
    parts = []
    shell_color = SHELLS[model.side]
    for i in range(7):
        drum_mesh = drum((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), JOINT_RADII[i], JOINT_HEIGHTS[i])
        parts.append(Part(i, "joint", drum_mesh, CHARCOAL))
        onward = (model.joints[i + 1].T_parent_joint if i < 6 else model.T_last_hand)[:3, 3]
        corner = np.array([0.0, 0.0, onward[2]])
        taper = 0.92 * SHELL_RADII[i]
        pieces = []
        if onward[2] > 0.02:
            pieces.append(capsule((0.0, 0.0, 0.0), corner, SHELL_RADII[i], taper))
        if abs(onward[0]) > 0.02:
            pieces.append(capsule(corner, onward, taper))
        parts.append(Part(i, "shell", merged(pieces), shell_color))
    return parts + hand_parts(model)


def hand_parts(model: ArmModel) -> list[Part]:
    """The cuff, and what the hand carries as it is checked: tool and payload, fingers open."""
    cuff = drum((0.0, 0.0, -0.012), (0.0, 0.0, 1.0), 0.046, 0.03, 0.008)
    T, last = model.T_last_hand, len(model.joints) - 1
    parts = [Part(last, "cuff", cuff.moved(T[:3, :3], T[:3, 3]), CHARCOAL)]
    carried = [piece for piece in arm_capsules(model) if piece.link.endswith(FINGERS)]
    for name, color, moves in (("tool", STEEL, False), ("fingers", CHARCOAL, True)):
        meshes = [
            capsule(piece.start, piece.end, piece.radius)
            for piece in carried
            if piece.is_finger is moves
        ]
        if meshes:
            parts.append(Part(last, name, merged(meshes), color))
    return parts


def contact_parts(model: ArmModel) -> list[Part]:
    """The capsules of an arm in the twin's contacts."""
    parts = []
    for i, piece in enumerate(arm_capsules(model)):
        mesh = capsule(piece.start, piece.end, piece.radius)
        parts.append(Part(piece.frame, f"contact{i}", mesh, STEEL))
    return parts


def torso_parts() -> list[tuple[str, Mesh, Color]]:
    """Torso and pedestal in the base frame: name, mesh, colour."""
    chest = slab((-0.06, 0.0, 0.23), (0.26, 0.36, 0.46), 0.07)
    shoulders = capsule((0.0, -0.17, 0.13), (0.0, 0.17, 0.13), 0.10)
    neck = drum((0.02, 0.0, 0.53), (0.0, 0.0, 1.0), 0.055, 0.2)
    mounts = [
        drum((0.064, sign * 0.259, 0.07), (0.0, 0.0, 1.0), 0.088, 0.16) for sign in (1.0, -1.0)
    ]
    column = drum((-0.07, 0.0, -0.42), (0.0, 0.0, 1.0), 0.10, 0.86, 0.02)
    hips = drum((-0.06, 0.0, -0.02), (0.0, 0.0, 1.0), 0.15, 0.12, 0.03)
    feet = [
        capsule(
            (-0.07, 0.0, FLOOR + 0.05),
            (-0.07 + 0.36 * np.cos(angle), 0.36 * np.sin(angle), FLOOR + 0.05),
            0.045,
        )
        for angle in np.pi * (0.25 + 0.5 * np.arange(4))
    ]
    return [
        ("chest", merged([chest, shoulders]), PALE),
        ("dark", merged([neck, hips, *mounts]), CHARCOAL),
        ("pedestal", merged([column, *feet]), STEEL),
    ]


def head_parts() -> list[tuple[str, Mesh, Color]]:
    """The screen's housing, in the head's frame: name, mesh, colour. x looks forward."""
    housing = slab((0.075, 0.0, 0.02), (0.07, 0.32, 0.22), 0.03)
    neck = capsule((0.0, 0.0, -0.04), (0.06, 0.0, 0.0), 0.045)
    return [("housing", merged([housing, neck]), CHARCOAL)]

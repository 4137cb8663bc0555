"""Baxter's look, of our own: capsules and drums around the joint frames, a torso, a head.

Sizes along the arm follow from the joint frames of the model; thicknesses are chosen by eye from
pictures of the robot, and serve only for drawing. Tools are drawn with the shape that is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.collision.body import FINGERS
from baxterkit.collision.hand import arm_capsules
from baxterkit.collision.obstacle import FLOOR
from baxterkit.look.colors import ARM_COLORS, BLUE, Color, rgb
from baxterkit.look.shapes import Mesh, capsule, drum, merged, slab
from baxterkit.model.model import ArmModel
from baxterkit.types import Transform, Vector3

CHARCOAL: Color = (58, 62, 70)
STEEL: Color = (150, 156, 165)
PALE: Color = (228, 231, 235)

T_HEAD_GLASS = np.array(
    [[0.0, 0.0, 1.0, 0.112], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.02], [0.0, 0.0, 0.0, 1.0]]
)
"""Middle of the screen in the head's frame: x right and y up for the viewer."""
GLASS_SIZE = (0.27, 0.17)
"""Width and height of the picture on it [m]."""

GLASS, WHITE, IRIS, PUPIL = (24, 34, 48), (245, 247, 250), rgb(BLUE), (15, 18, 22)
"""Colours of the face on the screen."""
EYE = (
    ("white ", 0.21, 0.0055, WHITE),
    ("iris ", 0.11, 0.0070, IRIS),
    ("pupil ", 0.055, 0.0085, PUPIL),
)
"""Discs of an eye: name, radius as a part of the screen's height, height [m], colour."""


@dataclass(frozen=True, eq=False)
class Part:
    """One coloured mesh that moves with a frame.

    Attributes:
        frame: Index of the link frame that carries it: 0 to 6 for s0 … w2.
        name: Its name.
        mesh: Its mesh, in that frame; of a finger that moves, closed.
        color: Its colour.
        slide: How far a finger moves from closed to open, in that frame [m], shape (3,); None for
            a part that does not move.
    """

    frame: int
    name: str
    mesh: Mesh
    color: Color
    slide: Vector3 | None = None

    def at(self, opening: float) -> Mesh:
        """The mesh in its frame, with the hand from closed (0) to open (1)."""
        if self.slide is None:
            return self.mesh
        return self.mesh.moved(np.eye(3), opening * self.slide)

    def placed(self, Ts_base_link: Transform, opening: float = 1.0) -> Mesh:
        """The mesh in base, with link frames (8, 4, 4) and an opening from 0 (closed) to 1."""
        T = Ts_base_link[self.frame]
        return self.at(opening).moved(T[:3, :3], T[:3, 3])


SHELL_RADII = (0.068, 0.058, 0.062, 0.052, 0.052, 0.044, 0.040)
JOINT_RADII = (0.082, 0.078, 0.064, 0.066, 0.054, 0.056, 0.046)
JOINT_HEIGHTS = (0.11, 0.15, 0.10, 0.125, 0.09, 0.105, 0.07)


def arm_parts(model: ArmModel) -> list[Part]:
    """The parts of one arm: a dark drum about every joint axis, a coloured shell to the next joint.

    Args:
        model: The arm.
    """
    parts = []
    shell_color = rgb(ARM_COLORS[model.side])
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
    """The cuff, and what the hand carries as it is checked: tool, payload, both fingers."""
    cuff = drum((0.0, 0.0, -0.012), (0.0, 0.0, 1.0), 0.046, 0.03, 0.008)
    T, last = model.T_last_hand, len(model.joints) - 1
    parts = [Part(last, "cuff", cuff.moved(T[:3, :3], T[:3, 3]), CHARCOAL)]
    pieces = zip(arm_capsules(model, opening=0.0), arm_capsules(model), strict=True)
    carried: dict[tuple[float, ...], list[Mesh]] = {}
    for closed, opened in pieces:
        if closed.link.endswith(FINGERS):
            slide = tuple((opened.start - closed.start).round(9).tolist())
            mesh = capsule(closed.start, closed.end, closed.radius)
            carried.setdefault(slide if closed.is_finger else (), []).append(mesh)
    for n, (slide, meshes) in enumerate(sorted(carried.items())):
        if slide:
            parts.append(Part(last, f"finger{n}", merged(meshes), CHARCOAL, np.array(slide)))
        else:
            parts.append(Part(last, "tool", merged(meshes), STEEL))
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


def face_parts(
    T_head_glass: Transform = T_HEAD_GLASS, size: tuple[float, float] = GLASS_SIZE
) -> list[tuple[str, Mesh, Color]]:
    """The glass with two eyes, in the head's frame: name, mesh, colour.

    Args:
        T_head_glass: Middle of the screen, x right and y up for the viewer, shape (4, 4).
        size: Width and height of the picture on it [m].
    """
    width, height = size
    found = [("glass", slab((0.0, 0.0, 0.0), (width, height, 0.008), 0.003), GLASS)]
    for side in (-1.0, 1.0):
        for name, part, z, color in EYE:
            middle = (0.2 * side * width, 0.04 * height, z)
            mesh = drum(middle, (0.0, 0.0, 1.0), part * height, 0.004, 0.001)
            found.append((f"{name}{'left' if side > 0.0 else 'right'}", mesh, color))
    R, p = T_head_glass[:3, :3], T_head_glass[:3, 3]
    return [(name, mesh.moved(R, p), color) for name, mesh, color in found]


def head_parts() -> list[tuple[str, Mesh, Color]]:
    """The screen's housing, in the head's frame: name, mesh, colour. x looks forward."""
    housing = slab((0.075, 0.0, 0.02), (0.07, 0.32, 0.22), 0.03)
    neck = capsule((0.0, 0.0, -0.04), (0.06, 0.0, 0.0), 0.045)
    return [("housing", merged([housing, neck]), CHARCOAL)]

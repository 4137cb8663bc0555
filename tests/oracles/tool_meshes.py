"""The meshes of the tools that were sold with the robot, placed as in Rethink's xacro files.

The electric gripper's are in the folder that BAXTERKIT_MESHES names; the vacuum gripper's is in
`rethink_ee_description` of RethinkRobotics/baxter_common, which BAXTERKIT_TOOL_MESHES names.
Fingers are in slot 2 of the gripper, 1.5 mm from the middle when closed, and grip inwards; each
carries all four finger tips at once, so that the truth holds for every one of them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit import spatial

ELECTRIC = "electric_gripper"
TIPS = ("basic_soft_tip", "basic_hard_tip", "half_round_tip", "paddle_tip")
SETS = {
    "standard_narrow": (0.075, 0.01725),
    "standard_wide": (0.075, 0.05503),
    "extended_narrow": (0.1127, 0.01725),
    "extended_wide": (0.1127, 0.05503),
}
"""Finger set -> length of a finger, and its offset from its slot [m], of fingers/*.xacro."""
TOOLS = ("hand", "vacuum", *(f"electric_{name}" for name in SETS))
STROKE = 0.020833
"""Travel of a finger from closed to open [m]."""
SLOT = 0.0095 - 0.011
"""Position of a finger in slot 2 [m]: along y for the one that opens along +y."""
Z_BASE, Z_SLIDE = 0.025, 0.02
"""From the hand to the gripper's base, and from there to the fingers' joints [m]."""


@dataclass(frozen=True)
class ToolMesh:
    """A mesh of a tool.

    Attributes:
        path: Its file.
        T: Its pose in the hand's frame, fingers closed, shape (4, 4).
        opens: +1 or -1 for a finger that opens along +y or -y; 0 for what does not move.
    """

    path: Path
    T: np.ndarray
    opens: int = 0


def tool_meshes(tool: str) -> list[ToolMesh]:
    """The meshes of a tool; none for a bare hand."""
    if tool == "hand":
        return []
    if tool == "vacuum":
        folder = Path(os.environ["BAXTERKIT_TOOL_MESHES"]) / "meshes" / "pneumatic_gripper"
        return [ToolMesh(folder / "pneumatic_gripper_w_cup.DAE", _pose((0, np.pi, np.pi)))]
    folder = Path(os.environ["BAXTERKIT_MESHES"]) / "meshes" / ELECTRIC
    name = tool.removeprefix("electric_")
    length, width = SETS[name]
    turned = _pose((-np.pi / 2, np.pi, 0), (0, 0, Z_BASE))
    found = [ToolMesh(folder / "electric_gripper_base.DAE", turned)]
    for side in (1, -1):
        slot = np.array([0.0, side * SLOT, Z_BASE + Z_SLIDE])
        turn = (0.0, 0.0, -np.pi / 2 * (side + 1))
        found.append(ToolMesh(folder / "fingers" / f"{name}.DAE", _pose(turn, slot), side))
        for tip in TIPS:
            T = _pose((0, 0, np.pi * (side + 1) / 2), slot + np.array([0, side * width, length]))
            found.append(ToolMesh(folder / "fingers" / f"{tip}.DAE", T, side))
    return found


def _pose(rpy: tuple[float, float, float], xyz: np.ndarray | tuple[float, ...] = (0, 0, 0)):  # type: ignore[no-untyped-def]
    return spatial.transform(spatial.rpy_to_matrix(np.array(rpy)), np.array(xyz, dtype=float))

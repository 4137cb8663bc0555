"""What stands in a box: a box, a table, a shelf; and where new objects of each kind come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from baxterkit.collision.obstacle import FLOOR

BOARD, TOP, LEG = 0.02, 0.04, 0.05
"""Thickness of a shelf's boards, a table's top and its legs [m]; a quarter of the side at most."""
NEW: dict[str, tuple[tuple[float, ...], tuple[float, float, float]]] = {
    "box": ((0.12, 0.12, 0.40), (0.75, 0.0, 0.10)),
    "table": ((0.7, 1.4, 0.83), (0.85, 0.0, -0.515)),
    "shelf": ((0.30, 0.90, 0.80), (0.95, 0.0, 0.30)),
    "sphere": ((0.08,), (0.75, 0.0, 0.10)),
    "cylinder": ((0.40, 0.06), (0.75, 0.0, 0.10)),
    "capsule": ((0.30, 0.06), (0.75, 0.0, 0.10)),
    "plane": ((), (0.85, 0.0, FLOOR)),
}
"""Size of a new object, as `World` has it, and its middle in base [m]: a table stands on the floor,
a shelf on such a table, a plane is the floor."""

Parts: TypeAlias = dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]]
"""By name, the sides of a box and its middle in the frame of the object [m]."""


def _box(x: float, y: float, z: float) -> Parts:
    return {"": ((x, y, z), (0.0, 0.0, 0.0))}


def _table(x: float, y: float, z: float) -> Parts:
    """A top and four legs."""
    top, leg = min(TOP, z / 4.0), min(LEG, x / 4.0, y / 4.0)
    parts: Parts = {"top": ((x, y, top), (0.0, 0.0, (z - top) / 2.0))}
    for number, (a, b) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)), start=1):
        middle = (a * (x - leg) / 2.0, b * (y - leg) / 2.0, -top / 2.0)
        parts[f"leg {number}"] = ((leg, leg, z - top), middle)
    return parts


def _shelf(x: float, y: float, z: float) -> Parts:
    """Two sides and three boards."""
    t = min(BOARD, min(x, y, z) / 4.0)
    parts: Parts = {}
    for name, sign in (("left side", 1.0), ("right side", -1.0)):
        parts[name] = ((x, t, z), (0.0, sign * (y - t) / 2.0, 0.0))
    for name, sign in (("top", 1.0), ("middle board", 0.0), ("bottom", -1.0)):
        parts[name] = ((x, y, t), (0.0, 0.0, sign * (z - t) / 2.0))
    return parts


FORMS: dict[str, Callable[[float, float, float], Parts]] = {
    "box": _box,
    "table": _table,
    "shelf": _shelf,
}
"""What a user can put around the robot, by the sides of the box around it [m]."""

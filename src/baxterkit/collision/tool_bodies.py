"""The bodies of the tools that were sold with the robot: `tools.toml`, read once.

Two more stand for a tool that is not known: "electric_gripper" contains the electric gripper with
every set of fingers, "gripper" contains every tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from baxterkit.collision.body import FINGERS, BodyCapsule
from baxterkit.model.library import load_baxter
from baxterkit.model.tool import ANY_ELECTRIC, ANY_GRIPPER, full_name
from baxterkit.types import Vector3

HALF_TURN = np.array([-1.0, -1.0, 1.0])


@dataclass(frozen=True)
class ToolBodies:
    """The bodies of all tools.

    Attributes:
        bodies: Tool -> its capsules in the frame of w2, closed; none for a bare hand.
        stroke: Travel of a finger from closed to open [m].
        source: Sources of the numbers, by topic.
    """

    bodies: Mapping[str, tuple[BodyCapsule, ...]]
    stroke: float
    source: Mapping[str, str]


def tool_body(name: str) -> tuple[BodyCapsule, ...] | None:
    """The capsules of a tool that was sold with the robot, or None if this is another."""
    return load_tools().bodies.get(full_name(name))


def tool_reach(name: str) -> float:
    """Distance of the tip of such a tool from the hand [m]; 0 for other tools."""
    known, full = load_baxter().tools, full_name(name)
    if full in (ANY_ELECTRIC, ANY_GRIPPER):
        return max(float(tool.T_hand_tip[2, 3]) for tool in known.values())
    return float(known[full].T_hand_tip[2, 3]) if full in known else 0.0


@cache
def load_tools() -> ToolBodies:
    """The bodies of the tools, from `tools.toml`."""
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
    stroke, fingers = data["finger"]["stroke"], set(data["finger"]["sets"])
    parts: dict[str, list[BodyCapsule]] = {}
    for entry in data["capsule"]:
        part = parts.setdefault(entry["part"], [])
        slide = np.array([0.0, stroke if entry["part"] in fingers else 0.0, 0.0])
        part.append(_capsule(entry, np.ones(3), slide))
        if entry["part"] in fingers:
            part.append(_capsule(entry, HALF_TURN, slide))
    bodies = {
        name: _without_covered([capsule for part in names for capsule in parts[part]])
        for name, names in data["body"].items()
    }
    return ToolBodies(
        MappingProxyType(bodies),
        stroke,
        MappingProxyType({name: str(text) for name, text in data["source"].items()}),
    )


def _capsule(entry: Mapping[str, Any], turn: Vector3, slide: Vector3) -> BodyCapsule:
    mean, greatest = entry["excess"]
    start, end = (turn * np.array(entry[key]) for key in ("start", "end"))
    excess = (mean / 1e3, greatest / 1e3)
    return BodyCapsule(FINGERS, start, end, entry["radius"], turn * slide, excess)


def _without_covered(capsules: list[BodyCapsule]) -> tuple[BodyCapsule, ...]:
    """Without capsules that lie inside another one that moves as they do.

    Where both end spheres of a capsule lie inside another one, all of it does.
    """
    if not capsules:
        return ()
    ends = np.array([(capsule.start, capsule.end) for capsule in capsules])
    slides = np.array([capsule.slide for capsule in capsules])
    radii = np.array([capsule.radius for capsule in capsules])
    starts, spans = ends[:, 0], ends[:, 1] - ends[:, 0]
    squares = (spans * spans).sum(axis=1)
    kept = np.ones(len(capsules), dtype=bool)
    for n, radius in enumerate(radii):
        covers = kept & (slides == slides[n]).all(axis=1)
        covers[n] = False
        for point in ends[n]:
            t = np.clip(((point - starts) * spans).sum(axis=1) / squares, 0.0, 1.0)
            away = np.linalg.norm(point - starts - t[:, None] * spans, axis=1)
            covers &= away + radius <= radii
        kept[n] = not covers.any()
    return tuple(capsule for capsule, keep in zip(capsules, kept, strict=True) if keep)

"""The body as data: `body.toml`, read once, with mirrored parts made from the listed ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from baxterkit.model.model import Frozen
from baxterkit.model.names import JOINTS
from baxterkit.spatial import formulas
from baxterkit.types import Rotation, Vector3, frozen

FINGERS = "fingers"
STANDING = ("torso", "pedestal", "head")
ARM_LINKS = (*JOINTS, FINGERS)
"""Links of one arm: by their joints' short names, then "fingers", the tool, which is on w2."""

MIRROR = np.array([1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class BodyCapsule(Frozen):
    """All points within `radius` of a segment, on a link of an arm.

    Attributes:
        link: s0 ... w2, or "fingers".
        start: One end of the segment in the link's frame (of w2 for fingers) [m], shape (3,).
        end: The other end [m], shape (3,).
        radius: Radius [m].
        slide: Its displacement when the hand opens from 0 to 1 [m], shape (3,).
        excess: Mean and greatest distance of its outer surface from the mesh [m].
    """

    link: str
    start: Vector3
    end: Vector3
    radius: float
    slide: Vector3
    excess: tuple[float, float]

    def __post_init__(self) -> None:
        for name in ("start", "end", "slide"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class BodyBox(Frozen):
    """All points within `radius` of a box, on what stands or on the head.

    Attributes:
        part: "torso", "pedestal" (both in base) or "head" (in the head's frame).
        center: Middle [m], shape (3,).
        R: Axes of the box as columns, shape (3, 3).
        half: Half the sides of the box, rounding apart [m], shape (3,).
        radius: Radius of the rounding [m].
        excess: Mean and greatest distance of its outer surface from the mesh [m].
    """

    part: str
    center: Vector3
    R: Rotation
    half: Vector3
    radius: float
    excess: tuple[float, float]

    def __post_init__(self) -> None:
        for name in ("center", "R", "half"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True)
class Body:
    """The body but for the tools.

    Attributes:
        capsules: Of one arm's links s0 to w2, sorted so; both arms are alike.
        boxes: Of torso, pedestal and head, sorted so.
        source: Sources of the numbers, by topic.
    """

    capsules: tuple[BodyCapsule, ...]
    boxes: tuple[BodyBox, ...]
    source: dict[str, str]


@cache
def load_body() -> Body:
    """The body of the robot with bare hands, from `body.toml`."""
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("body.toml").read_text(encoding="utf-8"))
    capsules: list[BodyCapsule] = []
    for entry in data["capsule"]:
        start, end = np.array(entry["start"]), np.array(entry["end"])
        excess = _metres(entry["excess"])
        capsules.append(
            BodyCapsule(entry["part"], start, end, entry["radius"], np.zeros(3), excess)
        )
    boxes: list[BodyBox] = []
    for entry in data["box"]:
        R, center = formulas.so3_exp(np.array(entry["turn"])), np.array(entry["center"])
        half, excess = np.array(entry["half"]), _metres(entry["excess"])
        boxes.append(BodyBox(entry["part"], center, R, half, entry["radius"], excess))
        if entry["mirrored"]:
            other = MIRROR[:, None] * R * MIRROR
            boxes.append(
                BodyBox(entry["part"], MIRROR * center, other, half, entry["radius"], excess)
            )
    return Body(
        tuple(sorted(capsules, key=lambda c: ARM_LINKS.index(c.link))),
        tuple(sorted(boxes, key=lambda b: STANDING.index(b.part))),
        {name: str(text) for name, text in data["source"].items()},
    )


def _metres(millimetres: list[float]) -> tuple[float, float]:
    mean, greatest = millimetres
    return mean / 1e3, greatest / 1e3

"""Primitives that a body and its obstacles consist of, numbered as the kernels do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from baxterkit import native
from baxterkit.collision import reference
from baxterkit.collision.body import ARM_LINKS, load_body
from baxterkit.collision.hand import arm_body
from baxterkit.collision.motion import axis_reaches
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.openings import Span, inflation, sampled
from baxterkit.collision.pairs import LINKS
from baxterkit.collision.world import held_capsules
from baxterkit.errors import InputError
from baxterkit.kernels.records import WorldBoxes
from baxterkit.model.head import HeadModel
from baxterkit.model.model import ArmModel
from baxterkit.model.names import SIDES
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels, BodyChecker
    from baxterkit.kernels.protocol import Kernels

MOST_CAPSULES = 320
"""Largest number of capsules of an arm; kMaxBlocks of the kernels has room for them."""


class Primitives:
    """Capsules of both arms with what they hold, boxes of the body, shapes of the obstacles.

    Args:
        arms: Left and right arm.
        spans: Least and greatest opening of each hand.
        obstacles: Obstacles, and what the hands hold.

    Attributes:
        capsules: Link, start, end and radius of the capsules of each arm, shape (n, 8).
    """

    def __init__(
        self,
        arms: tuple[ArmModel, ArmModel],
        spans: tuple[Span, Span],
        obstacles: tuple[Obstacle, ...],
    ) -> None:
        self._arms, self._spans, self.obstacles = arms, spans, obstacles
        self.capsules = [self._capsule_rows(arm) for arm in (0, 1)]

    @property
    def reaches(self) -> Array:
        """Farthest that points of a link of each arm can be from each joint's axis, (2, 9, 7) [m].

        Links are numbered as the kernels do.
        """
        links = len(ARM_LINKS) + 1
        return np.stack(
            [
                axis_reaches(arm, rows, links)
                if any(obstacle.held == side for obstacle in self.obstacles)
                else _own_reaches(arm, span)
                for side, arm, rows, span in zip(
                    SIDES, self._arms, self.capsules, self._spans, strict=True
                )
            ]
        )

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The link or obstacle of each primitive, as they are counted through."""
        links: list[NDArray[np.int64]] = []
        for arm, rows in enumerate(self.capsules):
            mine = [n for n, obstacle in enumerate(self.obstacles) if obstacle.held == SIDES[arm]]
            places = rows[:, 0].astype(np.int64)
            held = len(LINKS) + mine[0] if mine else -1
            links.append(np.where(places < len(ARM_LINKS), arm * len(ARM_LINKS) + places, held))
        links.append(_box_links())
        for n, obstacle in reference.standing(self.obstacles):
            links.append(np.full(obstacle.primitives, len(LINKS) + n, dtype=np.int64))
        return np.concatenate(links)

    def compiled(
        self, kernels: tuple[Kernels, Kernels], head: HeadModel, checked: Sequence[tuple[int, int]]
    ) -> BodyChecker | None:
        """The extension's checks of these pairs; None without the extension."""
        extension = native.load()
        if extension is None:
            return None
        standing = {n for n, obstacle in enumerate(self.obstacles) if obstacle.held is None}
        allowed = dict.fromkeys(standing, 0)
        numbers = [
            None if n - len(LINKS) in standing else self._number(n)
            for n in range(len(LINKS) + len(self.obstacles))
        ]
        pairs = []
        for a, b in checked:
            one, other = numbers[a], numbers[b]
            if one is None or other is None:
                link = other if one is None else one
                assert link is not None
                allowed[(a if one is None else b) - len(LINKS)] |= 1 << link
            else:
                pairs.append((one, other) if one < other else (other, one))
        boxes: list[WorldBoxes] = []
        cylinders: list[list[float]] = []
        planes: list[list[float]] = []
        for n in sorted(standing):
            obstacle = self.obstacles[n]
            T = obstacle.T
            if obstacle.kind == "cylinder":
                size = (obstacle.size[0] / 2.0, obstacle.size[1])
                cylinders.append([allowed[n], *T[:3, 3], *T[:3, 2], *size])
            elif obstacle.kind == "plane":
                planes.append([allowed[n], *T[:3, 2], float(T[:3, 2] @ T[:3, 3])])
            else:
                own = obstacle.boxes()
                boxes.append(WorldBoxes(allowed[n], own.axes, own.centers, own.half, own.radius))
        left, right = cast("tuple[ArmKernels, ArmKernels]", kernels)
        return extension.BodyChecker(
            left=left,
            right=right,
            pan=np.ascontiguousarray(head.T_base_pan[:3]),
            left_capsules=self.capsules[0],
            right_capsules=self.capsules[1],
            boxes=_box_rows(),
            pairs=np.array(pairs, dtype=np.int32).reshape(-1, 2),
            reaches=self.reaches,
            world_boxes=tuple(boxes),
            cylinders=np.array(cylinders, dtype=np.float64).reshape(-1, 9),
            planes=np.array(planes, dtype=np.float64).reshape(-1, 5),
        )

    def _number(self, link: int) -> int:
        """The kernels' number of a link: what the hands hold follows the links of both arms."""
        moving = len(SIDES) * len(ARM_LINKS)
        if link < moving:
            return link
        if link < len(LINKS):
            return link + len(SIDES)
        held = self.obstacles[link - len(LINKS)].held
        assert held is not None
        return moving + SIDES.index(held)

    def _capsule_rows(self, arm: int) -> Array:
        """Link, start, end and radius of an arm's capsules and of those that it holds, (n, 8)."""
        rows = _capsule_rows(self._arms[arm], self._spans[arm])
        for obstacle in self.obstacles:
            if obstacle.held == SIDES[arm]:
                held = held_capsules(obstacle, self._arms[arm].T_last_tip)
                rows = np.concatenate([rows, np.insert(held, 0, len(ARM_LINKS), axis=1)])
        if len(rows) > MOST_CAPSULES:
            raise InputError(
                f"the {SIDES[arm]} arm with its tool, its payload and what it holds is covered by "
                f"{len(rows)} capsules; at most {MOST_CAPSULES} are checked: give it fewer, or "
                "larger, solids"
            )
        return np.ascontiguousarray(rows)


@cache
def _box_links() -> NDArray[np.int64]:
    """The links of the body's boxes."""
    return np.array([LINKS.index(box.part) for box in load_body().boxes], dtype=np.int64)


@cache
def _box_rows() -> Array:
    """The kernels' number of its link, and the body's boxes as the kernels take them."""
    rows = [(*box.center, *box.R.T.ravel(), *box.half, box.radius) for box in load_body().boxes]
    return np.insert(np.array(rows), 0, _box_links() + len(SIDES), axis=1)


@lru_cache(maxsize=32)
def _own_reaches(model: ArmModel, span: Span) -> Array:
    """`axis_reaches` of an arm that holds nothing."""
    return frozen(axis_reaches(model, _capsule_rows(model, span), len(ARM_LINKS) + 1))


@lru_cache(maxsize=32)
def _capsule_rows(model: ArmModel, span: Span) -> Array:
    rows, body = [], arm_body(model)
    count = sum(bool(capsule.slide.any()) for capsule in body)
    openings, more = sampled(span, count), inflation(span, count)
    for capsule in body:
        slides = bool(capsule.slide.any())
        for opening in openings if slides else span[:1]:
            shift = opening * capsule.slide
            ends = (*(capsule.start + shift), *(capsule.end + shift))
            radius = capsule.radius + (more if slides else 0.0)
            rows.append([ARM_LINKS.index(capsule.link), *ends, radius])
    return frozen(rows)

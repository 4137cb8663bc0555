"""Questions to a map. It says where to look; every answer is checked by inverse kinematics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import count as whole
from baxterkit.checks.numbers import scalar
from baxterkit.collision.body import load_body
from baxterkit.collision.obstacle import FLOOR
from baxterkit.collision.world import World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik.result import IkStatus
from baxterkit.ik.target import Position
from baxterkit.spatial.formulas import transform
from baxterkit.types import Array, JointVector, Transform
from baxterkit.workspace.compute import QUALITIES, Job
from baxterkit.workspace.settings import PAIR

if TYPE_CHECKING:
    from baxterkit.workspace.maps import Map

TRIED = 36
"""Number of a map's best places for a table that inverse kinematics checks; from the best of them
the search goes on to better neighbours."""
ABOVE_TABLE = 0.05
"""The lowest positions of a table's work are this far above its top [m]."""
TURNED = 24
"""Number of a map's orientations, at most, with which positions above a table are tried."""
NOT_REACHED = {
    IkStatus.OUT_OF_REACH: "out of reach",
    IkStatus.LIMITS: "beyond the joint limits",
    IkStatus.COLLISION: "where the robot would touch itself or the world",
    IkStatus.NOT_CONVERGED: "undecided",
}
"""Reasons why orientations are not reached, in words."""
APART = 0.12
"""Places for a table that differ by no more than this [m] count as one."""
THICKNESS = 0.04
"""Of a table's top [m]."""


@dataclass(frozen=True, eq=False)
class Grasps:
    """Poses of the tip at one point, the best first.

    Attributes:
        T: T_base_tip, shape (n, 4, 4).
        q: The best solution of each [rad], shape (n, 7).
        manipulability: Of each, shape (n,).
        clearance: Of each [m], shape (n,).
        margin: Distance of each from the joint limits [rad], shape (n,).
        width: Free width of the self-motion of each pose in e0 [rad], shape (n,).
        tried: Number of orientations that were tried.
        reached: Number of orientations that are reached at the point.
        reason: What keeps the hand from the others, in words, and if none is reached how near the
            tip comes; empty if all are reached.
    """

    T: Transform
    q: JointVector
    manipulability: Array
    clearance: Array
    margin: Array
    width: Array
    tried: int
    reached: int
    reason: str

    def __len__(self) -> int:
        return len(self.T)


@dataclass(frozen=True)
class TablePlace:
    """A place for a table.

    Attributes:
        x: Middle of its top in base [m].
        y: Middle of its top in base [m].
        top: Height of its top in base [m].
        guess: Mean share of the orientations above it, by the map.
        share: Share of poses above it that inverse kinematics reaches with the table there.
    """

    x: float
    y: float
    top: float
    guess: float
    share: float

    @property
    def above_floor(self) -> float:
        """Height of its top above the floor that the robot stands on [m]."""
        return self.top - FLOOR


def best_grasps(made: Map, p: ArrayLike, count: int, by: str, side: str | None) -> Grasps:
    """See `Map.best_grasps`."""
    if by not in QUALITIES:
        raise UnknownNameError("quality", by, QUALITIES)
    point = finite_array(p, "p")
    if point.shape != (3,):
        raise ShapeError(f"p must have shape (3,), got {point.shape}")
    count = whole(count, "count", 1)
    if made.sides == (PAIR,):
        raise InputError("a grasp is of one hand; make a map of one arm, or of both")
    R = made.orientations
    T = transform(R, np.broadcast_to(point, (len(R), 3)))
    number = made.number(side)
    status, answers = made.answers(T, side)
    T, answers = T[status == IkStatus.SOLVED], answers[status == IkStatus.SOLVED]
    reached = len(T)
    found = made.job.solutions(number, T, answers)
    chosen = 0 if by == "width" else QUALITIES.index(by)
    best = np.full(reached, -1, dtype=np.int64)
    for m in np.argsort(found.values[:, chosen], kind="stable").tolist():
        best[found.rows[m]] = m  # the last one is the greatest
    values = found.values[best]
    rank = found.width if by == "width" else values[:, chosen]
    order = np.argsort(-rank, kind="stable")[:count]
    return Grasps(
        T[order],
        found.q[best][order],
        values[order, 0],
        values[order, 1],
        values[order, 2],
        found.width[order],
        len(R),
        reached,
        _reason(made.arm(side), point, status),
    )


def _reason(arm: Arm, p: Array, status: NDArray[np.int64]) -> str:
    """Why orientations at a point are not reached."""
    counts = [(int((status == code).sum()), words) for code, words in NOT_REACHED.items()]
    parts = [f"{count} {words}" for count, words in counts if count]
    if not (status == IkStatus.SOLVED).any() and (status == IkStatus.OUT_OF_REACH).all():
        parts.append(str(arm.shortfall(Position(p))))
    return "; ".join(parts)


def best_table(
    made: Map,
    size: tuple[float, float],
    heights: tuple[float, float],
    above: float,
    count: int,
    side: str | None,
) -> list[TablePlace]:
    """See `Map.best_table`."""
    sides = finite_array(size, "size")
    if sides.shape != (2,) or (sides <= 0.0).any():
        raise InputError(f"size must be two positive numbers [m], got {size!r}")
    span = finite_array(heights, "heights")
    if span.shape != (2,) or not span[0] <= span[1]:
        raise InputError(f"heights must be the least and the greatest [m], got {heights!r}")
    count, above = whole(count, "count", 1), scalar(above, "above")
    if not above > 0.0:
        raise InputError(f"above = {above:g} m must be positive")
    if made.settings.level == "reach":
        raise InputError(
            'a table is judged with the body; make the map with level="body" or "full"'
        )
    grid, fraction = made.grid, made.values("fraction", side)
    step = grid.step
    cells = np.maximum(np.rint(np.array([*sides, above]) / step).astype(int), 1)
    if (cells > grid.shape).any():
        raise InputError(f"a table of {size} m with {above:g} m above it is larger than the map")
    tops = (grid.low[2] + np.arange(grid.shape[2] - cells[2] + 1)) * step
    if not ((tops >= span[0] - 1e-9) & (tops <= span[1] + 1e-9)).any():
        raise InputError(
            f"heights = ({span[0]:g}, {span[1]:g}) m holds none of the heights that the map has "
            f"for a table with {above:g} m above it: {tops[0]:g} to {tops[-1]:g} m in base, every "
            f"{step:g} m (the floor is at {FLOOR:g} m)"
        )
    sums = np.pad(fraction, ((1, 0), (1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1).cumsum(axis=2)
    mean = _box_sums(sums, cells) / cells.prod()
    low = np.array(grid.low) * step
    index = np.argwhere(mean > 0.0)
    top = low[2] + index[:, 2] * step
    middle = low[:2] + (index[:, :2] + 0.5 * cells[:2]) * step
    fits = (top >= span[0] - 1e-9) & (top <= span[1] + 1e-9)
    fits &= _clear_of_the_body(middle, top, sides)
    index, top, middle = index[fits], top[fits], middle[fits]
    guesses = mean[tuple(index.T)]
    at = np.concatenate([middle, top[:, None]], axis=-1)

    @cache
    def share(k: int) -> float:
        x, y, z = at[k].tolist()
        return _share_above(made, (x, y, z), sides, above, side)

    first = _spread(at, np.argsort(-guesses, kind="stable"), TRIED)
    first.sort(key=share, reverse=True)
    climbed = [_climb(k, index, share) for k in first[:count]]
    order = sorted({*climbed, *first}, key=share, reverse=True)
    found = []
    for k in _spread(at, np.array(order, dtype=np.intp), count):
        x, y, z = at[k].tolist()
        found.append(TablePlace(x, y, z, float(guesses[k]), share(k)))
    return found


def _climb(k: int, index: NDArray[np.int64], share: Callable[[int], float]) -> int:
    """From a place to neighbours of a greater share, as long as there are any."""
    while True:
        near = np.flatnonzero(np.abs(index - index[k]).max(axis=1) <= 1)
        best = max(near.tolist(), key=share)
        if share(best) <= share(k):
            return k
        k = best


def _box_sums(sums: Array, cells: NDArray[np.int64]) -> Array:
    """Sums over all boxes of this many cells, from the sums over boxes at the corner."""
    for axis, n in enumerate(cells.tolist()):
        size = sums.shape[axis]
        upper = np.take(sums, np.arange(n, size), axis)
        sums = upper - np.take(sums, np.arange(size - n), axis)
    return sums


def _spread(points: Array, order: NDArray[np.intp], most: int) -> list[int]:
    """The first of these places that are not near to one before, so many at most."""
    chosen: list[int] = []
    for k in order.tolist():
        if all(np.abs(points[k] - points[j]).max() > APART for j in chosen):
            chosen.append(k)
        if len(chosen) == most:
            break
    return chosen


def _clear_of_the_body(middle: Array, top: Array, sides: Array) -> NDArray[np.bool_]:
    """Which tables stay out of the boxes around torso and pedestal."""
    clear = np.ones(len(top), dtype=bool)
    for box in load_body().boxes:
        if box.part == "head":
            continue
        half = np.abs(box.R) @ box.half + box.radius
        apart = (np.abs(middle - box.center[:2]) > half[:2] + sides / 2.0).any(axis=-1)
        apart |= (top < box.center[2] - half[2]) | (top - THICKNESS > box.center[2] + half[2])
        clear &= apart
    return clear


def _share_above(
    made: Map, place: tuple[float, float, float], sides: Array, above: float, side: str | None
) -> float:
    """Share of poses above a table that are reached with it there."""
    x, y, top = place
    T = np.eye(4)
    T[:3, 3] = x, y, top - THICKNESS / 2.0
    world = World.of(made.scene.world.state)
    name = "table"
    while name in world:
        name += "'"
    world.add_box(name, (*sides.tolist(), THICKNESS), T)
    job = Job(made.settings, made.scene.replace(world=world))
    across = [
        c + s * (np.arange(5) + 0.5 - 2.5) / 5.0
        for c, s in zip((x, y), sides.tolist(), strict=True)
    ]
    up = top + np.unique([min(ABOVE_TABLE, above), above])
    points = np.stack(np.meshgrid(*across, up, indexing="ij"), axis=-1).reshape(-1, 3)
    total = len(made.orientations)
    R = made.orientations[np.arange(min(TURNED, total)) * total // min(TURNED, total)]
    status, _ = job.answers(
        made.number(side),
        transform(np.tile(R, (len(points), 1, 1)), np.repeat(points, len(R), axis=0)),
    )
    return float((status == IkStatus.SOLVED).mean())

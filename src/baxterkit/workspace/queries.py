"""Questions to a map. It says where to look; every answer is checked by inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.arrays import finite_array
from baxterkit.collision.body import load_body
from baxterkit.collision.world import World
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik.result import IkStatus
from baxterkit.poses import pose_array
from baxterkit.spatial import inverse, transform
from baxterkit.types import Array, JointVector, Transform
from baxterkit.workspace.compute import QUALITIES, Job

if TYPE_CHECKING:
    from baxterkit.workspace.maps import Map

__all__ = ["BasePlace", "Grasps", "TablePlace"]

TRIED = 12
"""Number of a map's best places for a table or a base that inverse kinematics checks."""
ABOVE_TABLE = 0.05
"""The lowest positions of a table's work are this far above its top [m]."""
APART = 0.12
"""Places for a table that differ by no more than this [m] are tried once."""
THICKNESS = 0.04
"""Of a table's top [m]."""
TOGETHER = 250_000
"""Number of pairs of a place and a pose that are looked up at a time."""


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
    """

    T: Transform
    q: JointVector
    manipulability: Array
    clearance: Array
    margin: Array
    width: Array
    tried: int
    reached: int

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


@dataclass(frozen=True, eq=False)
class BasePlace:
    """A place of the robot.

    Attributes:
        T_room_base: Pose of base in the frame of the poses, shape (4, 4).
        reached: Which poses inverse kinematics reaches from there, shape (n,).
        q: Joint positions for each [rad], NaN where there are none, shape (n, 7).
        guess: Mean share of the orientations around the poses, by the map.
    """

    T_room_base: Transform
    reached: NDArray[np.bool_]
    q: JointVector
    guess: float


def best_grasps(made: Map, p: ArrayLike, count: int, by: str, side: str | None) -> Grasps:
    """See `Map.best_grasps`."""
    if by not in QUALITIES:
        raise UnknownNameError("quality", by, QUALITIES)
    point = finite_array(p, "p")
    if point.shape != (3,):
        raise ShapeError(f"p must have shape (3,), got {point.shape}")
    if count < 1:
        raise InputError(f"count = {count} must be at least 1")
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
    )


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
    if not heights[0] <= heights[1]:
        raise InputError(f"heights {heights} must be the least and the greatest")
    if not above > 0.0 or count < 1:
        raise InputError(f"above = {above:g} m and count = {count} must be positive")
    if made.settings.level == "reach":
        raise InputError(
            'a table is judged with the body; make the map with level="body" or "full"'
        )
    grid, share = made.grid, made.values("fraction", side)
    step = grid.step
    cells = np.maximum(np.rint(np.array([*sides, above]) / step).astype(int), 1)
    if (cells > grid.shape).any():
        raise InputError(f"a table of {size} m is larger than the map")
    sums = np.pad(share, ((1, 0), (1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1).cumsum(axis=2)
    mean = _box_sums(sums, cells) / cells.prod()
    low = np.array(grid.low) * step
    index = np.argwhere(mean > 0.0)
    top = low[2] + index[:, 2] * step
    middle = low[:2] + (index[:, :2] + 0.5 * cells[:2]) * step
    fits = (top >= heights[0] - 1e-9) & (top <= heights[1] + 1e-9)
    fits &= _clear_of_the_body(middle, top, sides)
    index, top, middle = index[fits], top[fits], middle[fits]
    guesses = mean[tuple(index.T)]
    found = []
    at = np.concatenate([middle, top[:, None]], axis=-1)
    for k in _spread(at, np.argsort(-guesses, kind="stable")):
        x, y = middle[k].tolist()
        reached = _share_above(made, (x, y, float(top[k])), sides, above, side)
        found.append(TablePlace(x, y, float(top[k]), float(guesses[k]), reached))
    return sorted(found, key=lambda place: -place.share)[:count]


def best_base(
    made: Map, T: ArrayLike, turns: int, height: float, count: int, side: str | None
) -> list[BasePlace]:
    """See `Map.best_base`."""
    poses = pose_array(T, "T")
    poses = poses.reshape(-1, 4, 4)
    if not len(poses):
        raise ShapeError("a place is looked for with one pose at least")
    if turns < 1 or count < 1:
        raise InputError(f"turns = {turns} and count = {count} must be at least 1")
    step = made.grid.step
    low, high = made.grid.corners
    reach = float(np.hypot(*np.maximum(np.abs(low[:2]), np.abs(high[:2]))))
    center = poses[:, :2, 3].mean(axis=0)
    span = np.arange(-np.ceil(reach / step), np.ceil(reach / step) + 1) * step
    places = np.stack(np.meshgrid(span, span, indexing="ij"), axis=-1).reshape(-1, 2) + center
    tops: list[tuple[int, float, float, float, float]] = []
    for turn in np.arange(turns) * (2.0 * np.pi / turns):
        reached, share = _looked_up(made, poses, places, float(turn), height, side)
        for k in np.lexsort((-share, -reached))[:TRIED]:
            x, y = places[k].tolist()
            tops.append((int(reached[k]), float(share[k]), x, y, float(turn)))
    tops.sort(key=lambda one: (-one[0], -one[1]))
    found = []
    for _, share_there, x, y, turn in tops[:TRIED]:
        T_room_base = _turned(turn, (x, y, height))
        status, q = made.answers(inverse(T_room_base) @ poses, side)
        found.append(BasePlace(T_room_base, status == IkStatus.SOLVED, q, share_there))
    return sorted(found, key=lambda place: (-int(place.reached.sum()), -place.guess))[:count]


def _box_sums(sums: Array, cells: NDArray[np.int64]) -> Array:
    """Sums over all boxes of this many cells, from the sums over boxes at the corner."""
    for axis, n in enumerate(cells.tolist()):
        size = sums.shape[axis]
        upper = np.take(sums, np.arange(n, size), axis)
        sums = upper - np.take(sums, np.arange(size - n), axis)
    return sums


def _spread(points: Array, order: NDArray[np.int64]) -> list[int]:
    """The first of these places that are not near to one before."""
    chosen: list[int] = []
    for k in order.tolist():
        if all(np.abs(points[k] - points[j]).max() > APART for j in chosen):
            chosen.append(k)
        if len(chosen) == TRIED:
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
    world = World()
    for thing in () if made.world is None else made.world.state:
        world._things[thing.name] = thing
    name = next(n for n in ("table", "the table", "new table") if n not in world)
    world.add_box(name, (*sides.tolist(), THICKNESS), T)
    job = Job(made.settings, made.robot.left, made.robot.right, world)
    across = [
        c + s * (np.arange(5) + 0.5 - 2.5) / 5.0
        for c, s in zip((x, y), sides.tolist(), strict=True)
    ]
    up = top + np.unique([min(ABOVE_TABLE, above), above])
    points = np.stack(np.meshgrid(*across, up, indexing="ij"), axis=-1).reshape(-1, 3)
    every = max(1, len(made.orientations) // 24)
    R = made.orientations[::every]
    status, _ = job.answers(
        made.number(side),
        transform(np.tile(R, (len(points), 1, 1)), np.repeat(points, len(R), axis=0)),
    )
    return float((status == IkStatus.SOLVED).mean())


def _looked_up(
    made: Map, poses: Transform, places: Array, turn: float, height: float, side: str | None
) -> tuple[Array, Array]:
    """Of each place (n, 2), the number of poses that the map reaches, and their mean share."""
    back = inverse(_turned(turn, (0.0, 0.0, height)))
    turned = back @ poses
    number = made.number(side)
    near = made.nearest_orientation(turned[:, :3, :3])
    shift = places @ back[:2, :2].T
    reached, share = np.zeros(len(places)), np.zeros(len(places))
    rows = max(1, TOGETHER // len(poses))
    for start in range(0, len(places), rows):
        part = slice(start, start + rows)
        points = np.repeat(turned[None, :, :3, 3], len(shift[part]), axis=0)
        points[..., :2] -= shift[part, None]
        cells, inside = made.grid.cell_of(points)
        x, y, z = np.moveaxis(cells, -1, 0)
        hit = (made["status"][number, x, y, z, near] == IkStatus.SOLVED) & inside
        reached[part] = hit.sum(axis=-1)
        share[part] = (made.fraction[number, x, y, z] * inside).mean(axis=-1)
    return reached, share


def _turned(turn: float, p: tuple[float, float, float]) -> Transform:
    T = np.eye(4)
    T[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    T[:3, 3] = p
    return T

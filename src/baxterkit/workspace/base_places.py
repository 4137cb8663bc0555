"""The best places of the robot for a set of poses, from a map; inverse kinematics checks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.numbers import count as whole
from baxterkit.checks.numbers import scalar
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.result import IkStatus
from baxterkit.poses import pose_array
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit.workspace.maps import Map

TRIED = 12
"""Number of a map's best places that inverse kinematics checks."""
MOST_PLACES = 2_000_000
"""Number of places of the robot, at most, among which it looks for the best."""
TOGETHER = 250_000
"""Number of pairs of a place and a pose that are looked up at a time."""


@dataclass(frozen=True, eq=False)
class BasePlace:
    """A place of the robot.

    Attributes:
        T_room_base: Pose of base in the frame of the poses, shape (4, 4).
        reached: Which poses inverse kinematics reaches from there, shape (n,).
        q: Joint positions for each [rad], NaN where there are none, shape (n, 7); (n, 14), left
            then right, for both hands at once.
        guess: Mean share of the orientations around the poses, by the map.
    """

    T_room_base: Transform
    reached: NDArray[np.bool_]
    q: JointVector
    guess: float


def best_base(
    made: Map, T: ArrayLike, turns: int, height: float, count: int, side: str | None
) -> list[BasePlace]:
    """See `Map.best_base`."""
    poses = pose_array(T, "T")
    poses = poses.reshape(-1, 4, 4)
    if not len(poses):
        raise ShapeError("a place is looked for with one pose at least")
    turns, count, height = (
        whole(turns, "turns", 1),
        whole(count, "count", 1),
        scalar(height, "height"),
    )
    step = made.grid.step
    low, high = made.grid.corners
    reach = float(np.hypot(*np.maximum(np.abs(low[:2]), np.abs(high[:2]))))
    places = _places_around(poses[:, :2, 3], reach, step)
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
        with unwarned():  # some poses may be far from here
            status, q = made.answers(inverse(T_room_base) @ poses, side)
        found.append(BasePlace(T_room_base, status == IkStatus.SOLVED, q, share_there))
    return sorted(found, key=lambda place: (-int(place.reached.sum()), -place.guess))[:count]


def _places_around(points: Array, reach: float, step: float) -> Array:
    """Places on a lattice around the mean of points (n, 2), in reach of one of them, (m, 2)."""
    center = points.mean(axis=0)
    far = int(np.ceil(reach / step))
    shape = np.ceil((points.max(axis=0) - points.min(axis=0)) / step) + 2 * far + 2
    if not shape.prod() <= MOST_PLACES:
        raise InputError(
            f"the poses are up to {np.ptp(points, axis=0).max():.3g} m apart, too far for one "
            "place of the robot; ask for those of each place alone"
        )
    nodes = np.unique(np.rint((points - center) / step).astype(np.int64), axis=0)
    low = nodes.min(axis=0) - far
    near = np.zeros(tuple(nodes.max(axis=0) + far + 1 - low), dtype=bool)
    for x, y in (nodes - low).tolist():
        near[x - far : x + far + 1, y - far : y + far + 1] = True
    places: Array = (np.argwhere(near) + low) * step + center
    return places


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
        which = np.broadcast_to(near, inside.shape)
        found = made.statuses.at(number, cells.reshape(-1, 3), which.reshape(-1))
        hit = (found.reshape(inside.shape) == IkStatus.SOLVED) & inside
        reached[part] = hit.sum(axis=-1)
        share[part] = (made.fraction[number, x, y, z] * inside).mean(axis=-1)
    return reached, share


def _turned(turn: float, p: tuple[float, float, float]) -> Transform:
    T = np.eye(4)
    T[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    T[:3, 3] = p
    return T

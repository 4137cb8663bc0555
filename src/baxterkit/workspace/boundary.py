"""The surface around all positions that the tip reaches: the canopy.

Random configurations give a first cloud of positions. From the nearest of them, a Gauss-Newton
iteration within the limits brings the tip as close as it can to each node of a lattice, and so
gives the node's distance from the reachable set. The surface at a small distance is a closed mesh;
each of its vertices is then moved to the reachable position nearest to it, on the boundary.
Where several of them meet in one position, at a corner or on a thin sheet, they stop a little
before it: a reader of the file that joins equal vertices would else find holes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import generator
from baxterkit.checks.numbers import count, scalar
from baxterkit.errors import InputError
from baxterkit.scene.scene import Scene, SceneLike
from baxterkit.types import Array, JointVector
from baxterkit.workspace.sampling import CHUNK, clear, scene_of_arm
from baxterkit.workspace.surface import Mesh, level_set

OFFSET = 0.35
"""Distance of the first surface from the reachable set, in steps of the lattice."""
ITERATIONS = 25
CROWDED = 1e-5
"""Vertices nearer than this [m] along each axis count as equal."""
BEFORE = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""Fractions of the segment to the boundary by which vertices that would meet stop early."""
REACHED = 1e-4
"""A node this near [m] to a reachable position is reached."""


@dataclass(frozen=True, eq=False)
class Canopy:
    """The boundary of the reachable positions.

    Attributes:
        mesh: The surface, closed.
        q: A configuration whose tip is at each vertex, or near it where vertices would meet or none
            was found, shape (n, 7).
        volume: Volume inside [m^3].
        volume_error: How far it differs from that of a lattice 1.4 times as wide [m^3].
        area: Area [m^2].
        area_error: The same of the area [m^2].
        step: Distance of the lattice's nodes [m].
    """

    mesh: Mesh
    q: JointVector
    volume: float
    volume_error: float
    area: float
    area_error: float
    step: float

    def __repr__(self) -> str:
        return (
            f"Canopy(volume {self.volume:.3f} ± {self.volume_error:.3f} m^3, area {self.area:.2f} "
            f"± {self.area_error:.2f} m^2, {len(self.mesh.triangles)} triangles)"
        )


def canopy(
    arm: Arm,
    step: float = 0.05,
    *,
    samples: int = 300_000,
    seed: int = 0,
    scene: SceneLike | None = None,
    other: ArrayLike | None = None,
) -> Canopy:
    """The surface around all positions of the tip, with any orientation.

    Args:
        arm: The arm.
        step: Distance of the lattice's nodes [m]; what is smaller is not seen.
        samples: Number of random configurations to start with.
        seed: Random seed, a non-negative integer.
        scene: The robot that the arm is part of, alone or among obstacles: only configurations that
            touch nothing count then.
        other: Joint positions of the other arm [rad], shape (7,); untucked if None.

    Returns:
        The surface with volume, area and their errors.
    """
    edge = scalar(step, "step")
    if not 0.005 <= edge <= 0.5:
        raise InputError(f"step = {edge:g} m must be from 0.005 to 0.5")
    samples = count(samples, "samples", 1000)
    checks = scene_of_arm(arm, scene, other)
    rng = generator(seed)
    search = _Search(arm, checks, other)
    configurations = search.configurations(rng, samples)
    fine, q = search.surface(configurations, edge)
    coarse, _ = search.surface(configurations, 1.4 * edge)
    return Canopy(
        fine,
        q,
        fine.volume,
        abs(fine.volume - coarse.volume),
        fine.area,
        abs(fine.area - coarse.area),
        edge,
    )


class _Search:
    """Configurations whose tips are as near as can be to given points."""

    def __init__(self, arm: Arm, scene: Scene | None, other: ArrayLike | None) -> None:
        self.arm, self.scene, self.other = arm, scene, other
        self.lower, self.upper = arm.limits.lower, arm.limits.upper

    def free(self, q: JointVector) -> NDArray[np.bool_]:
        """Which configurations count."""
        if self.scene is None:
            return np.ones(len(q), dtype=bool)
        return clear(self.scene, self.arm.side, q, self.other)

    def configurations(self, rng: np.random.Generator, samples: int) -> JointVector:
        """Random valid configurations, and as many with joints on their stops, shape (n, 7)."""
        parts = []
        for start in range(0, samples, CHUNK):
            q = rng.uniform(self.lower, self.upper, (min(CHUNK, samples - start), 7))
            stops = np.where(rng.random(q.shape) < 0.5, self.lower, self.upper)
            half = len(q) // 2
            q[:half] = np.where(rng.random(q[:half].shape) < 0.3, stops[:half], q[:half])
            parts.append(q[self.free(q)])
        return np.concatenate(parts)

    def surface(self, configurations: JointVector, step: float) -> tuple[Mesh, JointVector]:
        """The surface on a lattice of this step, and the configurations at its vertices."""
        tips = self.arm.fk(configurations)[:, :3, 3]
        low = np.floor(tips.min(axis=0) / step).astype(int) - 3
        shape = np.ceil(tips.max(axis=0) / step).astype(int) + 4 - low

        def place(lattice: Array) -> Array:
            moved: Array = (lattice + low) * step
            return moved

        nodes = place(np.stack(np.unravel_index(np.arange(shape.prod()), tuple(shape)), axis=-1))
        distance = np.full(len(nodes), 10.0 * step)
        best = np.full((len(nodes), 7), np.nan)
        # One configuration stands for each half cell; a node starts from the nearest ones.
        half = np.floor(tips / (0.5 * step)).astype(np.int64) - 2 * low
        cells = tuple((2 * shape).tolist())
        stands = np.full(cells, -1, dtype=np.int64)
        stands[tuple(half.T)] = np.arange(len(tips))
        at = np.stack(np.unravel_index(np.arange(len(nodes)), tuple(shape)), axis=-1) * 2
        nearest = np.full((len(nodes), 3), np.inf)
        who = np.full((len(nodes), 3), -1, dtype=np.int64)
        reach = range(-4, 4)
        for offset in ((i, j, k) for i in reach for j in reach for k in reach):
            place_in = at + offset
            ok = np.asarray(((place_in >= 0) & (place_in < cells)).all(axis=-1))
            one = np.where(ok, stands[tuple(np.where(ok[:, None], place_in, 0).T)], -1)
            rows = np.nonzero(one >= 0)[0]
            gap = np.linalg.norm(tips[one[rows]] - nodes[rows], axis=-1)
            worst = nearest[rows].argmax(axis=-1)
            better = gap < nearest[rows, worst]
            nearest[rows[better], worst[better]] = gap[better]
            who[rows[better], worst[better]] = one[rows[better]]
        for k in range(3):
            rows = np.nonzero((who[:, k] >= 0) & (distance > REACHED))[0]
            q, gap = self.approach(configurations[who[rows, k]], nodes[rows])
            better = gap < distance[rows]
            distance[rows[better]], best[rows[better]] = gap[better], q[better]
        values = np.where(distance <= REACHED, 0.0, distance).reshape(tuple(shape))
        mesh, ends, _ = level_set(values, place, OFFSET * step)
        q, gap = self.approach(best[ends[:, 0]], mesh.vertices)
        beyond = np.isfinite(best[ends[:, 1], 0])
        again, gap_again = self.approach(
            np.where(beyond[:, None], best[ends[:, 1]], q), mesh.vertices
        )
        nearer = gap_again < gap
        q[nearer], gap[nearer] = again[nearer], gap_again[nearer]
        fine = gap < step
        there = np.where(fine[:, None], self.arm.fk(q)[:, :3, 3], mesh.vertices)
        return Mesh(_apart(there, mesh.vertices), mesh.triangles), q

    def approach(self, q: JointVector, points: Array) -> tuple[JointVector, Array]:
        """Configurations near `q` (n, 7) with tips nearest to points (n, 3), and the distances."""
        q = q.copy()
        best, gaps = q.copy(), np.linalg.norm(self.arm.fk(q)[:, :3, 3] - points, axis=-1)
        active = np.arange(len(q))
        for _ in range(ITERATIONS):
            active = active[gaps[active] > REACHED]
            if not len(active):
                break
            now = q[active]
            error = points[active] - self.arm.fk(now)[:, :3, 3]
            J = self.arm.jacobian(now)[:, :3]
            step = _step(J, error)
            # Joints that press against a stop stay there.
            stuck = ((now <= self.lower) & (step < 0)) | ((now >= self.upper) & (step > 0))
            step = np.where(stuck, 0.0, _step(np.where(stuck[:, None], 0.0, J), error))
            size = np.abs(step).max(axis=-1, keepdims=True)
            step *= np.minimum(1.0, 0.4 / np.maximum(size, 1e-9))
            now = np.clip(now + step, self.lower, self.upper)
            q[active] = now
            gap = np.linalg.norm(self.arm.fk(now)[:, :3, 3] - points[active], axis=-1)
            better = gap < gaps[active]
            better[better] = self.free(now[better])
            gaps[active[better]], best[active[better]] = gap[better], now[better]
        return best, gaps


def _apart(vertices: Array, before: Array) -> Array:
    """Vertices (n, 3) of which no two are equal: those stop on the segment from `before` (n, 3)."""
    found = vertices.copy()
    for part in BEFORE:
        meet = _crowded(found)
        if not meet.any():
            break
        found[meet] = vertices[meet] + part * (before[meet] - vertices[meet])
    return found


def _crowded(vertices: Array) -> NDArray[np.bool_]:
    """Which vertices (n, 3) share their place with others, on either of two shifted grids."""
    meet = np.zeros(len(vertices), dtype=bool)
    for shift in (0.0, 0.5):
        cells = np.floor(vertices / CROWDED + shift).astype(np.int64)
        _, which, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
        meet |= counts[which.reshape(-1)] > 1
    return meet


def _step(J: Array, error: Array) -> Array:
    """Damped least-squares steps: J (n, 3, 7), errors (n, 3)."""
    square = J @ J.swapaxes(-1, -2)
    square[:, [0, 1, 2], [0, 1, 2]] += 1e-4
    return (J.swapaxes(-1, -2) @ np.linalg.solve(square, error[..., None]))[..., 0]

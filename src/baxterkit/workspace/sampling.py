"""Joint-space samples of the workspace (Kumar et al., Fig. 4), with what the body forbids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.arrays import generator
from baxterkit.checks.numbers import count
from baxterkit.errors import InputError
from baxterkit.model.names import other_side
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.types import Array, Vector3

CHUNK = 100_000  # samples at a time: they take less than 50 MB


@dataclass(frozen=True, eq=False)
class Reach:
    """Tip positions that were sampled.

    Attributes:
        position: In base [m], shape (n, 3).
        manipulability: Yoshikawa's index there, shape (n,).
        free: Whether the robot touches neither itself nor the world, shape (n,); None if that was
            not asked.
    """

    position: Vector3
    manipulability: Array
    free: NDArray[np.bool_] | None = None

    @property
    def allowed(self) -> Reach:
        """The samples that are free."""
        if self.free is None:
            raise InputError("these samples do not say what the body forbids; give scene=")
        return Reach(self.position[self.free], self.manipulability[self.free])


def sample_reach(
    arm: Arm,
    samples: int = 1_000_000,
    *,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
    scene: SceneLike | None = None,
    other: ArrayLike | None = None,
) -> Reach:
    """Tip positions and manipulability at random joint positions within the limits.

    Args:
        arm: The arm.
        samples: Number of samples.
        seed: Random seed, a non-negative integer.
        progress: Called with the number of samples that were just done.
        scene: The robot that the arm is part of, alone or among obstacles: its body then says which
            samples are allowed.
        other: Joint positions of the other arm [rad], shape (7,); untucked if None.

    Returns:
        The samples.
    """
    samples = count(samples, "samples", 1)
    checks = scene_of_arm(arm, scene, other)
    rng = generator(seed)
    position, manipulability = np.empty((samples, 3)), np.empty(samples)
    free = None if checks is None else np.empty(samples, dtype=bool)
    for start in range(0, samples, CHUNK):
        part = slice(start, min(start + CHUNK, samples))
        q = rng.uniform(arm.limits.lower, arm.limits.upper, (part.stop - start, 7))
        position[part] = arm.fk(q)[:, :3, 3]
        manipulability[part] = arm.manipulability(q)
        if checks is not None and free is not None:
            free[part] = clear(checks, arm.side, q, other)
        if progress is not None:
            progress(part.stop - start)
    return Reach(position, manipulability, free)


def scene_of_arm(arm: Arm, scene: SceneLike | None, other: object) -> Scene | None:
    """The scene that an arm is part of; None if none was given.

    Raises:
        InputError: If the arm is not the robot's, or `other` comes without a scene.
    """
    need_arm(arm)
    if scene is None:
        if other is not None:
            raise InputError("other is about the body; give scene= too")
        return None
    found = as_scene(scene)
    own = found.arm(arm.side).model
    same = ("T_base_s0", "T_last_tip")
    if any(not np.array_equal(getattr(arm.model, x), getattr(own, x)) for x in same):
        raise InputError(
            f"the {arm.side} arm of the scene's robot has another mount or tool than arm; give the "
            "robot's own arm, or scene=Baxter.of_arm(arm)"
        )
    return found


def clear(scene: Scene, side: str, q: Array, other: ArrayLike | None) -> NDArray[np.bool_]:
    """Which configurations (n, 7) of an arm touch nothing, with the other arm at rest."""
    rest = scene.arm(other_side(side))
    resting = rest.configuration("untuck") if other is None else other
    sides = (q, resting) if side == "left" else (resting, q)
    return ~np.asarray(scene.in_collision(*sides))


def best_in_cells(points: Array, values: Array, edge: float) -> tuple[Array, Array]:
    """The greatest value in every cell of a grid that holds a point.

    Args:
        points: Shape (n, d).
        values: Shape (n,).
        edge: Edge of a cell.

    Returns:
        Centres of the cells, shape (m, d), and the greatest values, shape (m,).
    """
    index = np.floor(points / edge).astype(np.int64)
    low = index.min(axis=0)
    shape = tuple(index.max(axis=0) - low + 1)
    flat = np.ravel_multi_index(tuple((index - low).T), shape)
    best = np.full(int(np.prod(shape)), -np.inf)
    np.maximum.at(best, flat, values)
    found = np.flatnonzero(best > -np.inf)
    cells = np.stack(np.unravel_index(found, shape), axis=-1)
    return (cells + low + 0.5) * edge, best[found]

"""Joint-space samples of the workspace (Kumar et al., Fig. 4), with what the body forbids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import generator
from baxterkit.checks.numbers import count
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.types import Array, Vector3

__all__ = ["Reach", "best_in_cells", "sample_reach"]

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
            raise InputError("these samples do not say what the body forbids; give robot=")
        return Reach(self.position[self.free], self.manipulability[self.free])


def sample_reach(
    arm: Arm,
    samples: int = 1_000_000,
    *,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
    robot: Baxter | None = None,
    other: ArrayLike | None = None,
    world: World | None = None,
) -> Reach:
    """Tip positions and manipulability at random joint positions within the limits.

    Args:
        arm: The arm.
        samples: Number of samples.
        seed: Seed of the random numbers.
        progress: Called with the number of samples that were just done.
        robot: The robot that the arm is part of: its body then says which samples are free.
        other: Joint positions of the other arm [rad], shape (7,); untucked if None.
        world: Obstacles, if `robot` is given.

    Returns:
        The samples.
    """
    samples = count(samples, "samples", 1)
    check_robot(arm, robot, other, world)
    rng = generator(seed)
    position, manipulability = np.empty((samples, 3)), np.empty(samples)
    free = None if robot is None else np.empty(samples, dtype=bool)
    for start in range(0, samples, CHUNK):
        part = slice(start, min(start + CHUNK, samples))
        q = rng.uniform(arm.limits.lower, arm.limits.upper, (part.stop - start, 7))
        position[part] = arm.fk(q)[:, :3, 3]
        manipulability[part] = arm.manipulability(q)
        if robot is not None and free is not None:
            free[part] = free_postures(robot, arm.side, q, other, world)
        if progress is not None:
            progress(part.stop - start)
    return Reach(position, manipulability, free)


def check_robot(arm: Arm, robot: Baxter | None, other: object, world: object) -> None:
    """Raises if the arm is not the robot's, or what is about the body comes without a robot."""
    if not isinstance(arm, Arm):
        raise InputError(f"arm must be an Arm, got {type(arm).__name__}")
    if robot is None:
        if other is not None or world is not None:
            raise InputError("other and world are about the body; give robot= too")
        return
    if not isinstance(robot, Baxter):
        raise InputError(f"robot must be a Baxter, got {type(robot).__name__}")
    own = (robot.left if arm.side == "left" else robot.right).model
    same = ("T_base_s0", "T_last_tip")
    if any(not np.array_equal(getattr(arm.model, x), getattr(own, x)) for x in same):
        raise InputError(
            f"the {arm.side} arm of robot has another mount or tool than arm; give the robot's own "
            "arm, or robot=Baxter.of_arm(arm)"
        )


def free_postures(
    robot: Baxter, side: str, q: Array, other: ArrayLike | None, world: World | None
) -> NDArray[np.bool_]:
    """Which postures (n, 7) of an arm touch nothing, with the other arm at rest."""
    rest = robot.right if side == "left" else robot.left
    resting = rest.pose("untuck") if other is None else other
    sides = (q, resting) if side == "left" else (resting, q)
    return ~np.asarray(robot.in_collision(*sides, world=world))


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

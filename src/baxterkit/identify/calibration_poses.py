"""Joint positions that make an arm's kinematics observable, free of collisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import generator, joint_array
from baxterkit.errors import InputError, NoAnswerError
from baxterkit.identify.chain_errors import Chain
from baxterkit.identify.from_tracker import KinematicPrior
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.names import check_side, other_side
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.types import Array, JointVector

NOISE = 2e-4
"""Assumed noise of measured positions [m]."""
MARGIN = 0.05
"""Share of the range at either end that is not used."""
CANDIDATES = 8
"""Free configurations that are tried for each pose."""
MOST_ROUNDS = 50
"""Batches of random configurations that are drawn at most."""


@on_one_thread
def planned_poses(
    scene: SceneLike,
    side: str = "left",
    count: int = 60,
    *,
    other: ArrayLike | None = None,
    margin: float = 0.03,
    seed: int = 0,
) -> JointVector:
    """Joint positions for `identify.kinematics`: each adds most to what the others tell.

    From random configurations that touch nothing, the one is taken in turn that raises the
    determinant of the parameters' information most. They are ordered so that neighbours are near;
    `planning.plan` finds paths between them.

    Args:
        scene: The robot among its obstacles, with the tools it wears; a `Baxter` for no obstacles,
            or a robot that acts.
        side: The arm that is calibrated.
        count: Number of poses.
        other: Joint positions of the other arm [rad], shape (7,); untucked if None.
        margin: Safety margin [m]: anything closer counts as a collision.
        seed: Random seed, a non-negative integer.

    Returns:
        Joint positions [rad], shape (count, 7).

    Raises:
        InputError: If the count is not positive.
        NoAnswerError: If too few random configurations are free of collisions.
    """
    if count < 1:
        raise InputError(f"count must be 1 or more, got {count}")
    left, given = check_side(side) == "left", as_scene(scene)
    arm = given.arm(side)
    still = given.arm(other_side(side)).configuration("untuck") if other is None else other
    still = joint_array(still, "other")
    checks = given.replace(margin=max(margin, given.margin))
    free = _free(checks, left, still, CANDIDATES * count, generator(seed))
    chain = Chain.nominal(arm.model, arm.model.T_base_s0, arm.model.T_hand_tip)
    rows = chain.derivatives(free)[0] * KinematicPrior().deviations() / NOISE
    information = np.eye(rows.shape[-1])
    open_ones = np.ones(len(free), dtype=bool)
    chosen = []
    for _ in range(count):
        inner = rows @ np.linalg.inv(information) @ np.swapaxes(rows, 1, 2)
        gain = np.linalg.slogdet(np.eye(3) + inner)[1]
        best = int(np.argmax(np.where(open_ones, gain, -np.inf)))
        open_ones[best] = False
        chosen.append(best)
        information += rows[best].T @ rows[best]
    return _ordered(free[chosen], arm.configuration("untuck"))


def _free(
    scene: Scene, left: bool, still: JointVector, count: int, rng: np.random.Generator
) -> JointVector:
    """Random configurations that touch nothing, shape (count, 7)."""
    limits = scene.arm("left" if left else "right").limits
    room = MARGIN * (limits.upper - limits.lower)
    found = list[Array]()
    for _ in range(MOST_ROUNDS):
        q = rng.uniform(limits.lower + room, limits.upper - room, (count, 7))
        sides = (q, still) if left else (still, q)
        found.append(q[~np.asarray(scene.in_collision(*sides))])
        if sum(map(len, found)) >= count:
            return np.concatenate(found)[:count]
    raise NoAnswerError(
        f"only {sum(map(len, found))} of {MOST_ROUNDS * count} random configurations are free of "
        "collisions; move the other arm, or what stands around, away"
    )


def _ordered(q: JointVector, start: JointVector) -> JointVector:
    """From the start on, always the nearest of those that are left."""
    rest, order, at = list(range(len(q))), [], start
    while rest:
        nearest = min(rest, key=lambda k: float(np.abs(q[k] - at).max()))
        rest.remove(nearest)
        order.append(nearest)
        at = q[nearest]
    return q[order]

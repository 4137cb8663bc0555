"""A motion of one arm around the motion of the other one, on the same clock."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array, one
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.planning.planner import plan
from baxterkit.planning.result import PlanError, PlanResult, PlanStatus
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.collision.world import World

__all__ = ["plan_around"]

TRIES = 8
"""Paths that are tried, each with another seed."""
DELAY = 0.05
"""Between the delays that are tried [s]."""
COARSE, FINE = 0.02, 0.005
"""Steps of time at which postures are looked at first, and between which they are swept [s]."""
OFF = 0.0005
"""Padding for what both motions are off straight lines within a fine step [m]."""


def plan_around(
    robot: Baxter,
    start: ArrayLike,
    goal: Any,
    motion: Trajectory,
    *,
    side: str,
    world: World | None = None,
    padding: float = 0.0,
    seed: int = 0,
    **options: Any,
) -> Trajectory:
    """A motion of one arm to a goal that keeps clear of the other arm while that moves.

    The arm waits as long as it must, then takes a path that is free where the other arm ends. With
    several seeds, the motion that ends first is returned. Both motions begin at time 0; swept
    between steps of 5 ms, the two arms touch neither each other nor anything else.

    Args:
        robot: The robot.
        start: Joint positions of the arm that is planned [rad], shape (7,).
        goal: Its goal, as `plan` takes it.
        motion: The motion of the other arm, which rests at its end after that.
        side: The arm that is planned, "left" or "right".
        world: Obstacles, and what the hands hold.
        padding: What is nearer than this [m] counts as touching.
        seed: Of the random numbers.
        **options: Further ones of `plan`.

    Returns:
        The motion; it may begin with a rest.

    Raises:
        PlanError: If there is none: says why.
    """
    if side not in SIDES:
        raise UnknownNameError("arm", side, SIDES)
    if not isinstance(motion, Trajectory):
        raise InputError(f"motion must be the other arm's Trajectory, got {type(motion).__name__}")
    here = one(joint_array(start, "start", names=joint_names(side)), "start")
    best: Trajectory | None = None
    last: PlanResult | None = None
    checker = robot.checker(
        world=world, **{k: v for k, v in options.items() if k in ("opening", "without")}
    )
    head = float(options.get("head", 0.0))
    for turn in range(TRIES):
        result = plan(
            robot,
            here,
            goal,
            world=world,
            group=side,
            other=motion.end,
            padding=padding,
            seed=seed + turn,
            **options,
        )
        if last is None or result.solved:
            last = result
        if not result.solved:
            if result.status is not PlanStatus.NO_PATH:
                break
            continue
        own = result.trajectory() if len(result.path) > 1 else _rest(here, motion)
        assert isinstance(own, Trajectory)
        for delay in np.arange(0.0, motion.duration + DELAY, DELAY):
            if best is not None and delay + own.duration >= best.duration:
                break
            delayed = _delayed(own, float(delay))
            if not _free(checker, delayed, motion, side, head, padding, COARSE, sweep=False):
                continue
            if _free(checker, delayed, motion, side, head, padding + OFF, FINE, sweep=True):
                best = delayed
                break
    assert last is not None
    if best is None:
        if last.solved:
            reason = (
                f"{TRIES} paths of the {side} arm are free where the other arm ends, but with no "
                f"wait of up to {motion.duration:.2f} s can it take one while that moves"
            )
            last = replace(last, status=PlanStatus.NO_PATH, reason=reason, path=last.path[:0])
        raise PlanError(f"{last.status.name}: {last.reason}", last)
    return best


def _rest(q: Array, motion: Trajectory) -> Trajectory:
    coefficients = np.zeros((1, 1, 7))
    coefficients[0, 0] = q
    return Trajectory(np.array([0.0, motion.duration]), coefficients, None, "rest")


def _delayed(motion: Trajectory, delay: float) -> Trajectory:
    """The motion after a rest."""
    if delay == 0.0:
        return motion
    first = np.zeros((1, *motion.coefficients.shape[1:]))
    first[0, 0] = motion.start
    return Trajectory(
        np.concatenate([[0.0], delay + motion.knots]),
        np.concatenate([first, motion.coefficients]),
        motion.limits,
        motion.name,
    )


def _free(
    checker: Any,
    own: Trajectory,
    other: Trajectory,
    side: str,
    head: float,
    padding: float,
    step: float,
    sweep: bool,
) -> bool:
    """Whether both motions together touch nothing: at steps of time, or swept between them."""
    ends = max(own.duration, other.duration)
    t = np.linspace(0.0, ends, max(2, int(np.ceil(ends / step)) + 1))
    parts = (own.sample(t).q, other.sample(t).q)
    left, right = parts if side == "left" else parts[::-1]
    if not sweep:
        return not np.any(checker.in_collision(left, right, head, padding))
    q = np.concatenate([left, right], axis=-1)
    return bool(np.all(checker.edge_free(q[:-1], q[1:], head, padding)))

"""A motion of one arm around the motion of the other one, on the same clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from baxterkit.checks.arrays import joint_array, one
from baxterkit.checks.named import Given
from baxterkit.errors import InputError
from baxterkit.model.names import check_side, joint_names, other_side
from baxterkit.planning.constraints import TipConstraint
from baxterkit.planning.outcome import PlanStatus
from baxterkit.planning.planner import USUAL, plan
from baxterkit.planning.result import PlanError, PlanResult
from baxterkit.planning.settings import MOST_SEED, SearchSettings
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointsLike

TRIES = 8
"""Paths that are tried, each with another seed."""
DELAY, MOST_DELAYS = 0.05, 400
"""Between the delays that are tried [s], and how many there are at most."""
LONGEST = 3600.0
"""Longest motion that another one is planned around [s]."""
ROWS = 2000
"""Configurations that are checked together."""
COARSE, FINE = 0.02, 0.005
"""Time steps at which configurations are checked first, and between which they are swept [s]."""
OFF = 0.0005
"""Margin for what both motions are off straight lines within a fine step [m]."""


def plan_around(
    scene: SceneLike,
    start: JointsLike,
    goal: Given,
    motion: Trajectory,
    *,
    side: str,
    constraints: TipConstraint | Sequence[TipConstraint] = (),
    search: SearchSettings = USUAL,
) -> Trajectory:
    """A motion of one arm to a goal that keeps clear of the other arm while that moves.

    The arm waits as long as it must, then takes a path that is clear where the other arm ends. With
    several seeds, the motion that ends first is returned. Both motions begin at time 0; swept
    between steps of 5 ms, the two arms touch neither each other nor anything else.

    Args:
        scene: The robot among its obstacles, a `Baxter` for no obstacles, or a robot that acts.
        start: Joint positions of the arm that is planned [rad], shape (7,).
        goal: Its goal, as `plan` takes it.
        motion: The motion of the other arm, which rests at its end after that.
        side: The arm that is planned, "left" or "right".
        constraints: What its tip must keep, as `plan` takes them.
        search: First seed, time limit of each path, planner.

    Returns:
        The motion; it may begin with a rest.

    Raises:
        PlanError: If there is none: says why.
    """
    scene = as_scene(scene)
    check_side(side, "arm")
    if not isinstance(motion, Trajectory):
        raise InputError(f"motion must be the other arm's Trajectory, got {type(motion).__name__}")
    motion = motion.of(other_side(side))
    if motion.duration > LONGEST:
        raise InputError(
            f"motion takes {motion.duration:g} s; {LONGEST:g} s at most are planned around, so cut "
            "it into parts"
        )
    here = one(joint_array(start, "start", names=joint_names(side)), "start")
    pair = _Pair(scene, motion, side)

    def ask(turn: int, still: Array) -> PlanResult:
        again = replace(search, seed=(search.seed + turn) % MOST_SEED)
        kept = constraints
        return plan(scene, here, goal, group=side, other=still, constraints=kept, search=again)

    best: Trajectory | None = None
    last: PlanResult | None = None
    wait, touching = pair.longest_wait(here)
    if touching is not None and wait == 0.0:
        blocked = ask(0, motion.start)
        reason = f"where both motions start, {touching[0]} touches {touching[1]}"
        raise _no_motion(blocked, PlanStatus.START_IN_COLLISION, reason, touching)
    for turn in range(TRIES):
        result = ask(turn, motion.end)
        if last is None or result.solved:
            last = result
        if not result.solved:
            if result.status is not PlanStatus.NO_PATH:
                break
            continue
        own = result.trajectory() if len(result.path) > 1 else _rest(here, motion)
        assert isinstance(own, Trajectory)
        for delay in np.arange(0.0, wait + DELAY, max(DELAY, wait / MOST_DELAYS)):
            if best is not None and delay + own.duration >= best.duration:
                break
            if pair.free(own, float(delay)):
                best = _delayed(own, float(delay))
                break
    assert last is not None
    if best is None and last.solved:
        raise _no_motion(last, PlanStatus.NO_PATH, _why(side, wait, touching), touching)
    if best is None:
        raise PlanError(f"{last.status.name}: {last.reason}", last)
    return best


def _why(side: str, wait: float, touching: tuple[str, str] | None) -> str:
    free = f"{TRIES} paths of the {side} arm are free where the other arm ends, but "
    if touching is None:
        return f"{free}with no wait of up to {wait:.2f} s can it take one while that moves"
    return (
        f"{free}where it starts {touching[0]} touches {touching[1]} after {wait:.2f} s, and it can "
        "take none of them before that"
    )


def _no_motion(
    result: PlanResult, status: PlanStatus, reason: str, pair: tuple[str, str] | None
) -> PlanError:
    none = replace(result, status=status, reason=reason, pair=pair, path=result.path[:0], legs=())
    return PlanError(f"{status.name}: {reason}", none)


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
        motion.side,
    )


class _Pair:
    """One arm beside the motion of the other."""

    def __init__(self, scene: Scene, other: Trajectory, side: str) -> None:
        self.scene, self.other, self.side = scene, other, side
        self.wider = scene.replace(margin=scene.margin + OFF)
        self.rested: dict[tuple[bytes, int], Array] = {}

    def longest_wait(self, q: Array) -> tuple[float, tuple[str, str] | None]:
        """How long the arm can rest at its start (7,) [s], and what touches then, if anything."""
        for t in _parts(0.0, self.other.duration, COARSE):
            configurations = self.configurations(np.broadcast_to(q, (len(t), 7)), t)
            hits = self.scene.in_collision(configurations[:, :7], configurations[:, 7:])
            if np.any(hits):
                row = int(np.argmax(hits))
                q_left, q_right = configurations[row, :7], configurations[row, 7:]
                return float(t[row]), self.scene.nearest(q_left, q_right).names
        return self.other.duration, None

    def free(self, own: Trajectory, delay: float) -> bool:
        """Whether both motions together touch nothing, the own one after a delay [s]."""
        moving = (delay, delay + own.duration)
        return (
            self.looks_free(own, delay, *moving)
            and self.rests(own.start, 0.0, moving[0])
            and self.swept(own, delay, *moving)
            and self.rests(own.end, moving[1], self.other.duration)
        )

    def rests(self, q: Array, begin: float, end: float) -> bool:
        """Whether the arm can rest at q (7,) from begin to end [s]: swept, each part once."""
        size = ROWS * FINE
        for part in range(int(begin / size), int(np.ceil(end / size)) if end > begin else 0):
            key = (q.tobytes(), part)
            if key not in self.rested:
                t: Array = size * part + FINE * np.arange(ROWS + 1.0)
                configurations = self.configurations(np.broadcast_to(q, (len(t), 7)), t)
                self.rested[key] = np.asarray(self.sweep(configurations))
            first = max(0, int((begin - size * part) / FINE))
            last = min(ROWS, int(np.ceil((end - size * part) / FINE)))
            if not np.all(self.rested[key][first:last]):
                return False
        return True

    def looks_free(self, own: Trajectory, delay: float, begin: float, end: float) -> bool:
        """At steps of time."""
        for t in _parts(begin, end, COARSE):
            q = self.configurations(own.sample(np.maximum(t - delay, 0.0)).q, t)
            if np.any(self.scene.in_collision(q[:, :7], q[:, 7:])):
                return False
        return True

    def swept(self, own: Trajectory, delay: float, begin: float, end: float) -> bool:
        """Between smaller steps."""
        for t in _parts(begin, end, FINE):
            q = self.configurations(own.sample(np.maximum(t - delay, 0.0)).q, t)
            if not np.all(self.sweep(q)):
                return False
        return True

    def sweep(self, q: Array) -> Given:
        """Whether both arms are free between each of n configurations (n, 14) and the next one."""
        return self.wider.edge_free(q[:-1], q[1:])

    def configurations(self, own: Array, t: Array) -> Array:
        """Joint positions of both arms, left then right, shape (n, 14)."""
        parts = (own, self.other.sample(t).q)
        return np.concatenate(parts if self.side == "left" else parts[::-1], axis=-1)


def _parts(begin: float, end: float, step: float) -> Iterator[Array]:
    """Times from begin to end [s], in parts that fit into memory; each begins where one ended."""
    t = np.linspace(begin, end, max(2, int(np.ceil((end - begin) / step)) + 1))
    for first in range(0, len(t) - 1, ROWS):
        yield t[first : first + ROWS + 1]

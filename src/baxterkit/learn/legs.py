"""Legs: the parts of a planned solution, as samples of both arms' joint positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from baxterkit.model.names import ARM_COLUMNS, other_side
from baxterkit.planning.planner import plan
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene import Scene
from baxterkit.trajectory.polylines import sampled_line
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

RATE = 50.0
"""Samples of a leg per second [Hz]."""
SEARCH = SearchSettings(timeout=3.0)
ELBOWS = (-0.4, 0.4, -1.0, 1.0, -1.7, 1.7)
"""Values of e0 of the left arm at which lines are begun if the nearest solution breaks [rad]."""
LINE_SPEED = 0.12
"""Greatest speed of a tip on straight lines [m/s]."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A part of a solution.

    Attributes:
        t: Times from its start [s], shape (m,).
        q: Positions of both arms, left then right [rad], shape (m, 14).
        grip: What the grippers do at its end: 0 (close), 1 (open), None (nothing).
    """

    t: Array
    q: Array
    grip: float | None = None

    def sample(self, t: float) -> tuple[Array, Array]:
        """Positions [rad] and velocities [rad/s] at a time [s], shape (14,) each."""
        if t >= self.t[-1]:
            return self.q[-1], np.zeros(14)
        k = int(np.searchsorted(self.t, t, side="right"))
        dt = self.t[k] - self.t[k - 1]
        speed = (self.q[k] - self.q[k - 1]) / dt
        return self.q[k - 1] + (t - self.t[k - 1]) * speed, speed

    def slowed(self, most: Array) -> Leg:
        """The same, no faster than these velocities [rad/s], shape (14,)."""
        fast = np.abs(np.diff(self.q, axis=0)) / np.diff(self.t)[:, None] / most
        return replace(self, t=self.t * max(float(fast.max(initial=0.0)), 1.0))


def leg_of(motion: Trajectory, q: Array, side: str, grip: float | None = None) -> Leg:
    """A motion of one arm, or of "both"; an arm that does not move is where it is in q (14,)."""
    t = np.linspace(0.0, motion.duration, max(int(RATE * motion.duration), 2) + 1)
    rows = np.tile(q, (len(t), 1))
    columns = ARM_COLUMNS[side]
    rows[:, columns] = motion.sample(t).q
    return Leg(t, rows, grip)


def go(scene: Scene, q: Array, goal: object, side: str) -> Leg | None:
    """A planned motion from q (14,) to a goal of `planning.plan`; None if none was found."""
    found = plan(scene, q, goal, group=side, search=SEARCH)
    if not found.solved:
        return None
    if len(found.path) < 2:
        return Leg(np.array([0.0, 0.1]), np.array([q, q]))
    return leg_of(found.trajectory(), q, side)


def through(
    scenes: tuple[Scene, Scene], q: Array, poses: dict[str, list[Array]], grips: list[float | None]
) -> list[Leg] | None:
    """A planned motion to a pose of the tip, or of both tips, then straight lines through others.

    Args:
        scenes: The robot among what it must not touch: on the motion there, and on the lines.
        q: Where the arms are [rad], shape (14,).
        poses: T_base_tip one after another, by side, shape (4, 4) each.
        grips: What the grippers do at the end of each line.

    Returns:
        A leg for the motion there, and one for each line; None if none were found.
    """
    sides = tuple(poses)
    columns = ARM_COLUMNS["both" if len(sides) == 2 else sides[0]]
    t, Ts = [], {side: [] for side in sides}  # type: ignore[var-annotated]
    for k in range(len(grips)):
        for side, places in poses.items():
            times, line = sampled_line(places[k], places[k + 1], LINE_SPEED, RATE)
            Ts[side].append(line)
        t.append(times)
    whole = {side: np.concatenate(parts) for side, parts in Ts.items()}
    for seed in _seeds(scenes[1], q, poses):
        own = _continuous(scenes[1], q, seed, whole)
        if own is None:
            continue
        first = go(scenes[0], q, own[0], sides[0] if len(sides) == 1 else "both")
        if first is None:
            continue
        rows = np.tile(q, (len(own), 1))
        rows[:, columns] = own
        ends = np.cumsum([len(times) for times in t])
        parts = np.split(rows, ends[:-1])
        return [first, *(Leg(*each) for each in zip(t, parts, grips, strict=True))]
    return None


def _seeds(scene: Scene, q: Array, poses: dict[str, list[Array]]) -> Iterator[Array]:
    """Joint positions to begin lines near, shape (14,): these, then solutions with other elbows."""
    yield q
    for e0 in ELBOWS:
        near = q.copy()
        for side, places in poses.items():
            mine = ARM_COLUMNS[side]
            found = scene.arm(side).ik_all(places[0], e0 if side == "left" else -e0)
            if len(found):
                near[mine] = found[np.argmin(np.abs(found - q[mine]).max(axis=1))]
        yield near


def _continuous(scene: Scene, q: Array, seed: Array, Ts: dict[str, Array]) -> Array | None:
    """Joint positions along poses (m, 4, 4) of one tip or both, shape (m, 7) or (m, 14)."""
    if len(Ts) == 2:
        both = scene.ik_pair_path(Ts["left"], Ts["right"], (seed[:7], seed[7:]))
        return np.hstack([both.q_left, both.q_right]) if both.solved else None
    ((side, path),) = Ts.items()
    own, other = seed[ARM_COLUMNS[side]], q[ARM_COLUMNS[other_side(side)]]
    one = scene.ik_path(side, path, other, own)
    return one.q if one.solved else None

"""`Expert`: solves the tasks by planning, with the actions that a learner has.

Each task plans legs, joint motions of both arms; the expert follows them with whatever kind of
action the environment has, through the gate as everyone else. So the tasks are known to be solvable
with each kind of action, and learners get demonstrations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.computed_torque import ARMATURE
from baxterkit.learn.actions import EFFORT, SPEED, STEP, TIP_SPEED, TIP_TURN
from baxterkit.learn.legs import Leg
from baxterkit.learn.robots import Robots
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.sim.loops import CATCH_UP
from baxterkit.sim.nominal import nominal_effects
from baxterkit.types import Array

GAIN = 4.0
"""Velocity for each radian by which an arm is behind its leg [1/s]."""
BRISK = 0.8
"""Share of the greatest velocity action that legs are planned for."""
CLEAR = 0.015
"""Safety margin of the plans [m]: more than the gate keeps."""
NEAR = 0.015
"""A leg is over when no joint is farther than this from its end [rad],"""
PATIENCE = 0.5
"""or this long after it should have been [s]."""
GRIPPING = 0.6
"""Time that a gripper has to open or close [s]."""
TORQUE_GAIN = 12.0
"""Acceleration for each difference of velocity [1/s]."""
SLOW = 0.05
"""Speed at which dry friction is compensated fully [rad/s]."""


class Expert:
    """Follows planned legs in each of n robots.

    Args:
        robots: The robots, of `BaxterEnv.robots` or `BaxterVectorEnv.robots`.
    """

    def __init__(self, robots: Robots) -> None:
        self._robots = robots
        n = len(robots.batch)
        self._legs: list[tuple[Leg, ...]] = [()] * n
        self._leg, self._time, self._grip = [0] * n, np.zeros(n), np.ones(n)
        self._gripping = np.zeros(n)
        velocities = [arm.limits.velocity for arm in robots.arms.values()]
        self._fastest = BRISK * SPEED * np.concatenate(velocities)
        self.planned = np.zeros(n, dtype=bool)
        """Whether there is a plan, of each robot."""

    def begin(self, rows: Sequence[int]) -> None:
        """Plans the present episodes of some robots; to be called after their reset."""
        scene = self._robots.scene.replace(margin=CLEAR)
        for i in rows:
            episode = self._robots.episodes[i]
            legs = None if episode is None else self._robots.task.plan(scene, episode)
            self.planned[i] = legs is not None
            self._legs[i] = tuple(leg.slowed(self._fastest) for leg in legs or ())
            self._leg[i], self._time[i], self._grip[i], self._gripping[i] = 0, 0.0, 1.0, 0.0

    def act(self) -> Array:
        """The next action of each robot, shape (n, k)."""
        robots = self._robots
        seen, kind = robots.seen(), robots.settings.action
        wanted = np.array([self._wanted(i, seen.q[i]) for i in range(len(seen.q))])
        parts = []
        for side in robots.task.sides:
            columns = ARM_COLUMNS[side]
            q, qd = seen.q[:, columns], seen.qd[:, columns]
            parts.append(action_of(kind, robots.arms[side], wanted[:, columns], q, qd))
            if robots.grips:
                parts.append(2.0 * self._grip[:, None] - 1.0)
        return np.concatenate(parts, axis=1)

    def _wanted(self, i: int, q: Array) -> Array:
        """Velocities of both arms of one robot now [rad/s], shape (14,); then time goes on."""
        period = 1e-3 * self._robots.settings.period
        legs = self._legs[i]
        if not legs:
            return np.zeros(14)
        if self._gripping[i] > 0.0:
            self._gripping[i] -= period
            if self._gripping[i] <= 0.0:
                self._next(i)
        leg = legs[min(self._leg[i], len(legs) - 1)]
        at, speed = leg.sample(self._time[i] if self._leg[i] < len(legs) else leg.t[-1])
        self._time[i] += period
        over = self._time[i] - leg.t[-1]
        there = over > PATIENCE or np.abs(at - q).max() < NEAR
        if self._leg[i] < len(legs) and over > 0.0 and there and self._gripping[i] <= 0.0:
            if leg.grip is None:
                self._next(i)
            else:
                self._grip[i], self._gripping[i] = leg.grip, GRIPPING
        return speed + GAIN * (at - q)

    def _next(self, i: int) -> None:
        self._leg[i], self._time[i] = self._leg[i] + 1, 0.0


def action_of(kind: str, arm: Arm, qd: Array, q: Array, qd_now: Array) -> Array:
    """The action that makes an arm move at some velocities, -1 to 1.

    Args:
        kind: Of the action.
        arm: The arm.
        qd: Wanted velocities [rad/s], shape (n, 7).
        q: Measured positions [rad], shape (n, 7).
        qd_now: Measured velocities [rad/s], shape (n, 7).
    """
    limits = arm.limits
    if kind == "position":
        action = qd / (CATCH_UP * STEP)
    elif kind == "velocity":
        action = qd / (SPEED * limits.velocity)
    elif kind == "torque":
        push = TORQUE_GAIN * (qd - qd_now)
        tau = (arm.inertia(q) @ push[..., None])[..., 0] + ARMATURE * push
        action = (tau + nominal_effects().coulomb * np.tanh(qd / SLOW)) / EFFORT
    else:
        twist = (arm.jacobian(q) @ qd[..., None])[..., 0]
        action = twist / np.repeat([TIP_SPEED, TIP_TURN], 3)
    return np.clip(action, -1.0, 1.0)

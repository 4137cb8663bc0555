"""One hand and its target: wanted joint velocities from tick to tick.

The tip goes straight to the target at a bounded speed and acceleration, and `Arm.ik_track` gives
the joints for each next pose. The redundancy leads the arm away from what is near, so that the hand
goes on; where that does not suffice, joints that approach it slow down. Beyond the border of the
workspace, or at a joint limit, a damped step brings the hand as near as it gets. Joint velocities
and accelerations are bounded, so a reference never jumps, whatever the target does.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.collision.nearest import Nearest
from baxterkit.servo.settings import ServoSettings
from baxterkit.spatial.formulas import pose_difference, so3_exp, transform
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.types import Array, JointVector, Transform

GAIN = 6.0
"""Speed towards a target for its distance [1/s]."""
TIP_ACCELERATION = np.array([1.0, 4.0])
"""Acceleration of the tip [m/s², rad/s²]."""
NEAR = 0.1
"""Clearance below which the redundancy leads the arm away [m], besides what is kept."""
ASIDE = 0.4
"""Joint speed of that, where nothing is left of it [rad/s]."""
APPROACH = 2.0
"""Rate at which the clearance may fall to what is kept [1/s]."""
AHEAD = 0.001
"""Where that comes to rest, besides what is kept [m]: a hand nearer than this moves away."""
DAMPING = 0.05
"""Of steps near singularities and at the border of the workspace."""
SHARES = (1.0, 0.5, 0.2)
"""Shares of a step that are tried before a damped one."""
AT_END = 0.9
"""Share of the acceleration with which a tip brakes before its target."""
BEFORE_LIMIT, SOFTLY = 0.3, 0.5
"""A joint that goes on for this time [s], and brakes with this share of its acceleration, must come
to rest within its limits: a robot obeys a velocity for 0.2 s if no other comes."""
ROOM = 1e-3
"""Distance from its limits at which it rests [rad]: positions are measured with noise."""
BRAKING = 8
"""Configurations on a braking path."""
OUT_OF_REACH = 0.03
"""A hand that stays this far from its target [m] while it takes damped steps is out of reach."""


class HandServo:
    """The reference of one hand.

    Args:
        arm: The arm.
        q: Where it is [rad], shape (7,), at rest.
        settings: Its bounds.

    Attributes:
        q: The reference [rad], shape (7,).
        qd: Its velocity [rad/s], shape (7,).
        kept: Clearance that is kept now [m].
        stuck: How far the last damped step was from its target [m]; 0 after an exact one.
    """

    def __init__(self, arm: Arm, q: JointVector, settings: ServoSettings) -> None:
        self.arm, self._settings = arm, settings
        self.q: JointVector = arm.limits.clip(q)
        self.qd: JointVector = np.zeros(7)
        self._tip = np.zeros(6)
        self._velocity = settings.joints * arm.limits.velocity
        self.kept = 0.0
        self.stuck = 0.0

    def put(self, q: JointVector, qd: JointVector) -> None:
        """Begins anew where the arm is [rad], and as fast as it is [rad/s]."""
        self.q = self.arm.limits.clip(q)
        self.qd = np.clip(qd, -self._velocity, self._velocity)
        self._tip = self.arm.twist(self.q, self.qd)

    def wanted(self, T: Transform | None, near: tuple[Nearest, ...], dt: float) -> JointVector:
        """Velocities for the next tick [rad/s], shape (7,), within speed and acceleration.

        Args:
            T: The target; None: brake.
            near: What is nearest to the arm; gradients are this arm's, shape (7,).
            dt: Length of the tick [s].
        """
        if T is None:
            self._tip = np.zeros(6)
            return self.braked(dt)
        here = self.arm.fk(self.q)
        away = pose_difference(here, T)
        self._tip = self._speeds(away, dt)
        qd = self._followed(here, away, near, dt)
        for pair in near:
            qd = self._slowed(qd, pair)
        qd = qd * min(1.0, float((self._velocity / np.maximum(np.abs(qd), 1e-12)).min()))
        return self._reached(qd, dt)

    def _reached(self, qd: JointVector, dt: float) -> JointVector:
        """As much of a change of velocity as a tick allows, in its direction.

        Joints that come near to a limit are slowed down alone: they must not reach it.
        """
        most, limits = ACCELERATION * dt, self.arm.limits
        change = qd - self.qd
        share = float((most / np.maximum(np.abs(change), 1e-12)).min())
        qd = self.qd + min(share, 1.0) * change
        up, down = (_before(x) for x in (limits.upper - self.q, self.q - limits.lower))
        return np.clip(np.clip(qd, -down, up), self.qd - most, self.qd + most)

    def braked(self, dt: float) -> JointVector:
        """Velocities after a tick of braking [rad/s], shape (7,)."""
        most = ACCELERATION * dt
        return self.qd - np.clip(self.qd, -most, most)

    def stop(self, qd: JointVector, dt: float) -> Array:
        """The path of a tick at these velocities and of braking to rest after it, (n, 7)."""
        after = self.q + dt * qd
        longest = float((np.abs(qd) / ACCELERATION).max())
        t = np.linspace(0.0, longest, BRAKING)[:, None]
        t = np.minimum(t, np.abs(qd) / ACCELERATION)
        braking = after + qd * t - 0.5 * np.sign(qd) * ACCELERATION * t * t
        return np.concatenate([self.q[None], braking])

    def take(self, qd: JointVector, dt: float) -> None:
        """Moves the reference by a tick."""
        self.q, self.qd = self.arm.limits.clip(self.q + dt * qd), qd

    def _speeds(self, away: Array, dt: float) -> Array:
        """Velocity of the tip for the next tick, linear and angular part bounded each."""
        wanted = np.zeros(6)
        tops = (self._settings.speed, self._settings.turn)
        for i, (top, a) in enumerate(zip(tops, TIP_ACCELERATION, strict=True)):
            part = slice(3 * i, 3 * i + 3)
            size = float(np.linalg.norm(away[part]))
            if size > 0.0:
                speed = min(top, GAIN * size, float(np.sqrt(2.0 * AT_END * a * size)))
                wanted[part] = away[part] * (speed / size)
            change = wanted[part] - self._tip[part]
            size = float(np.linalg.norm(change))
            if size > a * dt:
                wanted[part] = self._tip[part] + change * (a * dt / size)
        return wanted

    def _followed(
        self, here: Transform, away: Array, near: tuple[Nearest, ...], dt: float
    ) -> JointVector:
        """Velocities that move the tip, with the redundancy leading away from what is near."""
        aside = self._aside(near)
        start = self.arm.limits.clip(self.q + dt * aside)
        for share in SHARES:
            step = share * dt * self._tip
            T = transform(so3_exp(step[3:]) @ here[:3, :3], here[:3, 3] + step[:3])
            found = self.arm.ik_track(T, start, max_step=2.0 * dt * self._velocity)
            if found.solved:
                self.stuck = 0.0
                return (found.q - self.q) / dt
        J = self.arm.jacobian(self.q)
        self.stuck = float(np.linalg.norm(away[:3]))
        return J.T @ np.linalg.solve(J @ J.T + DAMPING**2 * np.eye(6), self._tip)

    def _aside(self, near: tuple[Nearest, ...]) -> JointVector:
        """Joint velocities of the self-motion along which clearances grow [rad/s], shape (7,)."""
        pushed = np.zeros(7)
        for pair in near:
            share = 1.0 - (float(pair.clearance) - self.kept) / NEAR
            size = float(np.linalg.norm(pair.gradient))
            if share > 0.0 and size > 0.0:
                pushed += ASIDE * min(share, 1.0) * pair.gradient / size
        if not pushed.any():
            return pushed
        return self.arm.nullspace(self.q) @ pushed

    def _slowed(self, qd: JointVector, pair: Nearest) -> JointVector:
        """Velocities under which a clearance falls no faster than it may."""
        slope = pair.gradient
        least = -APPROACH * (float(pair.clearance) - self.kept - AHEAD)
        lack = least - float(slope @ qd)
        if lack <= 0.0 or not slope.any():
            return qd
        within = self.arm.nullspace(self.q) @ slope
        if float(slope @ within) > 0.25 * float(slope @ slope):  # the self-motion can do it
            return qd + within * (lack / float(slope @ within))
        return qd + slope * (lack / float(slope @ slope))


def _before(room: JointVector) -> JointVector:
    """Greatest speeds towards limits that are this far away [rad], shape (7,) [rad/s]."""
    a = SOFTLY * ACCELERATION
    return a * (np.sqrt(BEFORE_LIMIT**2 + 2.0 * np.maximum(room - ROOM, 0.0) / a) - BEFORE_LIMIT)

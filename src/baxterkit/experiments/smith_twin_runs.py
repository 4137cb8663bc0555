"""Smith's experiment in the twin: identification, runs, and torques from recorded motions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control import ComputedTorque, Controller, DoubleLoopPid, Smoothed
from baxterkit.identify import dynamics as identify_dynamics
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.excite import exciting_motion
from baxterkit.identify.scores import Scores
from baxterkit.recording import Recording
from baxterkit.recording.signals import low_pass
from baxterkit.sim import Twin, TwinRecording
from baxterkit.trajectory import Trajectory, smith_set
from baxterkit.types import Array

__all__ = ["SETS", "Runs", "Torques", "cut", "identified", "runs_of", "torques_of", "trajectories"]

SIDE = "right"
SETS = (1, 2, 3)
RATE = 50.0
"""Of the recorder [Hz]."""
EXCITATION = 40.0
"""Length of the motion that the model is identified from [s]."""
RANGE = 0.2
"""Part of each joint's range that it uses, around where the sets are."""
FILTER_ORDER = 4
EDGE = 1.0
"""Left out at both ends where torques are filtered [s]: the filter knows nothing of before."""


@dataclass(frozen=True, eq=False)
class Torques:
    """Torques that were sensed, and those of the recorded motion by both methods, shape (n, 7).

    Attributes:
        t: Times [s], shape (n,).
        sensed: What the joints reported [Nm].
        lagrange: Of the motion by Lagrange-Euler [Nm].
        newton_euler: Of the motion by Newton-Euler [Nm].
    """

    t: Array
    sensed: Array
    lagrange: Array
    newton_euler: Array

    @property
    def scores(self) -> tuple[Scores, Scores]:
        """Of Lagrange-Euler and Newton-Euler."""
        return Scores.of(self.sensed, self.lagrange), Scores.of(self.sensed, self.newton_euler)

    @property
    def moving(self) -> Array:
        """By how much the sensed torque of each joint moves [Nm], shape (7,)."""
        moving: Array = self.sensed.max(axis=0) - self.sensed.min(axis=0)
        return moving

    def filtered(self, hz: float) -> Torques:
        """A copy through a zero-phase low-pass, without its ends."""
        inside = (self.t >= self.t[0] + EDGE) & (self.t <= self.t[-1] - EDGE)

        def smooth(x: Array) -> Array:
            y: Array = low_pass(self.t, x, hz, FILTER_ORDER)[inside]
            return y

        return Torques(
            self.t[inside], smooth(self.sensed), smooth(self.lagrange), smooth(self.newton_euler)
        )


def torques_of(recording: Recording, arm: Arm) -> Torques:
    """Torques of a recorded motion, accelerations by first differences of the velocities.

    A difference belongs to the middle of its two rows, so everything is taken there, as the mean of
    both; taken at the later row, accelerations would be late by half a period.
    """
    assert recording.qd is not None
    assert recording.tau is not None
    q, qd, tau, t = (
        0.5 * (x[1:] + x[:-1]) for x in (recording.q, recording.qd, recording.tau, recording.t)
    )
    qdd = np.diff(recording.qd, axis=0) / np.diff(recording.t)[:, None]
    return Torques(
        t=t,
        sensed=tau,
        lagrange=arm.inverse_dynamics(q, qd, qdd, method="lagrange"),
        newton_euler=arm.inverse_dynamics(q, qd, qdd),
    )


def trajectories(arm: Arm, duration: float = np.inf) -> dict[int, Trajectory]:
    """The three sets by the inverse Jacobian (eq. 15), their first `duration` seconds."""
    sets = {number: smith_set(number, arm, method="resolved_rate") for number in SETS}
    return {number: cut(motion, duration) for number, motion in sets.items()}


def identified(
    twin: Twin, sets: dict[int, Trajectory], duration: float = EXCITATION
) -> DynamicsFit:
    """The model that one exciting motion of the twin shows, around where the sets are."""
    arm = twin.limb(SIDE).arm.with_effects(None)
    exciting = exciting_motion(arm, duration, RATE, part=RANGE, seed=1)
    center = np.mean([motion.at_rate(RATE)[1].mean(axis=0) for motion in sets.values()], axis=0)
    path = Trajectory.from_points(
        exciting.t, exciting.q + (center - arm.limits.middle), exciting.qd, exciting.qdd
    )
    recording = twin.follow(
        pid(), path.check(arm.limits), SIDE, record_rate=100.0, gravity_compensation=True
    )
    return identify_dynamics(recording, arm, with_memory=False)


@dataclass(frozen=True, eq=False)
class Runs:
    """One set, run by run.

    Attributes:
        motion: What was wanted.
        rigid: Computed torque in the rigid twin.
        computed: Computed torque with the identified model.
        pid: Smith's double-loop PID, gravity compensated by the robot.
    """

    motion: Trajectory
    rigid: TwinRecording
    computed: TwinRecording
    pid: TwinRecording


def runs_of(motion: Trajectory, twin: Twin, rigid: Twin, model: Arm) -> Runs:
    """All runs of one set."""

    def follow(robot: Twin, controller: Controller, compensated: bool = False) -> TwinRecording:
        return robot.follow(
            controller, motion, SIDE, record_rate=RATE, gravity_compensation=compensated
        )

    return Runs(
        motion=motion,
        rigid=follow(rigid, ComputedTorque(rigid.limb(SIDE).arm)),
        computed=follow(twin, Smoothed(ComputedTorque(model))),
        pid=follow(twin, pid(), compensated=True),
    )


def pid() -> Controller:
    """Smith's controller, tuned once; see docs/control/double-loop-pid.md."""
    return Smoothed(DoubleLoopPid())


def cut(motion: Trajectory, duration: float) -> Trajectory:
    """The first `duration` seconds of a motion, up to the end of a piece."""
    if duration >= motion.duration:
        return motion
    pieces = int(np.searchsorted(motion.knots, duration))
    return replace(
        motion, knots=motion.knots[: pieces + 1], coefficients=motion.coefficients[:pieces]
    )

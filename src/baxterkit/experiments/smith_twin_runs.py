"""Smith's experiment in the twin: identification, and runs of the three sets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control import ComputedTorque, Controller, DoubleLoopPid, Smoothed
from baxterkit.identify import dynamics as identify_dynamics
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.trial_motions import exciting_motion
from baxterkit.robot import Followed
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, smith_set

SIDE = "right"
SETS = (1, 2, 3)
RATE = 50.0
"""Rate of the recorder [Hz]."""
EXCITATION = 40.0
"""Length of the motion that the model is identified from [s]."""
RANGE = 0.2
"""Share of each joint's range that it uses, around the postures of the sets."""


def trajectories(arm: Arm) -> dict[int, Trajectory]:
    """The three sets by the inverse Jacobian (eq. 15)."""
    return {number: smith_set(number, arm, method="resolved_rate") for number in SETS}


def identified(
    twin: Twin, sets: dict[int, Trajectory], duration: float = EXCITATION
) -> DynamicsFit:
    """The model identified from one exciting motion of the twin, around the sets."""
    arm = twin.limb(SIDE).arm.with_effects(None)
    exciting = exciting_motion(arm, duration, RATE, part=RANGE, seed=1)
    center = np.mean([motion.at_rate(RATE)[1].mean(axis=0) for motion in sets.values()], axis=0)
    path = Trajectory.from_points(
        exciting.t, exciting.q + (center - arm.limits.middle), exciting.qd, exciting.qdd
    )
    motion = {SIDE: path.check(arm.limits)}
    twin.record_rate = 100.0
    recording = twin.place_at(motion).follow(motion, pid(), settle=0.0, gravity_compensation=True)[
        SIDE
    ]
    return identify_dynamics(recording, arm, with_memory=False)


@dataclass(frozen=True, eq=False)
class Runs:
    """One set, run by run.

    Attributes:
        motion: The reference motion.
        rigid: Computed torque in the rigid twin.
        computed: Computed torque with the identified model.
        pid: Smith's double-loop PID, gravity compensated by the robot.
    """

    motion: Trajectory
    rigid: Followed
    computed: Followed
    pid: Followed


def runs_of(motion: Trajectory, twin: Twin, rigid: Twin, model: Arm) -> Runs:
    """All runs of one set."""

    def follow(robot: Twin, controller: Controller, compensated: bool = False) -> Followed:
        robot.record_rate = RATE
        done = robot.place_at(motion).follow(
            motion, controller, settle=0.0, gravity_compensation=compensated
        )
        return done[SIDE]

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

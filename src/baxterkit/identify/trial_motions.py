"""Motions that excite an arm's parameters, and simulated recordings of known arms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.arrays import generator
from baxterkit.checks.numbers import positive, scalar
from baxterkit.errors import InputError, NoAnswerError
from baxterkit.identify.scores import predict
from baxterkit.model.names import other_side
from baxterkit.recording import Recording
from baxterkit.scene.scene import SceneLike, as_scene
from baxterkit.trajectory.cartesian import ramped_clock
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointsLike, JointVector

PERIOD = 20.0
"""Motions repeat after this time [s]."""
HARMONICS = (1, 2, 3, 5, 8, 11)
"""Multiples of the base frequency that each joint moves with: 0.05 to 0.55 Hz."""
SPEED = 0.5
"""Share of the velocity limits that is used."""
SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
"""Sizes that are tried for a motion that touches nothing, as shares of the wanted one."""
TURNS = 8
"""Seeds that are tried for each size."""
RAMP = 2.0
"""Time from rest to full speed at the start, and back at the end [s]."""
LONGEST = 3600.0
"""Longest motion [s]; one of an hour takes some 110 MB while it is made."""
KNOTS = 0.05
"""Spacing of the trajectory's knots [s]."""
SWEPT = 50.0
"""Rate at which torques and contacts are checked [Hz]."""
EFFORT = 0.9
"""Largest share of the torque limits that is used."""
TORQUE_STEP = 0.004
"""Baxter's torques come in steps of this size [N m]."""
POSITION_STEP = 2 * np.pi / 16384
"""Its positions in steps of this size [rad]."""


@dataclass(frozen=True, eq=False, repr=False)
class ExcitingMotion(Trajectory):
    """A trajectory that excites an arm's parameters; `t`, `q`, `qd` and `qdd` are its samples.

    Attributes:
        rate: Samples per second [Hz].
    """

    rate: float = 100.0

    @property
    def t(self) -> Array:
        """Times of the samples [s], shape (n,)."""
        return self._samples[0]

    @property
    def q(self) -> JointVector:
        """Joint positions [rad], shape (n, 7)."""
        return self._samples[1]

    @property
    def qd(self) -> JointVector:
        """Joint velocities [rad/s], shape (n, 7)."""
        return self._samples[2]

    @property
    def qdd(self) -> JointVector:
        """Joint accelerations [rad/s²], shape (n, 7)."""
        return self._samples[3]

    @cached_property
    def _samples(self) -> tuple[Array, JointVector, JointVector, JointVector]:
        return self.at_rate(self.rate)


def exciting_motion(
    arm: Arm,
    duration: float = 60.0,
    rate: float = 100.0,
    *,
    part: float = 0.6,
    seed: int = 0,
    scene: SceneLike | None = None,
    other: JointsLike | None = None,
    margin: float = 0.01,
) -> ExcitingMotion:
    """A motion of all joints that excites mass, friction and springs: sums of slow sines.

    It starts and ends at rest, and stays within the limits of position, velocity and torque, so
    `twin.follow` and `link.follow` take it as it is. It knows of collisions only if it is given a
    scene: then other seeds and smaller motions are tried until one is free of them.

    Args:
        arm: The arm.
        duration: Length [s], with the ramps at both ends.
        rate: Rows per second of the samples `t`, `q`, `qd` and `qdd` [Hz].
        part: Part of each joint's range that is used, around its middle.
        seed: Seed of amplitudes and phases; other seeds give other motions.
        scene: The robot among its obstacles; a `Baxter` for no obstacles, or a robot that acts. Its
            arm of this side is `arm`'s.
        other: Joint positions of its other arm [rad], shape (7,); untucked if None.
        margin: Safety margin [m]: anything closer counts as a collision. The default is above that
            of a link's scene.

    Returns:
        The trajectory.

    Raises:
        NoAnswerError: If no motion that was tried is free, or the arm cannot carry its load through
            any of them.
    """
    need_arm(arm)
    duration, rate = positive(duration, "duration"), positive(rate, "rate")
    part = scalar(part, "part")
    if duration > LONGEST:
        raise InputError(
            f"duration = {duration:g} s; at most {LONGEST:g} s are taken: record several motions, "
            "each with a seed of its own"
        )
    if not 0.0 < part <= 1.0:
        raise InputError(f"part = {part:g} must be above 0, and 1 at most")
    if scene is None:
        return _bearable(arm, duration, rate, part, seed)
    left, given = arm.side == "left", as_scene(scene)
    still = given.arm(other_side(arm.side)).configuration("untuck") if other is None else other
    checks = given.replace(margin=max(margin, given.margin))
    for share in SHARES:
        for turn in range(TURNS):
            motion = _bearable(arm, duration, rate, share * part, seed + turn)
            swept = motion.at_rate(SWEPT)[1]
            sides = (swept, still) if left else (still, swept)
            if checks.first_contact(*sides) is None:
                return motion
    raise NoAnswerError(
        f"none of {TURNS * len(SHARES)} motions, down to {SHARES[-1]:g} of the size, is free; move "
        "the other arm, or what stands around, away"
    )


def _bearable(arm: Arm, duration: float, rate: float, part: float, seed: int) -> ExcitingMotion:
    """The motion, made smaller until its torques are within the limits of effort."""
    for share in SHARES:
        motion = _sum_of_sines(arm, duration, rate, share * part, seed)
        tau = arm.inverse_dynamics(*motion.at_rate(SWEPT)[1:])
        load = np.abs(tau) / arm.limits.effort
        if load.max() <= EFFORT:
            return motion
    row, joint = np.unravel_index(int(np.argmax(load)), load.shape)
    raise NoAnswerError(
        f"even at {SHARES[-1]:g} of the size {arm.joint_names[joint]} needs "
        f"{abs(tau[row, joint]):.1f} N m of {arm.limits.effort[joint]:g} N m; take off some payload"
    )


def _sum_of_sines(arm: Arm, duration: float, rate: float, part: float, seed: int) -> ExcitingMotion:
    """Sines about the middle of the range, along a clock that starts and ends at rest."""
    rng = generator(seed)
    w = 2.0 * np.pi * np.array(HARMONICS) / PERIOD
    amplitude = rng.uniform(0.3, 1.0, (7, w.size)) / np.sqrt(HARMONICS)
    phase = rng.uniform(-np.pi, np.pi, (7, w.size))
    fine = np.linspace(0.0, PERIOD, 4001)

    def sums(at: Array, order: int) -> Array:
        angle = at[:, None, None] * w + phase + order * np.pi / 2
        total: Array = np.einsum("njk,jk->nj", np.sin(angle), amplitude * w**order)
        return total

    limits = arm.limits
    half = 0.5 * part * (limits.upper - limits.lower)
    size = np.minimum(
        half / np.abs(sums(fine, 0)).max(axis=0),
        SPEED * limits.velocity / np.abs(sums(fine, 1)).max(axis=0),
    )
    size *= 0.999  # the greatest values may lie between the points of the grid
    t = np.linspace(0.0, duration, max(8, int(np.ceil(duration / KNOTS))) + 1)
    clock, pace, change = (
        x[:, None] for x in ramped_clock(t, duration, min(RAMP, 0.25 * duration))
    )
    q, qd, qdd = (sums(clock[:, 0], order) * size for order in range(3))
    path = Trajectory.from_points(
        t, limits.middle + q, qd * pace, qdd * pace**2 + qd * change, limits=limits
    )
    return ExcitingMotion(
        path.knots, path.coefficients, limits, f"exciting motion {seed}", rate=rate
    )


def simulated_recording(
    arm: Arm,
    motion: Recording | Trajectory,
    *,
    noise: float = 0.02,
    delay: float = 0.013,
    seed: int = 0,
) -> Recording:
    """The recording of a motion by a robot with this arm: for trials, examples and tests.

    Torques are the arm's, friction's memory included, with noise; positions and torques are
    quantised and velocities are delayed, as on the real robot.

    Args:
        arm: The arm, with effects if it has any.
        motion: A recording with `q`, `qd` and `qdd`; of a trajectory, samples at 100 Hz.
        noise: Standard deviation of the torque noise [N m], for the wrist; four times for others.
        delay: Lag of the velocities [s].
        seed: Seed of the noise.

    Raises:
        InputError: If the motion is a recording of the other arm.
    """
    if isinstance(motion, Trajectory):
        rate = motion.rate if isinstance(motion, ExcitingMotion) else 100.0
        motion = motion.of(arm.side)
        t, q, qd, qdd = motion.at_rate(rate)
        motion = Recording(t=t, q=q, qd=qd, qdd=qdd, side=arm.side, source=motion.name)
    tau = predict(arm, motion)
    rng = generator(seed)
    tau = tau + rng.normal(0.0, noise, tau.shape) * np.where(arm.limits.effort > 20.0, 4.0, 1.0)
    assert motion.qd is not None
    late = np.stack([np.interp(motion.t - delay, motion.t, x) for x in motion.qd.T], axis=1)
    return Recording(
        t=motion.t,
        q=np.round(motion.q / POSITION_STEP) * POSITION_STEP,
        qd=late,
        tau=np.round(tau / TORQUE_STEP) * TORQUE_STEP,
        side=arm.side,
        source=f"simulated {motion.source}",
    )

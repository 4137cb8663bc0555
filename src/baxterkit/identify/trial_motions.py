"""Motions that excite an arm's parameters, and simulated recordings of known arms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import generator
from baxterkit.errors import InputError, NoAnswerError
from baxterkit.identify.scores import predict
from baxterkit.recording import Recording
from baxterkit.types import Array

__all__ = ["exciting_motion", "simulated_recording"]

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
TORQUE_STEP = 0.004
"""Baxter's torques come in steps of this size [N m]."""
POSITION_STEP = 2 * np.pi / 16384
"""Its positions in steps of this size [rad]."""


def exciting_motion(
    arm: Arm,
    duration: float = 60.0,
    rate: float = 100.0,
    *,
    part: float = 0.6,
    seed: int = 0,
    robot: Baxter | None = None,
    other: ArrayLike | None = None,
) -> Recording:
    """A motion of all joints that excites mass, friction and springs: sums of slow sines.

    It stays within the limits of position and velocity. It knows of collisions only if it is given
    the robot: then other seeds and smaller motions are tried until one is free all the way.

    Args:
        arm: The arm.
        duration: Length [s].
        rate: Rows per second [Hz].
        part: Part of each joint's range that is used, around its middle.
        seed: Seed of amplitudes and phases; other seeds give other motions.
        robot: The robot that must not touch itself; its arm of this side is `arm`'s.
        other: Joint positions of its other arm [rad], shape (7,); untucked if None.

    Returns:
        A recording with `t`, `q`, `qd` and `qdd`; it starts with some speed.

    Raises:
        NoAnswerError: If no motion that was tried is free.
    """
    if robot is not None:
        return _free_motion(arm, duration, rate, part, seed, robot, other)
    if not (duration > 0.0 and rate > 0.0 and 0.0 < part <= 1.0):
        raise InputError(
            f"duration and rate must be above 0 and part within 0 and 1, got {duration:g} s, "
            f"{rate:g} Hz and {part:g}"
        )
    rng = generator(seed)
    t = np.arange(max(2, round(duration * rate))) / rate
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
    middle = 0.5 * (limits.upper + limits.lower)
    q, qd, qdd = (sums(t, order) * size for order in range(3))
    return Recording(
        t=t, q=middle + q, qd=qd, qdd=qdd, side=arm.side, source=f"exciting motion {seed}"
    )


def _free_motion(
    arm: Arm,
    duration: float,
    rate: float,
    part: float,
    seed: int,
    robot: Baxter,
    other: ArrayLike | None,
) -> Recording:
    left = arm.side == "left"
    still = (robot.right if left else robot.left).pose("untuck") if other is None else other
    for share in SHARES:
        for turn in range(TURNS):
            motion = exciting_motion(arm, duration, rate, part=share * part, seed=seed + turn)
            sides = (motion.q, still) if left else (still, motion.q)
            if robot.first_contact(*sides) is None:
                return motion
    raise NoAnswerError(
        f"none of {TURNS * len(SHARES)} motions, down to {SHARES[-1]:g} of the size, is free; move "
        "the other arm away"
    )


def simulated_recording(
    arm: Arm,
    motion: Recording,
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
        motion: A motion with `q`, `qd` and `qdd`.
        noise: Standard deviation of the torque noise [N m], for the wrist; four times for others.
        delay: Lag of the velocities [s].
        seed: Seed of the noise.
    """
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

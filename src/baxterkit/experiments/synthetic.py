"""Small synthetic recordings for machines without real ones."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.identify.chain_errors import Chain
from baxterkit.recording import Recording
from baxterkit.spatial.formulas import matrix_to_quaternion, se3_exp
from baxterkit.types import Array, JointVector


def tuck_motion(arm: Arm, n: int, seed: int = 0) -> JointVector:
    """A smooth joint motion: untucked, neutral, tucked, and some wandering, shape (n, 7) [rad]."""
    rng = np.random.default_rng(seed)
    stations = [
        arm.configuration("untuck"),
        arm.configuration("neutral"),
        arm.configuration("tuck"),
        arm.configuration("untuck"),
    ]
    stations += [0.8 * rng.uniform(arm.limits.lower, arm.limits.upper) for _ in range(3)]
    knots = np.array(stations)
    at = np.linspace(0.0, len(knots) - 1.0, n)
    before = np.minimum(at.astype(int), len(knots) - 2)
    part = 0.5 - 0.5 * np.cos(np.pi * (at - before))
    return np.asarray(knots[before] + part[:, None] * (knots[before + 1] - knots[before]))


def pose_recording(side: str, n: int = 400, rate: float = 33.0, seed: int = 0) -> Recording:
    """Angles and tip poses of a simulated robot, rounded to four decimals as some recorders do.

    Its mount is about a centimetre and half a degree off the nominal one, as real ones are; its
    tool is `electric_extended`.

    Args:
        side: "left" or "right".
        n: Rows.
        rate: Rows per second [Hz].
        seed: Seed of mount and motion.
    """
    rng = np.random.default_rng(seed + (side == "right"))
    nominal = Arm(side, "electric_extended")
    turn = np.concatenate([rng.normal(0.0, 0.005, 3), rng.normal(0.0, 0.005, 3)])
    T_base_s0 = np.array(nominal.model.T_base_s0)
    T_base_s0[2, 3] -= 0.010
    arm = nominal.replace(mount=T_base_s0 @ se3_exp(turn))
    q = tuck_motion(arm, n, seed)
    T = arm.fk(q)
    return Recording(
        t=np.arange(n) / rate,
        q=_rounded(q),
        position=_rounded(T[:, :3, 3]),
        quaternion=_rounded(matrix_to_quaternion(T[:, :3, :3])),
        side=side,
        source=f"synthetic {side} arm",
    )


def tracked_poses(q: JointVector, side: str = "left", seed: int = 0) -> Array:
    """Positions of a marker on the hand of a simulated robot, as a tracker sees them, (n, 3) [m].

    Its joints are 7 mrad off, its links 0.3 mm and 0.3 mrad; the tracker has 0.2 mm of noise.

    Args:
        q: Joint positions as the robot reports them [rad], shape (n, 7).
        side: "left" or "right".
        seed: Seed of the robot's errors and of the noise.
    """
    rng, model = np.random.default_rng(seed), Arm(side).model
    chain = Chain(
        model,
        se3_exp([1.0, 0.5, 0.2, 0.3, -0.2, 1.0]) @ model.T_base_s0,
        rng.normal(0.0, 7e-3, 7),
        rng.normal(0.0, 3e-4, (7, 6)),
        model.T_hand_tip @ se3_exp([0.02, 0.01, 0.03, 0.0, 0.0, 0.0]),
    )
    return np.asarray(chain.poses(q)[:, :3, 3] + rng.normal(0.0, 2e-4, (len(q), 3)))


def _rounded(values: Array) -> Array:
    return np.asarray(np.round(values, 4))

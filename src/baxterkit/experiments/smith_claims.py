"""Claims of Smith et al. 2016 about their figures, checked on the rigid model.

Nothing is simulated here: joints follow the sets by the inverse Jacobian (eq. 15), torques are
those of the rigid model with nominal parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics import lagrange
from baxterkit.experiments.result import Row, Section
from baxterkit.model.dh import dh_from_model
from baxterkit.model.names import SIDES
from baxterkit.trajectory import Trajectory
from baxterkit.types import JointVector

RATE = 50.0
"""Rows per second, as in the paper [Hz]."""
S0, S1, E1 = 0, 1, 3
SMALL = (0, 4, 5, 6)
"""The joints that the paper says need very small torques: its joints 1, 5, 6 and 7."""
LARGE = 0.5
"""A joint's torque changes much if its change exceeds this share of the largest change."""


def ranges(motion: Trajectory, arm: Arm) -> tuple[JointVector, JointVector]:
    """Range of each joint's angle [rad] and torque [N m] in a motion, shape (7,) each."""
    _, q, qd, qdd = motion.at_rate(RATE)
    tau = arm.inverse_dynamics(q, qd, qdd)
    return np.ptp(q, axis=0), np.ptp(tau, axis=0)


@cache
def method_difference(states: int = 2000, seed: int = 0) -> float:
    """The largest difference of L-E and RN-E torques with equal parameters [N m].

    Over random states within the limits of position and velocity, accelerations of up to 20 rad/s²;
    the larger of both arms.
    """
    rng = np.random.default_rng(seed)
    largest = 0.0
    for side in SIDES:
        arm = Arm(side)
        limits = arm.limits
        q = rng.uniform(limits.lower, limits.upper, (states, 7))
        qd = rng.uniform(-limits.velocity, limits.velocity, (states, 7))
        qdd = rng.uniform(-20.0, 20.0, (states, 7))
        table = dh_from_model(arm.model, measure=False)
        tau = lagrange.inverse_dynamics(table, q, qd, qdd, arm.model.gravity)
        largest = max(largest, float(np.abs(tau - arm.inverse_dynamics(q, qd, qdd)).max()))
    return largest


def figure_claims(sets: Mapping[int, Trajectory], arm: Arm) -> list[Row]:
    """The claims about Figs. 5, 6 and 7."""
    _, q, qd, qdd = sets[1].at_rate(RATE)
    most = np.abs(arm.inverse_dynamics(q, qd, qdd)).max(axis=0)
    large = np.delete(most, SMALL)
    angle, torque = ranges(sets[2], arm)
    _, up_torque = ranges(sets[3], arm)
    table = Section("What the paper says of its figures, on the rigid model along our sets")
    return [
        table.claim(
            "Fig. 5: largest torque of joints 1 5 6 7, then 2 3 4 [N m]",
            "1 and 5-7 need very small ones",
            np.concatenate([most[list(SMALL)], large]),
            bool(most[list(SMALL)].max() < large.min()),
        ),
        table.claim(
            "Fig. 6: what joint 2 (s1) does in a switch of y, and joint 1 (s0)",
            "mostly achieved using joint 2",
            f"s1 {angle[S1]:.3f} rad, {torque[S1]:.1f} N m; "
            f"s0 {angle[S0]:.3f} rad, {torque[S0]:.1f} N m",
            bool(angle[S1] > angle[S0] or torque[S1] > torque[S0]),
        ),
        table.claim(
            "Fig. 7: torques move by, s0..w2; joint 4 by half of the most or more [N m]",
            "large changes in joint 4 (e1)",
            up_torque,
            bool(up_torque[E1] >= LARGE * up_torque.max()),
        ),
    ]

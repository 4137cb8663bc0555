"""Resolved rates: joint velocities from tip velocities, integrated (Smith et al., eq. 15).

The paper's qd = J⁺ x' alone drifts off the path, as every open-loop integration does, and lets the
elbow drift. Here the pose error is fed back, and a null-space term draws the joints towards a
configuration:

    qd = J⁺ (V + k e) + (1 - J⁺ J) k_0 (q_home - q),

where e is the pose error of the tip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.spatial.formulas import pose_difference
from baxterkit.trajectory.splines import minimum_jerk
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.trajectory.cartesian import CartesianPath

DRIFT_GAIN = 20.0
"""k: a pose error decays with the time constant 1 / k [1/s]."""
NULL_GAIN = 0.5
"""k_0: how quickly the null space draws the joints home [1/s]."""
REST_TIME = 1.0
"""The null-space motion fades in and out within this time at both ends [s]."""


def resolved_rate(
    path: CartesianPath,
    arm: Arm,
    start: ArrayLike,
    t: Array,
    *,
    home: ArrayLike | None = None,
    drift_gain: float = DRIFT_GAIN,
    null_gain: float = NULL_GAIN,
    damping: float = 0.0,
) -> JointVector:
    """Joint positions along a path, by integrating velocities (Runge-Kutta, 4th order).

    Args:
        path: The motion of the tip.
        arm: The arm.
        start: Joint positions at the start [rad], shape (7,).
        t: Times of the result [s], from 0, increasing, shape (n,): the steps of the integration.
        home: Configuration that the null space draws towards [rad], shape (7,); `start` if None.
        drift_gain: k of the drift correction [1/s]; 0 gives the paper's eq. 15.
        null_gain: k_0 of the null-space term [1/s].
        damping: Damping of the pseudo-inverse, see `Arm.joint_velocity`.

    Returns:
        Joint positions [rad], shape (n, 7). Joint limits are not checked.
    """
    if drift_gain < 0.0 or null_gain < 0.0:
        raise InputError(
            f"gains must not be negative, got drift_gain = {drift_gain:g} and "
            f"null_gain = {null_gain:g}"
        )
    q = arm.model.joint_values(start, "start").copy()
    goal = q if home is None else arm.model.joint_values(home, "home")
    # Each step looks at its start, middle and end.
    middle = 0.5 * (t[:-1] + t[1:])
    looked = np.sort(np.concatenate([t, middle]))
    Ts, twists, _ = path.sample(looked)
    fade = min(REST_TIME, 0.25 * path.duration)
    up, _, _ = minimum_jerk(looked / fade)
    down, _, _ = minimum_jerk((path.duration - looked) / fade)
    pull = null_gain * up * down

    def velocity(i: int, q: JointVector) -> JointVector:
        V = twists[i] + drift_gain * pose_difference(arm.fk(q), Ts[i])
        return arm.joint_velocity(q, V, pull[i] * (goal - q), damping, warn_below=0.0)

    rows = np.empty((len(t), 7))
    rows[0] = q
    for k, h in enumerate(np.diff(t).tolist()):
        i = 2 * k
        a = velocity(i, q)
        b = velocity(i + 1, q + 0.5 * h * a)
        c = velocity(i + 1, q + 0.5 * h * b)
        d = velocity(i + 2, q + h * c)
        q = q + (h / 6.0) * (a + 2.0 * b + 2.0 * c + d)
        rows[k + 1] = q
    return rows

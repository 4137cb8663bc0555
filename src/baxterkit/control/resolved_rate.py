"""Resolved rate: joint velocities for a motion of the tip (Smith et al., eq. 15)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import one_or_each, time_step
from baxterkit.control.signals import ArmState, Reference, checked, pose_row, sound, twist_row
from baxterkit.spatial.formulas import pose_difference
from baxterkit.types import Array, JointVector

CORRECTION = 5.0
"""Rate at which drift of the pose is corrected [1/s]."""

POSTURE = 0.5
"""Rate at which the elbow goes to the reference's configuration [1/s]."""

DAMPING = 0.05
"""Greatest damping λ of the inverse, reached in a singular configuration (metres and radians)."""

SINGULARITY_INDEX = 0.01
"""Manipulability below which damping sets in; true for a tenth of random configurations."""


class ResolvedRate:
    """Joint *velocities* that move the tip along its reference, one command per period.

    It is not a `Controller`, whose commands are torques: its commands go to the robot's velocity
    interface, `limb.command_velocity(law.joint_velocity(limb, reference, dt))`.

        qd = J⁺ (V_r + k ΔX) + n̂ n̂' (kₙ (q_r - q) + aside(q))

    J⁺ is the pseudo-inverse (eq. 15), damped near singular configurations; k ΔX corrects the drift
    of integrated joint velocities; n̂ spans the null space of J. The command is scaled as a whole to
    the velocity limits, which keeps the direction of the tip; then it is clipped so that no joint
    passes its position limits within the period.

    Args:
        arm: The arm.
        correction: k [1/s], one or six (along, then about base axes).
        posture: kₙ [1/s], one or seven.
        damping: Greatest λ.
        velocity: Greatest speeds [rad/s], one or seven; the arm's if None.
        aside: Joint velocities [rad/s] to add in the null space, a function of `q`, for example
            `robot.repulsion("left", q_right)`, which keeps the elbow clear of the body.

    The reference's `T` and `twist` give the tip's pose and velocity; if they are None, these follow
    from its `q` and `qd`.
    """

    def __init__(
        self,
        arm: Arm,
        correction: ArrayLike = CORRECTION,
        posture: ArrayLike = POSTURE,
        damping: float = DAMPING,
        velocity: ArrayLike | None = None,
        aside: Callable[[JointVector], Array] | None = None,
    ) -> None:
        need_arm(arm)
        self._arm = arm
        self.aside = aside
        self.correction = one_or_each(correction, "correction", 6)
        self.posture = one_or_each(posture, "posture")
        self.damping = float(one_or_each(damping, "damping", 1)[0])
        self.velocity = (
            arm.limits.velocity if velocity is None else one_or_each(velocity, "velocity")
        )
        self._lower, self._upper = arm.limits.lower, arm.limits.upper

    def reset(self) -> None:
        """Does nothing: the command depends on this period alone."""

    def joint_velocity(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """Joint velocities for the next `dt` seconds.

        Args:
            state: Sensed joint positions; velocities are not used.
            reference: Desired pose of the tip now, and the configuration.
            dt: Time until the next call [s].

        Returns:
            qd [rad/s], shape (7,), finite and within the velocity limits.

        Raises:
            InputError: If a value is not finite, or `dt` is not positive.
            ShapeError: If an array has the wrong shape.
        """
        time_step(dt)
        if not sound(state, reference):
            state, reference = checked(state, reference)
        q, q_r = state.q, reference.q
        arm = self._arm
        T = arm.fk(q_r) if reference.T is None else pose_row(reference.T)
        if reference.twist is not None:
            V = twist_row(reference.twist)
        else:
            V = arm.twist(q_r, reference.qd) if reference.T is None else np.zeros(6)
        V = V + self.correction * pose_difference(arm.fk(q), T)
        index = float(arm.manipulability(q))
        damping = self.damping * max(1.0 - index / SINGULARITY_INDEX, 0.0)
        null = self.posture * (q_r - q)
        if self.aside is not None:
            null = null + finite_array(self.aside(q), "aside")
        command = arm.joint_velocity(q, V, null, damping, warn_below=0.0)
        return self._within(q, command, dt)

    def _within(self, q: Array, qd: Array, dt: float) -> Array:
        excess = float((np.abs(qd) / self.velocity).max())
        if not math.isfinite(excess):
            finite_array(qd, "the controller's velocity")
        if excess > 1.0:
            qd = qd / excess
        # Inside the limits, a joint may go up to them; outside, only back.
        highest = np.maximum((self._upper - q) / dt, 0.0)
        lowest = np.minimum((self._lower - q) / dt, 0.0)
        return np.minimum(np.maximum(qd, lowest), highest)

"""Relative impedance: a spring from hand to hand, stiffer than those that hold each hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.numbers import one_or_each
from baxterkit.control.cartesian_impedance import DAMPING as HAND_DAMPING
from baxterkit.control.cartesian_impedance import NULL_STIFFNESS, CartesianImpedance, spring_wrench
from baxterkit.control.cartesian_impedance import STIFFNESS as FULL_STIFFNESS
from baxterkit.control.signals import ArmState, Reference, pose_row
from baxterkit.errors import InputError
from baxterkit.spatial import formulas
from baxterkit.types import Array, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter

STIFFNESS = (1000.0, 1000.0, 1000.0, 20.0, 20.0, 20.0)
"""K of the spring from hand to hand [N/m, N m/rad]."""
HAND_STIFFNESS = (100.0, 100.0, 100.0, 5.0, 5.0, 5.0)
"""Stiffness of the spring from each hand to its own reference: a push moves both hands, not one."""


class PairTorques(NamedTuple):
    """Torques of both arms [N m], shape (7,) each."""

    left: JointVector
    right: JointVector


class RelativeImpedance:
    """Holds the relative pose of the hands stiffly, and each hand at its reference softly.

        [tau_l; tau_r] = [CartesianImpedance of each hand] + J_rel'(K ΔX + D J_rel ė)

    with ΔX the distance and rotation vector from the relative pose of the hands to the reference's,
    ė = [qd_l; qd_r] reference less sensed, K and D in axes of the right tip. A push on the box
    between the hands moves both of them; K resists forces that would pull them apart.

    Args:
        robot: The robot, a `Baxter`.
        stiffness: K of the spring from hand to hand [N/m, N m/rad], shape (6,).
        damping: D [N s/m, N m s/rad], shape (6,); in proportion to `stiffness` if None.
        hand_stiffness: Stiffness of the spring from each hand to its reference [N/m, N m/rad],
            shape (6,).
        null_stiffness: Pulls each arm to the joint positions of its reference [N m/rad], one or
            seven.

    A reference's `T` is the pose of its tip; that of its `q` if it has none.
    """

    def __init__(
        self,
        robot: Baxter,
        stiffness: ArrayLike = STIFFNESS,
        damping: ArrayLike | None = None,
        hand_stiffness: ArrayLike = HAND_STIFFNESS,
        null_stiffness: ArrayLike = NULL_STIFFNESS,
    ) -> None:
        if not (hasattr(robot, "left") and hasattr(robot, "right")):
            raise InputError(f"robot must be a Baxter, got {type(robot).__name__}; Baxter() is one")
        self.stiffness = one_or_each(stiffness, "stiffness", 6)
        if damping is None:
            damping = np.array(HAND_DAMPING) * (self.stiffness / FULL_STIFFNESS)
        self.damping = one_or_each(damping, "damping", 6)
        self.hands = tuple(
            CartesianImpedance(arm, hand_stiffness, null_stiffness=null_stiffness)
            for arm in (robot.left, robot.right)
        )
        self._robot = robot
        x, y, z, a, b, c = self.stiffness.tolist()
        self._along, self._about = (x, y, z), (a, b, c)

    def update(
        self,
        states: tuple[ArmState, ArmState],
        references: tuple[Reference, Reference],
        dt: float,
    ) -> PairTorques:
        """Torques for the next `dt` seconds.

        Args:
            states: Sensed positions and velocities of the left and the right arm.
            references: Desired states of the arms now.
            dt: Time since the last call, and until the next [s].

        Returns:
            The torques, finite and within the effort limits.

        Raises:
            InputError: If a value is not finite, or `dt` is not positive.
        """
        taus = [
            hand.update(state, reference, dt)
            for hand, state, reference in zip(self.hands, states, references, strict=True)
        ]
        between = self._between(states, references)
        for i, hand in enumerate(self.hands):
            whole = taus[i] + between[7 * i : 7 * i + 7]
            taus[i] = np.minimum(np.maximum(whole, -hand.effort), hand.effort)
        return PairTorques(*taus)

    def reset(self) -> None:
        """Does nothing: the controller has no state."""

    def _between(
        self, states: tuple[ArmState, ArmState], references: tuple[Reference, Reference]
    ) -> Array:
        """Torques of the spring and the damper from hand to hand [N m], shape (14,)."""
        hands = self._robot.hands
        (left, right), (to_left, to_right) = states, references
        T = hands.relative_pose(left.q, right.q)
        goals = [self._goal(i, r) for i, r in enumerate(references)]
        T_goal = formulas.inverse(goals[0]) @ goals[1]
        J = hands.relative_jacobian(left.q, right.q)
        R = T[:3, :3]
        J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])  # axes of the right tip
        ed = np.concatenate([to_left.qd - left.qd, to_right.qd - right.qd])
        wrench = np.array(spring_wrench(T, T_goal, self._along, self._about))
        tau: Array = (wrench + self.damping * (J @ ed)) @ J
        return tau

    def _goal(self, i: int, reference: Reference) -> Transform:
        arm = (self._robot.left, self._robot.right)[i]
        return arm.fk(reference.q) if reference.T is None else pose_row(reference.T)

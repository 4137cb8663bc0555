"""One arm of the viewer: its joint positions and its target."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, transform_array
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError
from baxterkit.ik.result import IkResult
from baxterkit.types import JointVector, Transform
from baxterkit.viewer.state.reach import nearest, pulled_in, some_solution, toward

SMOOTHING = 0.03
"""Time constant with which the hand follows the pointer [s]: browsers report it only 20 times per
second."""
GLIDE_SPEED = 2.5
"""Largest joint speed towards a named configuration or another branch [rad/s]."""
E0_WALK = 0.02
"""Step along the self-motion [rad]."""
ELBOW_STEP = 0.25
"""Largest step of a joint within a branch [rad]."""


@dataclass(frozen=True, eq=False)
class ReachCheck:
    """A check whether a hand pose can be reached, which may take long.

    Attributes:
        arm: The arm.
        target: T_base_tip, shape (4, 4).
        q: Present joint positions [rad], shape (7,).
    """

    arm: Arm
    target: Transform
    q: JointVector

    @unwarned()  # a hand may be dragged anywhere
    def run(self) -> IkResult:
        """The solution nearest to the present joint positions, or why there is none."""
        return self.arm.ik(self.target, seed=self.q, objective="nearest")


class DraggedArm:
    """One arm's joint positions, and its motion to a hand pose or to joint positions.

    Attributes:
        arm: The arm with its tool.
        q: Joint positions [rad], shape (7,); within the limits unless a recording is not.
        target: The hand pose that is being followed, or None.
        message: Why the hand is not at its target; empty if it is.
    """

    def __init__(self, arm: Arm, q: ArrayLike | None = None) -> None:
        self.arm = arm
        start = arm.configuration("untuck") if q is None else arm.model.joint_values(q)
        self.q: JointVector = arm.limits.clip(start)
        self.target: Transform | None = None
        self.message = ""
        self._aim: Transform | None = None
        self._unchecked = False
        self._goal: JointVector | None = None
        self._held = arm.fk(self.q)

    @property
    def T_base_tip(self) -> Transform:
        """Pose of the tip, shape (4, 4)."""
        return self.arm.fk(self.q)

    @property
    def wanted(self) -> Transform:
        """Pose of the tip that is wanted: the target, even out of reach, or the present one."""
        return self.T_base_tip if self.target is None else self.target.copy()

    @property
    def moving(self) -> bool:
        """Whether `step` would move it."""
        return self._aim is not None or self._goal is not None

    def set_joints(self, q: ArrayLike, *, clip: bool = True) -> None:
        """Sets the joints at once.

        Args:
            q: Joint positions [rad], shape (7,).
            clip: Whether to clip them to the limits; recordings are shown as they are.

        Raises:
            ShapeError: If there are not seven.
            InputError: If one is not finite.
        """
        wanted = self.arm.model.joint_values(q)
        if wanted.shape != (7,):
            raise InputError(f"q must be one configuration of 7 values, got shape {wanted.shape}")
        self.stop()
        self.q = self.arm.limits.clip(wanted) if clip else wanted
        self._held = self.arm.fk(self.q)

    def set_joint(self, index: int, value: float) -> None:
        """Sets one joint at once [rad], clipped to its limits."""
        q = self.q.copy()
        q[index] = finite_array(value, "value")
        self.set_joints(q)

    def go_to(self, q: ArrayLike) -> None:
        """Starts a straight motion in joint space; `step` executes it.

        Args:
            q: Joint positions [rad], shape (7,), clipped to the limits.
        """
        goal = self.arm.limits.clip(q)
        self.stop()
        self._goal = goal

    def send_hand(self, T: ArrayLike) -> bool:
        """Sets out for a hand pose in joint space, by the solution nearest to the present one.

        Args:
            T: T_base_tip, shape (4, 4).

        Returns:
            Whether it can be reached; if not, nothing moves and `message` says why.

        Raises:
            InputError: If `T` is not a rigid pose.
        """
        result = self.arm.ik(transform_array(T), seed=self.q, objective="nearest")
        self.stop()
        if result.solved:
            self._goal = result.q
        else:
            self.message = result.status.advice
        return bool(result.solved)

    @unwarned()  # a hand may be dragged anywhere
    def drag(self, T: ArrayLike) -> JointVector | None:
        """Sets a target pose of the hand; `step` moves it there.

        Args:
            T: T_base_tip, shape (4, 4).

        Returns:
            Joint positions [rad] that reach it, (7,). None if none were found; the hand then goes
            as near as it can, and `pending_check` finds the reason.

        Raises:
            InputError: If `T` is not a rigid pose.
        """
        target = transform_array(T)
        if target.shape != (4, 4):
            raise InputError(f"T must be one pose, shape (4, 4), got {target.shape}")
        self._goal = None
        self.target = self._aim = target
        near = self.arm.ik_track(target, self.q, hold_elbow=True)
        q = near.q if near.solved else some_solution(self.arm, target, self.q)
        self._unchecked = q is None
        if q is None:
            self._aim = pulled_in(self.arm, target)
        else:
            self.message = ""
        return q

    def examine(self) -> None:
        """Checks whether the target can be reached, if that is not known yet.

        The fast search of `drag` misses narrow self-motions, and a limit may block the straight
        path. If there is a solution, the arm moves to it in joint space; if there is none,
        `message` says why. Call it less often than `step`. To run the check in another thread, use
        its parts: `pending_check`, `ReachCheck.run`, `apply_check`.
        """
        check = self.pending_check()
        if check is not None:
            self.apply_check(check, check.run())

    def pending_check(self) -> ReachCheck | None:
        """The check whether the target can be reached, if it has not been made yet."""
        if self.target is None or not self._unchecked:
            return None
        self._unchecked = False
        return ReachCheck(self.arm, self.target, self.q)

    def apply_check(self, check: ReachCheck, result: IkResult) -> None:
        """Acts on the result of a check, unless the hand has a new target meanwhile."""
        if self.target is not check.target:
            return
        self.message = "" if result.solved else result.status.advice
        if result.solved:
            self._goal, self._aim = result.q, None
        elif self._aim is None:  # not even the path to the nearest pose in reach was free
            near = pulled_in(self.arm, check.target)
            self._goal = None if near is None else some_solution(self.arm, near, self.q)

    def release(self) -> None:
        """Releases the hand: it stays where it is."""
        self.target = self._aim = None
        self.message = ""
        self._held = self.arm.fk(self.q)

    def stop(self) -> None:
        """Clears the target."""
        self.target = self._aim = self._goal = None
        self.message = ""

    def slide_elbow(self, e0: float) -> float:
        """Moves the elbow along the self-motion while the hand stays.

        Args:
            e0: Desired joint e0 [rad].

        Returns:
            The e0 that was reached: the desired one, or the last before a limit or the end of
            the branch.
        """
        wanted = float(
            np.clip(finite_array(e0, "e0"), self.arm.limits.lower[2], self.arm.limits.upper[2])
        )
        self.stop()
        q = self.q
        steps = max(math.ceil(abs(wanted - q[2]) / E0_WALK), 1)
        for value in np.linspace(q[2], wanted, steps + 1)[1:]:
            onward, gap = nearest(self.arm.ik_all(self._held, value), q)
            if onward is None or gap > ELBOW_STEP:
                self.message = "The self-motion ends here: a limit, or the end of this branch."
                break
            q = onward
        self.q = q
        return float(q[2])

    def put_arm(self, arm: Arm) -> None:
        """Puts another arm, such as one with another tool, in this one's place; the joints stay."""
        self.stop()
        self.arm = arm
        self._held = self.arm.fk(self.q)

    @unwarned()  # a hand may be dragged anywhere
    def step(self, dt: float) -> bool:
        """Moves by one step.

        Args:
            dt: Time since the last step [s].

        Returns:
            Whether a joint moved.
        """
        if self._goal is not None:
            return self._glide(self._goal, dt)
        if self._aim is not None:
            return self._chase(self._aim, dt)
        return False

    def _glide(self, goal: JointVector, dt: float) -> bool:
        step = goal - self.q
        largest = float(np.abs(step).max())
        if largest <= GLIDE_SPEED * dt:
            self.q, self._goal = goal, None
        else:
            self.q = self.q + step * (GLIDE_SPEED * dt / largest)
        self._held = self.arm.fk(self.q)
        return largest > 0.0

    def _chase(self, aim: Transform, dt: float) -> bool:
        here = self.arm.fk(self.q)
        part = 1.0 - math.exp(-dt / SMOOTHING)
        for share in (1.0, 0.25):
            there = toward(here, aim, share * part)
            near = self.arm.ik_track(there, self.q, hold_elbow=True)
            if near.solved:
                moved = bool(np.abs(near.q - self.q).max() > 0.0)
                self.q = near.q
                self._held = there
                if there is aim:
                    self._aim = None
                return moved
        # The straight path is blocked; `pending_check` looks for another one.
        self._aim = None
        self._unchecked = True
        return False

"""`Hands`: the kinematics of both arms together, without a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.named import Given, has_names
from baxterkit.checks.results import check_broadcast, deliver
from baxterkit.checks.units import unwarned, warn_if_degrees, warn_if_millimetres
from baxterkit.errors import InputError, ShapeError
from baxterkit.poses import pose_array
from baxterkit.spatial import formulas
from baxterkit.types import Array, JointsLike, JointVector, Transform, Twist

if TYPE_CHECKING:
    from baxterkit.ik.objectives import Objective
    from baxterkit.ik.pair import PairPath, PairResult
    from baxterkit.ik.result import IkResult

Seeds = tuple[ArrayLike | None, ArrayLike | None] | Mapping[str, Given] | None
"""Joint positions of the left and of the right arm to start from, None where they are free; or one
object that names the joints of both, such as the robot's message."""
Postures = str | tuple[str | ArrayLike | None, str | ArrayLike | None] | Mapping[str, Given] | None
"""A posture of both arms by name, or one for the left and one for the right arm; or one object that
names the joints of both, such as the robot's message."""


class Hands:
    """Both hands: their relative pose and its derivatives, and both arms for a pair of poses.

    As `Arm`, it knows the limits and no body: `Scene.ik_pair` and `Scene.ik_pair_path` find joint
    positions that touch nothing.
    """

    def __init__(self, left: Arm, right: Arm) -> None:
        self.left, self.right = left, right

    def relative_pose(
        self, q_left: JointsLike, q_right: JointsLike, *, out: Array | None = None
    ) -> Transform:
        """Pose of the right tip in the frame of the left tip.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            out: Array for the result, shape (*batch, 4, 4).

        Returns:
            T_left_right, shape (*batch, 4, 4).
        """
        left, right = self.joint_arrays(q_left=q_left, q_right=q_right)
        with unwarned():
            return deliver(formulas.inverse(self.left.fk(left)) @ self.right.fk(right), out)

    def relative_jacobian(
        self, q_left: JointsLike, q_right: JointsLike, *, out: Array | None = None
    ) -> Array:
        """Jacobian of the right tip relative to the left tip, by all fourteen joints.

        With q = [q_left; q_right], the derivative of `relative_pose` is the twist
        V = J_rel qd = [v; w] of the right tip relative to the left one, in axes of the left tip:
        v is the velocity of the right tip's origin as an observer on the left tip sees it.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            out: Array for the result, shape (*batch, 6, 14).

        Returns:
            J_rel, shape (*batch, 6, 14); linear rows first.
        """
        left, right = self.joint_arrays(q_left=q_left, q_right=q_right)
        with unwarned():
            T_left_right = self.relative_pose(left, right)
            J_left = self.left.jacobian(left, "tip")
            J_right = self.right.jacobian(right, "tip")
        R = T_left_right[..., :3, :3]
        p = formulas.skew(T_left_right[..., :3, 3])
        J = np.empty((*T_left_right.shape[:-2], 6, 14))
        J[..., :3, :7] = p @ J_left[..., 3:, :] - J_left[..., :3, :]
        J[..., 3:, :7] = -J_left[..., 3:, :]
        J[..., :3, 7:] = R @ J_right[..., :3, :]
        J[..., 3:, 7:] = R @ J_right[..., 3:, :]
        return deliver(J, out)

    def relative_twist(
        self,
        q_left: JointsLike,
        q_right: JointsLike,
        qd_left: ArrayLike,
        qd_right: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Twist:
        """Velocity [v; w] of the right tip as seen from the left tip, in left tip axes.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            qd_left: Joint velocities of the left arm [rad/s], shape (*batch, 7).
            qd_right: Joint velocities of the right arm [rad/s], shape (*batch, 7).
            out: Array for the result, shape (*batch, 6).

        Returns:
            V [m/s, rad/s], shape (*batch, 6).
        """
        q_left, q_right, qd_left, qd_right = self.joint_arrays(
            q_left=q_left, q_right=q_right, qd_left=qd_left, qd_right=qd_right
        )
        with unwarned():
            J = self.relative_jacobian(q_left, q_right)
        left = J[..., :7] @ qd_left[..., None]
        V: Twist = (left + J[..., 7:] @ qd_right[..., None])[..., 0]
        return deliver(V, out)

    def ik(
        self,
        T_left: ArrayLike | None = None,
        T_right: ArrayLike | None = None,
        seed: Seeds = None,
        objective: Objective = "quick",
        *,
        relative: ArrayLike | None = None,
        posture: Postures = None,
    ) -> PairResult:
        """Joint positions of both arms for a pair of tip poses, within the limits.

        Give the poses of both tips, or of one and `relative`. With `relative` alone the hands meet
        anywhere: all fourteen joints move from the seed by least-norm steps.

        Args:
            T_left: T_base_tip of the left arm, shape (*batch, 4, 4).
            T_right: T_base_tip of the right arm, shape (*batch, 4, 4).
            seed: Joint positions of the left and the right arm to start from [rad], shape
                (*batch, 7) each; the middle of the ranges where None. Or one object that names the
                joints of both, such as the robot's message.
            objective: Which solutions, as in `Arm.ik`.
            relative: T_left_right, the right tip as the left one sees it, shape (*batch, 4, 4).
            posture: As in `Arm.ik`: a name for both arms, or a pair for the left and the right one.

        Returns:
            The answers of both arms: `q_left`, `q_right`, `solved`, `status`.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        from baxterkit.ik.pair import PairResult, hand_poses

        left_seed, right_seed = self.seeds(seed)
        if T_left is None and T_right is None and relative is not None:
            if objective != "quick" or posture is not None:
                raise InputError(
                    "with relative= alone the arms move from the seed by the shortest motion; "
                    "objective and posture need the pose of a hand"
                )
            return self._meeting(relative, left_seed, right_seed)
        Ts_left, Ts_right = hand_poses(T_left, T_right, relative)
        left_posture, right_posture = _postures(posture)
        with unwarned():  # what was given has been looked at
            return PairResult(
                self.left.ik(Ts_left, left_seed, objective, posture=left_posture),
                self.right.ik(Ts_right, right_seed, objective, posture=right_posture),
            )

    def ik_path(
        self,
        Ts_left: ArrayLike | None = None,
        Ts_right: ArrayLike | None = None,
        seed: Seeds = None,
        times: ArrayLike | None = None,
        *,
        relative: ArrayLike | None = None,
        max_step: float | None = None,
        objective: Objective | None = None,
        posture: Postures = None,
    ) -> PairPath:
        """Continuous joint paths of both arms, the hands in step with each other.

        Give the poses of both tips, or of one and `relative`: one pose that is kept, as of two
        hands on a box, or one for each pose of the path, as for handing something over. To carry a
        box along poses Ts_base_box, give Ts_base_box @ T_box_left and Ts_base_box @ T_box_right.

        Args:
            Ts_left: T_base_tip of the left arm along the path, shape (n, 4, 4).
            Ts_right: T_base_tip of the right arm along the path, shape (n, 4, 4).
            seed: Joint positions of the left and the right arm to start near [rad], shape (7,)
                each; free where None. Or one object that names the joints of both, such as the
                robot's message.
            times: When each pose is due [s], increasing, shape (n,); joint speeds are then kept
                within `limits.velocity`.
            relative: T_left_right, the right tip as the left one sees it, shape (4, 4) or
                (n, 4, 4).
            max_step: As in `Arm.ik_path`.
            objective: Objective for the redundancy of both arms, as in `Arm.ik_path`.
            posture: As in `Arm.ik_path`: a name for both arms, or a pair for the left and the right
                one.

        Returns:
            Both paths; if one breaks, the parts before the break, the arm and the reason.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        from baxterkit.ik.pair import PairPath, hand_poses

        left, right = hand_poses(Ts_left, Ts_right, relative)
        starts, forms = self.seeds(seed), _postures(posture)
        with unwarned():  # what was given has been looked at
            first = self.left._inverse.ik_path(
                left, starts[0], times, max_step, objective, forms[0]
            )
            # Where the left arm has no path, the pair has none, however long the right one seeks.
            second = self.right._inverse.ik_path(
                right, starts[1], times, max_step, objective, forms[1], first.solved
            )
        return PairPath(first, second)

    def joint_arrays(self, **arguments: JointsLike) -> list[JointVector]:
        """Checked, each by the names of its arm: `q_left` holds joints of the left one."""
        arrays, said = [], False
        for name, value in arguments.items():
            what, _, side = name.rpartition("_")
            model = (self.left if side == "left" else self.right).model
            array = model.joint_values(value, name)
            if what == "q":
                said = said or warn_if_degrees(array, name, model)
            arrays.append(array)
        check_broadcast(tuple(arguments), arrays)
        return arrays

    def seeds(self, seed: Seeds) -> tuple[JointVector | None, JointVector | None]:
        """Checked joint positions of the left and the right arm to start from."""
        both: Given = (seed, seed) if seed is None or _is_whole_robot(seed) else seed
        try:
            left, right = both
        except (TypeError, ValueError):
            raise InputError(
                "seed must be a pair, joint positions of the left and of the right arm, or None; "
                "or joints of both arms by name"
            ) from None
        found: list[JointVector | None] = []
        said = False
        for arm, values in ((self.left, left), (self.right, right)):
            q = None
            if values is not None:
                q = arm.model.joint_values(values, f"seed of the {arm.side} arm")
                said = said or warn_if_degrees(q, "seed", arm.model)
            found.append(q)
        return found[0], found[1]

    def _meeting(
        self, relative: ArrayLike, left_seed: JointVector | None, right_seed: JointVector | None
    ) -> PairResult:
        """Both arms near their seeds, with the given relative pose of their tips."""
        from baxterkit.ik.pair import PairResult, meet

        T = pose_array(relative, "relative")
        warn_if_millimetres(T[..., :3, 3], "relative")
        arms = (self.left, self.right)
        start: list[JointVector] = []
        for arm, seed in zip(arms, (left_seed, right_seed), strict=True):
            start.append(arm.limits.middle if seed is None else seed)
        if T.ndim != 2 or any(q.ndim != 1 for q in start):
            raise ShapeError(
                "relative= alone takes one pose, shape (4, 4), and seeds of shape (7,); got "
                f"{T.shape} and {', '.join(str(q.shape) for q in start)}"
            )
        limits = (self.left.limits, self.right.limits)
        with unwarned():
            begin = (start[0], start[1])
            found = meet(self.relative_pose, self.relative_jacobian, T, begin, limits)
            if found is None:
                return PairResult(*(_met(arm, None, (np.nan, np.nan)) for arm in arms))
            errors = formulas.pose_error(self.relative_pose(*found), T)
        sizes = (float(errors[0]), float(errors[1]))
        return PairResult(*(_met(arm, q, sizes) for arm, q in zip(arms, found, strict=True)))


def _met(arm: Arm, q: JointVector | None, errors: tuple[float, float]) -> IkResult:
    """The answer of one arm; its errors [m, rad] are those of the relative pose."""
    from baxterkit.ik.result import IkResult, IkStatus

    status = IkStatus.SOLVED
    if q is None:
        q, status = np.full(7, np.nan), IkStatus.NOT_CONVERGED
    return IkResult(q, status, *errors, "meet").replace(joint_names=arm.joint_names)


def _is_whole_robot(values: Given) -> bool:
    """Whether one object names the joints of both arms."""
    return not isinstance(values, list | tuple | np.ndarray) and has_names(values)


def _postures(posture: Postures) -> tuple[Given, Given]:
    if posture is None or isinstance(posture, str) or _is_whole_robot(posture):
        return posture, posture
    if not isinstance(posture, tuple | list) or len(posture) != 2:
        raise InputError("posture must be a name, or a pair: for the left and for the right arm")
    left, right = posture
    return left, right

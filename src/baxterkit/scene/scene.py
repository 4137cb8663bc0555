"""`Scene`: the robot among its obstacles, and the motions that touch nothing there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import both_arms_array, joint_array, one
from baxterkit.checks.numbers import positive
from baxterkit.errors import InputError
from baxterkit.model.names import ARM_COLUMNS, check_side, joint_names, other_side
from baxterkit.scene.checks import Checks
from baxterkit.scene.hands import Seeds
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:  # the solvers are imported at their first use: they take longer than all else
    from baxterkit.baxter import Baxter
    from baxterkit.ik.pair import PairPath, PairResult
    from baxterkit.ik.path import PathResult
    from baxterkit.ik.result import IkResult


@dataclass(frozen=True, repr=False)
class Scene(Checks):
    """The robot among its obstacles: every check, and every search for what touches nothing.

    A scene does not change: `replace` makes another one, which shares the checks that both need.

    Attributes:
        robot: The robot.
        world: Obstacles, and the objects that the hands hold, as they were when the scene was made.
        head: Pan of the head [rad], positive to the robot's left.
        opening: Gripper opening from 0 (closed) to 1 (open): one value, or (left, right), or the
            least and the greatest of each where they are not known.
        margin: Safety margin [m]: anything closer counts as a collision.
        without: Pairs of links that are not checked, by their names in `baxterkit.collision.LINKS`
            or in the world; ("left", "right") switches the check of arm against arm off.

    Raises:
        InputError: If a value is not finite, or an opening is not from 0 to 1.
        UnknownNameError: If there is no such link.
    """

    def repulsion(
        self, side: str, other: JointsLike, distance: float = 0.1, speed: float = 0.3
    ) -> Callable[[ArrayLike], Array]:
        """Joint velocities that lead one arm away from what is near: for a null space.

        Args:
            side: The arm that moves, "left" or "right".
            other: Joint positions of the other arm [rad], shape (7,).
            distance: Clearance below which it acts [m].
            speed: Joint speed at contact [rad/s]; it falls to zero at `distance`.

        Returns:
            A function of the arm's joint positions [rad], shape (7,), that gives joint velocities
            [rad/s], shape (7,), along which the clearance grows; as `qd_null` of
            `Arm.joint_velocity`, or as `aside` of `control.ResolvedRate`.
        """
        check_side(side, "arm")
        distance, speed = positive(distance, "distance"), positive(speed, "speed")
        (still,) = self.robot.hands.joint_arrays(**{f"q_{other_side(side)}": other})
        own = ARM_COLUMNS[side]

        def aside(q: JointsLike) -> Array:
            near = self.nearest(*((q, still) if side == "left" else (still, q)))
            slope = near.gradient[own]
            size = float(np.linalg.norm(slope))
            share = speed * min(max(1.0 - float(near.clearance) / distance, 0.0), 1.0)
            return slope * (share / size) if size > 0.0 else np.zeros(7)

        return aside

    def retreat(
        self,
        q: JointsLike,
        side: str | None = None,
        *,
        clearance: float = 0.002,
        most: float = 0.5,
    ) -> Array:
        """A short path out of a slight collision: the clearance is greater at each configuration.

        Args:
            q: Joint positions of both arms, left then right [rad], shape (14,), or values with
                names, such as the robot's message.
            side: The arm that moves, "left" or "right"; both if None.
            clearance: What the path leads to [m].
            most: Greatest length of the path in joint space [rad].

        Returns:
            The path, `q` first [rad], shape (n, 14); `q` alone if nothing is that near.

        Raises:
            RetreatError: If none was found.
            InputError: If a joint that moves is beyond its limits.
        """
        from baxterkit.collision.retreat import retreat

        group = "both" if side is None else side
        scene, own = self.of_arm(group), ARM_COLUMNS[group]
        start = one(both_arms_array(q, "q"), "q")
        gap, longest = positive(clearance, "clearance"), positive(most, "most")
        limits = (self.robot.left.limits, self.robot.right.limits)
        return retreat(scene.checker, start, own, limits, self.head, gap, longest)

    def ik(
        self,
        side: str,
        T: ArrayLike,
        other: JointsLike | None = None,
        seed: JointsLike | None = None,
        *,
        head: ArrayLike | None = None,
        of: str | None = None,
    ) -> IkResult:
        """Joint positions of one arm that reach a pose and touch neither the robot nor the world.

        Where the quick answer of `Arm.ik` touches something, solutions over the whole self-motion
        are tried until some are clear, and of those the nearest to the seed is taken. The status is
        COLLISION, and `blocked_by` names two links that touch, where every solution that was found
        is in collision: at 400 values of e0, or the hand itself, whose pose is the target's.

        Args:
            side: The arm that moves, "left" or "right".
            T: T_base_tip, shape (*batch, 4, 4).
            other: Joint positions of the other arm [rad], shape (*batch, 7); untucked if None.
            seed: Joint positions to stay near [rad], shape (*batch, 7), as in `Arm.ik`.
            head: Pan of the head [rad], shape (*batch); the scene's if None.
            of: Another frame of the hand than the tip, as in `Arm.ik`.

        Returns:
            The answer: `q` of that arm, `status`, errors. Of targets on a GPU, where the arms
            compute, it is there too, without `blocked_by`.

        Raises:
            UnknownNameError: If there is no such arm or frame.
        """
        from baxterkit.scene import ik

        still = self._untucked(side) if other is None else other
        if self.arm(side)._cuda_ik is not None:
            from baxterkit.scene import device_ik

            if device_ik.takes(self, side, T):
                if of is not None:
                    raise InputError(
                        "targets on the GPU are of the tip; leave of out, or pass NumPy arrays"
                    )
                return device_ik.solve(self, side, T, still, seed, head)
        return ik.solve(self, side, T, still, seed, head, of)

    def ik_path(
        self,
        side: str,
        Ts: ArrayLike,
        other: JointsLike | None = None,
        seed: JointsLike | None = None,
        times: ArrayLike | None = None,
        *,
        max_step: float | None = None,
        of: str | None = None,
    ) -> PathResult:
        """A continuous path of one arm through poses that touches neither the robot nor the world.

        The path of `Arm.ik_path` is taken if it is clear. Otherwise the redundancy leads it aside:
        it is moved along the self-motions of its poses, and begun from other solutions of the first
        pose (unless the seed is one: then it stays). The whole path is swept, as by `edge_free`.

        Args:
            side: The arm that moves, "left" or "right".
            Ts: T_base_tip along the path, shape (n, 4, 4).
            other: Joint positions of the other arm [rad], shape (7,), or (n, 7) if it moves too;
                untucked if None.
            seed: Joint positions to start near [rad], as in `Arm.ik_path`.
            times: When each pose is due [s], as in `Arm.ik_path`.
            max_step: Longest step of a joint [rad], as in `Arm.ik_path`.
            of: Another frame of the hand than the tip, as in `Arm.ik`.

        Returns:
            The path. If every path that was found touches something, the part before: `broken_at`
            is the pose, the status is COLLISION, and `blocked_by` names the two links. `reason`
            tells whether that pose has no clear solution; if it has, a path may exist.

        Raises:
            UnknownNameError: If there is no such arm or frame.
        """
        from baxterkit.scene import path

        still = self._untucked(side) if other is None else other
        return path.solve(self, side, Ts, still, seed, times, max_step, of)

    def ik_pair(
        self,
        T_left: ArrayLike | None = None,
        T_right: ArrayLike | None = None,
        seed: Seeds = None,
        *,
        relative: ArrayLike | None = None,
    ) -> PairResult:
        """Joint positions of both arms for a pair of tip poses that touch nothing.

        Each arm is solved beside the body alone; where the two touch each other, solutions over
        both self-motions are combined, and the clear pair nearest to the seeds is taken. For the
        kinematics alone, without a body, see `Baxter.hands`.

        Args:
            T_left: T_base_tip of the left arm, shape (*batch, 4, 4).
            T_right: T_base_tip of the right arm, shape (*batch, 4, 4); one of both may be None if
                `relative` is given.
            seed: Joint positions of the left and the right arm to stay near, as in `Hands.ik`.
            relative: T_left_right, the right tip as the left one sees it, shape (*batch, 4, 4).

        Returns:
            The answers of both arms: `q_left`, `q_right`, `solved`, `status`. The status is
            COLLISION, and `blocked_by` of an arm names two links, where none was found.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        from baxterkit.scene import pair

        return pair.solve(self, T_left, T_right, seed, relative)

    def ik_pair_path(
        self,
        Ts_left: ArrayLike | None = None,
        Ts_right: ArrayLike | None = None,
        seed: Seeds = None,
        times: ArrayLike | None = None,
        *,
        relative: ArrayLike | None = None,
        max_step: float | None = None,
    ) -> PairPath:
        """Continuous joint paths of both arms through pairs of poses that touch nothing.

        The paths of `Hands.ik_path` are taken if they are clear. Otherwise the redundancy leads
        each arm around the body and the world, and then one arm after the other around the other
        one, as in `ik_path`: from several starts, unless the seeds are solutions of the first pose.

        Args:
            Ts_left: T_base_tip of the left arm along the path, shape (n, 4, 4).
            Ts_right: T_base_tip of the right arm along the path, shape (n, 4, 4).
            seed: Joint positions of the left and the right arm to start near [rad].
            times: When each pose is due [s], as in `Arm.ik_path`.
            relative: T_left_right, shape (4, 4) or (n, 4, 4), in place of one of the paths.
            max_step: Longest step of a joint [rad], as in `Arm.ik_path`.

        Returns:
            Both paths; if one breaks, the parts before the break, the arm and the reason, which
            tells, as in `ik_path`, whether a path may exist.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        from baxterkit.scene import pair

        return pair.solve_path(self, Ts_left, Ts_right, seed, times, relative, max_step)

    def _untucked(self, side: str) -> Array:
        """Where the arm beside this one is unless it is said."""
        return self.arm(other_side(check_side(side, "arm"))).configuration("untuck")

    def still(self, side: str, other: JointsLike) -> Array:
        """Checked joint positions of the arm beside this one [rad], contiguous, shape (..., 7)."""
        check_side(side, "arm")
        return np.ascontiguousarray(
            joint_array(other, "other", names=joint_names(other_side(side)))
        )


class Acting(Protocol):
    """A robot that acts, such as a `robot.Robot`."""

    @property
    def scene(self) -> Scene:
        """The robot among its obstacles, as they are now."""


SceneLike: TypeAlias = "Scene | Baxter | Acting"
"""The robot among its obstacles: a scene; a `Baxter` for no obstacles; or a robot that acts (a twin
or a link), for its scene as it is at the call."""


def as_scene(given: SceneLike) -> Scene:
    """A scene as it is; of a `Baxter` its bare scene, of a robot that acts its scene now.

    Raises:
        InputError: If it is none of these.
    """
    if isinstance(given, Scene):
        return given
    scene = None if isinstance(given, type) else getattr(given, "scene", None)
    found = scene() if callable(scene) else scene
    if not isinstance(found, Scene):
        raise InputError(
            "give a Scene, a Baxter, which knows the whole body, or a robot that acts; got "
            f"{type(given).__name__} (Baxter(left=arm) has an arm of yours)"
        )
    return found

"""The inverse kinematics of `Arm`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from numpy.typing import ArrayLike

from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.ik.inverse import Inverse
    from baxterkit.ik.objectives import Objective
    from baxterkit.ik.options import IkOptions
    from baxterkit.ik.path import PathResult
    from baxterkit.ik.result import IkResult
    from baxterkit.ik.self_motion import SelfMotion
    from baxterkit.ik.target import Pointing, Position


class IkMethods:
    """Joint positions for a target of the tip, in base; mount and tool are included."""

    model: ArmModel
    _kernels: Kernels

    def ik(
        self,
        T: ArrayLike | Position | Pointing,
        seed: ArrayLike | None = None,
        objective: Objective = "quick",
        method: str = "auto",
        *,
        all_solutions: bool = False,
        **options: Unpack[IkOptions],
    ) -> IkResult:
        """Joint positions that bring the tip to a target, within the limits.

        Args:
            T: T_base_tip, shape (*batch, 4, 4); or a `Position(p)`, which leaves the orientation
                free; or a `Pointing(p, direction)`, which leaves the turn about an axis free.
            seed: Joint positions [rad] to start from and to stay near, shape (*batch, 7); the
                middle of the range if None. It may lie outside the limits, as recordings do:
                distances are measured from it as it is, iterations start at the nearest limit.
            objective: Which solution. "quick": e0 values outward from the seed's (in wide steps,
                then those between), the branch nearest to the seed at the first one that has a
                solution. Global over the self-motion: "nearest" to the seed, farthest from the
                "limits", greatest "manipulability", least "gravity" torque (2-norm), or a function
                of joint positions (n, 7) that gives what shall be small, (n,).
            method: "auto", "exact", or one of the papers' solvers: "six_dof", "six_dof_exact",
                "pseudoinverse", "pseudoinverse_restarts", "lm", "ccd", "ccd_pseudoinverse",
                "nullspace". "auto" is exact on Baxter's geometry, and on others one iterative
                solver after the other.
            all_solutions: Whether to give `result.solutions` too: every solution with the e0 of
                the answer (poses on Baxter's geometry).
            **options: Those of `baxterkit.ik.IkOptions`: for iterative methods `max_iterations`,
                `restarts`, `random_seed`, `tolerance`, `trace`, and the method's own.

        Returns:
            The answer: `q`, `status`, errors. Never raises because a target cannot be reached.

        Raises:
            ShapeError: If shapes are wrong or do not broadcast.
            InputError: If `T` is not rigid to 1e-6 or anything is not finite.
            UnknownNameError: If there is no such method or objective.
        """
        return self._inverse.ik(T, seed, objective, method, all_solutions, options)

    def ik_all(self, T: ArrayLike, e0: ArrayLike = 0.0, limits: bool = True) -> Array:
        """Every solution with joint e0 held at a value.

        Args:
            T: T_base_tip, shape (*batch, 4, 4).
            e0: Joint e0 [rad], shape (*batch).
            limits: Whether to leave out solutions beyond the limits.

        Returns:
            Joint positions [rad], ordered by s0, shape (n, 7); for a batch (*batch, n, 7) with n
            the largest number of solutions, padded with NaN. Without limits, angles are in
            (-π, π].
        """
        return self._inverse.ik_all(T, e0, limits)

    def self_motion(self, T: ArrayLike) -> SelfMotion:
        """Every joint position that reaches a pose: the solution curves and their feasible parts.

        Args:
            T: T_base_tip, shape (4, 4).
        """
        return self._inverse.self_motion(T)

    def ik_path(
        self,
        Ts: ArrayLike,
        seed: ArrayLike | None = None,
        times: ArrayLike | None = None,
        *,
        max_step: float | None = None,
    ) -> PathResult:
        """A continuous joint path through a sequence of poses, the redundancy chosen globally.

        Args:
            Ts: T_base_tip along the path, shape (n, 4, 4).
            seed: Joint positions to start near [rad], shape (7,); free if None.
            times: When each pose is due [s], increasing, shape (n,); joint speeds are then kept
                within `limits.velocity`.
            max_step: Most that a joint may move from one pose to the next [rad]. If None, 0.5 rad,
                or without bound but the speeds if `times` are given.

        Returns:
            The path, or how far it goes and why it breaks there.
        """
        return self._inverse.ik_path(Ts, seed, times, max_step)

    def ik_track(
        self,
        T: ArrayLike,
        q: ArrayLike,
        *,
        max_step: ArrayLike | None = None,
        hold_elbow: bool = False,
    ) -> IkResult:
        """One step after a moving target: the solution next to where the joints are.

        As exact as `ik`, and made for targets that come one after the other: the arm keeps its
        branch, moves as little as it can, and spends its redundancy on staying clear of the
        limits. Call it for every new pose, with the joint positions of the step before.

        Args:
            T: T_base_tip, shape (*batch, 4, 4).
            q: Where the joints are [rad], shape (*batch, 7).
            max_step: Most that a joint may move [rad]: one number, or one for each joint, such as
                `arm.limits.velocity * dt`; 0.5 if None.
            hold_elbow: Whether joint e0 stays as it is wherever that takes the other joints at
                most half of `max_step`. The arm then comes back to the same joint positions when
                the target comes back; without it, steps are the shortest.

        Returns:
            The answer: `q`, `status`, errors. Where no solution is that near, `q` is NaN and the
            status NOT_CONVERGED, or OUT_OF_REACH if no joint angles reach the target; ask `ik`
            then, which searches all solutions.

        Raises:
            ShapeError: If shapes are wrong or do not broadcast.
            InputError: If `T` is not rigid to 1e-6, anything is not finite, `max_step` is not
                positive, or the arm has another geometry than Baxter's.
        """
        return self._inverse.ik_track(T, q, max_step, hold_elbow)

    @cached_property
    def _inverse(self) -> Inverse:
        # Imported when it is first asked for: most of the time of `import baxterkit` otherwise.
        from baxterkit.ik.inverse import Inverse

        return Inverse(self.model, self._kernels)

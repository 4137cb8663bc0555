"""The inverse kinematics of `Arm`."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.backend.choice import kernels_of
from baxterkit.errors import InputError
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel, Tool
from baxterkit.spatial import formulas
from baxterkit.types import AnyArray, Array, JointsLike, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit.cuda.all_ik import CudaAll
    from baxterkit.cuda.ik import CudaIk
    from baxterkit.ik.inverse import Inverse
    from baxterkit.ik.objectives import Objective
    from baxterkit.ik.options import IkOptions
    from baxterkit.ik.path import PathResult
    from baxterkit.ik.result import IkResult
    from baxterkit.ik.self_motion import SelfMotion
    from baxterkit.ik.shortfall import Shortfall
    from baxterkit.ik.target import Pointing, Position


class IkMethods:
    """Joint positions for a target of the tip, in base; mount and tool are included."""

    model: ArmModel
    _kernels: Kernels
    _backend: str

    def ik(
        self,
        T: ArrayLike | Position | Pointing,
        seed: JointsLike | None = None,
        objective: Objective = "quick",
        method: str = "auto",
        *,
        of: str | None = None,
        posture: str | ArrayLike | None = None,
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
                "limits", greatest "manipulability", least "gravity" torque (2-norm), or a cost
                function, of joint positions (n, 7), that returns costs (n,).
            method: "auto", "exact", or one of the papers' solvers: "six_dof", "six_dof_exact",
                "pseudoinverse", "pseudoinverse_restarts", "lm", "ccd", "ccd_pseudoinverse",
                "nullspace". "auto" is exact on Baxter's geometry, and on others one iterative
                solver after the other.
            of: Another frame than the tip that is fixed to the hand, for example
                "left_hand_camera": `T` is then its pose, position or direction. The errors of the
                answer are the tip's for a pose, the frame's otherwise.
            posture: Which solutions count: "elbow_up" (the elbow above the line from shoulder to
                wrist), "elbow_out" (outside of it), or joint positions [rad], shape (7,), of which
                no joint may be a quarter turn away. With the objective "quick" the answer is the
                one that is most so, else the best by the objective. The status is POSTURE if none
                is so.
            all_solutions: Whether to fill `result.solutions`: every solution with the e0 of the
                answer (poses on Baxter's geometry).
            **options: Those of `baxterkit.ik.IkOptions`: for iterative methods `max_iterations`,
                `restarts`, `random_seed`, `tolerance`, `trace`, and the method's own.

        Returns:
            The answer: `q`, `status`, errors. Never raises because a target cannot be reached.

        Raises:
            ShapeError: If shapes are wrong or do not broadcast.
            InputError: If `T` is not rigid to 1e-6 or anything is not finite.
            UnknownNameError: If there is no such method or objective.
        """
        if self._cuda_ik is not None and self._cuda_ik.takes(T):
            given = (method in ("auto", "exact"), of is None, posture is None, not all_solutions)
            if not all(given) or options:
                raise InputError(
                    "targets on the GPU are solved exactly for the tip: leave method, of, posture, "
                    "all_solutions and further options out, or pass NumPy arrays"
                )
            from baxterkit.ik.device_result import DeviceIkResult

            found = DeviceIkResult(*self._cuda_ik.solve(T, seed, objective))
            found.joint_names = self.model.joint_names
            return found
        inverse, target = (self._inverse, T) if of is None else self._aimed(T, of)
        return inverse.ik(target, seed, objective, method, all_solutions, options, posture)

    def shortfall(
        self, T: ArrayLike | Position | Pointing, seed: JointsLike | None = None
    ) -> Shortfall:
        """How far a target is out of reach: the nearest pose of the tip within the limits.

        The orientation that the target asks for is kept, and the position is as near as it gets:
        the best of searches from 64 configurations, not a proof. It takes some 30 ms.

        Args:
            T: One target, as in `ik`.
            seed: Joint positions [rad] to begin one of the searches at, shape (7,).

        Returns:
            `distance` [m], `T_base_tip` and `q` of that pose.

        Raises:
            ShapeError: If there are several targets.
        """
        return self._inverse.shortfall(T, seed)

    def ik_all(
        self,
        T: ArrayLike,
        e0: ArrayLike = 0.0,
        limits: bool = True,
        *,
        of: str | None = None,
        posture: str | ArrayLike | None = None,
    ) -> Array:
        """Every solution with joint e0 held at a value.

        Args:
            T: T_base_tip, shape (*batch, 4, 4).
            e0: Joint e0 [rad], shape (*batch).
            limits: Whether to leave out solutions beyond the limits.
            of: As in `ik`.
            posture: Which solutions to keep, as in `ik`.

        Returns:
            Joint positions [rad], ordered by s0, shape (n, 7); for a batch (*batch, n, 7) with n
            the largest number of solutions, padded with NaN. Without limits, angles are in
            (-π, π].
        """
        if self._cuda_all is not None and self._cuda_all.takes(T, e0):
            if of is not None or posture is not None:
                raise InputError(
                    "targets on the GPU are solved exactly for the tip: leave of and posture out, "
                    "or pass NumPy arrays"
                )
            found: Array = self._cuda_all.solve(T, e0, limits)
            return found
        return self._inverse.ik_all(self._tip_pose(T, of), e0, limits, posture)

    def self_motion(self, T: ArrayLike, *, of: str | None = None) -> SelfMotion:
        """Every joint position that reaches a pose: the solution curves and their feasible parts.

        Args:
            T: T_base_tip, shape (4, 4).
            of: As in `ik`.
        """
        return self._inverse.self_motion(self._tip_pose(T, of))

    def ik_path(
        self,
        Ts: ArrayLike,
        seed: JointsLike | None = None,
        times: ArrayLike | None = None,
        *,
        max_step: float | None = None,
        of: str | None = None,
        objective: Objective | None = None,
        posture: str | ArrayLike | None = None,
    ) -> PathResult:
        """A continuous joint path through a sequence of poses, the redundancy chosen globally.

        Args:
            Ts: T_base_tip along the path, shape (n, 4, 4).
            seed: Joint positions to start near [rad], shape (7,); free if None.
            times: When each pose is due [s], increasing, shape (n,); joint speeds are then kept
                within `limits.velocity`.
            max_step: Largest step of a joint from one pose to the next [rad]. If None, 0.5 rad;
                with `times`, only the velocity limits bound the steps.
            of: As in `ik`.
            objective: The cost whose mean along the path is minimised, as in `ik` but for "quick";
                the steps if None.
            posture: As in `ik`: the path stays in it, and makes the most of it unless there is an
                objective. Where it cannot, it breaks with the status POSTURE.

        Returns:
            The path; if it breaks, the part before the break, and the reason.
        """
        poses = self._tip_pose(Ts, of, "Ts")
        return self._inverse.ik_path(poses, seed, times, max_step, objective, posture)

    def ik_track(
        self,
        T: ArrayLike,
        q: JointsLike,
        *,
        max_step: ArrayLike | None = None,
        hold_elbow: bool = False,
        of: str | None = None,
    ) -> IkResult:
        """One step of tracking a moving target: the solution near the present joint positions.

        As exact as `ik`, and made for a sequence of targets: the arm keeps its branch, moves as
        little as possible, and uses its redundancy to stay clear of the limits. Call it for every
        new pose, with the joint positions of the previous step.

        Args:
            T: T_base_tip, shape (*batch, 4, 4).
            q: Present joint positions [rad], shape (*batch, 7).
            max_step: Largest step of a joint [rad]: one number, or one per joint, such as
                `arm.limits.velocity * dt`; 0.5 if None.
            hold_elbow: Whether joint e0 stays as it is wherever the other joints then move by at
                most half of `max_step`. The arm then returns to the same joint positions when the
                target returns; without it, steps are the shortest.
            of: As in `ik`.

        Returns:
            The answer: `q`, `status`, errors. Where no solution is that near, `q` is NaN and the
            status NOT_CONVERGED, or OUT_OF_REACH if no joint angles reach the target; then use
            `ik`, which searches all solutions.

        Raises:
            ShapeError: If shapes are wrong or do not broadcast.
            InputError: If `T` is not rigid to 1e-6, anything is not finite, `max_step` is not
                positive, or the arm has another geometry than Baxter's.
        """
        pose = T if of is None else self._tip_pose(T, of)
        return self._inverse.ik_track(pose, q, max_step, hold_elbow)

    def _tip_pose(self, T: ArrayLike, of: str | None, name: str = "T") -> ArrayLike:
        """Pose of the tip at which the frame `of` has the pose T."""
        if of is None:
            return T
        from baxterkit.kinematics.of_frame import tip_in_frame
        from baxterkit.poses import pose_array

        return pose_array(T, name) @ tip_in_frame(self.model, of)

    def _aimed(
        self, T: ArrayLike | Position | Pointing, of: str
    ) -> tuple[Inverse, ArrayLike | Position | Pointing]:
        """The solver for a target of the frame `of`, and the target that it takes."""
        from baxterkit.ik.target import Pointing, Position
        from baxterkit.kinematics.of_frame import tip_in_frame

        if not isinstance(T, Position | Pointing):
            return self._inverse, self._tip_pose(T, of)
        # A position or a direction of the frame is one of an arm whose tool ends in that frame.
        T_hand_frame = self.model.T_hand_tip @ formulas.inverse(tip_in_frame(self.model, of))
        model = dataclasses.replace(self.model, tool=Tool(of, T_hand_frame), payload=None)
        from baxterkit.ik.inverse import Inverse

        return Inverse(model, kernels_of(model, self._on_processor, None)[0]), T

    @cached_property
    def _inverse(self) -> Inverse:
        # Imported on first use: otherwise it would take most of the time of `import baxterkit`.
        from baxterkit.ik.inverse import Inverse

        same = self._on_processor == self._backend
        kernels = self._kernels if same else kernels_of(self.model, self._on_processor, None)[0]
        return Inverse(self.model, kernels)

    @cached_property
    def _cuda_ik(self) -> CudaIk | None:
        """The solver of targets that are on a GPU; None if the arm does not compute there."""
        if not self._backend.startswith("cuda"):
            return None
        from baxterkit.cuda.ik import CudaIk
        from baxterkit.cuda.kernels import CudaKernels

        assert isinstance(self._kernels, CudaKernels)
        return CudaIk(self.model, self._kernels.device, self._settle)

    @cached_property
    def _cuda_all(self) -> CudaAll | None:
        """The same for every solution with joint e0 held."""
        if self._cuda_ik is None:
            return None
        from baxterkit.cuda.all_ik import CudaAll

        return CudaAll(self.model, self._cuda_ik.device, self._inverse.ik_all)

    def _settle(
        self, T: Transform, seed: JointVector, objective: Objective
    ) -> tuple[JointVector, AnyArray, Array, Array]:
        found = self._inverse.ik(T, seed, objective, "exact", False, {})
        return (
            found.q,
            np.asarray(found.status, dtype=np.uint8),
            np.asarray(found.position_error),
            np.asarray(found.orientation_error),
        )

    @property
    def _on_processor(self) -> str:
        """The backend of what a GPU does not compute."""
        return "numpy" if self._backend == "numpy" else "native"

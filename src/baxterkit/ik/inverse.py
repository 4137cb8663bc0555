"""Inverse kinematics of one arm: checks, broadcasting, and the choice among the solvers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import native
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.iterate import IkOptions
from baxterkit.ik.path import PathResult, solve_path
from baxterkit.ik.result import STATUSES, IkResult, IkStatus
from baxterkit.ik.self_motion import SelfMotion
from baxterkit.ik.solve import Kinematics, Objective, nearest_first, pad, reshape, solve
from baxterkit.ik.solver import Cost, ExactSolver, NativeSolver, NumpySolver
from baxterkit.ik.target import Pose, Target, as_target, pose_array
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector

SEED_LIMIT = 1e6
"""Largest joint position of a seed [rad]: beyond it rounding eats the distances."""


class Inverse:
    """Inverse kinematics of one arm. `Arm` documents the methods; they have the same arguments.

    Args:
        model: The arm.
        kernels: Its kernels. If they are the extension's, the exact solver is its as well.
    """

    def __init__(self, model: ArmModel, kernels: Kernels) -> None:
        self.model = model
        self._kernels = kernels

    def ik(
        self,
        T: ArrayLike | Target,
        seed: ArrayLike | None,
        objective: Objective,
        method: str,
        all_solutions: bool,
        options: IkOptions,
    ) -> IkResult:
        """Joint positions that bring the tip to a target, within the limits."""
        if method in ("auto", "exact") and not options and not all_solutions:
            solver = self._exact_solver
            found = None if solver is None else solver.one(T, seed, objective)
            if found is not None:
                result = IkResult(found[0], STATUSES[found[1]], found[2], found[3], "exact")
                if found[4] is not None:
                    result.nearest, result.violation = found[4], found[5]
                    result.joint_names = self.model.joint_names
                return result
            batch = None if solver is None else solver.plain(T, seed, objective)
            if batch is not None and isinstance(T, np.ndarray):
                return reshape(batch, T.shape[:-2])
        return self._ik(T, seed, objective, method, all_solutions, options)

    def ik_all(self, T: ArrayLike, e0: ArrayLike, limits: bool) -> Array:
        """Every solution with joint e0 held at a value."""
        solver = self._exact_solver
        found = None if solver is None else solver.all_one(T, e0, limits)
        if found is not None:
            return found
        poses, values = pose_array(T), finite_array(e0, "e0")
        shape = _broadcast(("T", "e0"), poses.shape[:-2], values.shape)
        flat = np.broadcast_to(poses, (*shape, 4, 4)).reshape(-1, 4, 4)
        rows = self._required_solver("ik_all").all(
            flat, np.broadcast_to(values, shape).reshape(-1), bool(limits)
        )
        if shape == ():
            return rows[0]
        padded = pad(rows)
        return padded.reshape(*shape, padded.shape[-2], 7)

    def self_motion(self, T: ArrayLike) -> SelfMotion:
        """Every joint position that reaches a pose."""
        pose = pose_array(T)
        if pose.ndim != 2:
            raise ShapeError(f"self_motion takes one pose of shape (4, 4), got {pose.shape}")
        return self._required_solver("self_motion").motion(pose)

    def ik_path(
        self,
        Ts: ArrayLike,
        seed: ArrayLike | None,
        times: ArrayLike | None,
        max_step: float | None,
    ) -> PathResult:
        """A continuous joint path through a sequence of poses."""
        poses = pose_array(Ts, "Ts")
        if poses.ndim != 3:
            raise ShapeError(f"Ts must have shape (n, 4, 4), got {poses.shape}")
        start = None if seed is None else _seed_array(seed, self.model.dof)
        if start is not None and start.ndim != 1:
            raise ShapeError(f"seed must have shape (7,), got {start.shape}")
        due = None if times is None else finite_array(times, "times")
        solver = self._required_solver("ik_path")
        return solve_path(self.model, solver, poses, start, due, max_step)

    @cached_property
    def _exact_solver(self) -> ExactSolver | None:
        """The exact solver; None for an arm of another geometry."""
        if not self.model.is_baxter_geometry:
            return None
        extension = native.load()
        if extension is None or not isinstance(self._kernels, extension.ArmKernels):
            return NumpySolver(self.model, self._ik_costs)
        return NativeSolver(self.model, extension, self._kernels)

    def _required_solver(self, what: str) -> ExactSolver:
        solver = self._exact_solver
        if solver is None:
            raise InputError(
                f"{what} is for Baxter's geometry, and this arm has another one; use ik, which "
                "serves any arm by iteration"
            )
        return solver

    @cached_property
    def _ik_kinematics(self) -> Kinematics:
        kernels = self._kernels
        return Kinematics(
            self.model, kernels.fk, kernels.jacobian, self._exact_solver, tuple(self._ik_costs)
        )

    @cached_property
    def _ik_costs(self) -> dict[str, Callable[[JointVector], Cost]]:
        limits = self.model.limits
        half = 0.5 * (limits.upper - limits.lower)

        def crowding(q: JointVector) -> Array:
            most: Array = np.max(np.abs(q - limits.middle) / half, axis=-1)
            return most

        costs: dict[str, Callable[[JointVector], Cost]] = {
            "nearest": lambda seed: lambda q: np.sum((q - seed) ** 2, axis=-1),
            "limits": lambda seed: crowding,
            "manipulability": lambda seed: lambda q: -np.asarray(self._kernels.manipulability(q)),
            "gravity": lambda seed: lambda q: np.linalg.norm(self._kernels.gravity(q), axis=-1),
        }
        return costs

    def _ik(
        self,
        T: ArrayLike | Target,
        seed: ArrayLike | None,
        objective: Objective,
        method: str,
        all_solutions: bool,
        options: IkOptions,
    ) -> IkResult:
        target = as_target(T)
        dof = self.model.dof
        start = _seed_array(self.model.limits.middle if seed is None else seed, dof)
        shape = _broadcast(("T", "seed"), target.batch_shape, start.shape[:-1])
        flat = target.flat(shape)
        seeds = np.broadcast_to(start, (*shape, dof)).reshape(-1, dof)
        result = solve(self._ik_kinematics, flat, seeds, objective, method, options)
        if all_solutions:
            if not isinstance(flat, Pose):
                raise InputError("all_solutions is for poses; other targets have no finite number")
            result.solutions = self._all_at(flat, result, seeds)
        return reshape(result, shape)

    def _all_at(self, target: Pose, result: IkResult, seeds: JointVector) -> Array:
        solved = np.asarray(result.status == IkStatus.SOLVED)
        solver = self._required_solver("all_solutions")
        found = iter(solver.all(target.T[solved], result.q[solved, 2], True))
        rows = [
            nearest_first(next(found), seed) if ok else np.empty((0, 7))
            for ok, seed in zip(solved.tolist(), seeds, strict=True)
        ]
        return pad(rows)


def _seed_array(seed: ArrayLike, dof: int) -> JointVector:
    start = joint_array(seed, "seed", dof)
    if start.size and not np.abs(start).max() <= SEED_LIMIT:
        worst = float(start.flat[np.abs(start).argmax()])
        raise InputError(
            f"seed holds {worst:g} rad; distances are measured from joint positions within "
            f"±{SEED_LIMIT:g} rad: give angles of the arm"
        )
    return start


def _broadcast(names: tuple[str, str], a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise ShapeError(f"leading axes do not broadcast: {names[0]} {a}, {names[1]} {b}") from None

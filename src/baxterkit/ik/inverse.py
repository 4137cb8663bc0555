"""Inverse kinematics of one arm: `arm.ik` and the related methods, from the call to the solver.

arm.ik(T, seed, ...)          facade/ik.py: the public methods and their documentation; targets
                              on a GPU go to cuda/ik.py from there
  Inverse.ik                  here: plain arrays go straight to the compiled solver, which
                              checks them itself; everything else is checked and broadcast
  Inverse._solve              here: which method serves which target
    NativeSolver | NumpySolver    exact_native.py, exact_numpy.py: poses, on Baxter's geometry
    solve_partial                 partial.py: positions and directions
    solve_locked                  locked.py: e0 locked, as in the papers
    iterate_methods               methods.py: the iterative solvers, any geometry
  Inverse._in_posture         posture.py: the best solutions with the elbow up, out, or as given
  Inverse.ik_path             path.py: a continuous path; path_objective.py: the best one
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import native
from baxterkit.checks.arrays import finite_array, joint_row
from baxterkit.checks.units import (
    FAR_ANGLE,
    warn_if_angle_in_degrees,
    warn_if_degrees,
    warn_if_millimetres,
    warn_if_turns,
)
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik.exact_native import NativeSolver
from baxterkit.ik.exact_numpy import NumpySolver
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.iterate import IkProblem
from baxterkit.ik.locked import nearest_first, no_options, solve_locked
from baxterkit.ik.methods import AUTO, AUTO_ANY_GEOMETRY, METHODS, iterate_methods
from baxterkit.ik.objectives import Objective, check_objective, sound_cost
from baxterkit.ik.options import IkOptions
from baxterkit.ik.partial import solve_partial
from baxterkit.ik.path import PathResult, solve_path, step_bounds
from baxterkit.ik.path_objective import best_path, path_cost, path_starts, slide_path
from baxterkit.ik.posture import PostureRule, best_in_posture, posture_rule
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.ik.self_motion import SelfMotion
from baxterkit.ik.shortfall import Shortfall, nearest
from baxterkit.ik.target import Pose, Target, as_target, pose_array
from baxterkit.ik.track import MAX_STEP
from baxterkit.kernels import SEED_LIMIT
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointsLike, JointVector, Transform, frozen

_TRACK_STEPS = frozen(np.full(7, MAX_STEP))
_SOLVED, _AUTO = IkStatus.SOLVED, "auto"  # as globals: looked up for every single target


class Inverse:
    """Inverse kinematics of one arm. `Arm` documents the methods; they have the same arguments.

    Args:
        model: The arm.
        kernels: Its kernels. If they are the extension's, so is the exact solver.
    """

    def __init__(self, model: ArmModel, kernels: Kernels) -> None:
        self.model = model
        self._names = model.joint_names
        self._kernels = kernels

    def ik(
        self,
        T: ArrayLike | Target,
        seed: JointsLike | None,
        objective: Objective,
        method: str,
        all_solutions: bool,
        options: IkOptions,
        posture: str | ArrayLike | None = None,
    ) -> IkResult:
        """Joint positions that bring the tip to a target, within the limits."""
        if not isinstance(objective, str) and callable(objective):
            objective = sound_cost(objective)
        compiled = self.native
        if (
            compiled is not None
            and (method is _AUTO or (isinstance(method, str) and method in (_AUTO, "exact")))
            and not (options or all_solutions)
            and posture is None
        ):
            found = compiled.as_given(T, seed, objective)
            if found is not None:
                found.joint_names = self._names
                if found.status is not _SOLVED and _out_of_reach(found):
                    warn_if_millimetres(np.asarray(T)[..., :3, 3], "T")
                if seed is not None and _bends_far(seed):
                    warn_if_degrees(np.asarray(seed), "seed", self.model)
                return found
        target = as_target(T)
        warn_if_millimetres(target.T[..., :3, 3] if isinstance(target, Pose) else target.p, "T")
        start = self.model.limits.middle
        if seed is not None:
            start = _seed_array(seed, self.model)
            warn_if_degrees(start, "seed", self.model)
        shapes = {"T": target.batch_shape, "seed": start.shape[:-1]}
        if "e0" in options:
            e0 = finite_array(options["e0"], "e0")
            self._say_e0(e0)
            shape = _broadcast(**shapes, e0=e0.shape)
            options = {**options, "e0": np.broadcast_to(e0, shape).reshape(-1)}
        else:
            shape = _broadcast(**shapes)
        targets = target.flat(shape)
        seeds = _flat(start, shape)
        if posture is None:
            result = self._solve(targets, seeds, objective, method, options)
        else:
            result = self._in_posture(posture, targets, seeds, objective, method, options)
        if all_solutions:
            result = result.replace(solutions=self._all_at(targets, result, seeds))
        return result.reshaped(shape)

    def shortfall(self, T: ArrayLike | Target, seed: JointsLike | None) -> Shortfall:
        """How far one target is out of reach."""
        target = as_target(T)
        if target.batch_shape != ():
            raise ShapeError(f"shortfall is of one target, got a batch {target.batch_shape}")
        warn_if_millimetres(target.T[:3, 3] if isinstance(target, Pose) else target.p, "T")
        limits = self.model.limits
        start = limits.middle if seed is None else joint_row(seed, "seed")
        return nearest(
            self._kernels.fk, self._kernels.jacobian, limits, target.flat(()), limits.clip(start)
        )

    def ik_all(
        self,
        T: ArrayLike,
        e0: ArrayLike,
        limits: bool,
        posture: str | ArrayLike | None = None,
    ) -> Array:
        """Every solution with joint e0 held at a value."""
        if self.native is not None and posture is None:
            found = self.native.all_as_given(T, e0, limits)
            if found is not None:
                if not len(found):
                    self._say_units(np.asarray(T), np.asarray(e0))
                return found
        poses, values = pose_array(T), finite_array(e0, "e0")
        self._say_units(poses, values)
        shape = _broadcast(T=poses.shape[:-2], e0=values.shape)
        flat, held = Pose(poses).flat(shape).T, np.broadcast_to(values, shape).reshape(-1)
        if self.native is not None and posture is None and shape != ():
            padded = self.native.all_padded(flat, held, bool(limits))
            return padded.reshape(*shape, padded.shape[-2], 7)
        rows = self._required_solver("ik_all").all(flat, held, bool(limits))
        if posture is not None:
            rule = self._rule(posture)
            rows = [row[rule.keeps(row)] if len(row) else row for row in rows]
        if shape == ():
            return rows[0]
        padded = _pad(rows)
        return padded.reshape(*shape, padded.shape[-2], 7)

    def ik_track(
        self, T: ArrayLike, q: JointsLike, max_step: ArrayLike | None, hold_elbow: bool
    ) -> IkResult:
        """The solution near given joint positions."""
        if self.native is not None and max_step is None:
            found = self.native.track_as_given(T, q, _TRACK_STEPS, hold_elbow)
            if found is not None:
                if found.status is not _SOLVED:
                    warn_if_millimetres(np.asarray(T)[..., :3, 3], "T")
                    warn_if_degrees(np.asarray(q), "q", self.model)
                return found
        poses, start = pose_array(T), _seed_array(q, self.model, "q")
        warn_if_millimetres(poses[..., :3, 3], "T")
        warn_if_degrees(start, "q", self.model)
        shape = _broadcast(T=poses.shape[:-2], q=start.shape[:-1])
        most = _TRACK_STEPS if max_step is None else _step_array(max_step)
        solver = self._required_solver("ik_track")
        row = solver.track(Pose(poses).flat(shape).T, _flat(start, shape), most, bool(hold_elbow))
        return row.reshaped(shape)

    def self_motion(self, T: ArrayLike) -> SelfMotion:
        """Every joint position that reaches a pose."""
        pose = pose_array(T)
        if pose.ndim != 2:
            raise ShapeError(f"self_motion takes one pose of shape (4, 4), got {pose.shape}")
        warn_if_millimetres(pose[:3, 3], "T")
        return self._required_solver("self_motion").motion(pose)

    def ik_path(
        self,
        Ts: ArrayLike,
        seed: JointsLike | None,
        times: ArrayLike | None,
        max_step: float | None,
        objective: Objective | None = None,
        posture: str | ArrayLike | None = None,
        thorough: bool = True,
    ) -> PathResult:
        """A continuous joint path through a sequence of poses.

        Without `thorough` the search over samples, where tracking has failed, is left out.
        """
        poses = pose_array(Ts, "Ts")
        if poses.ndim != 3:
            raise ShapeError(f"Ts must have shape (n, 4, 4), got {poses.shape}")
        start = None if seed is None else _seed_array(seed, self.model)
        if start is not None and start.ndim != 1:
            raise ShapeError(f"seed must have shape (7,), got {start.shape}")
        warn_if_millimetres(poses[..., :3, 3], "Ts")
        if start is not None:
            warn_if_degrees(start, "seed", self.model)
        due = None if times is None else finite_array(times, "times")
        solver = self._required_solver("ik_path")
        bounds = step_bounds(self.model, len(poses), due, max_step)
        if max_step is not None:
            warn_if_turns(np.array(float(max_step)), "max_step")
        solve = partial(solve_path, self.model, solver, self.native, poses, bounds)
        if objective is None and posture is None:
            return solve(start, thorough=thorough)
        rule = None if posture is None else self._rule(posture)
        cost = path_cost(objective, rule, start, self.model.limits, self._kernels)
        starts = [start] if start is not None else path_starts(solver, poses, cost)
        slide = partial(slide_path, solver, self._kernels, poses, bounds, cost)
        found = solve(start, thorough=thorough)
        return best_path(found, starts, partial(solve, thorough=False), slide, cost, rule)

    def _say_units(self, T: Transform, e0: Array) -> None:
        warn_if_millimetres(T[..., :3, 3], "T")
        self._say_e0(e0)

    def _say_e0(self, e0: Array) -> None:
        limits = self.model.limits
        warn_if_angle_in_degrees(e0, "e0", float(limits.lower[2]), float(limits.upper[2]))

    def _rule(self, posture: str | ArrayLike) -> PostureRule:
        return posture_rule(posture, self.model, self._kernels)

    def _in_posture(
        self,
        posture: str | ArrayLike,
        target: Target,
        seeds: JointVector,
        objective: Objective,
        method: str,
        options: IkOptions,
    ) -> IkResult:
        """Answers for n targets in a row, the best of those in a posture."""
        exact = isinstance(method, str) and method in ("auto", "exact")
        if not isinstance(target, Pose) or not exact or self._exact is None:
            raise InputError(
                "posture needs the exact solver on poses: Baxter's geometry, method 'auto' or "
                "'exact', no target that leaves the orientation free"
            )
        no_options("exact", options)
        check_objective(objective)
        rule = self._rule(posture)
        return best_in_posture(
            rule, self._exact, target.T, seeds, objective, self.model, self._kernels
        )

    @cached_property
    def native(self) -> NativeSolver | None:
        """The compiled exact solver; None on the NumPy backend, and for another geometry."""
        extension = native.load()
        if not self.model.is_baxter_geometry or extension is None:
            return None
        if not isinstance(self._kernels, extension.ArmKernels):
            return None
        return NativeSolver(self.model, extension, self._kernels)

    @cached_property
    def _exact(self) -> ExactSolver | None:
        """The exact solver of the backend; None for an arm of another geometry."""
        if self.native is not None or not self.model.is_baxter_geometry:
            return self.native
        return NumpySolver(self.model, self._kernels)

    def _required_solver(self, what: str) -> ExactSolver:
        if self._exact is None:
            raise InputError(
                f"{what} is for Baxter's geometry, and this arm has another one; use ik, which "
                "serves any arm by iteration"
            )
        return self._exact

    def _solve(
        self,
        target: Target,
        seed: JointVector,
        objective: Objective,
        method: str,
        options: IkOptions,
    ) -> IkResult:
        """Answers for n targets in a row, with seeds (n, dof)."""
        if not isinstance(method, str) or method not in METHODS:
            raise UnknownNameError("method", method, METHODS)
        check_objective(objective)
        problem = IkProblem(self.model, self._kernels.fk, self._kernels.jacobian, target, seed)
        exact = self._exact
        if method == "auto":
            if exact is None:
                _only_quick(objective, "another geometry than Baxter's")
                return iterate_methods(problem, AUTO_ANY_GEOMETRY, options)
            if not isinstance(target, Pose):
                _only_quick(objective, "a target that leaves the orientation free")
                return solve_partial(problem, exact, options)
            (method,) = AUTO
        if method not in ("exact", "six_dof", "six_dof_exact"):
            _only_quick(objective, f"method {method!r}")
            return iterate_methods(problem, (method,), options)
        if exact is None:
            raise InputError(
                f"method {method!r} is for Baxter's geometry, and this arm has another one; use "
                f"{', '.join(AUTO_ANY_GEOMETRY)} or auto"
            )
        if not isinstance(target, Pose):
            raise InputError(f"method {method!r} takes poses; use auto for other targets")
        if method == "exact":
            no_options(method, options)
            return exact.many(target.T, seed, objective)
        _only_quick(objective, f"method {method!r}")
        return solve_locked(problem, exact, target, method, options)

    def _all_at(self, target: Target, result: IkResult, seeds: JointVector) -> Array:
        """Every solution with the e0 of each answer, nearest to its seed first."""
        if not isinstance(target, Pose):
            raise InputError("all_solutions is for poses; other targets have no finite number")
        solved = np.asarray(result.status == IkStatus.SOLVED)
        solver = self._required_solver("all_solutions")
        found = iter(solver.all(target.T[solved], result.q[solved, 2], True))
        rows = [
            nearest_first(next(found), seed) if ok else np.empty((0, 7))
            for ok, seed in zip(solved.tolist(), seeds, strict=True)
        ]
        return _pad(rows)


def _out_of_reach(result: IkResult) -> bool:
    """Whether the first or the last target is out of reach."""
    status = result.status
    if isinstance(status, IkStatus):
        return status is IkStatus.OUT_OF_REACH
    return IkStatus.OUT_OF_REACH in (status.flat[0], status.flat[-1])


def _bends_far(seed: JointsLike) -> bool:
    """Whether s1 or e1 of a seed is beyond all limits, or it is a batch. One that passes is cheap.

    In degrees one of the two is so in nearly every configuration.
    """
    if not isinstance(seed, np.ndarray) or seed.ndim != 1:
        return True
    return bool(abs(seed.item(3)) > FAR_ANGLE or abs(seed.item(1)) > FAR_ANGLE)


def _pad(rows: list[JointVector]) -> Array:
    """Solutions of several targets, (m_i, 7) each, padded with NaN to (n, max m_i, 7)."""
    most = max((len(row) for row in rows), default=0)
    padded = np.full((len(rows), most, 7), np.nan)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded


def _flat(q: JointVector, shape: tuple[int, ...]) -> JointVector:
    """Joint positions broadcast to a batch, then flattened, shape (n, dof)."""
    dof = q.shape[-1]
    return np.broadcast_to(q, (*shape, dof)).reshape(-1, dof)


def _only_quick(objective: Objective, what: str) -> None:
    if objective != "quick":
        raise InputError(
            f"objective {objective if isinstance(objective, str) else 'function'!r} needs the "
            f"exact solver on poses, not {what}; use objective='quick'"
        )


def _seed_array(seed: JointsLike, model: ArmModel, name: str = "seed") -> JointVector:
    start = model.joint_values(seed, name)
    if start.size and not np.abs(start).max() <= SEED_LIMIT:
        worst = float(start.flat[np.abs(start).argmax()])
        raise InputError(
            f"{name} holds {worst:g} rad; distances are measured from joint positions within "
            f"±{SEED_LIMIT:g} rad: give angles of the arm"
        )
    return start


def _step_array(max_step: ArrayLike) -> Array:
    """Largest step of each joint [rad], shape (7,)."""
    most = finite_array(max_step, "max_step")
    warn_if_turns(most, "max_step")
    if most.shape not in ((), (7,)):
        raise ShapeError(f"max_step must be one number or seven, got shape {most.shape}")
    if not (most > 0.0).all():
        raise InputError(f"max_step must be positive, got {float(most.min()):g}")
    return np.broadcast_to(most, 7)


def _broadcast(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"leading axes do not broadcast: {given}") from None

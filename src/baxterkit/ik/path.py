"""A continuous joint path through a sequence of poses, the redundancy chosen for the whole path.

The compiled solver tracks many solutions of the first pose side by side (native/ik/path.hpp).
Where none of them reaches the last pose, and without the extension, a search over samples takes its
place. The solutions of each pose are its self-motion curves. Some of the poses are knots: there the
curves are sampled, at the same e0 values everywhere and along the feasible segments, and dynamic
programming finds the shortest path through the samples. A step from knot to knot is valid only if
it can be followed: e0 changes linearly from one to the other, and at every pose in between the
solution nearest to the last one must lie within the limits and near enough. Invalid steps are
removed, and the search is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.exact_native import NativeSolver
from baxterkit.ik.exact_solver import ExactSolver
from baxterkit.ik.result import STATUSES, IkError, IkStatus
from baxterkit.kinematics import forward_kinematics
from baxterkit.model.model import ArmModel
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Array, JointVector, Transform

MAX_STEP = 0.5
"""Largest step of a joint from one pose to the next if no times are given [rad]."""
KNOTS = 48
"""Approximate number of knots of a long path."""
E0_STEP = 0.085
"""Spacing of the e0 values at which the self-motion is sampled [rad]."""
_REPEATS = 50
"""Largest number of searches through the samples."""


@dataclass(frozen=True, eq=False)
class PathResult:
    """A joint path, or the part of it up to where it breaks.

    Attributes:
        q: Joint positions [rad], shape (n, 7); NaN from the pose where it breaks.
        broken_at: Index of the first pose that the best path found does not reach, or None.
        status: SOLVED; OUT_OF_REACH or LIMITS if that pose alone cannot be reached; COLLISION if
            the robot would touch something, where that is checked; else NOT_CONVERGED.
        reason: Why it breaks; empty if it does not.
        blocked_by: With the status COLLISION, the links that touch each other there; else None.
    """

    q: JointVector
    broken_at: int | None = None
    status: IkStatus = IkStatus.SOLVED
    reason: str = ""
    blocked_by: tuple[str, str] | None = None

    @property
    def solved(self) -> bool:
        """Whether the path goes through all poses."""
        return self.broken_at is None

    @property
    def largest_step(self) -> float:
        """Largest step of any joint from one pose to the next [rad]."""
        steps = np.abs(np.diff(self.q, axis=0))
        return float(np.nanmax(steps)) if np.isfinite(steps).any() else 0.0

    def raise_if_failed(self) -> PathResult:
        """Returns itself if the path is complete.

        Raises:
            IkError: If it breaks; says where and why.
        """
        if self.broken_at is not None:
            raise IkError(f"the path breaks at pose {self.broken_at}: {self.reason}")
        return self

    def __repr__(self) -> str:
        if self.broken_at is None:
            return (
                f"PathResult({len(self.q)} poses, solved, largest step {self.largest_step:.4f} rad)"
            )
        return (
            f"PathResult({len(self.q)} poses, breaks at pose {self.broken_at}, "
            f"{self.status.name}: {self.reason})"
        )


def solve_path(
    model: ArmModel,
    solver: ExactSolver,
    compiled: NativeSolver | None,
    Ts: Transform,
    bounds: Array,
    seed: JointVector | None,
    thorough: bool = True,
) -> PathResult:
    """See `Arm.ik_path`; `bounds` are those of `step_bounds`.

    Without the compiled solver, only the search over samples runs; with it, that search follows
    where tracking has failed, if it shall be `thorough`.
    """
    if len(Ts) == 0:
        return PathResult(np.empty((0, 7)))
    if compiled is None:
        return _search(model, solver, Ts, bounds, seed)
    tracked = _track(model, compiled, Ts, bounds, seed)
    if tracked.broken_at is None or tracked.status is not IkStatus.NOT_CONVERGED or not thorough:
        return tracked
    result = _search(model, solver, Ts, bounds, seed, tracked.broken_at)
    if result.broken_at is None or result.broken_at > tracked.broken_at:
        return result
    return tracked


def _search(
    model: ArmModel,
    solver: ExactSolver,
    Ts: Transform,
    bounds: Array,
    seed: JointVector | None,
    known: int = 0,
) -> PathResult:
    """The best path through samples of the self-motions; how one to pose `known` goes is known."""
    result = _Search(model, solver, Ts, bounds, seed).run()
    if result.broken_at is None or result.broken_at <= known:
        return result
    # The poses before the break are solved as a path of their own.
    end = result.broken_at
    before = _Search(model, solver, Ts[:end], bounds[: end - 1], seed).run()
    q = np.full_like(result.q, np.nan)
    q[:end] = before.q
    if before.broken_at is not None:
        return PathResult(q, before.broken_at, before.status, before.reason)
    return PathResult(q, end, result.status, result.reason)


def _track(
    model: ArmModel, solver: NativeSolver, Ts: Transform, bounds: Array, seed: JointVector | None
) -> PathResult:
    """The path of the compiled solver, as far as it goes."""
    starts = seed is not None and _is_at(model, seed, Ts[0])
    q, reached = solver.path(Ts, seed, starts, bounds)
    if reached == len(Ts):
        return PathResult(q)
    alone = solver.many(Ts[reached : reached + 1], model.limits.middle[None], "quick")
    status = STATUSES[int(alone.status[0])]
    if status is not IkStatus.SOLVED:
        return PathResult(q, reached, status, status.advice)
    reason = "no continuous path leads there within the limits and joint speeds"
    if reached > 0:
        nearest = solver.many(Ts[reached : reached + 1], q[reached - 1 : reached], "nearest")
        step, bound = np.abs(nearest.q[0] - q[reached - 1]), bounds[reached - 1]
        joint = int(np.argmax(step - bound))
        if step[joint] > bound[joint]:
            reason = _too_far(model, joint, float(step[joint]), float(bound[joint]))
    return PathResult(q, reached, IkStatus.NOT_CONVERGED, reason)


def _too_far(model: ArmModel, joint: int, step: float, bound: float) -> str:
    return (
        f"{model.joint_names[joint]} would have to move {step:.3f} rad at once, {bound:.3f} is "
        "allowed; give more poses in between, more time, or a greater max_step"
    )


def _is_at(model: ArmModel, q: JointVector, T: Transform) -> bool:
    distance, angle = pose_error(forward_kinematics(model, q), T)
    return bool(max(distance, angle) < 1e-6 and model.limits.contains(q))


def step_bounds(model: ArmModel, n: int, times: Array | None, max_step: float | None) -> Array:
    """Largest step of each joint from pose i to pose i + 1 [rad], shape (n - 1, 7).

    Raises:
        ShapeError: If `times` does not have one value per pose.
        InputError: If `times` do not increase or `max_step` is not positive.
    """
    if max_step is not None:
        if not (type(max_step) is float and max_step == np.inf):  # that means any step
            max_step = scalar(max_step, "max_step")
        if not max_step > 0.0:
            raise InputError(f"max_step must be positive, got {max_step:g}")
    count = max(n - 1, 0)
    step = (MAX_STEP if times is None else np.inf) if max_step is None else max_step
    bounds = np.full((count, 7), step)
    if times is None:
        return bounds
    if times.shape != (n,):
        raise ShapeError(f"times must have shape ({n},), one for each pose, got {times.shape}")
    dt = np.diff(times)
    if count and not dt.min() > 0.0:
        i = int(np.argmin(dt))
        raise InputError(f"times must increase, got {times[i]:g} s and then {times[i + 1]:g} s")
    slow: Array = np.minimum(bounds, dt[:, None] * model.limits.velocity)
    return slow


class _Search:
    def __init__(
        self,
        model: ArmModel,
        solver: ExactSolver,
        Ts: Transform,
        bounds: Array,
        seed: JointVector | None,
    ) -> None:
        self.model, self.solver, self.Ts, self.bounds = model, solver, Ts, bounds
        self.seed = seed
        self.cumulative = np.vstack([np.zeros(7), np.cumsum(bounds, axis=0)])
        # Far enough apart that e0 can move by two of its values from knot to knot.
        room = min(self.cumulative[-1, 2] / (2.0 * E0_STEP), float(KNOTS))
        count = min(len(Ts), max(int(room), 8))
        self.knots = np.unique(np.linspace(0, len(Ts) - 1, count).round().astype(int))
        self.e0 = self._e0_values()
        self.samples = [self._sample(0)]  # of the knots that the search has come to
        self.squares: list[Array] = []
        self.costs: list[Array] = []
        self.back: list[NDArray[np.int64]] = []
        self.walked: dict[tuple[int, int, int], JointVector] = {}
        self.broken = (0, "")

    def run(self) -> PathResult:
        """The best path whose steps can all be followed."""
        changed = 0
        for _ in range(_REPEATS):
            chosen = self._shortest(changed)
            failed = []
            for level in range(len(chosen) - 1):
                key = (level, chosen[level], chosen[level + 1])
                if key not in self.walked and not self._walk(*key):
                    self.squares[level][key[1:]] = np.inf  # removed
                    failed.append(level)
            if not failed:
                break
            changed = failed[0]
        return self._result(chosen)

    def _e0_values(self) -> Array:
        """Values of e0 at which every knot is sampled [rad]."""
        lower, upper = self.model.limits.lower[2], self.model.limits.upper[2]
        anchor = 0.0 if self.seed is None else float(np.clip(self.seed[2], lower, upper))
        first, last = np.ceil((lower - anchor) / E0_STEP), np.floor((upper - anchor) / E0_STEP)
        return np.unique([lower, *(anchor + E0_STEP * np.arange(first, last + 1)), upper])

    def _sample(self, level: int) -> JointVector:
        """Solutions within the limits at a knot."""
        T = self.Ts[int(self.knots[level])]
        if level == 0 and self.seed is not None and _is_at(self.model, self.seed, T):
            return self.seed[None].copy()
        rows = self.solver.all(np.broadcast_to(T, (len(self.e0), 4, 4)), self.e0, True)
        ends = [segment.q for segment in self.solver.motion(T).feasible]
        return np.concatenate([*rows, *ends]) if rows or ends else np.empty((0, 7))

    def _allowed(self, level: int) -> Array:
        """Largest step of each joint from a knot to the next [rad]."""
        allowed: Array = self.cumulative[self.knots[level + 1]] - self.cumulative[self.knots[level]]
        return allowed

    def _squares(self, level: int) -> Array:
        """Squared steps from each sample of a knot to each of the next, infinite if too far."""
        a, b = self.samples[level], self.samples[level + 1]
        squares = np.zeros((len(a), len(b)))
        usable = np.ones((len(a), len(b)), dtype=bool)
        for joint, most in enumerate(self._allowed(level)):
            step = np.abs(a[:, joint, None] - b[None, :, joint])
            usable &= step <= most + 1e-12
            squares += step * step
        squares[~usable] = np.inf
        return squares

    def _shortest(self, changed: int) -> list[int]:
        """The chain of samples with the least sum of squared steps, as far as one exists.

        Args:
            changed: The first knot after which steps have been removed since the last call.
        """
        first = self.samples[0]
        if not len(first):
            return []
        if not self.costs:
            start = np.zeros(7) if self.seed is None else self.seed
            weight = 0.0 if self.seed is None else 1.0
            self.costs = [weight * np.sum((first - start) ** 2, axis=-1)]
        del self.costs[changed + 1 :], self.back[changed:]
        for level in range(changed, len(self.knots) - 1):
            if level + 1 == len(self.samples):
                self.samples.append(self._sample(level + 1))
                self.squares.append(self._squares(level))
            cost = self.costs[level]
            reached = np.flatnonzero(np.isfinite(cost))
            total = cost[reached, None] + self.squares[level][reached]
            best = np.argmin(total, axis=0) if total.size else np.empty(0, dtype=np.int64)
            least = total[best, np.arange(len(best))]
            if not np.isfinite(least).any():
                self._explain(level, reached)
                break
            self.back.append(reached[best])
            self.costs.append(least)
        chosen = [int(np.argmin(self.costs[-1]))]
        for previous in reversed(self.back):
            chosen.append(int(previous[chosen[-1]]))
        return chosen[::-1]

    def _walk(self, level: int, i: int, j: int) -> bool:
        """Whether the step can be followed; keeps the joint positions in between."""
        a, b = int(self.knots[level]), int(self.knots[level + 1])
        q, goal = self.samples[level][i], self.samples[level + 1][j]
        part = np.linspace(0.0, 1.0, b - a + 1)[1:]
        e0 = q[2] + part * (goal[2] - q[2])
        e0[-1] = goal[2]
        rows = self.solver.all(self.Ts[a + 1 : b + 1], e0, True)
        points = []
        for k, row in enumerate(rows):
            if k == len(rows) - 1:
                row = goal[None]
            if len(row) == 0:
                self._note(a + 1 + k, "no solution within the limits between here and there")
                return False
            distance = np.abs(row - q).max(axis=-1)
            nearest = int(np.argmin(distance))
            bound = self.bounds[a + k]
            over = np.abs(row[nearest] - q) - bound
            if over.max() > 1e-12:
                joint = int(np.argmax(over))
                moved = abs(row[nearest][joint] - q[joint])
                self._note(
                    a + 1 + k, _too_far(self.model, joint, float(moved), float(bound[joint]))
                )
                return False
            q = row[nearest]
            points.append(q)
        self.walked[level, i, j] = np.array(points)
        return True

    def _explain(self, level: int, reached: NDArray[np.int64]) -> None:
        """Notes which joint is too slow for the easiest step between two knots."""
        a, b, allowed = self.samples[level][reached], self.samples[level + 1], self._allowed(level)
        step = np.abs(a[:, None] - b[None])
        if not step.size:
            return
        excess = step / allowed
        easiest = np.unravel_index(np.argmin(excess.max(axis=-1)), excess.shape[:2])
        joint = int(np.argmax(excess[easiest]))
        if excess[easiest][joint] > 1.0:
            self._note(
                int(self.knots[level]) + 1,
                f"{self.model.joint_names[joint]} would have to move "
                f"{step[easiest][joint]:.3f} rad from pose {self.knots[level]} to "
                f"{self.knots[level + 1]}, {allowed[joint]:.3f} is allowed; give more time, or a "
                "greater max_step",
            )

    def _note(self, pose: int, reason: str) -> None:
        """Remembers the farthest pose that a step failed at."""
        if pose > self.broken[0]:
            self.broken = (pose, reason)

    def _result(self, chosen: list[int]) -> PathResult:
        q = np.full((len(self.Ts), 7), np.nan)
        done = 0
        if chosen:
            q[0], done = self.samples[0][chosen[0]], 1
        for level in range(len(chosen) - 1):
            points = self.walked.get((level, chosen[level], chosen[level + 1]))
            if points is None:
                break
            a = int(self.knots[level])
            q[a + 1 : a + 1 + len(points)] = points
            done = a + 1 + len(points)
        if done == len(q):
            return PathResult(q)
        # The break is at the first pose that cannot be reached at all, or where the walk failed.
        following = self.Ts[done : int(self.knots[min(len(chosen), len(self.knots) - 1)]) + 1]
        middle = np.broadcast_to(self.model.limits.middle, (len(following), 7))
        alone = self.solver.many(following, middle, "quick")
        unreachable = np.flatnonzero(alone.status != IkStatus.SOLVED)
        if unreachable.size:
            index = int(unreachable[0])
            status = STATUSES[int(alone.status[index])]
            return PathResult(q, done + index, status, status.advice)
        pose, reason = self.broken
        if pose < done:
            pose, reason = done, "no continuous path leads there within the limits and joint speeds"
        return PathResult(q, pose, IkStatus.NOT_CONVERGED, reason)

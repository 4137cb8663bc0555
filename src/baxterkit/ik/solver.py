"""The exact solver of one arm, behind one interface: native, or the NumPy reference."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from baxterkit import spatial
from baxterkit.ik import exact
from baxterkit.ik.result import STATUSES, Attempt, IkResult, IkStatus
from baxterkit.ik.self_motion import (
    Curve,
    Segment,
    SelfMotion,
    clip_to_limits,
    minimise,
    trace,
)
from baxterkit.ik.turns import place, turn_middles
from baxterkit.kinematics import forward_kinematics
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.model import ArmModel
from baxterkit.native import Extension
from baxterkit.types import Array, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels

Answer = TypeVar("Answer")

E0_VALUES = 64
"""Values of e0 that the NumPy solver tries, once round."""

Cost = Callable[[JointVector], Array]
Objective = str | Cost
"""The name of an objective, or a `Cost`: joint positions (n, 7) -> what shall be small (n,)."""

Row = tuple[JointVector, int, float, float, JointVector | None, JointVector | None]
"""One answer: q, status, both errors, and beyond the limits the nearest q and its violation."""

Codes = NDArray[np.uint8]


class ExactSolver(Protocol):
    """Exact inverse kinematics of one arm. Arguments are checked already."""

    def one(self, T: object, seed: object, objective: Objective, /) -> Row | None:
        """One pose given as a plain array, or None if this path is not for it."""

    def plain(self, T: object, seed: object, objective: Objective) -> IkResult | None:
        """A row of answers for a plain batch, unchecked, or None if it needs the checks."""

    def all_one(self, T: object, e0: object, limits: bool, /) -> JointVector | None:
        """Every solution of one pose given as a plain array, or None if this path is not for it."""

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """A row of answers for poses (n, 4, 4) and seeds (n, 7)."""

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """Every solution of each pose (n, 4, 4) with its e0 (n,)."""

    def motion(self, T: Transform) -> SelfMotion:
        """The self-motion of one pose (4, 4)."""


class NativeSolver:
    """The compiled solver."""

    def __init__(self, model: ArmModel, extension: Extension, kernels: ArmKernels) -> None:
        limits = model.limits
        self._names = model.joint_names
        self._middle = limits.middle
        lower, upper = np.array(limits.lower), np.array(limits.upper)
        self._native = extension.IkSolver(kernels, lower, upper, limits.middle)
        self.one = self._native.one
        self.all_one = self._native.all_one
        self.path = self._native.path

    def plain(self, T: object, seed: object, objective: Objective) -> IkResult | None:
        """A row of answers if T and seed are plain arrays of one batch shape; else None.

        The native code checks the poses itself, much faster than NumPy; what it refuses comes back
        as None, and is then refused in words.
        """
        if not (type(T) is np.ndarray and T.ndim > 2 and T.shape[-2:] == (4, 4) and T.size):
            return None
        shape = T.shape[:-2]
        if seed is None:
            seeds = np.broadcast_to(self._middle, (*shape, 7))
        elif type(seed) is np.ndarray and seed.shape == (*shape, 7):
            seeds = seed
        else:
            return None
        if not isinstance(objective, str) or T.dtype != np.float64 or seeds.dtype != np.float64:
            return None
        found = self._native.many(
            np.ascontiguousarray(T).reshape(-1, 4, 4),
            np.ascontiguousarray(seeds).reshape(-1, 7),
            objective,
        )
        if found is None:
            return None
        q, codes, errors, nearest, violation = found
        return _with_attempt(_row(q, codes, errors, nearest, violation, self._names))

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """A row of answers for poses (n, 4, 4) and seeds (n, 7)."""
        T, seed = np.ascontiguousarray(T), np.ascontiguousarray(seed)
        if isinstance(objective, str):
            q, codes, errors, nearest, violation = _checked(self._native.many(T, seed, objective))
            return _with_attempt(_row(q, codes, errors, nearest, violation, self._names))
        rows = [_checked(self.one(T[i], seed[i], objective)) for i in range(len(T))]
        nothing, none = np.full(7, np.nan), np.zeros(7)
        result = _row(
            np.array([row[0] for row in rows]).reshape(-1, 7),
            np.array([row[1] for row in rows], np.uint8),
            np.array([row[2:4] for row in rows]).reshape(-1, 2),
            np.array([nothing if row[4] is None else row[4] for row in rows]).reshape(-1, 7),
            np.array([none if row[5] is None else row[5] for row in rows]).reshape(-1, 7),
            self._names,
        )
        return _with_attempt(result)

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """Every solution of each pose (n, 4, 4) with its e0 (n,)."""
        T, e0 = np.ascontiguousarray(T), np.ascontiguousarray(e0)
        q, counts = _checked(self._native.all(T, e0, limits))
        return [q[i, :count] for i, count in enumerate(counts.tolist())]

    def motion(self, T: Transform) -> SelfMotion:
        """The self-motion of one pose (4, 4)."""
        T = np.ascontiguousarray(T)
        points, first, feasible, segments = _checked(self._native.motion(T))
        bounds = first.tolist()
        return SelfMotion(
            T.copy(),
            tuple(Curve(points[a:b]) for a, b in itertools.pairwise(bounds)),
            tuple(
                Segment(feasible[a : a + count], bool(closed))
                for a, count, closed in segments.tolist()
            ),
        )


def _checked(answer: Answer | None) -> Answer:
    """What the extension answers to arguments that were checked: never None."""
    assert answer is not None
    return answer


class NumpySolver:
    """The readable reference as a solver: right where it answers, and slow.

    It tries a fixed set of e0 values, so where it finds nothing within the limits the status is
    NOT_CONVERGED, unless the wrist is too far away for any joint angles.
    """

    def __init__(self, model: ArmModel, costs: Mapping[str, Callable[..., Cost]]) -> None:
        self._model = model
        self._costs = costs
        self._s0_base = spatial.inverse(model.T_base_s0)
        self._tip_hand = spatial.inverse(model.T_hand_tip)

    def one(self, T: object, seed: object, objective: Objective, /) -> Row | None:
        """Never: the general path serves one pose as well."""
        return None

    def plain(self, T: object, seed: object, objective: Objective) -> IkResult | None:
        """Never: the general path serves."""
        return None

    def all_one(self, T: object, e0: object, limits: bool, /) -> JointVector | None:
        """Never: the general path serves one pose as well."""
        return None

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """A row of answers for poses (n, 4, 4) and seeds (n, 7)."""
        limits = self._model.limits
        hands = self._hands(T)
        q = np.full((len(T), 7), np.nan)
        codes = np.full(len(T), int(IkStatus.NOT_CONVERGED), np.uint8)
        codes[wrist_out_of_reach(hands)] = IkStatus.OUT_OF_REACH
        for i in np.flatnonzero(codes == IkStatus.NOT_CONVERGED).tolist():
            found = self._outward(hands[i], seed[i])
            if found is not None:
                q[i], codes[i] = np.clip(found, limits.lower, limits.upper), IkStatus.SOLVED
                if objective != "quick":
                    cost = (
                        self._costs[objective](seed[i]) if isinstance(objective, str) else objective
                    )
                    best = minimise(self.motion(T[i]), hands[i], limits, cost)
                    q[i] = q[i] if best is None else best[0]
        errors = np.full((len(T), 2), np.nan)
        solved = codes == IkStatus.SOLVED
        reached = forward_kinematics(self._model, q[solved])
        errors[solved] = np.stack(spatial.pose_error(reached, T[solved]), axis=-1)
        return _with_attempt(_row(q, codes, errors, None, None, self._model.joint_names))

    def _cost(self, objective: Objective, seed: JointVector) -> Cost:
        return self._costs[objective](seed) if isinstance(objective, str) else objective

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """Every solution of each pose (n, 4, 4) with its e0 (n,)."""
        hands = self._hands(T)
        near = ~wrist_out_of_reach(hands)
        found = [np.empty((0, 7))] * len(hands)
        for i, q in zip(
            np.flatnonzero(near).tolist(), exact.solve_many(hands[near], e0[near]), strict=True
        ):
            found[i] = q
        if not limits:
            return found
        bounds = self._model.limits
        middles = turn_middles(bounds, bounds.middle)
        placed = []
        for q, value in zip(found, e0, strict=True):
            middles[2] = value
            placed.append(place(q, middles))
        kept = (q[bounds.contains(q)] for q in placed)
        return [np.clip(q, bounds.lower, bounds.upper) for q in kept]

    def motion(self, T: Transform) -> SelfMotion:
        """The self-motion of one pose (4, 4)."""
        hand = self._hands(T[None])[0]
        curves = trace(hand)
        return SelfMotion(T.copy(), curves, clip_to_limits(hand, curves, self._model.limits))

    def _outward(self, hand: Transform, seed: JointVector) -> JointVector | None:
        limits = self._model.limits
        start = np.clip(seed[2], limits.lower[2], limits.upper[2])
        steps = np.arange(E0_VALUES)
        offsets = np.where(steps % 2 == 1, (steps + 1) // 2, -(steps // 2))
        middles = turn_middles(limits, seed)
        e0 = start + offsets * (2.0 * np.pi / E0_VALUES)
        e0 = e0 - 2.0 * np.pi * np.round((e0 - middles[2]) / (2.0 * np.pi))
        inside = (e0 >= limits.lower[2] - LIMIT_TOLERANCE) & (
            e0 <= limits.upper[2] + LIMIT_TOLERANCE
        )
        e0 = e0[inside]
        for sure in (False, True):
            for first in range(0, len(e0), 8):
                values = e0[first : first + 8]
                hands = np.broadcast_to(hand, (len(values), 4, 4))
                for solutions in exact.solve_many(hands, values, sure=sure):
                    q = place(solutions, middles)
                    fits = q[limits.contains(q)]
                    if len(fits):
                        best = np.argmin(np.sum((fits - seed) ** 2, axis=-1))
                        found: JointVector = fits[best]
                        return found
        return None

    def _hands(self, T: Transform) -> Transform:
        rotation = spatial.nearest_rotation(T[..., :3, :3])
        return self._s0_base @ spatial.transform(rotation, T[..., :3, 3]) @ self._tip_hand


def wrist_out_of_reach(T_s0_hand: Transform) -> NDArray[np.bool_]:
    """Whether the wrist centre is too far from, or too near to, the shoulder, shape (n,)."""
    t = exact.WristTarget.of(T_s0_hand)
    middle = t.rho**2 + t.h**2 + exact.A1**2
    swing = 2.0 * exact.A1 * t.rho
    upper, lower = np.hypot(exact.A3, exact.D3), np.hypot(exact.A5, exact.D5)
    far = middle - swing > (upper + lower) ** 2 + 1e-12
    near = middle + swing < (upper - lower) ** 2 - 1e-12
    return np.asarray(far | near)


def _with_attempt(result: IkResult) -> IkResult:
    counts = np.bincount(result.status, minlength=len(STATUSES)).tolist()
    reasons = [
        f"{count} {status.name}"
        for count, status in zip(counts[1:], STATUSES[1:], strict=True)
        if count
    ]
    result.attempts = (Attempt("exact", len(result.q), counts[0], ", ".join(reasons)),)
    return result


def _row(
    q: JointVector,
    codes: Codes,
    errors: Array,
    nearest: JointVector | None,
    violation: JointVector | None,
    names: tuple[str, ...],
) -> IkResult:
    result = IkResult(q, codes, errors[:, 0], errors[:, 1], "exact")
    result.joint_names = names
    if nearest is not None and bool((codes == IkStatus.LIMITS).any()):
        result.nearest, result.violation = nearest, violation
    return result

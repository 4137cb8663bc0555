"""The NumPy reference as the exact solver of one arm: its solutions are correct, but it is slow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik import exact
from baxterkit.ik.exact import place, turn_middles
from baxterkit.ik.exact_solver import row_of_answers
from baxterkit.ik.objectives import Objective, cost_of
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.ik.self_motion import SelfMotion, clip_to_limits, minimise, trace
from baxterkit.ik.track import track_rows
from baxterkit.kernels.protocol import Kernels
from baxterkit.kinematics import forward_kinematics
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.model import ArmModel
from baxterkit.spatial import formulas
from baxterkit.types import Array, JointVector, Transform

E0_VALUES = 64
"""Number of e0 values in one turn that the NumPy solver tries."""


class NumpySolver:
    """The readable reference as a solver: slow, and not complete.

    It tries a fixed set of e0 values, so where it finds nothing within the limits the status is
    NOT_CONVERGED, unless the wrist is too far away for any joint angles.
    """

    def __init__(self, model: ArmModel, kernels: Kernels) -> None:
        self._model = model
        self._kernels = kernels
        self._s0_base = formulas.inverse(model.T_base_s0)
        self._tip_hand = formulas.inverse(model.T_hand_tip)

    def many(self, T: Transform, seed: JointVector, objective: Objective) -> IkResult:
        """Outward from the seed in e0, one pose after another."""
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
                    cost = cost_of(objective, seed[i], limits, self._kernels)
                    best = minimise(self.motion(T[i]), hands[i], limits, cost)
                    q[i] = q[i] if best is None else best[0]
        return row_of_answers(q, codes, self._errors(T, q, codes), self._model.joint_names)

    def all(self, T: Transform, e0: Array, limits: bool) -> list[JointVector]:
        """All poses at once, then placed in the limits one by one."""
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
        """Traced in steps of e0, and cut at the limits."""
        hand = self._hands(T[None])[0]
        curves = trace(hand)
        return SelfMotion(T.copy(), curves, clip_to_limits(hand, curves, self._model.limits))

    def track(self, T: Transform, q: JointVector, most: Array, hold_elbow: bool) -> IkResult:
        """All rows at once."""
        hands = self._hands(T)
        found = track_rows(hands, q, most, self._model.limits, hold_elbow)
        solved = ~np.isnan(found[:, 0])
        codes = np.where(solved, int(IkStatus.SOLVED), int(IkStatus.NOT_CONVERGED)).astype(np.uint8)
        codes[~solved & wrist_out_of_reach(hands)] = IkStatus.OUT_OF_REACH
        names = self._model.joint_names
        return row_of_answers(found, codes, self._errors(T, found, codes), names, "track")

    def _errors(self, T: Transform, q: JointVector, codes: NDArray[np.uint8]) -> Array:
        """Distance [m] and angle [rad] of each answer from its pose, NaN where unsolved, (n, 2)."""
        errors = np.full((len(T), 2), np.nan)
        solved = codes == IkStatus.SOLVED
        reached = forward_kinematics(self._model, q[solved])
        errors[solved] = np.stack(formulas.pose_error(reached, T[solved]), axis=-1)
        return errors

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
        rotation = formulas.nearest_rotation(T[..., :3, :3])
        return self._s0_base @ formulas.transform(rotation, T[..., :3, 3]) @ self._tip_hand


def wrist_out_of_reach(T_s0_hand: Transform) -> NDArray[np.bool_]:
    """Whether the wrist centre is too far from, or too near to, the shoulder, shape (n,)."""
    t = exact.WristTarget.of(T_s0_hand)
    middle = t.rho**2 + t.h**2 + exact.A1**2
    swing = 2.0 * exact.A1 * t.rho
    upper, lower = np.hypot(exact.A3, exact.D3), np.hypot(exact.A5, exact.D5)
    far = middle - swing > (upper + lower) ** 2 + 1e-12
    near = middle + swing < (upper - lower) ** 2 - 1e-12
    return np.asarray(far | near)

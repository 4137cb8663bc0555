"""toppra's duration of the fastest motion along a spline through joint positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import toppra
from toppra import constraint

from baxterkit import Arm
from baxterkit.types import Array

INTERPOLATION = constraint.DiscretizationType.Interpolation


class _Torque(constraint.LinearConstraint):  # type: ignore[misc]
    """|tau| <= most at both ends of every interval, for an arm without joint effects."""

    def __init__(self, arm: Arm, most: Array) -> None:
        super().__init__()
        self.arm, self.most = arm, most
        self.dof, self.identical = 7, True
        self.set_discretization_type(INTERPOLATION)

    def compute_constraint_params(self, path: Any, gridpoints: Array) -> Any:
        q, qs, qss = (path(gridpoints, order) for order in range(3))
        still = np.zeros_like(q)
        hold = self.arm.inverse_dynamics(q, still, still)
        a, b = (self.arm.inverse_dynamics(q, *x) - hold for x in ((still, qs), (qs, qss)))
        rows, most = np.vstack([np.eye(7), -np.eye(7)]), np.tile(self.most, 2)
        return constraint.canlinear_colloc_to_interpolate(
            a, b, hold, rows, most, None, None, gridpoints, identical=True
        )


def duration(arm: Arm, points: Array, acceleration: Array | None, torque: Array) -> float:
    """Of the spline through points [rad], shape (n, 7), from rest to rest [s]."""
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=-1))])
    both = np.array([[-1.0, 1.0]])
    rows = [constraint.JointVelocityConstraint(arm.limits.velocity[:, None] * both)]
    if acceleration is not None:
        rows.append(
            constraint.JointAccelerationConstraint(
                acceleration[:, None] * both, discretization_scheme=INTERPOLATION
            )
        )
    rows.append(_Torque(arm, torque))
    solver = toppra.algorithm.TOPPRA(
        rows,
        toppra.SplineInterpolator(s, points),
        gridpoints=np.unique(np.concatenate([np.linspace(0.0, s[-1], 1001), s])),
        solver_wrapper="seidel",
    )
    _, speed, _ = solver.compute_parameterization(0.0, 0.0)
    step = np.diff(solver.gridpoints)
    return float((2.0 * step / (speed[:-1] + speed[1:])).sum())

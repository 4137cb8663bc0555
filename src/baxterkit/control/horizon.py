"""The horizon of predictive control: an error's double integrator over a few steps, condensed."""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array


class Horizon:
    """Error and cost of one joint over a horizon, as functions of its accelerations.

    The error x = (e, ė) obeys ë = a, with a constant over each step. The cost

        ∫ (kp² e² + (kd² - 2 kp) ė² + a²) dt

    has the feedback a = -kp e - kd ė as its optimum over an infinite horizon; the cost of that
    feedback from x on, x' P x, is added at the end of the finite one. So the optimum over the
    horizon is the feedback again, except that accelerations are held for a step.

    Args:
        steps: Lengths of the steps [s], shape (n,).
        kp: Kp [1/s²].
        kd: Kd [1/s], at least √(2 kp).

    Attributes:
        t: Starts of the steps [s], shape (n,).
        position: e at the starts, as rows over (e, ė, a_0 ... a_n-1), shape (n, 2 + n).
        velocity: ė there, likewise.
        H: Quadratic part of the cost a' H a / 2 + x' c a, shape (n, n).
        c: Linear part, shape (2, n).
    """

    def __init__(self, steps: Array, kp: float, kd: float) -> None:
        n = steps.size
        self.t = np.concatenate([[0.0], np.cumsum(steps)[:-1]])
        weight = np.diag([kp * kp, kd * kd - 2.0 * kp, 1.0])
        inputs = np.eye(2 + n)
        state = inputs[:2]
        self.position, self.velocity = np.empty((n, 2 + n)), np.empty((n, 2 + n))
        cost = np.zeros((2 + n, 2 + n))
        for k, h in enumerate(steps.tolist()):
            self.position[k], self.velocity[k] = state
            both = np.vstack([state, inputs[2 + k]])
            cost += both.T @ _integral(weight, h) @ both
            state = (_motion(h) @ both)[:2]
        # P solves A'P + PA - PBB'P + Q = 0 of the double integrator, with B'P = (kp, kd).
        P = np.array([[kp * kd, kp], [kp, kd]])
        cost += state.T @ P @ state
        self.H, self.c = 2.0 * cost[2:, 2:], 2.0 * cost[:2, 2:]

    @property
    def feedback(self) -> Array:
        """The unconstrained optimum, a = feedback @ (e, ė), shape (n, 2)."""
        return np.asarray(-np.linalg.solve(self.H, self.c.T), dtype=np.float64)


def _motion(s: float) -> Array:
    """(e, ė, a) after a time s of constant acceleration, over (e, ė, a) before, shape (3, 3)."""
    return np.array([[1.0, s, 0.5 * s * s], [0.0, 1.0, s], [0.0, 0.0, 1.0]])


def _integral(weight: Array, h: float) -> Array:
    """∫ F(s)' weight F(s) ds from 0 to h, F being `_motion`, shape (3, 3)."""
    # A polynomial of degree 4 in s: Gauss-Legendre with three points is exact.
    total = np.zeros((3, 3))
    for x, w in zip(*np.polynomial.legendre.leggauss(3), strict=True):
        F = _motion(0.5 * h * (1.0 + float(x)))
        total += 0.5 * h * float(w) * F.T @ weight @ F
    return total

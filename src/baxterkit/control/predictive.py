"""Model-predictive control: the best accelerations of a short horizon within the torque limits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.computed_torque import ARMATURE, BANDWIDTH
from baxterkit.control.dynamics import effects_of
from baxterkit.control.signals import DOF, Reference
from baxterkit.errors import InputError, ShapeError
from baxterkit.extras import load_extra
from baxterkit.types import Array

STEPS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.11)
"""Lengths of the horizon's steps [s]: 0.3 s in all, fine near the command, coarse further on."""

FADE = 0.1
"""Time constant with which the acceleration of a reference without a future fades [s]."""

TOLERANCE = 1e-6
"""Tolerance of the quadratic program, absolute [N m] and relative."""


class Predictive(TorqueController):
    """Computed torque that foresees the torque limits.

    Each update finds the accelerations a over a horizon, constant over each of its steps, that have
    the least cost among those whose torques stay within the effort limits, and commands the first:

        minimise   Σ w ∫ (kp² e² + (kd² - 2 kp) ė² + a²) dt      with ë = a, e = q - q_r
        subject to |tau_r + ∂tau/∂q e + ∂tau/∂qd ė + (M + A) a| <= effort  at each step's start

    Torques are linearised along the reference (`Arm.inverse_dynamics_derivatives`), those of the
    command itself are exact in the sensed state. M + A is positive definite, so the quadratic
    program always has a solution. Where no limit binds, the command is that of `ComputedTorque`
    with the same gains, up to accelerations being held for a step. Where one binds, the errors of
    all joints are traded off, and the arm moves ahead of what it cannot do in time.

    The future of the reference comes from `Reference.ahead`, which `simulate`, the twin and the
    link to the robot provide for trajectories. Without it the reference is continued at its
    velocity, and its acceleration fades with the time constant `FADE`.

    Args:
        arm: The arm. Its joint effects are compensated, friction at the reference velocity.
        kp: Kp [1/s²], one or seven.
        kd: Kd [1/s], one or seven; critical damping, 2 √kp, if None.
        weight: w [1], one or seven: how much a joint's error counts where limits bind.
        steps: Lengths of the horizon's steps [s].
        armature: A [kg m²], one or seven, as in `ComputedTorque`.
        effort: Greatest torques [N m]; the arm's if None.

    Raises:
        MissingExtraError: If PIQP is not installed.
        InputError: If `kd` is below √(2 kp).
    """

    def __init__(
        self,
        arm: Arm,
        kp: ArrayLike = BANDWIDTH**2,
        kd: ArrayLike | None = None,
        weight: ArrayLike = 1.0,
        steps: ArrayLike = STEPS,
        armature: ArrayLike = ARMATURE,
        effort: ArrayLike | None = None,
    ) -> None:
        if not isinstance(arm, Arm):
            raise InputError(
                f"predictive control needs an Arm with its derivatives, got {type(arm).__name__}"
            )
        super().__init__(arm, effort)
        self._solver = load_extra("piqp", feature="Predictive control", package="PIQP", extra="mpc")
        self.kp = one_or_each(kp, "kp", zero=False)
        self.kd = one_or_each(2.0 * self.kp**0.5 if kd is None else kd, "kd")
        self.weight = one_or_each(weight, "weight", zero=False)
        self.armature = one_or_each(armature, "armature")
        self.steps = _steps(steps)
        low = self.kd < np.sqrt(2.0 * self.kp) * (1.0 - 1e-12)
        if low.any():
            j = int(np.argmax(low))
            raise InputError(
                f"kd = {self.kd[j]:g} 1/s is below √(2 kp) = {math.sqrt(2.0 * self.kp[j]):g}, a "
                "damping ratio of 0.71; the feedback would not be the optimum of a cost"
            )
        self._arm, self._rigid, self._effects = arm, arm.with_effects(None), effects_of(arm)
        self._condense()
        self.reset()

    @property
    def unsolved(self) -> int:
        """Updates since the last `reset` in which the solver failed.

        The command of such an update is the unconstrained one, clipped.
        """
        return self._unsolved

    def reset(self) -> None:
        """Clears the count of failures; nothing else is kept between updates."""
        self._unsolved = 0
        self._failed = False

    def _condense(self) -> None:
        """Prepares what is constant of the quadratic program; a is ordered by step, then joint."""
        n = self.steps.size
        gains = zip(self.kp.tolist(), self.kd.tolist(), strict=True)
        joints = [Horizon(self.steps, kp, kd) for kp, kd in gains]
        # Errors at the starts of all steps but the first, which is now, by (e, ė) and by a.
        first = joints[0]
        self._later = first.t[1:]
        self._e_now, self._e_a = np.split(first.position[1:], [2], axis=1)
        self._ed_now, self._ed_a = np.split(first.velocity[1:], [2], axis=1)
        H, c, free = np.zeros((n, DOF, n, DOF)), np.zeros((2, DOF, n, DOF)), np.zeros((n, DOF, 2))
        for j, (horizon, w) in enumerate(zip(joints, self.weight.tolist(), strict=True)):
            H[:, j, :, j], c[:, j, :, j], free[:, j] = (
                w * horizon.H,
                w * horizon.c,
                horizon.feedback,
            )
        self._H, self._c = H.reshape(n * DOF, n * DOF), c.reshape(2 * DOF, n * DOF)
        self._free_e, self._free_ed = free[:, :, 0], free[:, :, 1]
        self._bound = np.tile(self.effort, n)

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        e, ed = q - r.q, qd - r.qd
        base, G = self._predicted(q, qd, r, np.array([e, ed]))
        a = (self._free_e * e + self._free_ed * ed).ravel()
        self._failed = False
        if (np.abs(base + G @ a) > self._bound).any():
            within = self._within(np.concatenate([e, ed]) @ self._c, base, G)
            self._failed = within is None
            a = a if within is None else within
        return base[:DOF] + G[:DOF, :DOF] @ a[:DOF]

    def _remember(self, wanted: Array, tau: Array) -> None:
        self._unsolved += self._failed

    def _predicted(self, q: Array, qd: Array, r: Reference, now: Array) -> tuple[Array, Array]:
        """Torques at the starts of the steps, base + G a, for the errors (e, ė) now.

        Returns:
            base [N m], shape (7 n,), and G [kg m²], shape (7 n, 7 n).
        """
        n = self.steps.size
        q_r, qd_r, qdd_r = self._future(r)
        rigid, effects = self._rigid, self._effects
        qs, qds, qdds = np.vstack([q, q_r]), np.vstack([qd, qd_r]), np.vstack([r.qdd, qdd_r])
        base = rigid.inverse_dynamics(qs, qds, qdds)
        by_q, by_qd = rigid.inverse_dynamics_derivatives(q_r, qd_r, qdd_r)
        if effects is not None:  # friction stays that of the reference: its slope at 0 is no guide
            base += effects(qs, np.vstack([r.qd, qd_r]))
            by_q, _ = self._arm.inverse_dynamics_derivatives(q_r, qd_r, qdd_r)
        base[1:] += np.einsum("kij,kj->ki", by_q, self._e_now @ now)
        base[1:] += np.einsum("kij,kj->ki", by_qd, self._ed_now @ now)
        G = np.zeros((n, DOF, n, DOF))
        G[1:] = np.einsum("kij,kl->kilj", by_q, self._e_a)
        G[1:] += np.einsum("kij,kl->kilj", by_qd, self._ed_a)
        step = np.arange(n)
        G[step, :, step, :] += rigid.inertia(qs) + np.diag(self.armature)
        return base.ravel(), G.reshape(n * DOF, n * DOF)

    def _future(self, r: Reference) -> tuple[Array, Array, Array]:
        """The reference at the starts of all steps but the first, shape (n - 1, 7) each."""
        if r.ahead is not None:
            sample = r.ahead(self._later)
            rows = self._later.size
            return (
                _rows(sample.q, "reference.ahead.q", rows),
                _rows(sample.qd, "reference.ahead.qd", rows),
                _rows(sample.qdd, "reference.ahead.qdd", rows),
            )
        t = self._later[:, None]
        fade = np.exp(-t / FADE)
        gained = FADE * (1.0 - fade)
        q_r = r.q + t * r.qd + FADE * (t - gained) * r.qdd
        return q_r, r.qd + gained * r.qdd, fade * r.qdd

    def _within(self, c: Array, base: Array, G: Array) -> Array | None:
        """The accelerations of least cost a' H a / 2 + c a within the limits; None if not found."""
        if not math.isfinite(float(np.sum(base) + np.sum(G) + np.sum(c))):
            return None
        solver = self._solver.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = TOLERANCE
        solver.setup(self._H, c, G=G, h_l=-self._bound - base, h_u=self._bound - base)
        if solver.solve() != self._solver.PIQP_SOLVED:
            return None
        return np.array(solver.result.x)


def _steps(steps: ArrayLike) -> Array:
    """The lengths of the steps as an array, checked."""
    array = finite_array(steps, "steps")
    if array.ndim != 1 or array.size == 0:
        raise ShapeError(f"steps must have shape (n,), one length [s] a step, got {array.shape}")
    return one_or_each(array, "steps", array.size, zero=False)


def _rows(x: ArrayLike, name: str, rows: int) -> Array:
    """A part of the reference ahead, checked: shape (rows, 7)."""
    array = joint_array(x, name)
    if array.shape != (rows, DOF):
        raise ShapeError(f"{name} must have shape ({rows}, 7), a row a time, got {array.shape}")
    return array


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

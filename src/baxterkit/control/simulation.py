"""A small simulation of one arm under a controller, with our own forward dynamics.

It is for trying and testing controllers where MuJoCo is not installed: one arm, no contacts, no
sensors. The twin in `baxterkit.sim` simulates the whole robot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arms import need_arm
from baxterkit.checks.arrays import joint_row, vector_array
from baxterkit.checks.numbers import scalar, time_step
from baxterkit.control.signals import Controller, Course, Reference, State, torque_controller
from baxterkit.control.tracking import Tracked
from baxterkit.errors import InputError
from baxterkit.types import Array, Twist

Wrench = Callable[[float, Array, Array], Twist]
"""`wrench(t, q, qd)` that the environment exerts on the tip [N, N m], base axes, shape (6,)."""


@dataclass(frozen=True, eq=False, repr=False)
class Run(Tracked):
    """Record of a simulation, one row per period.

    Attributes:
        t: Times [s], shape (n,).
        q: Positions [rad], shape (n, 7).
        qd: Velocities [rad/s], shape (n, 7).
        tau: Torques that the controller commanded at `t` [N m], shape (n, 7).
        q_reference: Reference positions [rad], shape (n, 7).
        wrench: Wrench on the tip at `t`, base axes [N, N m], shape (n, 6).
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    q_reference: Array
    wrench: Array

    @property
    def error(self) -> Array:
        """Tracking error q_reference - q [rad], shape (n, 7)."""
        return self.q_reference - self.q

    def __repr__(self) -> str:
        return f"<Run: {len(self.t)} rows, {self.t[-1]:g} s, error {1e3 * self.rms():.3g} mrad RMS>"


MOST_STEPS = 10_000_000
"""Longest run [steps]: 3 GB."""


def simulate(
    arm: Arm,
    controller: Controller,
    reference: Course | Callable[[float], Reference] | Reference,
    duration: float,
    *,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    dt: float = 1e-3,
    wrench: Wrench | None = None,
) -> Run:
    """Move an arm under a controller: Runge-Kutta of order 4, torques held for a period.

    Args:
        arm: The arm that moves; it need not be the one that the controller computes with.
        controller: The torque controller.
        reference: A trajectory, a function of time, or one reference to hold.
        duration: Duration [s].
        q: Joint positions at the start [rad], shape (7,); on the reference if None.
        qd: Velocity at the start [rad/s], shape (7,); the reference's if `q` is None, else rest.
        dt: Period of the controller, and step of the integration [s].
        wrench: Wrench of the environment on the tip; none if None.

    Raises:
        InputError: If the simulation diverges: a state is not finite; or if the controller gives no
            torques, as `ResolvedRate` does.
    """
    need_arm(arm)
    dt = float(time_step(dt))
    torque_controller(controller)
    duration = scalar(duration, "duration")
    if not 0.0 <= duration <= MOST_STEPS * dt:
        raise InputError(
            f"duration = {duration:g} s; it must not be negative, and last {MOST_STEPS:,} steps of "
            f"{dt:g} s at most"
        )
    whose = getattr(reference, "side", None)
    if whose not in (None, arm.side):
        of_both = whose == "both"
        raise InputError(
            f"this motion is of both arms; simulate one with motion.of({arm.side!r})"
            if of_both
            else f"this motion is the {whose} arm's, not the {arm.side} arm's"
        )
    at = _reference_at(reference)
    start = at(0.0)
    if not isinstance(start, Reference):
        raise InputError(
            "the reference, a function of time, must give Reference(q, qd, qdd), got "
            f"{type(start).__name__}"
        )
    x = np.array([start.q if q is None else joint_row(q, "q", names=arm.joint_names),
                  (start.qd if q is None else np.zeros(7)) if qd is None
                  else joint_row(qd, "qd", names=arm.joint_names)])  # fmt: skip
    n = round(duration / dt) + 1
    record = np.empty((4, n, 7))
    wrenches = np.zeros((n, 6))
    forward, jacobian = arm.forward_dynamics, arm.jacobian

    def rate(t: float, x: Array, tau: Array) -> Array:
        if wrench is not None:  # shorter than `forward` with a wrench, which takes batches
            tau = tau + vector_array(wrench(t, x[0], x[1]), "wrench", 6) @ jacobian(x[0])
        return np.array((x[1], forward(x[0], x[1], tau)))

    for i in range(n):
        t = i * dt
        wanted = at(t)
        with np.errstate(over="ignore", invalid="ignore"):
            torque = controller.update(State(x[0], x[1]), wanted, dt)
        tau = joint_row(torque, "the controller's torque")
        record[:, i] = x[0], x[1], tau, wanted.q
        if wrench is not None:
            wrenches[i] = wrench(t, x[0], x[1])
        with np.errstate(over="ignore", invalid="ignore"):  # the kernels, or the line below, say it
            a = rate(t, x, tau)
            b = rate(t + 0.5 * dt, x + 0.5 * dt * a, tau)
            c = rate(t + 0.5 * dt, x + 0.5 * dt * b, tau)
            d = rate(t + dt, x + dt * c, tau)
            x = x + (dt / 6.0) * (a + 2.0 * (b + c) + d)
        if not np.isfinite(x).all():
            raise InputError(f"the simulation diverged at t = {t:.3f} s; lower the gains or dt")
    q_all, qd_all, tau_all, reference_all = record
    times: Array = dt * np.arange(n, dtype=np.float64)
    return Run(times, q_all, qd_all, tau_all, reference_all, wrenches)


def _reference_at(
    reference: Course | Callable[[float], Reference] | Reference,
) -> Callable[[float], Reference]:
    if isinstance(reference, Reference):
        return lambda t: reference
    if callable(reference):
        return reference
    if not hasattr(reference, "sample"):
        raise InputError(
            "the reference must be a Trajectory, a function of time or a Reference, got "
            f"{type(reference).__name__}"
        )
    sample = reference.sample
    given = sample(0.0)
    if not all(hasattr(given, part) for part in ("q", "qd", "qdd")):
        raise InputError(
            "the reference's sample(t) must give q, qd and qdd, as of a Trajectory, got "
            f"{type(given).__name__}"
        )

    def at(t: float) -> Reference:
        s = sample(t)
        return Reference(s.q, s.qd, s.qdd, ahead=lambda later: sample(t + later))

    return at

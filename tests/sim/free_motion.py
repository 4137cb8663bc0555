"""The oracle of the rigid twin: our own forward dynamics, Runge-Kutta of order 4, the same step."""

from __future__ import annotations

import numpy as np

from baxterkit import Arm
from baxterkit.sim import Physics, Twin

STEP = 1e-3


def runge_kutta(arm: Arm, x: np.ndarray, damping: float) -> np.ndarray:
    """One step of free motion; `x` holds positions and velocities, shape (2, 7)."""

    def rate(x: np.ndarray) -> np.ndarray:
        return np.array([x[1], arm.forward_dynamics(x[0], x[1], -damping * x[1])])

    a = rate(x)
    b = rate(x + 0.5 * STEP * a)
    c = rate(x + 0.5 * STEP * b)
    d = rate(x + STEP * c)
    return x + STEP / 6.0 * (a + 2.0 * (b + c) + d)


def rigid_twin(robot: object = None, damping: float = 0.0, **options: object) -> Twin:
    physics = Physics(integrator="rk4", contacts=False, limits=False, damping=damping)
    twin = Twin(robot, rigid=True, physics=physics, **options).enable()  # type: ignore[arg-type]
    for limb in twin.limbs:
        limb.gravity_compensation = False
    return twin


def let_go(twin: Twin, milliseconds: int) -> None:
    """Steps without any torque."""
    for start in range(0, milliseconds, 100):
        for limb in twin.limbs:
            limb.command_torque(np.zeros(7))
        twin.step(min(100, milliseconds - start))


def largest_difference(twin: Twin, seed: int, seconds: float, damping: float) -> float:
    """Largest difference of any joint between twin and oracle on the way [rad]."""
    rng = np.random.default_rng(seed)
    limits = twin.left.arm.limits
    q = rng.uniform(limits.lower, limits.upper, (2, 7))
    qd = rng.uniform(-1.0, 1.0, (2, 7))
    twin.place(q[0], q[1], qd_left=qd[0], qd_right=qd[1])
    states = list(np.stack([q, qd], axis=1))
    worst = 0.0
    for _ in range(round(seconds / STEP)):
        let_go(twin, 1)
        for i, limb in enumerate(twin.limbs):
            states[i] = runge_kutta(limb.arm, states[i], damping)
            worst = max(worst, float(np.abs(limb.truth.q - states[i][0]).max()))
    return worst

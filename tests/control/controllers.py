"""Controllers to test alike, and motions to test them with."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np

from baxterkit import Arm, control
from baxterkit.control import Controller, Reference
from baxterkit.types import Array

ARM = Arm("right")
NEUTRAL = ARM.configuration("neutral")
SWING = np.array([0.2, 0.2, 0.3, 0.2, 0.4, 0.3, 0.5])


def by_velocity(law: control.ResolvedRate) -> Controller:
    """A law of velocities with the methods of a controller, to be tested like one."""
    return cast(Controller, SimpleNamespace(update=law.joint_velocity, reset=law.reset))


TORQUE: dict[str, Callable[[], control.TorqueController]] = {
    "pid": lambda: control.DoubleLoopPid(ARM),
    "pid_of_the_paper": control.DoubleLoopPid,
    "pd_gravity": lambda: control.PdGravity(ARM),
    "computed_torque": lambda: control.ComputedTorque(ARM),
    "sliding_mode": lambda: control.SlidingMode(ARM),
    "adaptive": lambda: control.Adaptive(ARM),
    "predictive": lambda: control.Predictive(ARM),
    "joint_impedance": lambda: control.JointImpedance(ARM),
    "cartesian_impedance": lambda: control.CartesianImpedance(ARM),
}
EVERY: dict[str, Callable[[], Controller]] = {
    **TORQUE,
    "resolved_rate": lambda: by_velocity(control.ResolvedRate(ARM)),
    "smoothed": lambda: control.Smoothed(control.ComputedTorque(ARM)),
}


def swinging(t: float, speed: float = 2.0) -> Reference:
    """A motion of all joints around the neutral configuration."""
    s, c = np.sin(speed * t), np.cos(speed * t)
    return Reference(NEUTRAL + s * SWING, speed * c * SWING, -(speed**2) * s * SWING)


def energy(arm: Arm, q: Array, qd: Array) -> Array:
    """Kinetic energy [J] of states in rows."""
    return np.asarray(arm.kinetic_energy(q, qd))

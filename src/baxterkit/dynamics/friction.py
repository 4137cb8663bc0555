"""Friction: by velocity, the one formula for joint effects and the twin, and with a memory.

    friction = viscous qd + coulomb qd / sqrt(qd² + speed²)

Smooth in qd, also at rest. Coefficients have shape (n,), velocities [rad/s] shape (*batch, n);
`speed` is where dry friction has 71 % of its value [rad/s].

With a memory, friction changes its sign after a reversal only over some travel: each joint carries
a state z from -1 to 1, which travel drives towards the direction of motion,

    dz = (sign(dq) - z) |dq| / distance

(Dahl's model), so z depends on the path and not on the speed. Each step is solved exactly, so z
stays within its bounds for steps of any size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import Frozen
from baxterkit.types import Array, JointVector, frozen


def dry_friction(qd: Array, coulomb: Array, speed: Array) -> Array:
    """The dry part [N m], shape (*batch, n), of `coulomb` [N m]."""
    return coulomb * qd / np.hypot(qd, speed)


def friction_coefficient(qd: Array, coulomb: Array, viscous: Array, speed: Array) -> Array:
    """Both parts divided by the velocity [N m s/rad], shape (*batch, n): a damping coefficient.

    `coulomb` is in [N m], `viscous` in [N m s/rad].
    """
    return viscous + coulomb / np.hypot(qd, speed)


def _recursion(keep: Array, gain: Array, start: Array) -> Array:
    """z[k] = keep[k] z[k - 1] + gain[k], from z[-1] = start; shapes (n, 7), (n, 7) and (7,).

    In blocks of rows, all side by side: first what each block makes of its start, z = a start + b,
    then the starts, one after another.
    """
    n, dof = keep.shape
    size = int(np.sqrt(n)) + 1
    count = -(-n // size)
    a, b = np.ones((count * size, dof)), np.zeros((count * size, dof))
    a[:n], b[:n] = keep, gain
    a, b = a.reshape(count, size, dof), b.reshape(count, size, dof)
    for k in range(1, size):
        b[:, k] += a[:, k] * b[:, k - 1]
        a[:, k] *= a[:, k - 1]
    starts = np.empty((count, 1, dof))
    for i in range(count):
        starts[i] = start
        start = a[i, -1] * start + b[i, -1]
    return (a * starts + b).reshape(-1, dof)[:n]


@dataclass(frozen=True, eq=False)
class Hysteresis(Frozen):
    """Friction that depends on the history of the positions; it replaces velocity friction.

        friction = (torque + slope q) z + coulomb qd / sqrt(qd² + speed²) + viscous qd

    Attributes:
        torque: Friction with memory [N m], shape (7,).
        distance: Travel [rad] in which it has changed by 63 % after a reversal, shape (7,).
        coulomb: Dry friction without memory beside it [N m], shape (7,).
        viscous: Viscous friction beside it [N m s/rad], shape (7,).
        slope: Growth of friction with memory with the position [N m/rad], shape (7,), for example
            under the load of a spring or a cable; zero if None. The sum is never below zero.
    """

    torque: JointVector
    distance: JointVector
    coulomb: JointVector
    viscous: JointVector
    slope: JointVector = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        shape = np.shape(self.torque)
        if getattr(self, "slope", None) is None:
            object.__setattr__(self, "slope", np.zeros(shape))
        for name in ("torque", "distance", "coulomb", "viscous", "slope"):
            array = finite_array(getattr(self, name), f"hysteresis {name}")
            if array.ndim != 1 or array.shape != shape:
                raise ShapeError(
                    f"hysteresis {name} must have one value for each joint, got shape {array.shape}"
                )
            object.__setattr__(self, name, frozen(array))
        if not (self.distance > 0.0).all():
            joint = int(np.argmin(self.distance))
            raise InputError(
                f"hysteresis distance[{joint}] = {self.distance[joint]:g} must be above zero"
            )
        for name in ("torque", "coulomb", "viscous"):
            values = getattr(self, name)
            if (values < 0.0).any():
                joint = int(np.argmin(values))
                raise InputError(
                    f"hysteresis {name}[{joint}] = {values[joint]:g} is negative; "
                    "friction never drives a joint"
                )

    @property
    def dof(self) -> int:
        """Number of joints with hysteresis parameters."""
        return int(self.torque.size)

    def advance(self, state: ArrayLike, travel: ArrayLike) -> JointVector:
        """The state after a further travel.

        Args:
            state: z before, shape (*batch, 7); zeros if unknown.
            travel: Change of the joint positions [rad], shape (*batch, 7).

        Returns:
            z after, shape (*batch, 7).
        """
        z = joint_array(state, "state", self.dof)
        step = joint_array(travel, "travel", self.dof)
        towards = np.sign(step)
        return towards + (z - towards) * np.exp(-np.abs(step) / self.distance)

    def states(self, q: ArrayLike, start: ArrayLike | None = None) -> JointVector:
        """The states along a motion.

        Args:
            q: Joint positions one after another [rad], shape (n, 7).
            start: State at the first row, shape (7,); zeros if None.

        Returns:
            z at every row, shape (n, 7).
        """
        path = joint_array(q, "q", self.dof)
        if path.ndim != 2:
            raise ShapeError(f"q must have shape (n, {self.dof}), one row per sample: {path.shape}")
        step = np.diff(path, axis=0)
        towards = np.sign(step)
        keep = np.exp(-np.abs(step) / self.distance)
        first = np.zeros(self.dof) if start is None else joint_array(start, "start", self.dof)
        after = _recursion(keep, towards * (1.0 - keep), first)
        most = np.maximum(np.abs(first), 1.0)  # which rounding would pass
        return np.concatenate([first[None], np.clip(after, -most, most)])[: len(path)]

    def friction_torque(
        self, q: JointVector, qd: JointVector, state: JointVector, speed: JointVector
    ) -> Array:
        """Friction [N m] at positions q, velocities qd and states z, shape (*batch, 7)."""
        remembered = np.maximum(self.torque + self.slope * q, 0.0) * state
        dry = dry_friction(qd, self.coulomb, speed)
        return remembered + dry + self.viscous * qd

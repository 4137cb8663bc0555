"""The joints' mechanics: motors, series elasticity, springs and friction, stepped with the links.

Each joint is a motor behind a flexure. The robot closes a torque loop around the flexure, which
makes motor and loop together behave like a small, well damped rotor that is driven by the desired
torque; that is the model used here (B apparent inertia, K flexure, D damping):

    B θdd = tau_desired - tau,    tau = K (θ - q) + D (θd - qd)
    M(q) qdd + C qd + G + effects(q, qd) = tau + contacts

`tau` is what the joint's sensor reads. Rotors' gyroscopic coupling is left out, as is usual.

Stability at 1 kHz: a step is implicit Euler for motor, flexure and friction together. The motor's
new speed is linear in the link's, so it is eliminated. The link then has a known torque and a
damping coefficient, which MuJoCo's implicit integrator handles (with viscous friction and the
secant of dry friction added). Then the motor follows from the link's new speed. The impulses on
motor and link are equal and opposite, and small motions die out for any stiffness, inertia and
step; `spectral_radius` computes how fast.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.sim.nominal import NO_LOAD, STIFFNESS, TORQUE_BANDWIDTH, TORQUE_DAMPING
from baxterkit.sim.passive import Friction, Memory, Springs
from baxterkit.sim.record import Record
from baxterkit.types import Array


class RigidJoints:
    """Motors that give exactly the desired torque, with optional viscous damping.

    Args:
        damping: Viscous friction [N m s/rad], shape (n,).
        applied: MuJoCo's torques on the joints, written in each step, shape (n,).
        dof_damping: MuJoCo's damping of the joints, shape (n,).
        record: The twin's record.
    """

    def __init__(self, damping: Array, applied: Array, dof_damping: Array, record: Record) -> None:
        self._applied = applied
        dof_damping[:] = damping
        self._tau = record.tau

    def place(self, rows: slice, q: Array, qd: Array, load: Array, memory: Array) -> None:
        """Sets the state of some joints, and their torques.

        Args:
            rows: Which joints.
            q: Their positions [rad], shape (k,).
            qd: Their velocities [rad/s], shape (k,).
            load: Gravity and Coriolis torques on them [N m], shape (k,).
            memory: States of friction's memory, -1 to 1, shape (k,).
        """
        self._tau[rows] = load

    def before_step(self, desired: Array, q: Array, qd: Array) -> None:
        """Sets the torques of the next step from the desired ones [N m], shape (n,)."""
        self._tau[:] = desired
        self._applied[:] = desired

    def after_step(self, q: Array, qd: Array) -> None:
        """Sets the torque that the joints' sensors read: the desired one."""


class ElasticJoints:
    """Motors behind flexures, springs and friction.

    Args:
        effects: One for each arm.
        damping: Viscous friction on top [N m s/rad], shape (n,).
        no_load: Greatest speed of the motors [rad/s], shape (n,).
        applied: MuJoCo's torques on the joints, written in each step, shape (n,).
        dof_damping: MuJoCo's damping of the joints, written in each step, shape (n,).
        record: The twin's record, which holds constants and state; its `dt` is set.
    """

    def __init__(
        self,
        effects: tuple[JointEffects, ...],
        damping: Array,
        no_load: Array,
        applied: Array,
        dof_damping: Array,
        record: Record,
    ) -> None:
        self._dt = dt = float(record.dt[0])
        self._applied = applied
        self._dof_damping = dof_damping
        self._record = r = record
        r.elastic[0] = True
        r.stiffness[:] = np.concatenate(
            [np.where(np.isfinite(e.stiffness), e.stiffness, STIFFNESS) for e in effects]
        )
        r.inertia[:], flexure_damping = motor(r.stiffness)
        stiff = flexure_damping + dt * r.stiffness
        rotor = r.inertia + dt * stiff
        r.share[:], r.pull[:], r.inverse[:] = stiff / rotor, dt * stiff / rotor, 1.0 / rotor
        r.at_link[:], r.no_load[:] = stiff * r.inertia / rotor, no_load
        self._springs = Springs(effects)
        self._friction = Friction(effects, damping + r.at_link, memory=True)
        r.coulomb[:], r.viscous[:] = self._friction.coulomb, self._friction.viscous
        r.slow[:] = self._friction.speed
        remembers = any(e.hysteresis is not None for e in effects)
        self._memory = Memory(effects, r.memory) if remembers else None
        if self._memory is not None:
            r.remembers[0] = True
            r.memory_torque[:], r.memory_slope[:] = self._memory.at_zero, self._memory.slope
            r.per_distance[:] = self._memory.per_distance
        parts = (r.coulomb, r.viscous, r.memory_torque, r.memory_slope)
        self._nominal = tuple(part.copy() for part in parts)
        self._momentum = self._push = np.zeros_like(r.stiffness)

    def scale_friction(self, factor: float) -> None:
        """Sets friction, dry, viscous and with memory, to a multiple of what it was made with.

        The loops do not know of it.
        """
        r, friction, memory = self._record, self._friction, self._memory
        coulomb, viscous, at_zero, slope = self._nominal
        friction.coulomb[:] = factor * coulomb
        friction.viscous[:] = viscous + (factor - 1.0) * (viscous - r.at_link)
        r.coulomb[:], r.viscous[:] = friction.coulomb, friction.viscous
        if memory is not None:
            memory.at_zero[:], memory.slope[:] = factor * at_zero, factor * slope
            r.memory_torque[:], r.memory_slope[:] = memory.at_zero, memory.slope

    @property
    def angle(self) -> Array:
        """Of the motors [rad], shape (n,)."""
        return self._record.angle.copy()

    @property
    def speed(self) -> Array:
        """Of the motors [rad/s], shape (n,)."""
        return self._record.speed.copy()

    def place(self, rows: slice, q: Array, qd: Array, load: Array, memory: Array) -> None:
        """Sets their state (see `RigidJoints.place`), with flexures in equilibrium."""
        r = self._record
        everywhere = r.angle.copy()
        everywhere[rows] = q
        tau: Array = load + self._springs(everywhere)[rows]
        r.angle[rows] = q + tau / r.stiffness[rows]
        r.speed[rows], r.tau[rows], r.memory[rows] = qd, tau, memory

    def before_step(self, desired: Array, q: Array, qd: Array) -> None:
        """Sets the links' torques and damping for the next step.

        Args:
            desired: Desired torques of the joints [N m], shape (n,).
            q: Positions of the links [rad], shape (n,).
            qd: Velocities of the links [rad/s], shape (n,).
        """
        r = self._record
        wound = r.stiffness * (r.angle - q)
        momentum = desired - wound
        momentum *= self._dt
        momentum += r.inertia * r.speed
        self._momentum = momentum
        wound += r.share * momentum
        self._push = wound
        np.subtract(wound, self._springs(q), self._applied)
        if self._memory is not None:
            self._applied -= self._memory.torque(q)
        self._dof_damping[:] = self._friction.coefficient(qd)

    def after_step(self, q: Array, qd: Array) -> None:
        """Steps the motors, and sets the torques of the flexures, which the sensors read [N m].

        Args:
            q: New positions of the links [rad], shape (n,).
            qd: New velocities of the links [rad/s], shape (n,).
        """
        r = self._record
        speed = r.inverse * self._momentum
        speed += r.pull * qd
        np.minimum(speed, r.no_load, out=speed)
        np.maximum(speed, -r.no_load, out=r.speed)
        r.angle[:] += self._dt * r.speed
        if self._memory is not None:
            self._memory.advance(self._dt * qd)
        r.tau[:] = self._push - r.at_link * qd


def motor(stiffness: Array) -> tuple[Array, Array]:
    """Apparent inertia [kg m²] and damping [N m s/rad] of motors with their torque loops."""
    omega = 2.0 * np.pi * TORQUE_BANDWIDTH
    return stiffness / omega**2, 2.0 * TORQUE_DAMPING * stiffness / omega


def spectral_radius(inertia: float, stiffness: float, dt: float, friction: float = 0.0) -> float:
    """Spectral radius of one step for small motions of motor and link; below 1 they decay.

    Args:
        inertia: Inertia of the link about its joint [kg m²].
        stiffness: Stiffness of the flexure [N m/rad].
        dt: Time step [s].
        friction: Viscous friction, or secant of dry friction, at the link [N m s/rad].

    Returns:
        Largest absolute eigenvalue of the step; the joint free rotation of motor and link
        (eigenvalue 1) is left out.
    """
    (B,), (D,) = motor(np.array([stiffness]))
    stiff = D + dt * stiffness
    rotor = B + dt * stiff
    step = np.empty((4, 4))
    for i, (angle, speed, q, qd) in enumerate(np.eye(4)):
        wound = stiffness * (angle - q)
        momentum = B * speed - dt * wound
        push = wound + stiff / rotor * momentum
        qd = (inertia * qd + dt * push) / (inertia + dt * (stiff * B / rotor + friction))
        speed = (momentum + dt * stiff * qd) / rotor
        step[:, i] = angle + dt * speed, speed, q + dt * qd, qd
    sizes = np.abs(np.linalg.eigvals(step))
    free = np.abs(np.linalg.eigvals(step) - 1.0) < 1e-6
    return float(sizes[~free].max())


def joints_of(
    arms: tuple[Arm, Arm],
    effects: tuple[JointEffects, ...],
    damping: Array,
    views: tuple[Array, Array],
    record: Record,
) -> RigidJoints | ElasticJoints:
    """The joints of both arms: rigid ones where there are no effects.

    Args:
        arms: Both arms.
        effects: Springs and friction of each; none of rigid joints.
        damping: Viscous friction on top [N m s/rad], shape (n,).
        views: MuJoCo's torques on the joints and their damping, shape (n,) each.
        record: The twin's record.
    """
    if not effects:
        return RigidJoints(damping, *views, record)
    no_load = NO_LOAD * np.concatenate([arm.limits.velocity for arm in arms])
    return ElasticJoints(effects, damping, no_load, *views, record)

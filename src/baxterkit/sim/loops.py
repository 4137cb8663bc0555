"""The robot's own control of one arm: command modes, reference generator, position loop, timeout.

Every millisecond `torque` turns the last accepted command into torques for the joints:

- torque mode passes the command on, with gravity compensation on top unless that is suppressed;
- position and velocity mode move an inner reference under speed and acceleration limits, through a
  low-pass of second order (`nominal.COMMAND_FILTER`): commands come in steps of 10 ms, and without
  it every step would be a jolt of torque; a position loop follows the reference, with gravity
  compensation and inertial feed-forward;
- without a command for 0.2 s the inner reference brakes to rest and stays: hold.
"""

from __future__ import annotations

import enum
import math

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.computed_torque import ARMATURE
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError
from baxterkit.sim.nominal import COMMAND_FILTER
from baxterkit.sim.passive import Friction, Springs
from baxterkit.types import Array, JointVector, frozen

__all__ = ["Loops", "Mode", "refusal"]

ACCELERATION: Array = frozen([6.0, 6.0, 6.0, 6.0, 16.0, 16.0, 16.0])
"""Acceleration limits of the inner reference [rad/s²]; chosen here."""
CATCH_UP = 2.5
"""Rate at which the inner reference approaches a position command [1/s]: Baxter filters commands,
and lags a steady motion by 0.4 s times its speed. Owners of one robot measured 0.037 rad behind at
0.12 rad/s, 0.094 at 0.23 and 0.198 at 0.5 (yunusdanabas/baxter_ros2_jazzy, July 2026)."""
AT_THE_END = 10.0
"""Greatest velocity near the end of a joint's range, for each radian that is left [1/s]: slow
enough for the filter of the commands, so that the reference does not run into the end."""
AT_REST = 1e-6
"""The inner reference of a held arm is at rest below this velocity and acceleration [rad/s,
rad/s²]."""
KP, KD, KI = 400.0, 40.0, 1200.0
"""Gains of the position loop [1/s², 1/s, 1/s³]: critically damped at 20 rad/s."""
INTEGRAL: Array = frozen([0.004, 0.004, 0.004, 0.004, 0.1, 0.1, 0.1])
"""Greatest integral of the error [rad s]: some N m at the shoulder, 0.8 N m at the wrist."""
MOST_ERROR: Array = frozen([0.05, 0.05, 0.1, 0.1, 0.3, 0.3, 0.3])
"""Largest error that the position loop acts on [rad]. A blocked arm pushes with some 50 N m at the
shoulder and 5 N m at the wrist; with more, torques would saturate, undamped."""
EXTRA_INERTIA: Array = frozen(ARMATURE)
"""Added to the links' inertia in the position loop [kg m²], as computed torque does it."""
_ZERO: Array = frozen(np.zeros(7))
_LEAST_ACCELERATION: Array = frozen(-ACCELERATION)
_LEAST_INTEGRAL: Array = frozen(-INTEGRAL)
_LEAST_ERROR: Array = frozen(-MOST_ERROR)
SPEED_RATIO = 0.3
"""Default share of the velocity limits that position commands use, as on the robot."""


class Mode(enum.Enum):
    """Control mode of an arm."""

    HOLD = "hold"
    POSITION = "position"
    RAW_POSITION = "raw position"
    VELOCITY = "velocity"
    TORQUE = "torque"


class Loops:
    """Commands and inner loops of one arm.

    Args:
        arm: The robot's own model of the arm: with its tool, without what it has picked up.
        effects: The springs and friction that the robot compensates; None for none.
        dt: Time step [s].
        timeout: Time for which a command is valid [s].
    """

    def __init__(self, arm: Arm, effects: JointEffects | None, dt: float, timeout: float) -> None:
        self._arm = arm.with_effects(None) if arm.effects is not None else arm
        self._springs = None if effects is None else Springs((effects,))
        self._friction = None if effects is None else Friction((effects,), np.zeros(7))
        self._dt = dt
        self.timeout = timeout
        limits = arm.limits
        self._lower, self._upper = limits.lower, limits.upper
        self._velocity, self._effort = limits.velocity, limits.effort
        self.mode = Mode.HOLD
        self.gravity_compensation = True
        self.speed_ratio = SPEED_RATIO
        self.age = 0
        self._free = 0  # age at which a velocity command may come near the end of a joint's range
        self._command: Array = np.zeros(7)
        self.reference: JointVector = np.zeros(7)
        self.reference_velocity: JointVector = np.zeros(7)
        self._integral: Array = np.zeros(7)
        self._acceleration: Array = _ZERO  # of the inner reference
        self._least = -self._effort
        self.lag: Array = np.full(7, 2.0 / COMMAND_FILTER)
        self._fresh = False  # whether the inner reference must be taken from the arm
        self._still = True  # whether the inner reference is at rest

    @property
    def lag(self) -> Array:
        """Lag of the commands' low-pass behind a steadily changing command [s], shape (7,)."""
        return self._lag

    @lag.setter
    def lag(self, seconds: Array) -> None:
        # Two equal poles: wanted velocities, and raw positions, are followed without overshoot.
        self._lag = seconds
        pole = np.exp(-2.0 * self._dt / seconds)
        self._kept, self._taken = pole**2, (1.0 - pole) ** 2 / self._dt

    def command(self, mode: Mode, values: Array) -> None:
        """Accepts a command; `values`, shape (7,), have been checked."""
        if mode is not self.mode:
            if self.mode is Mode.TORQUE and mode is not Mode.TORQUE:
                self._fresh = True
            self.mode = mode
        self._command = values
        self.age = 0
        if mode is Mode.VELOCITY:
            self._free = 0 if self._fresh else self._free_ticks()

    def hold(self) -> None:
        """Brakes to rest and stays."""
        if self.mode is Mode.TORQUE:
            self._fresh = True
        self.mode = Mode.HOLD

    def place(self, q: Array, qd: Array) -> None:
        """Clears commands after the arm was placed, and holds it there."""
        self.mode = Mode.HOLD
        self.reference, self.reference_velocity = q.copy(), qd.copy()
        self._acceleration = self._integral = _ZERO
        self._fresh = self._still = False

    def passive(self, q: Array) -> JointVector:
        """Gravity, and the springs that the robot compensates with it [N m], shape (7,)."""
        tau: JointVector = self._arm.gravity(q)
        if self._springs is not None:
            tau += self._springs(q)
        return tau

    def torque(self, q: Array, qd: Array) -> JointVector:
        """Torques for the next step.

        Args:
            q: Sensed positions [rad], shape (7,).
            qd: Sensed velocities [rad/s], shape (7,).

        Returns:
            Desired torques of the joints [N m], shape (7,), within the effort limits.
        """
        self.age += 1
        if self.age * self._dt > self.timeout + 1e-9 and self.mode is not Mode.HOLD:
            self.hold()
        if self.mode is Mode.TORQUE:
            if not self.gravity_compensation:
                return self._command
            tau = self._command + self.passive(q)
        else:
            if self._fresh:
                # From torques to positions: start where the arm is and as fast as it is.
                self.reference, self.reference_velocity = q, self._clipped_velocity(qd)
                self._acceleration = self._integral = _ZERO
                self._fresh = self._still = False
            tau = self._follow(q, qd, self._advance())
        np.maximum(tau, self._least, out=tau)
        np.minimum(tau, self._effort, out=tau)
        return tau

    def _advance(self) -> Array:
        """Moves the inner reference by one step; returns its acceleration [rad/s²], (7,)."""
        dt, mode = self._dt, self.mode
        if mode is Mode.HOLD:
            if self._still:
                return _ZERO
            wanted = _ZERO
        elif mode is Mode.VELOCITY:
            wanted = self._command if self.age < self._free else self._within_range()
        else:
            ahead = self._command - self.reference
            if mode is Mode.RAW_POSITION:
                ahead *= self._taken
                ahead += self._kept * self.reference_velocity
                self.reference_velocity = self._clipped_velocity(ahead)
                self.reference = self.reference + dt * self.reference_velocity
                self._acceleration, self._still = _ZERO, False
                return _ZERO
            # As fast as leaves room to brake.
            speed = _approach(np.abs(ahead), CATCH_UP)
            wanted = np.copysign(np.minimum(speed, self.speed_ratio * self._velocity), ahead)
        change = wanted - self.reference_velocity
        change *= self._taken
        change += self._kept * self._acceleration
        np.maximum(change, _LEAST_ACCELERATION, out=change)
        np.minimum(change, ACCELERATION, out=change)
        self._acceleration = change
        self.reference_velocity = self.reference_velocity + dt * change
        reference = self.reference + dt * self.reference_velocity
        np.maximum(reference, self._lower, out=reference)
        self.reference = np.minimum(reference, self._upper, out=reference)
        self._still = False
        if mode is Mode.HOLD:
            self._rest()
        return self._acceleration

    def _free_ticks(self) -> int:
        """For how many steps no joint can come so near to its end that it would have to brake."""
        speed = np.maximum(np.abs(self._command), np.abs(self.reference_velocity))
        speed += AT_REST
        room = np.minimum(self._upper - self.reference, self.reference - self._lower)
        room -= np.maximum(speed / AT_THE_END, speed**2 / ACCELERATION)
        room /= self._dt * speed
        return int(min(room.min(), 1e9))

    def _within_range(self) -> Array:
        """The commanded velocities, or as fast as each joint can stop at the end of its range."""
        up = np.maximum(self._upper - self.reference, 0.0)
        down = np.maximum(self.reference - self._lower, 0.0)
        wanted: Array = np.minimum(self._command, _approach(up, AT_THE_END))
        return np.maximum(wanted, -_approach(down, AT_THE_END))

    def _rest(self) -> None:
        """Lets the inner reference come to rest exactly: a low-pass alone never does."""
        left = max(np.abs(self.reference_velocity).max(), np.abs(self._acceleration).max())
        if left < AT_REST:
            self.reference_velocity, self._acceleration, self._still = _ZERO, _ZERO, True

    def _follow(self, q: Array, qd: Array, acceleration: Array) -> Array:
        """Torques of the position loop [N m], shape (7,)."""
        velocity = self.reference_velocity
        error = self.reference - q
        np.maximum(error, _LEAST_ERROR, out=error)
        np.minimum(error, MOST_ERROR, out=error)
        integral = self._integral + self._dt * error
        np.maximum(integral, _LEAST_INTEGRAL, out=integral)
        np.minimum(integral, INTEGRAL, out=integral)
        self._integral = integral
        wanted = KP * error
        wanted += KD * (velocity - qd)
        wanted += KI * integral
        wanted += acceleration
        tau: Array = self._arm.inverse_dynamics(q, velocity, wanted)
        tau += EXTRA_INERTIA * wanted
        if self._springs is not None and self._friction is not None:
            tau += self._springs(q)
            if not self._still:
                tau += self._friction.coefficient(velocity) * velocity
        return tau

    def _clipped_velocity(self, qd: Array) -> Array:
        return np.minimum(np.maximum(qd, -self._velocity), self._velocity)


def _approach(room: Array, rate: float) -> Array:
    """Greatest speeds that leave room to brake [rad/s], for the rooms [rad], shape (*batch, 7)."""
    speed: Array = ACCELERATION * room
    np.sqrt(speed, out=speed)
    np.minimum(speed, rate * room, out=speed)
    return speed


def refusal(arm: Arm, what: str, values: Array, low: Array, high: Array, unit: str) -> InputError:
    """The error for a command outside its limits or not finite, naming the first joint at fault."""
    j = int(np.argmax(~((values >= low) & (values <= high))))
    value = float(values[j])
    if math.isfinite(value):
        limit, word = (high[j], "above") if value > high[j] else (low[j], "below")
        fault = f"{value:.3f} {unit} is {word} its limit {limit:.3f} {unit}"
    else:
        fault = f"{value} {unit} is not finite"
    return InputError(
        f"{what} command refused: {arm.joint_names[j]} = {fault}; the {arm.side} arm keeps its "
        "last command until that times out"
    )

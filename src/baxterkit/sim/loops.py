"""The robot's own control of one arm: command modes, reference generator, position loop, timeout.

Every millisecond `torque` turns the last accepted command into torques for the joints:

- torque mode passes the command on, with gravity compensation on top unless that is suppressed;
- position and velocity mode move an inner reference under speed and acceleration limits, through a
  low-pass of second order (`nominal.COMMAND_FILTER`): commands come in steps of 10 ms, and without
  it every step would be a jolt of torque; a position loop follows the reference, with gravity
  compensation and inertial feed-forward;
- raw positions may come with the acceleration that they are to have: then that is fed forward;
- without a command for 0.2 s the inner reference brakes to rest and stays: hold.
"""

from __future__ import annotations

import enum
import math

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.computed_torque import ARMATURE
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.robot.errors import RefusedError
from baxterkit.sim.nominal import COMMAND_FILTER
from baxterkit.sim.passive import Friction, Springs
from baxterkit.sim.record import Record
from baxterkit.types import Array, JointVector, frozen

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


BEYOND = {"position": "position", "velocity": "velocity", "torque": "effort"}
"""Reason of the refusal of a command beyond a limit."""


class Mode(enum.Enum):
    """Control mode of an arm, in the order of `twin_fields.MODES`."""

    HOLD = "hold"
    POSITION = "position"
    RAW_POSITION = "raw position"
    VELOCITY = "velocity"
    TORQUE = "torque"


_BY_NUMBER = tuple(Mode)
_NUMBER = {mode: n for n, mode in enumerate(_BY_NUMBER)}


class Loops:
    """Commands and inner loops of one arm.

    Args:
        arm: The robot's own model of the arm: with its tool, without what it has picked up.
        effects: The springs and friction that the robot compensates; None for none.
        record: The twin's record, which holds constants and state; its `dt` is set.
        i: Which arm: 0 (left) or 1.
    """

    def __init__(self, arm: Arm, effects: JointEffects | None, record: Record, i: int) -> None:
        self.arm = arm.with_effects(None) if arm.effects is not None else arm
        self.effects = effects
        self._springs = None if effects is None else Springs((effects,))
        self._friction = None if effects is None else Friction((effects,), np.zeros(7))
        self._dt = float(record.dt[0])
        _set_constants(record, arm, self._friction, i)
        self._lower, self._upper = record.lower[i], record.upper[i]
        self._velocity: Array = record.velocity_limit[i]
        self._effort: Array = record.effort[i]
        self._least = -self._effort
        one = slice(i, i + 1)
        self._mode, self._age, self._free = record.mode[one], record.age[one], record.free[one]
        self._fresh, self._still = record.fresh[one], record.still[one]
        self._compensation = record.gravity_compensation[one]
        self._timeout, self._ratio = record.timeout[one], record.speed_ratio[one]
        self._kept, self._taken = record.kept[i], record.taken[i]
        self._lag: Array = record.lag[i]
        self._command: Array = record.command[i]
        self._integral: Array = record.integral[i]
        self._reference: Array = record.reference[i]
        self._velocity_now: Array = record.reference_velocity[i]
        self._acceleration: Array = record.reference_acceleration[i]
        self.feed_forward: Array = record.feed_forward[i]
        """Acceleration that raw positions are said to have [rad/s²], shape (7,); 0 unless set."""
        self.gravity_compensation = True
        self.speed_ratio = SPEED_RATIO
        self.lag = np.full(7, 2.0 / COMMAND_FILTER)
        self._still[0] = True

    @property
    def mode(self) -> Mode:
        """The command mode."""
        return _BY_NUMBER[int(self._mode[0])]

    @property
    def holds(self) -> bool:
        """Whether the mode is `Mode.HOLD`, the first of all."""
        return not self._mode[0]

    @property
    def age(self) -> int:
        """Steps since the last command."""
        return int(self._age[0])

    @property
    def timeout(self) -> float:
        """Time for which a command is valid [s]."""
        return float(self._timeout[0])

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._timeout[0] = seconds

    @property
    def speed_ratio(self) -> float:
        """Share of the velocity limits that position commands use."""
        return float(self._ratio[0])

    @speed_ratio.setter
    def speed_ratio(self, ratio: float) -> None:
        self._ratio[0] = ratio

    @property
    def gravity_compensation(self) -> bool:
        """Whether gravity is compensated under torque commands."""
        return bool(self._compensation[0])

    @gravity_compensation.setter
    def gravity_compensation(self, on: bool) -> None:
        self._compensation[0] = on

    @property
    def reference(self) -> JointVector:
        """The inner reference [rad], shape (7,)."""
        return self._reference.copy()

    @property
    def reference_velocity(self) -> JointVector:
        """Its velocity [rad/s], shape (7,)."""
        return self._velocity_now.copy()

    @property
    def lag(self) -> Array:
        """Lag of the commands' low-pass behind a steadily changing command [s], shape (7,)."""
        return self._lag

    @lag.setter
    def lag(self, seconds: Array) -> None:
        # Two equal poles: wanted velocities, and raw positions, are followed without overshoot.
        self._lag[:] = seconds
        pole = np.exp(-2.0 * self._dt / seconds)
        self._kept[:], self._taken[:] = pole**2, (1.0 - pole) ** 2 / self._dt

    def command(self, mode: Mode, values: Array) -> None:
        """Accepts a command; `values`, shape (7,), have been checked."""
        number = _NUMBER[mode]
        if number != self._mode[0]:
            if self.mode is Mode.TORQUE:
                self._fresh[0] = True
            self._mode[0] = number
        self._command[:] = values
        self._age[0] = 0
        if mode is Mode.VELOCITY:
            self._free[0] = 0 if self._fresh[0] else self._free_ticks()

    def hold(self) -> None:
        """Brakes to rest and stays."""
        if self.mode is Mode.TORQUE:
            self._fresh[0] = True
        self._mode[0] = _NUMBER[Mode.HOLD]

    def place(self, q: Array, qd: Array) -> None:
        """Clears commands after the arm was placed, and holds it there."""
        self._mode[0] = _NUMBER[Mode.HOLD]
        self._reference[:], self._velocity_now[:] = q, qd
        self._acceleration[:] = self._integral[:] = self.feed_forward[:] = 0.0
        self._fresh[0] = self._still[0] = False

    def passive(self, q: Array) -> JointVector:
        """Gravity, and the springs that the robot compensates with it [N m], shape (7,)."""
        tau: JointVector = self.arm.gravity(q)
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
        self._age[0] += 1
        if self.age * self._dt > self.timeout + 1e-9 and self.mode is not Mode.HOLD:
            self.hold()
        if self.mode is Mode.TORQUE:
            if not self.gravity_compensation:
                return self._command.copy()
            tau = self._command + self.passive(q)
        else:
            if self._fresh[0]:
                # From torques to positions: start where the arm is and as fast as it is.
                self._reference[:], self._velocity_now[:] = q, self._clipped_velocity(qd)
                self._acceleration[:] = self._integral[:] = 0.0
                self._fresh[0] = self._still[0] = False
            tau = self._follow(q, qd, self._advance())
        np.maximum(tau, self._least, out=tau)
        np.minimum(tau, self._effort, out=tau)
        return tau

    def _advance(self) -> Array:
        """Moves the inner reference by one step; returns its acceleration [rad/s²], (7,)."""
        dt, mode = self._dt, self.mode
        if mode is Mode.HOLD:
            if self._still[0]:
                return _ZERO
            wanted = _ZERO
        elif mode is Mode.VELOCITY:
            wanted = self._command if self._age[0] < self._free[0] else self._within_range()
        else:
            ahead = self._command - self._reference
            if mode is Mode.RAW_POSITION:
                ahead *= self._taken
                ahead += self._kept * self._velocity_now
                self._velocity_now[:] = self._clipped_velocity(ahead)
                self._reference += dt * self._velocity_now
                self._acceleration[:], self._still[0] = 0.0, False
                return self.feed_forward
            # As fast as leaves room to brake.
            speed = _approach(np.abs(ahead), CATCH_UP)
            wanted = np.copysign(np.minimum(speed, self.speed_ratio * self._velocity), ahead)
        change = wanted - self._velocity_now
        change *= self._taken
        change += self._kept * self._acceleration
        np.maximum(change, _LEAST_ACCELERATION, out=change)
        np.minimum(change, ACCELERATION, out=self._acceleration)
        self._velocity_now += dt * self._acceleration
        reference = self._reference + dt * self._velocity_now
        np.maximum(reference, self._lower, out=reference)
        np.minimum(reference, self._upper, out=self._reference)
        self._still[0] = False
        if mode is Mode.HOLD:
            self._rest()
        return self._acceleration

    def _free_ticks(self) -> int:
        """For how many steps no joint can come so near to its end that it would have to brake."""
        speed = np.maximum(np.abs(self._command), np.abs(self._velocity_now))
        speed += AT_REST
        room = np.minimum(self._upper - self._reference, self._reference - self._lower)
        room -= np.maximum(speed / AT_THE_END, speed**2 / ACCELERATION)
        room /= self._dt * speed
        return int(min(room.min(), 1e9))

    def _within_range(self) -> Array:
        """The commanded velocities, or as fast as each joint can stop at the end of its range."""
        up = np.maximum(self._upper - self._reference, 0.0)
        down = np.maximum(self._reference - self._lower, 0.0)
        wanted: Array = np.minimum(self._command, _approach(up, AT_THE_END))
        return np.maximum(wanted, -_approach(down, AT_THE_END))

    def _rest(self) -> None:
        """Lets the inner reference come to rest exactly: a low-pass alone never does."""
        left = max(np.abs(self._velocity_now).max(), np.abs(self._acceleration).max())
        if left < AT_REST:
            self._velocity_now[:] = self._acceleration[:] = 0.0
            self._still[0] = True

    def _follow(self, q: Array, qd: Array, acceleration: Array) -> Array:
        """Torques of the position loop [N m], shape (7,)."""
        velocity, integral = self._velocity_now, self._integral
        error = self._reference - q
        np.maximum(error, _LEAST_ERROR, out=error)
        np.minimum(error, MOST_ERROR, out=error)
        integral += self._dt * error
        np.maximum(integral, _LEAST_INTEGRAL, out=integral)
        np.minimum(integral, INTEGRAL, out=integral)
        wanted = KP * error
        wanted += KD * (velocity - qd)
        wanted += KI * integral
        wanted += acceleration
        tau: Array = self.arm.inverse_dynamics(q, velocity, wanted)
        tau += EXTRA_INERTIA * wanted
        if self._springs is not None and self._friction is not None:
            tau += self._springs(q)
            if not self._still[0]:
                tau += self._friction.coefficient(velocity) * velocity
        return tau

    def _clipped_velocity(self, qd: Array) -> Array:
        return np.minimum(np.maximum(qd, -self._velocity), self._velocity)


def _set_constants(record: Record, arm: Arm, friction: Friction | None, i: int) -> None:
    """Writes what the compiled step needs of the loops."""
    limits = arm.limits
    record.lower[i], record.upper[i] = limits.lower, limits.upper
    record.velocity_limit[i], record.effort[i] = limits.velocity, limits.effort
    record.acceleration_limit[:], record.at_rest[0] = ACCELERATION, AT_REST
    record.catch_up[0], record.at_the_end[0] = CATCH_UP, AT_THE_END
    record.kp[0], record.kd[0], record.ki[0] = KP, KD, KI
    record.integral_limit[:], record.most_error[:] = INTEGRAL, MOST_ERROR
    record.extra_inertia[:] = EXTRA_INERTIA
    record.compensates[0] = friction is not None
    if friction is not None:
        record.known_coulomb[i], record.known_viscous[i] = friction.coulomb, friction.viscous
        record.known_speed[i] = friction.speed


def _approach(room: Array, rate: float) -> Array:
    """Greatest speeds that leave room to brake [rad/s], for the rooms [rad], shape (*batch, 7)."""
    speed: Array = ACCELERATION * room
    np.sqrt(speed, out=speed)
    np.minimum(speed, rate * room, out=speed)
    return speed


def refusal(
    arm: Arm, what: str, values: Array, low: Array, high: Array, unit: str
) -> BaxterkitError:
    """The error for a command outside its limits or not finite, naming the first joint at fault."""
    kept = f"the {arm.side} arm keeps its last command until that times out"
    j = int(np.argmax(~((values >= low) & (values <= high))))
    value = float(values[j])
    name = f"{what} command refused: {arm.joint_names[j]}"
    if not math.isfinite(value):
        return InputError(f"{name} = {value} {unit} is not finite; {kept}")
    limit, word = (high[j], "above") if value > high[j] else (low[j], "below")
    return RefusedError(
        BEYOND[what], f"{name} = {value:.3f} {unit} is {word} its limit {limit:.3f} {unit}; {kept}"
    )

"""One arm of the twin: its sensors, its commands and its grip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import share
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.model.inertial import Payload
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.names import SIDES
from baxterkit.robot.errors import OverdueError, no_fingers
from baxterkit.sim.checks import duration
from baxterkit.sim.fingers import Fingers
from baxterkit.sim.grip import Grip
from baxterkit.sim.limb_state import DT, JointState, Power, Senses, TwinTime
from baxterkit.sim.loops import Loops, Mode, refusal
from baxterkit.types import Array, JointVector, Transform


def _snapshot(values: Array) -> Array:
    """A copy that cannot be written to: it would change nothing."""
    copy: Array = values.copy()
    copy.flags.writeable = False
    return copy


class TwinLimb:
    """One arm of the twin. Made by `Twin`.

    Args:
        arm: The arm's model, with its tool.
        loops: The robot's own control of it.
        grip: The grip of its hand.
        fingers: Its fingers; None if its tool has none.
        time: The twin's time.
        power: Whether the twin is enabled.
        senses: Its state.
    """

    def __init__(
        self,
        arm: Arm,
        loops: Loops,
        grip: Grip,
        fingers: Fingers | None,
        time: TwinTime,
        power: Power,
        senses: Senses,
    ) -> None:
        self.arm = arm
        self._loops = loops
        self._grip = grip
        self._fingers = fingers
        self._reading, self._published = senses.reading, senses.published
        self._true_q, self._true_qd, self._true_tau = senses.q, senses.qd, senses.tau
        self._time, self._power = time, power
        self._wait: Callable[[float], None] | None = None  # the twin's
        self._accepts: Callable[[int, Array], bool] | None = None  # torques, compiled
        self._number = SIDES.index(arm.side)
        self._told: list[Callable[[float], None]] = []  # hear what the gripper is told
        limits = arm.limits
        self._bounds = {
            Mode.POSITION: (limits.lower - LIMIT_TOLERANCE, limits.upper + LIMIT_TOLERANCE, "rad"),
            Mode.VELOCITY: (-limits.velocity, limits.velocity, "rad/s"),
            Mode.TORQUE: (-limits.effort, limits.effort, "N m"),
        }
        self._bounds[Mode.RAW_POSITION] = self._bounds[Mode.POSITION]

    @property
    def side(self) -> str:
        """Side of the arm in the twin."""
        return self.arm.side

    @property
    def q(self) -> JointVector:
        """Positions of this millisecond, as the joints sense them [rad], shape (7,)."""
        return _snapshot(self._reading[0])

    @property
    def qd(self) -> JointVector:
        """Velocities of this millisecond, as the joints sense them, unfiltered [rad/s], (7,)."""
        return _snapshot(self._reading[1])

    @property
    def tau(self) -> JointVector:
        """Torques of this millisecond, as the joints sense them, unfiltered [N m], shape (7,)."""
        return _snapshot(self._reading[2])

    @property
    def published(self) -> JointState:
        """The state that the robot last published: the readings of the last tick of 100 Hz.

        Velocities and torques have passed the robot's low-pass filters, `nominal.VELOCITY_FILTER`
        and `EFFORT_FILTER`: they are 11 and 6 ms late.
        """
        q, qd, tau = _snapshot(self._published)
        return JointState(self._time.published, q, qd, tau)

    @property
    def truth(self) -> JointState:
        """Exact positions, velocities and torques now; no sensor gives them."""
        q, qd, tau = self._true_q.copy(), self._true_qd.copy(), self._true_tau.copy()
        return JointState(self._time.t, q, qd, tau)

    @property
    def tip(self) -> Transform:
        """Pose of the tip in base at the positions `q` that the joints sense, shape (4, 4)."""
        return self.arm.fk(self._reading[0])

    @property
    def true_tip(self) -> Transform:
        """True pose of the tip in base, shape (4, 4); no sensor gives it."""
        return self.arm.fk(self._true_q)

    @property
    def mode(self) -> str:
        """The control mode: "hold", "position", "raw position", "velocity" or "torque"."""
        return self._loops.mode.value

    @property
    def speed_ratio(self) -> float:
        """Share of the velocity limits that position commands use; 0.3 by default."""
        return self._loops.speed_ratio

    @speed_ratio.setter
    def speed_ratio(self, ratio: float) -> None:
        self._loops.speed_ratio = share(ratio, "speed_ratio")

    @property
    def command_timeout(self) -> float:
        """Time for which a command is valid [s]; 0.2 by default, as on the robot."""
        return self._loops.timeout

    @command_timeout.setter
    def command_timeout(self, seconds: float) -> None:
        if not DT <= seconds < np.inf:
            raise InputError(f"command_timeout = {seconds} s; it must be at least {DT:g} s")
        self._loops.timeout = float(seconds)

    @property
    def command_lag(self) -> JointVector:
        """Lag of raw positions and velocities behind steady commands [s], shape (7,); 25 ms.

        `baxterkit reproduce twin_truth` finds that of a recorded robot.
        """
        return self._loops.lag.copy()

    @command_lag.setter
    def command_lag(self, seconds: ArrayLike) -> None:
        lag = np.broadcast_to(finite_array(seconds, "command_lag"), 7).copy()
        if not (lag >= DT).all():
            raise InputError(f"command_lag = {lag.min():g} s; it must be at least {DT:g} s")
        self._loops.lag = lag

    @property
    def gravity_compensation(self) -> bool:
        """Whether gravity (and the springs) are compensated under torque commands.

        The robot does so unless told to suppress it. In the other modes it always does.
        """
        return self._loops.gravity_compensation

    @gravity_compensation.setter
    def gravity_compensation(self, on: bool) -> None:
        self._loops.gravity_compensation = bool(on)

    @contextmanager
    def suppress_gravity(self) -> Iterator[None]:
        """Suppresses gravity compensation within a `with`: the torques that are sent are all."""
        before = self.gravity_compensation
        self.gravity_compensation = False
        try:
            yield
        finally:
            self.gravity_compensation = before

    @property
    def compensation(self) -> JointVector:
        """Gravity and spring torques that the robot's own model gives here [N m], shape (7,)."""
        return self._loops.passive(self.q)

    def command_position(self, q: ArrayLike, raw: bool = False) -> None:
        """Commands joint positions; valid for 0.2 s.

        Args:
            q: Positions [rad], shape (7,), within the limits.
            raw: Whether to skip the filter and the speed ratio, as the robot's raw mode does.

        Raises:
            RefusedError: If the twin is not enabled, or a value is outside its limits.
            InputError: If a value is not finite.
        """
        self._command(Mode.RAW_POSITION if raw else Mode.POSITION, q, "position")

    def command_velocity(self, qd: ArrayLike) -> None:
        """Commands joint velocities [rad/s], shape (7,), for 0.2 s. Raises as above."""
        self._command(Mode.VELOCITY, qd, "velocity")

    def command_torque(self, tau: ArrayLike) -> None:
        """Commands joint torques [N m], shape (7,); valid for 0.2 s. Raises as above.

        They add to gravity compensation unless that is suppressed.
        """
        fast = self._accepts is not None and type(tau) is np.ndarray and tau.shape == (7,)
        if fast and self._accepts(self._number, tau):  # type: ignore[misc, arg-type]
            return
        self._command(Mode.TORQUE, tau, "torque")

    def hold(self) -> None:
        """Brakes, and holds the arm where it comes to rest."""
        self._loops.hold()

    @property
    def payload(self) -> Payload | None:
        """The payload that `pick_up` has put into the hand."""
        return self._grip.payload

    @property
    def holds(self) -> str | None:
        """Name of the object of the world that the hand holds."""
        return self._grip.item

    def pick_up(self, what: Payload | str) -> None:
        """Puts something into the hand; the robot's gravity compensation does not account for it.

        Args:
            what: A payload; or the name of an object of the world within 0.1 m of the tip, which is
                held at its present pose relative to the hand.

        Raises:
            UnknownNameError: If the world has no such object.
            InputError: If the object is fixed or too far away, or the hand holds another one.
        """
        self._grip.pick_up(what, self.true_tip[:3, 3])

    def release(self) -> None:
        """Lets go of what the hand holds."""
        self._grip.release()

    @property
    def opening(self) -> float | None:
        """How far the hand is open now, 0 (closed) to 1 (open); None if its tool has no fingers."""
        return None if self._fingers is None else self._fingers.opening

    @property
    def fingers_move(self) -> bool:
        """Whether the hand opens or closes just now."""
        return self._fingers is not None and self._fingers.are_moving

    @property
    def gripping(self) -> bool | None:
        """Whether the hand holds an object; None if its tool has no fingers."""
        return None if self._fingers is None else self.holds is not None

    @property
    def calibrated(self) -> bool:
        """Whether the gripper can move: the twin's needs no calibration, but fingers."""
        return self._fingers is not None

    def calibrate_gripper(self, timeout: float = 5.0) -> None:
        """Opens the hand; the twin's gripper needs no calibration."""
        self.move_gripper(1.0, timeout)

    def move_gripper(self, opening: float, timeout: float = 5.0) -> None:
        """Opens or closes the hand, in at most 0.4 s, and waits until it is there.

        Closing ends when both fingers touch something; an object between them is then held
        (`holds`), unless it was too wide for them to close at all. Opening releases it.

        Args:
            opening: 0 (closed) to 1 (open).
            timeout: Longest wait [s]; 0 does not wait: the fingers move from now on.

        Raises:
            InputError: If the tool has no fingers, or `opening` is not from 0 to 1.
            RefusedError: If the twin is not enabled.
            OverdueError: If the fingers still move after that time.
        """
        longest = duration(timeout, "timeout")
        self._power.need()
        if self._fingers is None:
            raise no_fingers(self.arm)
        self._fingers.command(opening)
        for hear in self._told:
            hear(float(opening))
        if self._wait is None or longest == 0.0:
            return
        end = self._time.t + longest
        while self._fingers.are_moving:
            if self._time.t >= end:
                raise OverdueError(
                    f"the {self.side} gripper is at {self._fingers.opening:.2f}, not at "
                    f"{opening:g}, after {timeout:g} s"
                )
            self._wait(0.01)

    def _command(self, mode: Mode, values: ArrayLike, what: str) -> None:
        self._power.need()
        low, high, unit = self._bounds[mode]
        array = values
        if type(array) is not np.ndarray or array.dtype != np.float64 or array.shape != (7,):
            array = self.arm.model.joint_values(values, f"{what} command")
            if array.ndim != 1:
                raise InputError(f"{what} command must have shape (7,), got {array.shape}")
        # NaN fails both comparisons, so it is caught here too.
        if not (np.minimum(np.maximum(array, low), high) == array).all():
            raise refusal(self.arm, what, array, low, high, unit)
        self._loops.command(mode, array)

    def __repr__(self) -> str:
        return f"<TwinLimb: {self.side} arm, {self.mode}, t = {self._time.t:.3f} s>"


def state_table(title: str, limbs: Iterable[TwinLimb]) -> str:
    """Positions, velocities and torques of arms as a table, for notebooks."""
    rows = [
        (name, *cells)
        for limb in limbs
        for name, *cells in zip(
            limb.arm.joint_names, *(x.tolist() for x in (limb.q, limb.qd, limb.tau)), strict=True
        )
    ]
    return html_table(title, ("joint", "q [rad]", "qd [rad/s]", "tau [N m]"), rows)

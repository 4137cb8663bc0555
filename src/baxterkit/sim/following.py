"""Following a trajectory in the twin: controllers in the loop, readings and truth recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.faults import Fault, FaultLog, saturation
from baxterkit.control.relative_impedance import PairTorques
from baxterkit.control.signals import (
    ArmState,
    Controller,
    Course,
    CourseSample,
    Reference,
    State,
    torque_controller,
)
from baxterkit.control.tracking import Tracked
from baxterkit.errors import BaxterkitError, InputError, UnknownNameError
from baxterkit.model.names import SIDES, check_side
from baxterkit.recording.recording import Recording
from baxterkit.spatial import matrix_to_quaternion
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit.sim.limb import Limb
    from baxterkit.sim.twin import Twin

__all__ = ["PairController", "TwinRecording", "follow", "follow_pair", "stream"]


@dataclass(frozen=True, eq=False, repr=False)
class TwinRecording(Tracked, Recording):
    """Sensor readings of one arm of the twin, with true and reference values in the same rows.

    It is a `Recording` of the sensed values, with the tip's pose as the robot computes it; slices
    and filtered copies of it are plain recordings.

    Attributes:
        truth: Exact positions, velocities and torques, and the tip's true pose.
        reference: Reference positions, velocities and accelerations, and the tip's pose there.
        command: Commands that were sent: torques [N m], positions [rad] or velocities [rad/s],
            shape (n, 7); NaN where none was.
        held: Whether the robot held the arm by itself in that row (no valid command), shape (n,).
        faults: What went wrong, the first of each kind; empty after a success (`succeeded`).
    """

    truth: Recording = None  # type: ignore[assignment]
    reference: Recording = None  # type: ignore[assignment]
    command: Array = None  # type: ignore[assignment]
    held: Any = None
    faults: tuple[Fault, ...] = ()

    @property
    def error(self) -> Array:
        """True tracking error: reference less true positions [rad], shape (n, 7)."""
        return self.reference.q - self.truth.q

    def __repr__(self) -> str:
        text = Recording.__repr__(self)
        if self.succeeded:
            return text
        return f"{text[:-1]}, not a success: {'; '.join(map(str, self.faults))}>"

    def _mapped(self, function: Any, t: Array | None = None) -> Recording:
        names = [field.name for field in dataclasses.fields(Recording)]
        return Recording(**{name: getattr(self, name) for name in names})._mapped(function, t)


def follow(
    twin: Twin,
    tasks: Mapping[str, tuple[Controller, Course]],
    *,
    rate: float = 1000.0,
    record_rate: float = 100.0,
    gravity_compensation: bool = False,
    place: bool = True,
    settle: float = 0.0,
) -> dict[str, TwinRecording]:
    """Moves one arm or both along trajectories with torque controllers.

    If a controller returns None, raises a `BaxterkitError` or gives a command that the robot
    refuses (NaN, six values, above a limit), the last command stays valid; after 0.2 s without a
    new one the robot holds the arm. A `ControlWarning` says at once which joint and when; the
    recording has it in `faults`, and `succeeded` is False. So it is where a joint is at its effort
    limit for most of the run.

    Args:
        twin: The robot.
        tasks: For each side a controller and the motion to follow.
        rate: Calls of the controllers per second [Hz]; a divisor of 1000.
        record_rate: Rows per second [Hz]; a divisor of 1000.
        gravity_compensation: Whether the robot adds its own; off by default, because the
            controllers here give complete torques.
        place: Whether to put the arms at the start of the motion, with its velocity; else they
            start from where they are.
        settle: Time to continue after the end of the motion [s].

    Returns:
        The recording of each side.

    Raises:
        InputError: If a rate does not divide 1000 Hz, a motion is the other arm's, or a controller
            gives velocities instead of torques.
    """
    before = {side: twin.limb(side).gravity_compensation for side in tasks}
    for controller, _ in tasks.values():
        torque_controller(controller)
    senders = {side: (_torques(controller), motion) for side, (controller, motion) in tasks.items()}
    for controller, _ in tasks.values():
        controller.reset()
    try:
        for side in tasks:
            twin.limb(side).gravity_compensation = gravity_compensation
        return _run(twin, senders, rate, record_rate, place, settle)
    finally:
        for side, state in before.items():
            twin.limb(side).gravity_compensation = state


class PairController(Protocol):
    """A torque controller of both arms at once, such as `control.RelativeImpedance`."""

    def update(
        self,
        states: tuple[ArmState, ArmState],
        references: tuple[Reference, Reference],
        dt: float,
    ) -> PairTorques:
        """Torques of the left and the right arm for the next `dt` seconds [N m], (7,) each."""

    def reset(self) -> None:
        """Forget what was integrated or learned since the start."""


def follow_pair(
    twin: Twin,
    controller: PairController,
    left: Course,
    right: Course,
    *,
    rate: float = 1000.0,
    record_rate: float = 100.0,
    gravity_compensation: bool = False,
    place: bool = True,
    settle: float = 0.0,
) -> dict[str, TwinRecording]:
    """Moves both arms with one controller, which sees both of them.

    Args:
        twin: The robot.
        controller: Torque controller of both arms, such as `control.RelativeImpedance`.
        left: The motion of the left arm.
        right: The motion of the right arm.
        rate: As for `follow`.
        record_rate: As for `follow`.
        gravity_compensation: As for `follow`.
        place: As for `follow`.
        settle: As for `follow`.

    Returns:
        For each side what was recorded.

    Raises:
        InputError: If a rate does not divide 1000 Hz, or a motion is the other arm's.
    """
    before = [limb.gravity_compensation for limb in twin.limbs]
    controller.reset()
    tasks = {"left": (_nothing, left), "right": (_nothing, right)}
    try:
        for limb in twin.limbs:
            limb.gravity_compensation = gravity_compensation
        return _run(twin, tasks, rate, record_rate, place, settle, controller)
    finally:
        for limb, state in zip(twin.limbs, before, strict=True):
            limb.gravity_compensation = state


def stream(
    twin: Twin,
    motions: Mapping[str, Course],
    *,
    mode: str = "position",
    rate: float = 100.0,
    record_rate: float = 100.0,
    place: bool = True,
    settle: float = 0.0,
) -> dict[str, TwinRecording]:
    """Moves one arm or both by sending the motion itself through one of the robot's interfaces.

    Args:
        twin: The robot.
        motions: For each side the motion.
        mode: "position", "raw position" or "velocity".
        rate: Commands per second [Hz]; a divisor of 1000.
        record_rate: Rows per second [Hz]; a divisor of 1000.
        place: As for `follow`.
        settle: As for `follow`.

    Returns:
        The recording of each side; its `command` holds positions or velocities.

    Raises:
        UnknownNameError: If there is no such mode.
        InputError: If a rate does not divide 1000 Hz, or a motion is the other arm's.
    """
    if mode not in _SENDERS:
        raise UnknownNameError("mode", mode, _SENDERS)
    senders = {side: (_SENDERS[mode], motion) for side, motion in motions.items()}
    return _run(twin, senders, rate, record_rate, place, settle)


Sender: TypeAlias = Callable[["Limb", Reference, float], Array | None]
"""Of (limb, reference, dt): sends a command, and returns it; None if there was none to send."""


def _torques(controller: Controller) -> Sender:
    def send(limb: Limb, reference: Reference, dt: float) -> Array | None:
        tau: Array | None = controller.update(State(limb.q, limb.qd), reference, dt)
        if tau is not None:
            limb.command_torque(tau)
        return tau

    return send


def _nothing(limb: Limb, reference: Reference, dt: float) -> Array | None:
    return None


def _positions(limb: Limb, reference: Reference, dt: float) -> Array | None:
    limb.command_position(reference.q)
    return reference.q


def _raw_positions(limb: Limb, reference: Reference, dt: float) -> Array | None:
    limb.command_position(reference.q, raw=True)
    return reference.q


def _velocities(limb: Limb, reference: Reference, dt: float) -> Array | None:
    limb.command_velocity(reference.qd)
    return reference.qd


_SENDERS: dict[str, Sender] = {
    "position": _positions,
    "raw position": _raw_positions,
    "velocity": _velocities,
}


def _run(
    twin: Twin,
    tasks: Mapping[str, tuple[Sender, Course]],
    rate: float,
    record_rate: float,
    place: bool,
    settle: float,
    together: PairController | None = None,
) -> dict[str, TwinRecording]:
    control_every, record_every = _every(rate, "rate"), _every(record_rate, "record_rate")
    if not tasks:
        raise InputError("no arm to move: give a motion for the left arm, the right arm or both")
    if not 0.0 <= settle < np.inf:
        raise InputError(f"settle = {settle} s; it must not be negative")
    ticks = round((max(motion.duration for _, motion in tasks.values()) + settle) * 1000.0)
    t = np.arange(ticks + 1) / 1000.0
    runs = []
    for side in tasks:
        send, motion = tasks[check_side(side)]
        if isinstance(motion, Trajectory):
            motion = motion.of(side)
        runs.append(_Run(twin.limb(side), send, motion, t, ticks // record_every + 1))
    if place:
        starts: dict[str, Any] = {}
        for run in runs:
            starts[run.limb.side] = run.q[0]
            starts[f"qd_{run.limb.side}"] = run.qd[0]
        twin.place(**starts)
    try:
        for i in range(ticks + 1):
            if i % control_every == 0:
                dt = control_every / 1000.0
                if together is None:
                    for run in runs:
                        run.control(i, dt)
                else:
                    _control_pair(together, (runs[0], runs[1]), i, dt)
            if i % record_every == 0:
                report = twin._report()
                for run in runs:
                    run.record(i, i // record_every, report[SIDES.index(run.limb.side)])
            if i < ticks:
                twin.step()
    finally:  # also when a controller raises: its last torques must not persist
        for run in runs:
            run.limb.hold()
    return {run.limb.side: run.recording(t[::record_every]) for run in runs}


class _Run:
    """One arm in motion."""

    def __init__(self, limb: Limb, send: Sender, motion: Course, t: Array, rows: int) -> None:
        self.limb, self._send = limb, send
        self._motion, self._t = motion, t
        sample = motion.sample(t)
        self.q, self.qd, self.qdd = sample.q, sample.qd, sample.qdd
        # Sensed and true q, qd, tau, wanted q, qd, qdd, and the command.
        self.rows = np.empty((rows, 10, 7))
        self.held = np.zeros(rows, dtype=bool)
        self._command: Array | None = None
        self.log = FaultLog(limb.side)

    def control(self, i: int, dt: float) -> None:
        """Sends a command, unless the robot or the controller refuses."""
        try:
            self._command = self._send(self.limb, self.wanted(i), dt)
        except BaxterkitError as error:
            self.no_command(i, error)

    def no_command(self, i: int, error: BaxterkitError) -> None:
        """Notes why there is no command now."""
        self._command = None
        self.log.note("command", i / 1000.0, str(error))

    def wanted(self, i: int) -> Reference:
        """The reference of the arm at a row."""
        return Reference(
            self.q[i], self.qd[i], self.qdd[i], ahead=lambda later: self._ahead(i, later)
        )

    def _ahead(self, i: int, later: Array) -> CourseSample:
        """The reference at times after a row [s]."""
        return self._motion.sample(self._t[i] + later)

    def push(self, i: int, tau: Array | None) -> None:
        """Sends torques; what the robot refuses is not sent."""
        try:
            if tau is not None:
                self.limb.command_torque(tau)
            self._command = tau
        except BaxterkitError as error:
            self.no_command(i, error)

    def record(self, i: int, row: int, report: Array) -> None:
        """Writes a row, with what the robot publishes, shape (3, 7)."""
        limb = self.limb
        rows = self.rows[row]
        rows[:3] = report
        rows[3], rows[4], rows[5] = limb._true_q, limb._true_qd, limb._true_tau
        rows[6], rows[7], rows[8] = self.q[i], self.qd[i], self.qdd[i]
        rows[9] = np.nan if self._command is None else self._command
        if limb.mode == "hold":
            self.held[row] = True
            self.log.note(
                "held",
                i / 1000.0,
                f"no valid command for {limb.command_timeout:g} s; the robot holds the arm",
            )

    def recording(self, t: Array) -> TwinRecording:
        """The recording."""
        part = np.moveaxis(self.rows, 1, 0)
        side = self.limb.side
        sensed, true, wanted = (_tip(self.limb.arm, part[i]) for i in (0, 3, 6))
        held = self.held.copy()
        held.setflags(write=False)
        limits = self.limb.arm.limits
        found = saturation(t, part[5], limits.effort, limits.names)
        if found is not None:
            self.log.note("saturated", *found)
        return TwinRecording(
            t=t,
            q=part[0],
            qd=part[1],
            tau=part[2],
            **sensed,
            side=side,
            source="twin",
            truth=Recording(
                t=t, q=part[3], qd=part[4], tau=part[5], **true, side=side, source="twin, truth"
            ),
            reference=Recording(
                t=t, q=part[6], qd=part[7], qdd=part[8], **wanted, side=side, source="reference"
            ),
            command=frozen(part[9]),
            held=held,
            faults=self.log.faults,
        )


def _tip(arm: Arm, q: Array) -> dict[str, Any]:
    """Position and orientation of the tip, as the robot computes them from joint positions."""
    T = arm.fk(q)
    return {"position": T[:, :3, 3], "quaternion": matrix_to_quaternion(T[:, :3, :3])}


def _control_pair(controller: PairController, runs: tuple[_Run, _Run], i: int, dt: float) -> None:
    """Sends the torques of both arms; after an error of ours, none."""
    left, right = runs
    states = (State(left.limb.q, left.limb.qd), State(right.limb.q, right.limb.qd))
    try:
        taus = controller.update(states, (left.wanted(i), right.wanted(i)), dt)
    except BaxterkitError as error:
        for run in runs:
            run.no_command(i, error)
        return
    left.push(i, None if taus is None else taus[0])
    right.push(i, None if taus is None else taus[1])


def _every(rate: float, name: str) -> int:
    every = round(1000.0 / rate) if rate > 0.0 else 0
    if every < 1 or abs(1000.0 / every - rate) > 1e-9 * rate:
        raise InputError(f"{name} = {rate:g} Hz must divide 1000 Hz, as 1000, 500, 100 or 50")
    return every

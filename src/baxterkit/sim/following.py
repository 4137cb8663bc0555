"""`Twin.follow`, and nothing else: controllers in the loop, readings and truth recorded.

`baxterkit.connect` always gives a `RobotLink`, whose motions go through ros/following.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from baxterkit.control.base import check_of_both
from baxterkit.control.compiled import compiled_law
from baxterkit.control.signals import Controller, Course, Reference, State, forget
from baxterkit.control.tracking import FaultLog, saturation
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.kernels.records import TwinLaw
from baxterkit.model.names import SIDES
from baxterkit.recording.recording import Recording
from baxterkit.robot.errors import RefusedError, not_enabled
from baxterkit.robot.followed import Followed, MotionResult, tips
from baxterkit.robot.gripping import GripperCommands, openings_of
from baxterkit.robot.motions import (
    Controllers,
    Options,
    PairController,
    check_ends,
    check_start,
    controllers_of,
)
from baxterkit.robot.streaming import AHEAD, COMMANDS, off_the_motion
from baxterkit.sim.checks import duration
from baxterkit.sim.loops import BEYOND
from baxterkit.sim.native_step import NativeStep
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit.sim.limb import TwinLimb
    from baxterkit.sim.twin import Twin

Sender: TypeAlias = Callable[["TwinLimb", "Reference", float], "Array | None"]
"""Of (limb, reference, dt): sends a command, and returns it; None if there was none to send."""


def follow(
    twin: Twin, courses: Mapping[str, Course], controller: Controllers | None, options: Options
) -> MotionResult:
    """Moves one arm or both along a motion; see `Robot.follow`.

    If a controller returns None, raises a `BaxterkitError` or gives a command that the robot
    refuses (NaN, six values, above a limit), the last command stays valid; after 0.2 s without a
    new one the robot holds the arm. A `ControlWarning` says at once which joint and when; the
    result has it in `faults`, and `succeeded` is False. So it is where a joint is at its effort
    limit for most of the run.
    """
    laws, together = controllers_of(controller, tuple(courses))
    check_of_both(together)
    steered = bool(laws) or together is not None
    record_every = _every(twin.record_rate, "record_rate")
    control_every = (
        _every(twin.control_rate, "control_rate")
        if steered
        else _every(twin.command_rate, "command_rate")
    )
    longest = max(course.duration for course in courses.values())
    ticks = round(duration(longest + duration(options.settle, "settle"), "the motion") * 1000.0)
    t = np.arange(ticks + 1) / 1000.0
    runs = []
    for side, course in courses.items():
        limb = twin.limb(side)
        send = _torques(laws[side]) if laws else _nothing if steered else _commands(options)
        if not steered:
            check_ends(course, side)
        runs.append(_Run(limb, send, course, t, record_every))
        check_start(course, limb.arm, limb.q, options.path_tolerance)
    if not twin.enabled:
        raise not_enabled(twin.stopped)
    for law in (*laws.values(), together):
        forget(law)
    with ExitStack() as stack:
        for run in runs:
            limb = run.limb
            stack.callback(limb.hold)  # also when a controller raises: its torques must not persist
            if steered:
                before = limb.gravity_compensation
                stack.callback(setattr, limb, "gravity_compensation", before)
                limb.gravity_compensation = options.gravity_compensation
            elif options.mode == "position":
                stack.callback(setattr, limb, "speed_ratio", limb.speed_ratio)
                limb.speed_ratio = 1.0
        every, give = control_every, _python_control(runs, together, control_every)
        steered_natively = _compiled(twin, laws)
        if steered_natively is not None:
            every, give = (
                record_every,
                _compiled_control(twin, runs, steered_natively, stack, control_every),
            )
        _loop(twin, runs, give, (every, record_every), options)
    return MotionResult(
        {run.limb.side: run.followed(t[::record_every]) for run in runs},
        {run.limb.side: run.q[-1] - run.limb.q for run in runs},
    )


def _loop(
    twin: Twin,
    runs: list[_Run],
    give: Callable[[int], None],
    periods: tuple[int, int],
    options: Options,
) -> None:
    """From event to event: commands and rows, each with its period in milliseconds; then steps."""
    plain = options.mode == "position" and not options.feed_forward
    control_every, record_every = periods
    i, last = 0, len(runs[0].q) - 1
    while True:
        if i % control_every == 0:
            give(i)
        if i % record_every == 0:
            report = twin._report()
            for run in runs:
                run.gripper.step(i / 1000.0)
                run.record(i, i // record_every, report[SIDES.index(run.limb.side)])
                run.check(i, options.path_tolerance, plain, twin)
        if not twin.enabled:
            raise not_enabled(twin.stopped)
        if i == last:
            return
        n = min(control_every - i % control_every, record_every - i % record_every, last - i)
        twin.step(n)
        i += n


def _python_control(
    runs: list[_Run], together: PairController | None, every: int
) -> Callable[[int], None]:
    """Controllers in Python, or none: commands at a millisecond."""
    dt = every / 1000.0

    def give(i: int) -> None:
        if together is not None:
            _control_pair(together, runs, i, dt)
        else:
            for run in runs:
                run.control(i, dt)

    return give


def _compiled(twin: Twin, laws: Mapping[str, Controller]) -> dict[str, TwinLaw] | None:
    """The controllers in their compiled forms; None unless all have one, and the step too."""
    if not laws or not isinstance(twin._step, NativeStep):
        return None
    forms = {side: compiled_law(law) for side, law in laws.items()}
    made = {side: form for side, form in forms.items() if form is not None}
    return made if len(made) == len(laws) else None


def _compiled_control(
    twin: Twin, runs: list[_Run], laws: dict[str, TwinLaw], stack: ExitStack, every: int
) -> Callable[[int], None]:
    """Controllers within the compiled step; what they refuse, Python computes again, and words."""
    step, start = twin._step, int(twin._record.ticks[0])
    assert isinstance(step, NativeStep)
    sides = {SIDES.index(run.limb.side): run for run in runs}
    commands = tuple(twin._record.command)

    def refused(arms: int) -> None:
        for arm, run in sides.items():
            if arms >> arm & 1:
                run.control(int(twin._record.ticks[0]) - start, every / 1000.0)

    motions = {run.limb.side: np.stack((run.q, run.qd, run.qdd), axis=1) for run in runs}
    along = {side: law._replace(motion=motions[side]) for side, law in laws.items()}
    stack.callback(step.unsteer)
    step.steer(every, along, refused)

    def give(i: int) -> None:
        arms = step.control()
        for arm, run in sides.items():
            run.command = None if arms >> arm & 1 else commands[arm]

    return give


def _torques(controller: Controller) -> Sender:
    update = controller.update

    def send(limb: TwinLimb, reference: Reference, dt: float) -> Array | None:
        reading = limb._reading.copy()
        tau: Array | None = update(State(reading[0], reading[1]), reference, dt)
        if tau is not None:
            limb.command_torque(tau)
        return tau

    return send


def _nothing(limb: TwinLimb, reference: Reference, dt: float) -> Array | None:
    return None


def _commands(options: Options) -> Sender:
    """Sends the motion itself, or fed forward as over the link."""
    law = COMMANDS[options.mode]

    def send(limb: TwinLimb, reference: Reference, dt: float) -> Array | None:
        assert reference.ahead is not None
        ahead = reference
        if options.feed_forward:
            there = reference.ahead(np.array(AHEAD[options.mode]))
            ahead = Reference(there.q, there.qd, there.qdd)
        command = law(limb.arm.limits, reference, ahead, limb.q, options.feed_forward)
        if options.mode == "velocity":
            limb.command_velocity(command)
        else:
            limb.command_position(command, raw=options.mode == "raw position")
        return command

    return send


class _Run:
    """One arm in motion."""

    def __init__(self, limb: TwinLimb, send: Sender, motion: Course, t: Array, every: int) -> None:
        self.limb, self._send = limb, send
        self.gripper = GripperCommands(limb, openings_of(motion, limb))
        self._motion, self._t = motion, t
        sample = motion.sample(t)
        self.q, self.qd, self.qdd = sample.q, sample.qd, sample.qdd
        # Sensed and true q, qd, tau, wanted q, qd, qdd, and the command.
        self.rows = np.empty((len(t[::every]), 10, 7))
        self.rows[:, 6], self.rows[:, 7], self.rows[:, 8] = (
            column[::every] for column in (self.q, self.qd, self.qdd)
        )
        self.held = np.zeros(len(self.rows), dtype=bool)
        self.command: Array | None = None  # of now; None if it was refused
        self.log = FaultLog(limb.side)

    def control(self, i: int, dt: float) -> None:
        """Sends a command, unless the robot or the controller refuses."""
        try:
            self.command = self._send(self.limb, self.wanted(i), dt)
        except BaxterkitError as error:
            self.no_command(i, error)

    def no_command(self, i: int, error: BaxterkitError) -> None:
        """Notes why there is no command now; a robot that was stopped ends the motion."""
        if isinstance(error, RefusedError) and error.reason not in BEYOND.values():
            raise error
        self.command = None
        self.log.note("command", i / 1000.0, str(error))

    def wanted(self, i: int) -> Reference:
        """The reference of the arm at a row."""
        t, motion = self._t[i], self._motion
        return Reference(
            self.q[i], self.qd[i], self.qdd[i], ahead=lambda later: motion.sample(t + later)
        )

    def push(self, i: int, tau: Array | None) -> None:
        """Sends torques; what the robot refuses is not sent."""
        try:
            if tau is not None:
                self.limb.command_torque(tau)
            self.command = tau
        except BaxterkitError as error:
            self.no_command(i, error)

    def check(self, i: int, tolerance: float, plain: bool, twin: Twin) -> None:
        """Ends a motion that the arm has left, and names its contacts, which may be why."""
        error = self.q[i] - self.limb._reading[0]
        if not plain and error.dot(error) <= tolerance * tolerance:
            return  # the usual case: all joints together are within it
        refusal = off_the_motion(
            self.limb.arm, self.wanted(i), self.limb.q, i / 1000.0, tolerance, plain
        )[1]
        if refusal is not None:
            own = f"{self.limb.side}_"
            pairs = (pair for pair in twin.contacts if any(name.startswith(own) for name in pair))
            touching = [f"{one} touches {other}" for one, other in pairs]
            told = "".join(f"; {fault}" for fault in (*self.log.faults, *touching[:3]))
            raise RefusedError(refusal.reason, f"{refusal}{told}")

    def record(self, i: int, row: int, report: Array) -> None:
        """Writes a row, with what the robot publishes, shape (3, 7)."""
        limb = self.limb
        rows = self.rows[row]
        rows[:3] = report
        rows[3], rows[4], rows[5] = limb._true_q, limb._true_qd, limb._true_tau
        rows[9] = np.nan if self.command is None else self.command
        if limb._loops.holds:
            self.held[row] = True
            self.log.note(
                "held",
                i / 1000.0,
                f"no valid command for {limb.command_timeout:g} s; the robot holds the arm",
            )

    def followed(self, t: Array) -> Followed:
        """What became of it."""
        part = np.moveaxis(self.rows, 1, 0)
        side = self.limb.side
        sensed, true, wanted = tips(self.limb.arm, part[[0, 3, 6]])
        held = self.held.copy()
        held.setflags(write=False)
        limits = self.limb.arm.limits
        found = saturation(t, part[5], limits.effort, limits.names)
        if found is not None:
            self.log.note("saturated", *found)
        return Followed(
            t=t,
            q=part[0],
            qd=part[1],
            tau=part[2],
            **sensed,
            side=side,
            source="twin",
            exact=Recording(
                t=t, q=part[3], qd=part[4], tau=part[5], **true, side=side, source="twin, truth"
            ),
            reference=Recording(
                t=t, q=part[6], qd=part[7], qdd=part[8], **wanted, side=side, source="reference"
            ),
            command=frozen(part[9]),
            held=held,
            faults=self.log.faults,
        )


def _control_pair(controller: PairController, runs: list[_Run], i: int, dt: float) -> None:
    """Sends the torques of both arms; after an error of ours, none."""
    left, right = sorted(runs, key=lambda run: run.limb.side)
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

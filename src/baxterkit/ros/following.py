"""Following motions over the link, at 100 Hz by the clock.

In position mode Baxter lags a moving command by 0.4 s times its speed. So motions are fed forward:

- "velocity": the wanted velocity, plus the position error times a gain;
- "position": the wanted position, plus 0.4 s times the wanted velocity;
- "raw position": the wanted position of one period later;
- "torque": what a controller of `baxterkit.control` gives, with gravity compensation suppressed
  unless the controller leaves it to the robot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.control.faults import Fault, FaultLog, saturation
from baxterkit.control.signals import Controller, Course, Reference, State, torque_controller
from baxterkit.control.tracking import Tracked
from baxterkit.errors import BaxterkitError, InputError, UnknownNameError
from baxterkit.ros.before_motion import check_motions
from baxterkit.ros.errors import RefusedError
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.priority import preferred, without_pauses
from baxterkit.ros.progress import Progress
from baxterkit.ros.rules import Rules
from baxterkit.ros.settling import settled
from baxterkit.ros.waiting import seconds
from baxterkit.trajectory.trajectory import Sample, Trajectory
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.recording.recording import Recording
    from baxterkit.ros.link import RobotLink
    from baxterkit.ros.recorder import Recorder

__all__ = ["LAG", "MODES", "Followed", "follow"]

LAG = 0.4
"""Lag of position commands [s]: the arm is behind by this times its speed, on a real robot."""
PERIOD = 0.01
"""Period of the commands [s]."""
GAIN = 4.0
"""Velocity for an error of position [1/s]."""
AHEAD = 0.02
"""Delay from a state to the effect of the command that answers it [s]."""
LATE = 0.03
"""A gap between two commands that is noticed [s]."""
TELL = 0.1
"""A delay of the whole motion that is worth a warning [s]."""
WAITS = ("stale", "not at rest")
"""Reasons of a refusal for which a motion stands still, and goes on later."""
MODES = ("velocity", "position", "raw position", "torque")


@dataclass(frozen=True, eq=False)
class Followed(Tracked):
    """A motion that one arm has followed.

    Attributes:
        t: Times of the states since the start, by the robot's stamps [s], shape (n,).
        q: Measured positions [rad], shape (n, 7).
        tau: Measured torques [N m], shape (n, 7).
        reference: Wanted positions at those times [rad], shape (n, 7).
        recording: All that was recorded meanwhile.
        delay: By how much longer it took than planned, since the robot was heard late [s].
        faults: What went wrong, the first of each kind; empty after a success (`succeeded`).
    """

    t: Array
    q: JointVector
    tau: JointVector
    reference: JointVector
    recording: Recording
    delay: float = 0.0
    faults: tuple[Fault, ...] = ()

    @property
    def error(self) -> Array:
        """Wanted less measured positions [rad], shape (n, 7)."""
        return self.reference - self.q

    def __repr__(self) -> str:
        failed = "" if self.succeeded else f", not a success: {'; '.join(map(str, self.faults))}"
        return f"<Followed: {len(self.t)} states, error {1e3 * self.rms():.1f} mrad RMS{failed}>"


def follow(
    link: RobotLink,
    motions: Mapping[str, Course],
    *,
    mode: str = "velocity",
    controllers: Mapping[str, Controller] | None = None,
    feed_forward: bool = True,
    tolerance: float = 0.2,
    settle: float = 0.5,
    gravity_compensation: bool = False,
) -> dict[str, Followed]:
    """Follows motions of one arm or both; see `RobotLink.follow`."""
    if mode not in MODES:
        raise UnknownNameError("mode", mode, MODES)
    if not _above_zero(tolerance):
        raise InputError(f"tolerance = {tolerance} rad; it must be above 0")
    seconds(settle, "settle")
    runs = {}
    for side, motion in motions.items():
        if not hasattr(motion, "sample"):
            raise InputError(
                f"{side} must be a motion, as of baxterkit.trajectory, got {type(motion).__name__}"
            )
        if isinstance(motion, Trajectory):
            motion = motion.of(side)
        limb = link.limb(side)
        controller = None if controllers is None else controllers.get(side)
        if (mode == "torque") != (controller is not None):
            raise InputError("mode 'torque' needs a controller, and the other modes need none")
        if controller is not None:
            torque_controller(controller).reset()
        runs[side] = _Run(limb, motion, mode, controller, feed_forward, tolerance)
    for run in runs.values():
        run.check_start()
    check_motions(link, motions)
    duration = max(motion.duration for motion in motions.values())
    cancelled = threading.Event()
    try:
        with ExitStack() as stack:
            stack.enter_context(_alone(link, set(runs)))
            recorder = stack.enter_context(link.record())
            link._motions.add(cancelled)
            stack.callback(link._motions.discard, cancelled)
            link._cancelling.check()  # before it could be told
            for run in runs.values():
                stack.callback(run.limb.hold)
            if mode == "position":
                for run in runs.values():
                    before = link._gate.ratio(run.limb.side)
                    run.limb.speed_ratio(1.0)
                    stack.callback(_quietly, run.limb.speed_ratio, before)
            elif mode == "torque" and not gravity_compensation:
                for run in runs.values():
                    stack.enter_context(run.limb.suppress_gravity())
            stack.enter_context(preferred())
            stack.enter_context(without_pauses())
            _loop(link, runs, duration + settle, cancelled)
    except RefusedError:
        settled(link.clock, [run.limb for run in runs.values()])
        raise
    return {side: run.followed(recorder) for side, run in runs.items()}


@contextmanager
def _alone(link: RobotLink, sides: set[str]) -> Iterator[None]:
    """Keeps other motions of these arms away: two that take turns would shake them.

    Raises:
        RefusedError: If one of the arms follows another motion.
    """
    with link._starting:
        if busy := sides & link._moving:
            raise RefusedError(
                "moving",
                f"the {min(busy)} arm follows another motion; wait for its end, or link.cancel()",
            )
        link._moving |= sides
    try:
        yield
    finally:
        with link._starting:
            link._moving -= sides


def _loop(
    link: RobotLink, runs: dict[str, _Run], duration: float, cancelled: threading.Event
) -> None:
    """Sends commands by the clock. An arm that fails ends alone; its error is raised at the end.

    While states come late or this process is held up, the motion slows down; where nothing can be
    sent for `Rules.stall`, it ends.
    """
    clock, progress = link.clock, Progress()
    started = clock.now()
    for run in runs.values():
        run.start(started, progress)
    carried = min(run.carried(link.rules) for run in runs.values())
    failed: dict[str, RefusedError] = {}
    sent = dict.fromkeys(runs, started)
    due, before = started, started
    while progress.s < duration and len(failed) < len(runs):
        now, stall = _woken(link, before), link.rules.stall
        if now - before > stall:
            raise RefusedError(
                "stale",
                f"the process was held up for {now - before:.2f} s, longer than "
                f"Rules(stall={stall:g}); the motion has ended: the machine is busy",
            )
        before = now
        if cancelled.is_set():
            raise RefusedError("cancelled", f"the motion was cancelled after {now - started:.2f} s")
        progress.advance(now - started, carried)
        age = max(link.left.published.age, link.right.published.age)
        error = max(run.off for side, run in runs.items() if side not in failed)
        progress.adapt(age, error, link.rules.stale, PERIOD)
        for side, run in runs.items():
            if side not in failed:
                try:
                    run.step(now - started)
                    sent[side] = now
                except RefusedError as no:
                    if no.reason in WAITS:
                        progress.stand()
                    if no.reason not in WAITS or now - sent[side] > stall:
                        failed[side] = _ended(no, now - sent[side], link.rules)
                        run.limb.hold()
        due = max(due + PERIOD, now)
        clock.sleep_until(due)
    if failed:
        raise next(iter(failed.values()))
    if progress.delay > TELL:
        LOG.warning(
            "the motion took %.2f s longer: states came late, or this process was held up",
            progress.delay,
        )


def _woken(link: RobotLink, before: float) -> float:
    """The time now; after a gap, the threads that hear the robot get time to catch up first."""
    clock = link.clock
    if clock.now() - before > LATE:
        for _ in range(5):
            if max(link.left.published.age, link.right.published.age) < LATE:
                break
            clock.sleep(0.002)
    return clock.now()


def _ended(error: RefusedError, silent: float, rules: Rules) -> RefusedError:
    if error.reason != "stale":
        return error
    return RefusedError(
        "stale",
        f"{error}; this has lasted for {silent:.2f} s, and the motion has ended: the machine or "
        f"the network is busy; Rules(stale={rules.stale:g}, stall={rules.stall:g}) say how long is "
        "too long",
    )


class _Run:
    """One arm on its way."""

    def __init__(
        self,
        limb: LinkedLimb,
        motion: Course,
        mode: str,
        controller: Controller | None,
        feed_forward: bool,
        tolerance: float,
    ) -> None:
        self.limb, self.motion, self.mode = limb, motion, mode
        self.controller, self.feed_forward, self.tolerance = controller, feed_forward, tolerance
        self._zero = 0.0
        self.progress = Progress()
        self.off = 0.0
        limits = limb.arm.limits
        self._lower, self._upper = limits.lower, limits.upper
        self._velocity, self._effort = limits.velocity, limits.effort
        self.log = FaultLog(limb.side)

    def check_start(self) -> None:
        """The motion must start where the arm is.

        Raises:
            RefusedError: If it does not.
        """
        away = np.abs(self.motion.sample(0.0).q - self.limb.q)
        if away.max() > self.tolerance:
            j = int(np.argmax(away))
            raise RefusedError(
                "jump",
                f"the motion starts {away[j]:.3f} rad away from {self.limb.arm.joint_names[j]}; "
                "go there by move_to first",
            )

    def start(self, now: float, progress: Progress | None = None) -> None:
        """The motion starts now, by the link's clock; the robot's clock at that time is noted."""
        self.progress = Progress() if progress is None else progress
        state = self.limb.published
        self._zero = state.t + (now - state.arrived)

    def step(self, t: float) -> None:
        """Sends the command for the time `t` since the start [s]."""
        state = self.limb.published
        measured = self.progress.at(min(max(state.t - self._zero, 0.0), t))
        self._check_error(state.q, measured)
        self._send[self.mode](self, self.progress.at(t), measured, state.q, state.qd)

    def carried(self, rules: Rules) -> float:
        """Time for which the arm goes on by itself when commands fail to come [s]."""
        return {"velocity": rules.timeout, "torque": rules.torque_timeout}.get(self.mode, LATE)

    def _sample(self, t: float | Array) -> Sample:
        """The motion at a time along it, at the present pace."""
        sample, pace = self.motion.sample(t), self.progress.pace
        return Sample(sample.q, pace * sample.qd, pace * pace * sample.qdd)

    def _check_error(self, q: Array, t: float) -> None:
        wanted = self._sample(t)
        lag = 0.0 if self.feed_forward or self.mode != "position" else LAG
        error = wanted.q - lag * wanted.qd - q
        self.off = float(np.abs(error).max()) / self.tolerance
        if self.off > 1.0:
            j = int(np.argmax(np.abs(error)))
            raise RefusedError(
                "jump",
                f"{self.limb.arm.joint_names[j]} is {error[j]:.3f} rad off the motion at "
                f"{t:.2f} s; {self.tolerance:g} are allowed",
            )

    def _by_velocity(self, t: float, measured: float, q: Array, qd: Array) -> None:
        ahead = self._sample(t + AHEAD * self.progress.pace)
        there = self.motion.sample(measured)
        command = GAIN * (there.q - q)
        if self.feed_forward:
            command = command + ahead.qd
        self.limb.command_velocity(np.clip(command, -self._velocity, self._velocity))

    def _by_position(self, t: float, measured: float, q: Array, qd: Array) -> None:
        wanted = self._sample(t)
        command = wanted.q + (LAG * wanted.qd if self.feed_forward else 0.0)
        self.limb.command_position(np.clip(command, self._lower, self._upper))

    def _by_raw_position(self, t: float, measured: float, q: Array, qd: Array) -> None:
        ahead = AHEAD * self.progress.pace if self.feed_forward else 0.0
        wanted = self.motion.sample(t + ahead)
        self.limb.command_position(wanted.q, raw=True)

    def _by_torque(self, t: float, measured: float, q: Array, qd: Array) -> None:
        wanted, pace = self._sample(t), self.progress.pace
        assert self.controller is not None
        reference = Reference(
            wanted.q, wanted.qd, wanted.qdd, ahead=lambda later: self._sample(t + pace * later)
        )
        try:
            tau = self.controller.update(State(q, qd), reference, PERIOD)
            tau = self.limb.arm.model.joint_values(tau, "torques of the controller", nan=True)
        except BaxterkitError as error:
            raise RefusedError(
                "controller", f"the {self.limb.side} arm's controller failed at {t:.2f} s: {error}"
            ) from error
        self._check_torques(tau, t)
        self.limb.command_torque(np.clip(tau, -self._effort, self._effort))

    def _check_torques(self, tau: Array, t: float) -> None:
        """Torques above their limits are cut, and said once; what is no number ends the motion."""
        if tau.shape == (7,) and (np.abs(tau) <= self._effort).all():
            return
        if tau.shape != (7,) or np.isnan(tau).any():
            names = self.limb.arm.joint_names
            what = (
                f"shape {tau.shape}, not (7,)"
                if tau.shape != (7,)
                else f"{names[int(np.argmax(np.isnan(tau)))]} = nan"
            )
            raise RefusedError(
                "controller", f"the {self.limb.side} arm's controller gave {what} at {t:.2f} s"
            )
        j = int(np.argmax(np.abs(tau) / self._effort))
        self.log.note(
            "command",
            t,
            f"the controller gave {self.limb.arm.joint_names[j]} = {tau[j]:.1f} N m; it was cut to "
            f"the limit of {self._effort[j]:g} N m",
        )

    _send: Mapping[str, Callable[[_Run, float, float, Array, Array], None]] = {
        "velocity": _by_velocity,
        "position": _by_position,
        "raw position": _by_raw_position,
        "torque": _by_torque,
    }

    def followed(self, recorder: Recorder) -> Followed:
        """What became of it: states within the motion, with the wanted positions at their times."""
        stamps, (q, _, tau) = recorder.stamped(self.limb.side)
        t: Array = 1e-9 * stamps.astype(np.float64) - self._zero
        s = self.progress.at_all(t)
        rows = (t >= 0.0) & (s <= self.motion.duration)
        recording = recorder.recording(self.limb.side)
        wanted = self.motion.sample(s[rows]).q
        delay = self.progress.delay
        found = saturation(t[rows], tau[rows], self._effort, self.limb.arm.joint_names)
        if found is not None:
            self.log.note("saturated", *found)
        faults = self.log.faults
        return Followed(t[rows], q[rows], tau[rows], wanted, recording, delay, faults)


def _above_zero(value: float) -> bool:
    """Whether it is a number above 0; infinite too."""
    return bool(np.isreal(value)) and np.ndim(value) == 0 and value > 0.0


def _quietly(act: Callable[[float], None], value: float) -> None:
    with suppress(RefusedError):
        act(value)

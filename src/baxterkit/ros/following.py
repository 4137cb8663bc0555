"""Following motions over the link, at 100 Hz by the clock.

Without a controller the motion itself is sent, as `robot.streaming` says. With one its torques are,
and gravity compensation is suppressed unless the controller leaves it to the robot.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.control.base import check_of_both
from baxterkit.control.signals import Controller, Course, Reference, State, forget
from baxterkit.control.tracking import FaultLog, saturation
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.recording.recording import Recording
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.followed import Followed, MotionResult, tips
from baxterkit.robot.gripping import GripperCommands, openings_of
from baxterkit.robot.motions import Controllers, Options, check_ends, check_start, controllers_of
from baxterkit.robot.streaming import AHEAD, COMMANDS, off_the_motion
from baxterkit.ros import strength
from baxterkit.ros.before_limits import eased
from baxterkit.ros.before_motion import check_lead, check_motions
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.priority import preferred, without_pauses
from baxterkit.ros.progress import Progress
from baxterkit.ros.rules import Rules
from baxterkit.ros.sent import Sent
from baxterkit.ros.settling import settled
from baxterkit.ros.waiting import seconds
from baxterkit.trajectory.trajectory import Sample
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink
    from baxterkit.ros.recorder import Recorder

PERIOD = 0.01
"""Period of the commands [s]."""
LATE = 0.03
"""A gap between two commands that is noticed [s]."""
TELL = 0.1
"""A delay of the whole motion that is worth a warning [s]."""
EASED = 0.05
"""A joint that must be slower than its motion by more than this [rad/s] slows the whole motion: by
less it is a few milliradians behind."""
WAITS = ("stale", "not at rest")
"""Reasons of a refusal for which a motion stands still, and goes on later."""


def follow(
    link: RobotLink, motions: Mapping[str, Course], given: Controllers | None, options: Options
) -> MotionResult:
    """Follows motions of one arm or both; see `Robot.follow`."""
    seconds(options.settle, "settle")
    link._gate.need_control()
    controllers, together = controllers_of(given, tuple(motions))
    check_of_both(together)
    if together is not None:
        raise InputError(
            "a controller that sees both arms runs on the twin alone; over ROS each arm needs its "
            "own: controller={'left': ..., 'right': ...}"
        )
    for controller in controllers.values():
        forget(controller)
    runs = {
        side: _Run(link.limb(side), motion, controllers.get(side), options)
        for side, motion in motions.items()
    }
    for side in motions.keys() - controllers.keys():
        check_ends(motions[side], side)
    with alone(link, set(runs)):
        for run in runs.values():
            check_start(run.motion, run.limb.arm, run.limb.q, options.path_tolerance)
        samples = check_motions(link, motions, options.along)
        if options.mode == "position" and not controllers:
            check_lead(link, samples)
        if options.mode == "velocity":
            for side, sample in samples.items():
                if side not in controllers:
                    strength.check_motion(link.scene, side, sample)
        recorder = _drive(link, runs, options)
    return MotionResult(
        {side: run.followed(recorder) for side, run in runs.items()},
        {side: run.motion.sample(run.motion.duration).q - run.limb.q for side, run in runs.items()},
    )


def _drive(link: RobotLink, runs: dict[str, _Run], options: Options) -> Recorder:
    """Sends the motions to their end; the arms hold afterwards, however it ends."""
    limbs = [run.limb for run in runs.values()]
    with link.record() as recorder, under_way(link, limbs) as ending, ExitStack() as stack:
        for run in runs.values():
            if run.controller is not None:
                if not options.gravity_compensation:
                    stack.enter_context(run.limb.suppress_gravity())
            elif options.mode == "position":
                stack.callback(_set_ratio, run.limb, run.limb.speed_ratio)
                run.limb.speed_ratio = 1.0
        _loop(link, runs, options, ending)
    return recorder


class Ending(threading.Event):
    """Set by `link.cancel()`; it also knows of arms that were told to hold.

    It counts from the beginning of the call that makes the motion, which may have checked and moved
    much before this.
    """

    def __init__(self, link: RobotLink, limbs: Sequence[LinkedLimb]) -> None:
        super().__init__()
        self._cancelling, self._since = link._cancelling, link._cancelling.since
        self._sides = [limb.side for limb in limbs]

    def check(self, what: str) -> None:
        """Raises RefusedError if the motion was told to end; `what` was cancelled."""
        if self.is_set():
            raise RefusedError("cancelled", what)
        self._cancelling.check_held(self._since, self._sides, what)


@contextmanager
def under_way(link: RobotLink, limbs: Sequence[LinkedLimb]) -> Iterator[Ending]:
    """A motion of these arms, which hold afterwards; `link.cancel()` and `hold` end it.

    Where it fails they come to rest before the error is raised, whatever it is.
    """
    ending, arrived = Ending(link, limbs), False

    def rest() -> None:
        for limb in limbs:
            limb._end(arrived)

    try:
        with ExitStack() as stack:
            link._motions.add(ending)
            stack.callback(link._motions.discard, ending)
            link._cancelling.check([limb.side for limb in limbs])  # before it could be told
            stack.callback(rest)
            stack.enter_context(preferred())
            stack.enter_context(without_pauses())
            yield ending
            arrived = True
    except BaseException:
        with suppress(BaxterkitError):  # a link that was closed
            settled(link.clock, limbs)
        raise


@contextmanager
def alone(link: RobotLink, sides: set[str]) -> Iterator[None]:
    """Keeps other motions of these arms away: two that take turns would shake them.

    Raises:
        RefusedError: If one of the arms follows another motion.
    """
    with link._starting:
        if busy := sides & link._moving.keys():
            raise RefusedError(
                "moving",
                f"the {min(busy)} arm follows another motion; wait for its end, or link.cancel()",
            )
        link._moving |= dict.fromkeys(sides, object())
    try:
        yield
    finally:
        with link._starting:
            for side in sides:
                del link._moving[side]


def _loop(link: RobotLink, runs: dict[str, _Run], options: Options, ending: Ending) -> None:
    """Sends commands by the clock. An arm that fails ends alone; its error is raised at the end.

    While states come late or this process is held up, the motion slows down; where nothing can be
    sent for `Rules.stall`, it ends.
    """
    clock, progress = link.clock, Progress()
    duration = max(run.motion.duration for run in runs.values()) + options.settle
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
        ending.check(f"the motion was cancelled after {now - started:.2f} s")
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
                        run.limb._end(arrived=False)
        if options.along is not None:
            options.along.step(progress.s, {side: run.gripper.told for side, run in runs.items()})
        due = max(due + PERIOD, now)
        clock.sleep_until(due)
    if failed:
        raise next(iter(failed.values()))
    if progress.delay > TELL:
        why = "states came late, or this process was held up"
        if any(run.eased for run in runs.values()):
            why = "it slowed down before a joint limit"
        LOG.warning("the motion took %.2f s longer: %s", progress.delay, why)


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
    """One arm in motion."""

    def __init__(
        self, limb: LinkedLimb, motion: Course, controller: Controller | None, options: Options
    ) -> None:
        self.limb, self.motion, self.controller = limb, motion, controller
        self._options = options
        self._zero = 0.0
        self.progress = Progress()
        self.off = 0.0
        self.gripper = GripperCommands(limb, openings_of(motion, limb))
        self._effort = limb.arm.limits.effort
        self.log = FaultLog(limb.side)
        self.eased = False
        self._sent: Array | None = None
        self._commands = Sent()

    def start(self, now: float, progress: Progress | None = None) -> None:
        """The motion starts now, by the link's clock; the robot's clock at that time is noted."""
        self.progress = Progress() if progress is None else progress
        state = self.limb.published
        self._zero = state.t + (now - state.arrived)

    def step(self, t: float) -> None:
        """Sends the command for the time `t` since the start [s]."""
        state = self.limb.published
        measured = self.progress.at(min(max(state.t - self._zero, 0.0), t))
        options, now = self._options, self.progress.at(t)
        wanted = self._sample(measured)
        plain = options.mode == "position" and not options.feed_forward and not self.controller
        self.off, refusal = off_the_motion(
            self.limb.arm, wanted, state.q, measured, options.path_tolerance, plain
        )
        if refusal is not None:
            raise refusal
        self.gripper.step(now)
        if self.controller is not None:
            self._commands.note(t, self._steer(self.controller, now, state.q, state.qd))
            return
        later = AHEAD[options.mode] * self.progress.pace if options.feed_forward else 0.0
        command = COMMANDS[options.mode](
            self.limb.arm.limits, wanted, self._sample(now + later), state.q, options.feed_forward
        )
        if options.mode == "velocity":
            command = self._send_velocity(command)
        else:
            self.limb.command_position(command, raw=options.mode == "raw position")
        self._commands.note(t, command)

    def carried(self, rules: Rules) -> float:
        """Time for which the arm goes on by itself when commands fail to come [s]."""
        if self.controller is not None:
            return rules.torque_timeout
        return rules.timeout if self._options.mode == "velocity" else LATE

    def _send_velocity(self, wanted: Array) -> Array:
        """Sends velocities, slower before a limit; then the whole motion slows down too.

        Returns:
            What was sent.
        """
        limits, timeout = self.limb.arm.limits, self.limb._gate.rules.timeout
        sent = eased(self.limb.published, self._sent, wanted, limits, timeout)
        lost = np.abs(wanted - sent)
        if lost.max() > EASED:
            j = int(np.argmax(lost))
            self.progress.ease(float(sent[j] / wanted[j]))
            self.eased = True
        self._sent = sent
        self.limb.command_velocity(sent)
        return sent

    def _sample(self, t: float | Array) -> Sample:
        """The motion at a time along it, at the present pace."""
        sample, pace = self.motion.sample(t), self.progress.pace
        return Sample(sample.q, pace * sample.qd, pace * pace * sample.qdd)

    def _steer(self, controller: Controller, t: float, q: Array, qd: Array) -> Array:
        """Sends the torques of a controller, and returns them."""
        wanted, pace = self._sample(t), self.progress.pace
        reference = Reference(
            wanted.q, wanted.qd, wanted.qdd, ahead=lambda later: self._sample(t + pace * later)
        )
        try:
            tau = controller.update(State(q, qd), reference, PERIOD)
            tau = self.limb.arm.model.joint_values(tau, "torques of the controller", nan=True)
        except Exception as error:
            what = "" if isinstance(error, BaxterkitError) else f"{type(error).__name__}: "
            raise RefusedError(
                "controller",
                f"the {self.limb.side} arm's controller failed at {t:.2f} s: {what}{error}",
            ) from error
        self._check_torques(tau, t)
        within: Array = np.clip(tau, -self._effort, self._effort)
        self.limb.command_torque(within)
        return within

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

    def followed(self, recorder: Recorder) -> Followed:
        """What became of it: states within the motion, with the wanted ones at their times."""
        side = self.limb.side
        stamps, columns = recorder.stamped(side)
        t: Array = 1e-9 * stamps.astype(np.float64) - self._zero
        s = self.progress.at_all(t)
        rows = (t >= 0.0) & (s <= self.motion.duration)
        t, s, (q, qd, tau) = t[rows], s[rows], (column[rows] for column in columns)
        if not len(t):  # it was over before a state came
            last = self.limb.published
            t, s = np.array([max(last.t - self._zero, 0.0)]), np.array([self.motion.duration])
            q, qd, tau = last.q[None], last.qd[None], last.tau[None]
        wanted = self.motion.sample(s)
        found = saturation(t, tau, self._effort, self.limb.arm.joint_names)
        if found is not None:
            self.log.note("saturated", *found)
        rules = self.limb._gate.rules
        timeout = rules.timeout if self.controller is None else rules.torque_timeout
        command, held = self._commands.at(t, timeout)
        here, there = tips(self.limb.arm, np.stack([q, wanted.q]))
        reference = Recording(
            t=t, q=wanted.q, qd=wanted.qd, qdd=wanted.qdd, **there, side=side, source="reference"
        )
        return Followed(
            t=t,
            q=q,
            qd=qd,
            tau=tau,
            **here,
            side=side,
            source="robot",
            reference=reference,
            command=command,
            held=held,
            delay=self.progress.delay,
            faults=self.log.faults,
        )


def _set_ratio(limb: LinkedLimb, ratio: float) -> None:
    with suppress(RefusedError):
        limb.speed_ratio = ratio

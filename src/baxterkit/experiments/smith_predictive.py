"""Smith et al. 2016 in the twin: predictive control, which the introduction names as a use.

The three sets, sped up, with effort limits below what the motions need: the double-loop PID,
clipped computed torque and predictive control with the same gains and the same model.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.control import ArmState, ComputedTorque, Controller, DoubleLoopPid, Predictive
from baxterkit.control.signals import Reference, forget
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.smith_figures import limit_figure
from baxterkit.experiments.smith_twin import SIDE, cut
from baxterkit.robot import Followed
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import Trajectory, smith_set
from baxterkit.types import Array, JointVector

TITLE = "Smith et al. 2016: predictive control at the torque limits, in the twin"
SPEED = {1: 2.5, 2: 1.4, 3: 5.0}
"""Factors by which the sets are sped up: as far as joint velocities allow, but for the slow set."""
DURATION = 5.0
"""Length of a run [s]; about two periods of set 1, three switches of set 2."""
QUICK = 1.2
SHARE = 0.6
"""Share of the torques of motion, beyond those that hold the arm, that the limits leave."""
ARM_JOINTS = 4
"""The limits of s0, s1, e0 and e1 are lowered; those of the wrist stay."""
AT_LIMIT = 1.0 - 1e-6
"""A command above this share of its limit counts as limited."""
RATE = 1000.0
NAMES = ("double-loop PID", "computed torque, clipped", "predictive")


@dataclass(frozen=True, eq=False)
class LimitedRun:
    """One controller on one motion.

    Attributes:
        recording: What happened.
        effort: The limits [N m], shape (7,).
        seconds: Processor time of each update [s], shape (n,).
    """

    recording: Followed
    effort: JointVector
    seconds: Array

    @property
    def limited(self) -> NDArray[np.bool_]:
        """Rows in which some joint's command is at its limit, shape (n,) of bool."""
        high = np.abs(self.recording.command) >= AT_LIMIT * self.effort
        return np.asarray(high.any(axis=1))

    def rms(self, rows: NDArray[np.bool_] | None = None) -> float:
        """Root mean square of the joints' true errors [rad], over some rows or all."""
        error = self.recording.error if rows is None else self.recording.error[rows]
        return float(np.sqrt(np.mean(error**2)))

    @property
    def greatest(self) -> float:
        """The largest command as a share of its limit."""
        return float((np.abs(self.recording.command) / self.effort).max())


def limited_effort(arm: Arm, motion: Trajectory, share: float = SHARE) -> JointVector:
    """Limits that the motion exceeds: what holds the arm, and a share of the torques of motion.

    Args:
        arm: The arm, with its effects.
        motion: The motion.
        share: The share that is left of each joint's greatest torque of motion.

    Returns:
        Limits [N m], shape (7,); those of the wrist are the arm's own.
    """
    _, q, qd, qdd = motion.at_rate(200.0)
    still = np.zeros_like(q)
    hold = arm.inverse_dynamics(q, still, still)
    moving = np.abs(arm.inverse_dynamics(q, qd, qdd) - hold).max(axis=0)
    effort: JointVector = np.minimum(np.abs(hold).max(axis=0) + share * moving, arm.limits.effort)
    effort[ARM_JOINTS:] = arm.limits.effort[ARM_JOINTS:]
    return effort


def run(settings: Settings) -> Result:
    """Runs every controller on every set; see `baxterkit.experiments`."""
    arm = with_known_effects(Arm(SIDE))
    twin = Twin(arm, seed=settings.seed).enable()
    rows: list[Row] = []
    figures = {}
    better, greatest = [], []
    for number, speed in SPEED.items():
        settings.progress(f"smith_predictive: set {number}", (number - 1) / 3)
        whole = smith_set(number, arm, method="resolved_rate").stretched(1.0 / speed)
        motion = cut(whole, QUICK if settings.quick else DURATION)
        effort = limited_effort(arm, motion)
        laws: tuple[Controller, ...] = (
            DoubleLoopPid(arm, effort=effort),
            ComputedTorque(arm, effort=effort),
            Predictive(arm, effort=effort),
        )
        runs = dict(
            zip(NAMES, (limited_run(twin, law, motion, effort) for law in laws), strict=True)
        )
        rows += _rows(number, speed, runs)
        clipped, predictive = runs[NAMES[1]], runs[NAMES[2]]
        better.append(predictive.rms(clipped.limited) < clipped.rms(clipped.limited))
        greatest.append(max(one.greatest for one in runs.values()))
        figures[f"set{number}"] = limit_figure(number, speed, runs)
    rows += _claims(better, max(greatest))
    return Result("smith_predictive", TITLE, rows, figures, _notes(), is_synthetic=True)


def limited_run(twin: Twin, law: Controller, motion: Trajectory, effort: JointVector) -> LimitedRun:
    """Follows a motion under a controller that is timed."""
    timed = _Timed(law)
    twin.record_rate = RATE
    recording = twin.place_at(motion).follow(motion, timed, path_tolerance=np.inf, settle=0.0)[SIDE]
    return LimitedRun(recording, effort, np.array(timed.seconds))


class _Timed:
    """A controller whose updates are timed, by the processor time of this thread."""

    def __init__(self, law: Controller) -> None:
        self._law = law
        self.seconds: list[float] = []

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """The torques of the controller."""
        start = time.thread_time()
        tau = self._law.update(state, reference, dt)
        self.seconds.append(time.thread_time() - start)
        return tau

    def reset(self) -> None:
        """Resets the controller."""
        forget(self._law)


def _rows(number: int, speed: float, runs: dict[str, LimitedRun]) -> list[Row]:
    clipped = runs[NAMES[1]].limited
    values = list(runs.values())
    effort = " ".join(f"{x:.1f}" for x in values[0].effort[:ARM_JOINTS])
    table = Section(
        f"Set {number}, {speed:g} times as fast, s0 s1 e0 e1 limited to {effort} N m: "
        f"{', '.join(NAMES)}"
    )
    numbers: dict[str, Callable[[LimitedRun], float]] = {
        "RMS joint error, whole run [mrad]": lambda one: 1e3 * one.rms(),
        "RMS joint error, while computed torque is limited [mrad]": lambda one: (
            1e3 * one.rms(clipped)
        ),
        "time at a limit [%]": lambda one: 100.0 * float(one.limited.mean()),
        "largest command, share of its limit": lambda one: one.greatest,
        "update, median [µs]": lambda one: 1e6 * float(np.median(one.seconds)),
        "update, 99th percentile [µs]": lambda one: 1e6 * float(np.percentile(one.seconds, 99)),
    }
    return [table.show(what, [of(one) for one in values], NAMES) for what, of in numbers.items()]


def _claims(better: list[bool], greatest: float) -> list[Row]:
    table = Section("What predictive control must show")
    return [
        table.show("no command beyond its limit; largest share", greatest),
        table.claim(
            "the model serves predictive control: smaller errors at the limits",
            "named as a use (I)",
            f"in {sum(better)} of {len(better)} sets",
            all(better) and greatest <= 1.0,
        ),
    ]


def _notes() -> tuple[str, ...]:
    return (
        "All of it is simulated. The paper names predictive control as a use of the model and does "
        "not try it, so it has no number to compare.",
        "The limits are those of the command: for each of s0, s1, e0 and e1 the torque that holds "
        f"the arm anywhere on its path, and {SHARE:g} of what the motion adds. All controllers "
        "know the twin's parameters. Torques in the twin's flexures lag and overshoot the "
        "commands; no controller here bounds those.",
        "Computed torque and predictive control have the same gains. Clipping changes the torque "
        "of one joint and so the accelerations of all, and the arm falls behind; predictive "
        "control starts earlier and trades the errors of all joints off.",
    )

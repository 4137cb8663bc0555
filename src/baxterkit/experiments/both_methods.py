"""Torques of a recorded motion by both methods, beside those that were sensed (Smith et al. 2016).

One object holds one set of rows, filtered or not, so that all numbers of a table come from the same
errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.codegen.exports import export
from baxterkit.experiments.smith_paper import TOLERANCE
from baxterkit.identify.preparation import inside, smooth_motion
from baxterkit.identify.scores import Scores
from baxterkit.recording import Recording
from baxterkit.recording.signals import low_pass
from baxterkit.types import Array, JointVector

FILTER_ORDER = 4
EDGE = 1.0
"""Time left out at both ends of filtered torques [s]: the filter is inaccurate there."""
GAP = 1.5
"""Rows further apart than this many periods have no difference between them."""
PACKAGE = "roboticstoolbox-python"


@dataclass(frozen=True, eq=False)
class Torques:
    """Sensed torques, and those of the recorded motion by both methods, shape (n, 7).

    Attributes:
        t: Times [s], shape (n,).
        sensed: Sensed torques [N m].
        lagrange: Torques of the motion by Lagrange-Euler [N m].
        newton_euler: Torques of the motion by Newton-Euler [N m].
    """

    t: Array
    sensed: Array
    lagrange: Array
    newton_euler: Array

    @property
    def scores(self) -> tuple[Scores, Scores]:
        """Scores of Lagrange-Euler and Newton-Euler."""
        return Scores.of(self.sensed, self.lagrange), Scores.of(self.sensed, self.newton_euler)

    @property
    def largest(self) -> JointVector:
        """The largest error of each joint by Lagrange-Euler [N m], shape (7,)."""
        largest: JointVector = np.abs(self.sensed - self.lagrange).max(axis=0)
        return largest

    @property
    def beyond(self) -> JointVector:
        """Rows with errors beyond the paper's ±1.5 N m [%], joint by joint, shape (7,)."""
        beyond: JointVector = 100.0 * np.mean(
            np.abs(self.sensed - self.lagrange) > TOLERANCE, axis=0
        )
        return beyond

    @property
    def moving(self) -> JointVector:
        """Range of the sensed torque of each joint [N m], shape (7,)."""
        moving: JointVector = self.sensed.max(axis=0) - self.sensed.min(axis=0)
        return moving

    def filtered(self, hz: float) -> Torques:
        """A copy through a zero-phase low-pass, without its ends."""
        kept = (self.t >= self.t[0] + EDGE) & (self.t <= self.t[-1] - EDGE)

        def smooth(x: Array) -> Array:
            y: Array = low_pass(self.t, x, hz, FILTER_ORDER)[kept]
            return y

        return Torques(
            self.t[kept], smooth(self.sensed), smooth(self.lagrange), smooth(self.newton_euler)
        )

    def rows(self, kept: NDArray[np.bool_]) -> Torques:
        """Some of the rows."""
        return Torques(
            self.t[kept], self.sensed[kept], self.lagrange[kept], self.newton_euler[kept]
        )

    def until(self, t: float) -> Torques:
        """The rows up to a time [s]."""
        return self.rows(self.t <= t)


def torques_of(recording: Recording, arm: Arm) -> Torques:
    """Torques of a recorded motion as the paper has them: accelerations by first differences.

    A difference belongs to the middle of its two rows, so everything is taken there, as the mean of
    both; at the later row, accelerations would be late by half a period. Nothing else is filtered.

    Args:
        recording: With `qd` and `tau`.
        arm: The model.
    """
    qd, tau = recording.required("qd"), recording.required("tau")
    step = np.diff(recording.t)
    kept = step <= GAP * np.median(step)
    q, qd_middle, sensed, t = (
        (0.5 * (x[1:] + x[:-1]))[kept] for x in (recording.q, qd, tau, recording.t)
    )
    qdd = np.diff(qd, axis=0)[kept] / step[kept, None]
    return _both(arm, t, q, qd_middle, qdd, sensed)


def smooth_torques_of(recording: Recording, arm: Arm, hz: float, memory: bool = False) -> Torques:
    """Torques of a recorded motion, everything through one zero-phase low-pass, without its ends.

    Args:
        recording: With `tau`.
        arm: The model.
        hz: Cut-off frequency [Hz].
        memory: Whether to include friction with memory, if the arm's effects have it.
    """
    smooth = smooth_motion(recording, hz)
    qd, qdd, tau = (smooth.required(name) for name in ("qd", "qdd", "tau"))
    values = _both(arm, smooth.t, smooth.q, qd, qdd, tau)
    effects = arm.effects
    if memory and effects is not None and effects.hysteresis is not None:
        for run in smooth.segments:
            more = effects.torque_along(smooth.q[run], qd[run]) - effects.torque(
                smooth.q[run], qd[run]
            )
            values.lagrange[run] += more
            values.newton_euler[run] += more
    return values.rows(inside(smooth))


def newton_euler(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """The RN-E column: by the Robotics Toolbox, as in the paper, or by our own recursion."""
    if toolbox_version() is None:
        return arm.inverse_dynamics(q, qd, qdd)
    return toolbox_torques(arm, q, qd, qdd)


def newton_euler_note() -> str:
    """Who computed the RN-E column."""
    version = toolbox_version()
    if version is None:
        return (
            "RN-E is our own Newton-Euler recursion: the Robotics Toolbox, which the paper used, "
            "is not installed (pip install roboticstoolbox-python). Kept results with it agree to "
            "4e-14 N m."
        )
    return f"RN-E is `rne` of the Robotics Toolbox for Python {version}, fed by our export."


def _both(arm: Arm, t: Array, q: Array, qd: Array, qdd: Array, sensed: Array) -> Torques:
    return Torques(
        t=t,
        sensed=sensed,
        lagrange=arm.inverse_dynamics(q, qd, qdd, method="lagrange"),
        newton_euler=newton_euler(arm, q, qd, qdd),
    )


def toolbox_version() -> str | None:
    """The version of the Robotics Toolbox for Python; None if it is not installed."""
    try:
        found = find_spec("roboticstoolbox") is not None
        return metadata.version(PACKAGE) if found else None
    except (ModuleNotFoundError, metadata.PackageNotFoundError):
        return None


def toolbox_torques(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """Torques of a motion by the toolbox's `rne`, for the arm that `baxterkit export` gives it.

    Args:
        arm: The arm. The toolbox takes rigid links only; joint effects are added to its torques.
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        qdd: Joint accelerations [rad/s²], shape (n, 7).

    Returns:
        Torques [N m], shape (n, 7).
    """
    names: dict[str, object] = {}
    text = export("dh", "rtb", arm.with_effects(None), name="toolbox_arm")
    exec(compile(text, "toolbox_arm", "exec"), names)  # our own export, as a user runs it
    robot = names["toolbox_arm"]
    tau: Array = np.asarray(robot.rne(q, qd, qdd))  # type: ignore[attr-defined]
    return tau if arm.effects is None else tau + arm.effects.torque(q, qd)

"""Errors of predicted torques, joint by joint."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError
from baxterkit.identify.preparation import (
    EDGE,
    as_list,
    check_arm,
    inside,
    rates,
    smooth_motion,
    velocity_delay,
)
from baxterkit.identify.threads import on_one_thread
from baxterkit.recording import signals
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.recording import Recording

STEADY = 1e-6
"""Torques whose standard deviation is below this [N m] do not change."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Errors of predicted torques, shape (7,) each, order s0 s1 e0 e1 w0 w1 w2.

    Attributes:
        r2: Share of the variance that is explained; 1 is perfect, below 0 is worse than the mean; 0
            for a wrong prediction of constant torques.
        mae: Mean absolute error [N m].
        rmse: Root mean square error [N m].
        mean: Mean of measured less predicted [N m], signed, as Smith et al. print it.
        rows: Number of rows.
    """

    r2: JointVector
    mae: JointVector
    rmse: JointVector
    mean: JointVector
    rows: int

    @classmethod
    def of(cls, measured: Array, predicted: Array) -> Scores:
        """Scores of predictions against what was measured, shape (n, 7) each [N m]."""
        rest = measured - predicted
        left = np.sum(rest**2, axis=0)
        spread = np.sum((measured - measured.mean(axis=0)) ** 2, axis=0)
        changes = spread > STEADY**2 * len(rest)
        return cls(
            r2=np.where(changes | (left == 0.0), 1.0 - left / np.where(changes, spread, 1.0), 0.0),
            mae=np.abs(rest).mean(axis=0),
            rmse=np.sqrt(np.mean(rest**2, axis=0)),
            mean=rest.mean(axis=0),
            rows=len(rest),
        )

    def as_dict(self) -> dict[str, object]:
        """For JSON and robot files."""
        names = ("r2", "mae", "rmse", "mean")
        return {name: getattr(self, name).tolist() for name in names} | {"rows": self.rows}

    def __str__(self) -> str:
        r2 = " ".join(f"{x:7.4f}" for x in self.r2)
        mae = " ".join(f"{x:7.4f}" for x in self.mae)
        return f"R² {r2}   MAE {mae} N m"


def predict(arm: Arm, motion: Recording, memory: bool = True) -> JointVector:
    """Torques of a model along a motion [N m], shape (n, 7).

    Args:
        arm: The model.
        motion: A recording with q, qd and qdd, as `identify.smooth_motion` gives it. If it was
            filtered (`Recording.filtered`), velocities that lag are aligned and dry friction is
            filtered likewise: both are what filtered torques show.
        memory: Whether to include all that, and friction with memory and the sensors' cross-talk
            and lag if the arm's effects have them; without, the torques are those of
            `arm.inverse_dynamics`.

    Raises:
        InputError: If the recording has no velocities or accelerations, or is of the other arm.
    """
    check_arm(arm, motion)
    if motion.qd is None or motion.qdd is None:
        raise InputError("a prediction needs qd and qdd; pass the recording through smooth_motion")
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    if not memory or arm.effects is None:
        return arm.inverse_dynamics(q, qd, qdd)
    if np.isfinite(motion.cutoff):
        qd = signals.advanced(motion.t, qd, velocity_delay(motion))
        motion = dataclasses.replace(motion, qd=qd)
    rigid = arm.with_effects(None).inverse_dynamics(q, qd, qdd)
    tau = rigid + _standing(arm.effects, motion) + friction_along(arm.effects, motion)
    sensing = arm.effects.sensing
    if sensing is None:
        return tau
    shown = tau + sensing.across(rigid, qd)
    if np.isfinite(motion.cutoff):
        shown += rates(motion.t, tau)[1] @ sensing.shaking.T
    for j, lag in enumerate(sensing.lag):
        shown[:, j] = signals.advanced(motion.t, shown[:, j], -lag)
    return shown


def friction_along(effects: JointEffects, motion: Recording) -> JointVector:
    """Friction along a motion with its memory [N m], shape (n, 7).

    It is sharper than the motion it is computed from. Where that was filtered, dry friction is
    filtered likewise, as the torques are that it is to explain.
    """
    q, qd = motion.q, motion.required("qd")
    viscous = qd * (effects.hysteresis or effects).viscous
    along = [effects.torque_along(q[run], qd[run]) for run in motion.segments]
    dry = np.concatenate(along) - _standing(effects, motion) - viscous
    if np.isfinite(motion.cutoff):
        dry = signals.low_pass(motion.t, dry, motion.cutoff)
    friction: JointVector = dry + viscous
    return friction


def _standing(effects: JointEffects, motion: Recording) -> JointVector:
    """Torques of springs and bias [N m], shape (n, 7)."""
    return effects.spring_torque(motion.q) + effects.bias


@on_one_thread
def score(
    arm: Arm,
    recordings: Recording | Sequence[Recording],
    *,
    hz: float = 5.0,
    memory: bool = True,
) -> Scores:
    """Errors of an arm's predicted torques on recordings, preferably not those of its fit.

    Args:
        arm: The model.
        recordings: One or more recordings with torques; raw, they are aligned and filtered here.
        hz: Cut-off of the zero-phase low-pass on both sides of the comparison [Hz].
        memory: Whether to include friction with memory; without, the score is that of
            `arm.inverse_dynamics` row by row.

    Raises:
        InputError: If a recording has no torques, is too short, or is of the other arm.
    """
    measured, predicted = [], []
    chosen = as_list(recordings)
    check_arm(arm, chosen)
    for recording in chosen:
        if recording.tau is None:
            raise InputError(f"{recording.source or 'a recording'} holds no torques (tau)")
        smooth = smooth_motion(recording, hz)
        assert smooth.tau is not None
        tau = predict(arm, smooth, memory)
        rows = inside(smooth)
        measured.append(smooth.tau[rows])
        predicted.append(tau[rows])
    if not any(map(len, measured)):
        raise InputError(
            f"a score needs a recording with a stretch longer than {2 * EDGE:g} s without a gap"
        )
    return Scores.of(np.concatenate(measured), np.concatenate(predicted))

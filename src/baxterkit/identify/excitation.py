"""Whether a motion excites the arm's parameters, and what to move otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.identify.day_fit import NOISE
from baxterkit.identify.preparation import FitRows
from baxterkit.identify.scores import STEADY, Scores
from baxterkit.model.model import Limits
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, JointVector

SPAN = 0.5
"""A joint should move through more than this [rad]."""
SPEED = 0.2
"""And reach more than this speed [rad/s] both ways."""
MINUTES = 2.0
"""Recordings should last longer than this in all [min]."""
UNSEEN = 1e-6
"""A parameter whose column is shorter than the longest by this factor is not excited."""
LARGE_CONDITION = 200.0
"""Condition number beyond which some parameters depend on the prior."""
ENOUGH = 0.8
"""A model explains at least this share of a joint's torques: that of a real arm 0.95 or more, in
8 s of motion 0.88; with two joints exchanged or a sign reversed some joint has less."""
EXPLAINED = 0.5
"""A model that explains less than this share of a joint's torques explains nothing."""
MISFIT = 3.0
"""Residuals below this many times those of a real arm (`day_fit.NOISE`) are noise ..."""
LASTING_MISFIT = 2.0
"""... and so are those which are smaller than this many times them without contact and faults."""
HOLDING = 0.05
"""A joint that moves through less than this [rad] stands on its friction, which holds anything: its
residual is judged only above the same share of its greatest torque."""
RESTED = 0.1
"""An arm of which no joint moves through more than this [rad] rested."""
BEYOND = 0.1
"""Positions this far beyond the limits [rad] are taken to be misread."""


@dataclass(frozen=True, eq=False)
class Excitation:
    """How well a motion excites the parameters.

    Attributes:
        condition: Condition number of the regressor of the base parameters, each column scaled to
            length one; parameters that no motion excites are left out.
        learnt: Share of each base parameter that comes from the data; the rest comes from the
            prior, shape (45,), 0 to 1.
        span: Range of each joint [rad], shape (7,).
        speed: The slower of the greatest speeds either way [rad/s], shape (7,).
        minutes: Time that was used [min].
        advice: Remedies for weak data; empty if there is no weakness.
        doubts: Those of the advice which say that the data was misread, or that the arm rested: a
            model of it is wrong.
    """

    condition: float
    learnt: Array
    span: JointVector
    speed: JointVector
    minutes: float
    advice: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def excitation(
    motion: FitRows,
    information: Array,
    prior: Array,
    count: int,
    rejected: Array,
    explained: Scores,
    noise: JointVector,
    limits: Limits,
) -> Excitation:
    """Judges a motion.

    Args:
        motion: The rows.
        information: Information matrix of the data, base parameters first.
        prior: Information that was there before.
        count: Number of base parameters.
        rejected: Part of the rows that fitted badly, for each joint, shape (7,).
        explained: How well the fit predicts these rows.
        noise: Standard deviation of its residuals without contact and faults [N m], shape (7,).
        limits: Limits of the arm.
    """
    rigid = information[:count, :count]
    size = np.sqrt(np.diag(rigid))
    shown = size > UNSEEN * size.max()  # link 1's first moments if the mount is upright
    rigid = rigid[np.ix_(shown, shown)] / np.outer(size[shown], size[shown])
    values = np.maximum(np.linalg.eigvalsh(rigid), 1e-30)
    covariance = np.linalg.inv(information + prior)[:count, :count]
    before = np.linalg.inv(prior)[:count, :count]
    learnt = 1.0 - np.clip(np.diag(covariance) / np.diag(before), 0.0, 1.0)
    span = np.ptp(motion.q, axis=0)
    speed = np.minimum(motion.qd.max(axis=0), -motion.qd.min(axis=0))
    minutes = len(motion) * motion.step / 60.0
    advice = []
    if minutes < 0.9 * MINUTES:  # the edges that were left out are forgiven
        time = f"{minutes:.1f} min" if minutes >= 0.1 else f"{60.0 * minutes:.1f} s"
        advice.append(f"{time} of motion is little; record {MINUTES:g} min or more")
    for name, moved, fast, bad in zip(JOINTS, span, speed, rejected, strict=True):
        if moved < SPAN:
            advice.append(f"{name} moves through {moved:.2f} rad; let it move {SPAN:g} rad or more")
        elif fast < SPEED:
            advice.append(
                f"{name} reaches {max(fast, 0.0):.2f} rad/s in one direction; let it reach "
                f"{SPEED:g} rad/s both ways"
            )
        if bad > 0.05:
            advice.append(f"{100 * bad:.0f} % of the torques of {name} do not fit: was it touched?")
    doubts = _misread(motion, span, explained, noise, limits)
    advice += doubts
    condition = float(np.sqrt(values[-1] / values[0]))
    if condition > LARGE_CONDITION:
        advice.append(
            f"condition number {condition:.3g}: some parameters depend on the prior; add motions "
            "in other configurations, with joints moving one against the other"
        )
    return Excitation(condition, learnt, span, speed, minutes, tuple(advice), tuple(doubts))


def _misread(
    motion: FitRows, span: JointVector, explained: Scores, noise: JointVector, limits: Limits
) -> list[str]:
    """Signs of an arm that rested, or of a wrong joint order, sign or unit."""
    advice = []
    if span.max() < RESTED:
        advice.append(
            f"the arm rested: no joint moves through more than {span.max():.2g} rad, and torques "
            "of one configuration give no model; record a motion of all joints (identify."
            "exciting_motion), or take the zero of the sensors alone (identify.offsets, --tare)"
        )
    low, high = motion.q.min(axis=0), motion.q.max(axis=0)
    for j, name in enumerate(JOINTS):
        if low[j] < limits.lower[j] - BEYOND or high[j] > limits.upper[j] + BEYOND:
            advice.append(
                f"{name} moves from {low[j]:.2f} to {high[j]:.2f} rad, its limits are "
                f"{limits.lower[j]:.2f} and {limits.upper[j]:.2f}: are joints and units right?"
            )
        if np.std(motion.tau[:, j]) <= STEADY:
            advice.append(f"the torque of {name} never changes: is its sensor on, or saturated?")
    return [*advice, *_unexplained(span, explained, noise, limits)]


def _unexplained(
    span: JointVector, explained: Scores, noise: JointVector, limits: Limits
) -> list[str]:
    """Joints of which the model explains too little for an arm."""
    found = []
    for j, name in enumerate(JOINTS):
        r2, rest = float(explained.r2[j]), float(explained.rmse[j])
        # Contact and faults are part of R², not of the noise: below zero nothing excuses the model.
        lasts = r2 < 0.0 or noise[j] > LASTING_MISFIT * NOISE[j]
        judged = rest > MISFIT * NOISE[j] and lasts
        if span[j] < HOLDING:
            judged = rest > HOLDING * limits.effort[j]
        if r2 >= ENOUGH or not judged:
            continue
        little = "no model explains" if r2 < EXPLAINED else "no model explains enough of"
        found.append(
            f"{little} the torques of {name} (R² = {r2:.2f}): are joints, signs and units right, "
            "and is the torque saturated?"
        )
    return found

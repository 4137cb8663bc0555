"""The dynamics of a robot's arm from recorded motions and torques.

Torques are linear in base parameters, tilt of gravity, springs, bias and friction, so one robust
least squares fit with a prior (the model that is given) finds them all; speed and travel of
friction, which are not linear, are searched in between. At the end, physically consistent links are
found, and the joints' parameters are fitted once more around them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.equations.base_parameters import base_parameter_map
from baxterkit.errors import InputError
from baxterkit.identify.columns import JOINT_COLUMNS, Prior
from baxterkit.identify.consistency import parameters_of
from baxterkit.identify.copies import copies
from baxterkit.identify.dynamics_fit import DynamicsFit, Load
from baxterkit.identify.excitation import Excitation, excitation
from baxterkit.identify.faults import clock_doubts, noted, other_zeros, signal_faults, strangers
from baxterkit.identify.mixups import find_mixup
from baxterkit.identify.preparation import (
    UNKNOWN_SIDE,
    FitRows,
    as_list,
    check_arm,
    prepare,
    side_of,
    velocity_delay,
)
from baxterkit.identify.scores import Scores
from baxterkit.identify.stages import BASE, BodyFit, FreeFit, Progress, Task, body_fit, free_fit
from baxterkit.identify.threads import on_one_thread
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.recording import Recording

SPLIT = [JOINT_COLUMNS.index(name) for name in ("coulomb", "hysteresis", "hysteresis_slope")]
MARGIN = 1.15
"""Standard errors are larger by this than residuals, prior and filter say: links and friction bend
what the fit takes for straight. Chosen on simulated arms with real residuals."""
TURN = 4e-4
"""Distance between the places where a filtered motion and the joint itself turn [rad]. Dry friction
and friction with memory of a short travel are hard to tell apart by it: the share of this distance
in the travel is uncertain in both."""


@unwarned()  # the fit's advice covers units that look wrong
@on_one_thread
def dynamics(
    recordings: Recording | Sequence[Recording],
    arm: Arm | None = None,
    *,
    hz: float = 5.0,
    prior: Prior | None = None,
    with_memory: bool = True,
    robust: bool = True,
    progress: Progress | None = None,
) -> DynamicsFit:
    """Identifies an arm: link inertias, gravity's direction, springs, friction, bias and load.

    Args:
        recordings: One or more recordings of the same arm with `q` and `tau`, and `qd` if possible:
            some minutes of motion of all joints, nothing touched. Contact and faults are found and
            left out.
        arm: The model to start from, which is also the prior for what the data does not determine:
            its mount, tool and inertias. The nominal arm of that side if None.
        hz: Cut-off of the zero-phase low-pass on motions and torques [Hz].
        prior: Uncertainty of the start; the defaults suit a Baxter with an unknown tool.
        with_memory: Whether friction may have a memory (`JointEffects.hysteresis`).
        robust: Whether rows that do not fit are given little weight.
        progress: Called with a description of the current step, and the share done, 0 to 1.

    Returns:
        The fit: `.arm`, scores, standard errors, advice.

    Raises:
        InputError: If a recording has no torques, is too short, or is of the other arm.
    """
    tell = progress or (lambda _text, _part: None)
    chosen = as_list(recordings)
    given = _start(chosen, arm)
    prior = prior or Prior()
    tell("reading the motion", 0.0)
    motion = prepare(chosen, hz)
    task = Task(
        given,
        motion,
        prior,
        prior.information(given),
        with_memory,
        robust,
        motion.torque_rates(),
    )
    free = free_fit(task, tell)
    final = body_fit(task, free, tell)
    scores = _scores(motion, given, free, final)
    std = MARGIN * np.sqrt(np.diag(free.covariance) + free.shift**2)
    joint_std = std[BASE + 2 :].reshape(7, -1)[:, : len(JOINT_COLUMNS)]
    joint_std = np.hypot(joint_std, free.spread)
    joint_std[:, SPLIT] = np.hypot(joint_std[:, SPLIT], _split(final.arm))
    rejected = np.mean(final.solution.weights < 0.1, axis=0)
    judged = excitation(
        motion,
        free.solution.information,
        task.information,
        BASE,
        rejected,
        scores["consistent"],
        final.solution.sigma,
        given.limits,
    )
    mixup = find_mixup(given, motion, prior) if judged.doubts else None
    tell("done", 1.0)
    return DynamicsFit(
        arm=final.arm,
        scores=scores,
        beta=free.beta,
        beta_std=std[:BASE],
        effects_std={name: joint_std[:, k] for k, name in enumerate(JOINT_COLUMNS)},
        tilt=_angle(given.model.gravity, final.arm.model.gravity),
        load=_load(given, final.arm, free.sure, prior),
        noise=final.solution.sigma,
        rejected=rejected,
        excitation=_with_faults(
            judged,
            chosen,
            [] if mixup is None else [mixup],
            strangers(motion, motion.tau - free.tau, free.alone, free.parts, chosen),
            other_zeros(motion, final.tau, final.solution.sigma, chosen),
        ),
        delays=tuple(velocity_delay(recording, hz) for recording in chosen),
        sources=tuple(recording.source for recording in chosen),
        hz=hz,
    )


def _with_faults(
    judged: Excitation,
    recordings: Sequence[Recording],
    mixups: list[str],
    strange: list[str],
    zeros: list[str],
) -> Excitation:
    """The judgement of the motion with mix-ups, faults of signals, unlike and equal recordings."""
    faults = [text for one in recordings for text in signal_faults(one)]
    jumps = [text for one in recordings for text in clock_doubts(one)]
    return dataclasses.replace(
        judged,
        advice=(
            *copies(recordings),
            *judged.advice,
            *mixups,
            *faults,
            *strange,
            *zeros,
            *jumps,
            *noted(recordings),
        ),
        doubts=(*mixups, *judged.doubts, *faults, *strange),
    )


def _scores(motion: FitRows, given: Arm, free: FreeFit, final: BodyFit) -> dict[str, Scores]:
    """Scores of each model on the rows that were fitted."""
    before = given.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    predicted = {
        "before": before,
        "free": free.tau,
        "consistent": final.tau,
        "memoryless": final.memoryless_tau,
    }
    return {name: Scores.of(motion.tau, tau) for name, tau in predicted.items()}


def _start(recordings: Sequence[Recording], arm: Arm | None) -> Arm:
    """The arm to start from, without effects; its side must be that of all recordings."""
    if not recordings:
        raise InputError("identification needs at least one recording with torques")
    side = side_of(recordings)
    if arm is None:
        if side is None:
            raise InputError(f"{UNKNOWN_SIDE}, or give arm=")
        return Arm(side)
    check_arm(arm, recordings)
    return arm.with_effects(None)


def _load(given: Arm, fitted: Arm, information: Array, prior: Prior) -> Load:
    """Load of the last link beyond the given model."""
    mapping = base_parameter_map(given.model)
    sure = mapping.T @ information @ mapping + np.diag(prior.link_deviations(given) ** -2.0)
    std = float(np.sqrt(np.linalg.inv(sure)[-10, -10]))
    after, before = (parameters_of(a.model.link_inertials()[-1]) for a in (fitted, given))
    mass, moment = float(after[0] - before[0]), (after - before)[1:4]
    T_tip_last = inverse(given.model.T_last_tip)
    return Load(mass, std, T_tip_last[:3, :3] @ moment + mass * T_tip_last[:3, 3])


def _split(arm: Arm) -> Array:
    """Uncertainty of how friction divides into dry and with memory, as `SPLIT`, shape (7, 3)."""
    memory = None if arm.effects is None else arm.effects.hysteresis
    if memory is None:
        return np.zeros((7, len(SPLIT)))
    both = memory.coulomb + memory.torque
    sizes = np.stack([both, both, np.abs(memory.slope)], axis=1)
    split: Array = (TURN / memory.distance)[:, None] * sizes
    return split


def _angle(a: Array, b: Array) -> float:
    cross = float(np.linalg.norm(np.cross(a, b)))
    return float(np.arctan2(cross, float(a @ b)))

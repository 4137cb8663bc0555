"""The dynamics of a robot's arm from recorded motions and torques.

Torques are linear in base parameters, tilt of gravity, springs, bias and friction, so one robust
least squares fit with a prior (the model that is given) finds them all; the speed and the travel at
which friction turns round are searched in between. At the end, links are found that real bodies
could be, and the joints' parameters are fitted once more around them.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects
from baxterkit.equations.base_parameters import base_parameter_map, base_parameters
from baxterkit.errors import InputError, ModelError
from baxterkit.identify.columns import (
    JOINT_COLUMNS,
    Prior,
    across,
    joint_columns,
    memory,
    shared_columns,
)
from baxterkit.identify.consistency import consistent_links, parameters_of
from baxterkit.identify.dynamics_fit import DynamicsFit, Load
from baxterkit.identify.excitation import excitation
from baxterkit.identify.friction import best_shapes, memoryless
from baxterkit.identify.motion import Motion, as_list, prepare, velocity_delay
from baxterkit.identify.regression import Linear, Solution
from baxterkit.identify.scores import Scores
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.model import Inertial, Tool
from baxterkit.spatial import inverse
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.recording import Recording

__all__ = ["dynamics"]

BASE = 45
START_SPEED = 0.03
START_DISTANCE = 0.02
SEARCHES = 2
"""Rounds of searching friction's speed and travel."""
POSITIVE = tuple(JOINT_COLUMNS.index(name) for name in ("coulomb", "viscous", "hysteresis"))

Progress = Callable[[str, float], None]


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
        arm: The model to start from, and what is believed where data says nothing: its mount, tool
            and inertias. The nominal arm of that side if None.
        hz: Cut-off of the zero-phase low-pass on motions and torques [Hz].
        prior: How sure the start is; the defaults suit a Baxter with an unknown tool.
        with_memory: Whether friction may have a memory (`JointEffects.hysteresis`).
        robust: Whether rows that do not fit are given little weight.
        progress: Told what is being done, and which part of it is done, 0 to 1.

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
    information = prior.information(given)

    def solve(shared: Array, rest: Array, shapes: tuple[JointVector, JointVector]) -> Solution:
        count = shared.shape[-1]
        keep = np.r_[BASE + 2 - count : len(information)]
        columns = _columns(motion, shapes, with_memory)
        problem = Linear(
            shared,
            columns,
            rest,
            information[np.ix_(keep, keep)],
            prior.strengths,
            motion.block,
            POSITIVE,
        )
        return problem.solve(motion.runs, robust)

    # The free fit: base parameters, gravity's direction, joints.
    beta_given = base_parameters(given.model)
    shared = shared_columns(given, motion)
    rest = motion.tau - shared[..., :BASE] @ beta_given
    shapes = (np.full(7, START_SPEED), np.full(7, START_DISTANCE))
    for k in range(SEARCHES):
        tell("fitting", 0.1 + 0.2 * k)
        free = solve(shared, rest, shapes)
        left = rest - shared @ free.shared
        shapes = best_shapes(motion, left, free.weights, with_memory)
    tell("fitting", 0.5)
    free = solve(shared, rest, shapes)
    columns = _columns(motion, shapes, with_memory)
    free_tau = motion.tau - rest + shared @ free.shared + _sum(columns, free.joints)

    # Links that bodies could be, and the joints once more around them.
    tell("consistent link inertias", 0.6)
    posterior = free.information + information
    posterior[:BASE, :BASE] -= information[:BASE, :BASE]
    moved = np.r_[np.ones(BASE + 2), free.joints.ravel()] != 0.0  # what is held at zero is known
    sure = _marginal(posterior[np.ix_(moved, moved)], BASE)
    links = consistent_links(
        given.model.link_inertials(),
        base_parameter_map(given.model),
        beta_given + free.shared[:BASE],
        sure,
        prior.link_deviations(given),
    )
    tilted = _with_links(given, links, free.shared[BASE:])
    tell("fitting the joints around them", 0.8)
    shared = shared_columns(tilted, motion)
    rest = motion.tau - shared[..., :BASE] @ base_parameters(tilted.model)
    final = solve(shared[..., BASE:], rest, shapes)
    left = rest - shared[..., BASE:] @ final.shared
    coulomb, viscous = memoryless(motion, left - _sum(columns, final.joints, "bias"), final, shapes)
    effects = _effects(final.joints, shapes, coulomb, viscous, with_memory)
    fitted = _with_links(tilted, links, final.shared).with_effects(effects)

    tell("scores", 0.95)
    rigid = fitted.with_effects(None).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    scores = {
        "before": Scores.of(motion.tau, given.inverse_dynamics(motion.q, motion.qd, motion.qdd)),
        "free": Scores.of(motion.tau, free_tau),
        "consistent": Scores.of(motion.tau, rigid + _sum(columns, final.joints)),
        "memoryless": Scores.of(motion.tau, rigid + effects.torque(motion.q, motion.qd)),
    }
    std = np.sqrt(np.diag(free.covariance))
    joint_std = std[BASE + 2 :].reshape(7, len(JOINT_COLUMNS))
    rejected = np.mean(final.weights < 0.1, axis=0)
    tell("done", 1.0)
    return DynamicsFit(
        arm=fitted,
        scores=scores,
        beta=beta_given + free.shared[:BASE],
        beta_std=std[:BASE],
        effects_std={name: joint_std[:, k] for k, name in enumerate(JOINT_COLUMNS)},
        tilt=_angle(given.model.gravity, fitted.model.gravity),
        load=_load(given, fitted, sure, prior),
        noise=final.sigma,
        rejected=rejected,
        excitation=excitation(
            motion,
            free.information,
            information,
            BASE,
            rejected,
            scores["consistent"],
            given.limits,
        ),
        delays=tuple(velocity_delay(recording, hz) for recording in chosen),
        sources=tuple(recording.source for recording in chosen),
        hz=hz,
    )


def _start(recordings: Sequence[Recording], arm: Arm | None) -> Arm:
    """The arm to start from, without effects; its side must be that of all recordings."""
    sides = {recording.side for recording in recordings} - {None}
    if len(sides) > 1:
        raise InputError("recordings are of both arms; identify one arm at a time")
    side = next(iter(sides), None)
    if arm is None:
        if side is None:
            raise InputError(
                "the recordings do not say which arm they are of; load them with side='left' or "
                "'right', or give arm="
            )
        return Arm(side)
    if side is not None and side != arm.side:
        raise InputError(
            f"the recordings are of the {side} arm, the model is of the {arm.side} one"
        )
    return arm.with_effects(None)


def _columns(motion: Motion, shapes: tuple[JointVector, JointVector], with_memory: bool) -> Array:
    speed, distance = shapes
    state = memory(motion, distance) if with_memory else np.zeros_like(motion.q)
    return joint_columns(motion.q, motion.qd, state, speed)


def _sum(columns: Array, joints: Array, first: str | None = None) -> JointVector:
    """What the joints' parameters add [N m]; from column `first` up to the springs, if given."""
    part = slice(None) if first is None else slice(JOINT_COLUMNS.index(first), 5)
    added: JointVector = np.einsum("njk,jk->nj", columns[..., part], joints[:, part])
    return added


def _marginal(information: Array, count: int) -> Array:
    """Information about the first `count` parameters when the others are unknown."""
    inner, cross = information[:count, :count], information[:count, count:]
    reduced = inner - cross @ np.linalg.solve(information[count:, count:], cross.T)
    return 0.5 * (reduced + reduced.T)


def _with_links(arm: Arm, links: tuple[Inertial, ...], tilt: Array) -> Arm:
    """The arm with these links (tool and payload are in the last) and gravity turned.

    The tool stays a tool, with the mass that it has, so that it can be changed: the last link is
    what is left. Where no body has that (the arm seems to have no such tool), the tool is left
    without mass, and all of it stays in the link.
    """
    model, strength = arm.model, float(np.linalg.norm(arm.model.gravity))
    gravity = model.gravity + tilt @ across(arm)
    length = float(np.linalg.norm(gravity))
    tool = Tool(model.tool.name, model.T_hand_tip, None)
    if model.tool.inertial is not None:
        with contextlib.suppress(ModelError):
            hand = links[-1].without(model.tool.inertial.at(model.T_last_hand))
            links, tool = (*links[:-1], hand), model.tool
    turned = dataclasses.replace(
        model,
        inertials=links,
        tool=tool,
        payload=None,
        gravity=gravity * (strength / length) if length else gravity,
    )
    return Arm.from_model(turned)


def _effects(
    joints: Array,
    shapes: tuple[JointVector, JointVector],
    coulomb: JointVector,
    viscous: JointVector,
    with_memory: bool,
) -> JointEffects:
    column = {name: joints[:, k] for k, name in enumerate(JOINT_COLUMNS)}
    speed, distance = shapes
    return JointEffects(
        bias=column["bias"],
        coulomb=coulomb,
        viscous=viscous,
        speed=speed,
        spring_sin=column["spring_sin"][:, None],
        spring_cos=column["spring_cos"][:, None],
        hysteresis=Hysteresis(
            column["hysteresis"],
            distance,
            column["coulomb"],
            column["viscous"],
            column["hysteresis_slope"],
        )
        if with_memory
        else None,
    )


def _load(given: Arm, fitted: Arm, information: Array, prior: Prior) -> Load:
    """What the last link carries more than it did."""
    mapping = base_parameter_map(given.model)
    sure = mapping.T @ information @ mapping + np.diag(prior.link_deviations(given) ** -2.0)
    std = float(np.sqrt(np.linalg.inv(sure)[-10, -10]))
    after, before = (parameters_of(a.model.link_inertials()[-1]) for a in (fitted, given))
    mass, moment = float(after[0] - before[0]), (after - before)[1:4]
    T_tip_last = inverse(given.model.T_last_tip)
    return Load(mass, std, T_tip_last[:3, :3] @ moment + mass * T_tip_last[:3, 3])


def _angle(a: Array, b: Array) -> float:
    cross = float(np.linalg.norm(np.cross(a, b)))
    return float(np.arctan2(cross, float(a @ b)))

"""The two fits of `identify.dynamics`: a free one, and one with physically consistent links."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects, Sensing
from baxterkit.equations.base_parameters import base_parameter_map, base_parameters
from baxterkit.errors import ModelError
from baxterkit.identify.columns import (
    DRAGGED,
    JOINT_COLUMNS,
    LOUD,
    SENSOR_COLUMNS,
    SHAKEN,
    Prior,
    dry_columns,
    joint_columns,
    memory_columns,
    sensor_columns,
    shared_columns,
    turned,
)
from baxterkit.identify.consistency import consistent_links
from baxterkit.identify.friction import best_shapes, memoryless
from baxterkit.identify.preparation import FitRows
from baxterkit.identify.regression import Linear, Solution, parts_of
from baxterkit.model.model import Inertial, Tool
from baxterkit.types import Array, JointVector

BASE = 45
"""Base parameters; they come first in the shared columns, then gravity's tilt."""
START_SPEED = 0.03
START_DISTANCE = 0.02
SEARCHES = 2
"""Number of rounds of the search for friction's speed and travel."""
STANDING = slice(JOINT_COLUMNS.index("bias"), JOINT_COLUMNS.index("spring_cos") + 1)
SENSOR = slice(-SENSOR_COLUMNS, None)
"""Columns of torques without friction, and of the sensors."""
POSITIVE = tuple(JOINT_COLUMNS.index(name) for name in ("coulomb", "viscous", "hysteresis"))

Progress: TypeAlias = Callable[[str, float], None]
"""Called with a description of the current step, and the share done, 0 to 1."""
Shapes: TypeAlias = tuple[JointVector, JointVector]
"""Speed [rad/s] and travel [rad] of friction, shape (7,) each."""
Held: TypeAlias = tuple[JointVector, JointVector]
"""Torque [N m] and slope [N m/rad] of friction with memory, shape (7,) each."""


@dataclass(frozen=True, eq=False)
class Task:
    """A fit to do: the model, the data and the prior.

    Attributes:
        given: The arm to start from, without effects.
        motion: The rows.
        prior: Uncertainty of the start.
        information: The prior's information matrix.
        with_memory: Whether friction may have a memory.
        robust: Whether rows that do not fit are given little weight.
        rates: First and second derivative of the sensed torques [N m/s, N m/s²], (n, 7) each.
    """

    given: Arm
    motion: FitRows
    prior: Prior
    information: Array
    with_memory: bool
    robust: bool
    rates: tuple[JointVector, JointVector]

    def columns(self, shapes: Shapes, rigid: JointVector, held: Held) -> Array:
        """Torques of a unit of each parameter of joints and sensors, shape (n, 7, k).

        Args:
            shapes: Friction's speed and travel.
            rigid: Torques of the rigid arm [N m], shape (n, 7).
            held: Friction with memory as known so far.
        """
        motion, (speed, distance) = self.motion, shapes
        memory = self._memory(distance, held)
        joints = joint_columns(motion, dry_columns(motion, speed), memory)
        sensors = sensor_columns(rigid - rigid.mean(axis=0), motion.qd, self.rates)
        return np.concatenate([joints, sensors], axis=-1)

    def sharper_friction(self, shapes: Shapes, joints: Array) -> JointVector:
        """How friction of the motion that is filtered less differs [N m], shape (n, 7)."""
        motion, (speed, distance), held = self.motion, shapes, _held(joints)
        dry = dry_columns(motion, speed, sharper=True) - dry_columns(motion, speed)
        memory = self._memory(distance, held, sharper=True) - self._memory(distance, held)
        coulomb = joints[:, JOINT_COLUMNS.index("coulomb")]
        added: JointVector = coulomb * dry + held[0] * memory[:, :7] + held[1] * memory[:, 7:]
        return added

    def _memory(self, distance: JointVector, held: Held, sharper: bool = False) -> Array:
        if not self.with_memory:
            return np.zeros((len(self.motion), 14))
        return memory_columns(self.motion, distance, held, sharper)

    def problem(self, shared: Array, rest: Array, columns: Array) -> Linear:
        """Shared and joint parameters, to be fitted to the remaining torques `rest` [N m]."""
        count = shared.shape[-1]
        keep = np.r_[BASE + 2 - count : len(self.information)]
        return Linear(
            shared,
            columns,
            rest,
            self.information[np.ix_(keep, keep)],
            self.prior.strengths,
            POSITIVE,
        )

    def solve(self, problem: Linear) -> Solution:
        """Fits the parameters of a problem."""
        return problem.solve(self.motion.runs, self.robust)


@dataclass(frozen=True, eq=False)
class FreeFit:
    """Any base parameters, gravity's direction, and the joints.

    Attributes:
        solution: The fit.
        shapes: Friction's speed and travel.
        columns: The joints' columns with them.
        beta: Base parameters [kg m²], shape (45,).
        tau: Torques that the fit gives [N m], shape (n, 7).
        sure: Marginal information about `beta`, shape (45, 45).
        spread: Standard deviations of the joints' parameters over friction's shapes, shape (7, k).
        covariance: Of the parameters of `solution`.
        shift: Of these parameters, if friction is that of a motion which is filtered less.
        parts: Stretches of rows.
        alone: Residuals of each part by a fit to it alone [N m], shape (n, 7).
    """

    solution: Solution
    shapes: Shapes
    columns: Array
    beta: Array
    tau: JointVector
    sure: Array
    spread: Array
    covariance: Array
    shift: Array
    parts: list[slice]
    alone: JointVector


def free_fit(task: Task, tell: Progress) -> FreeFit:
    """Fits base parameters, gravity's direction and joints, without physical consistency.

    Args:
        task: The fit to do.
        tell: Called with the progress.
    """
    motion, beta_given = task.motion, base_parameters(task.given.model)
    shapes = (np.full(7, START_SPEED), np.full(7, START_DISTANCE))
    beta, tilt, held = beta_given, np.zeros(2), (np.zeros(7), np.zeros(7))
    for k in range(SEARCHES + 1):
        tell("fitting", 0.1 + 0.2 * k)
        # Gravity's direction acts on the links: both were found in the round before.
        leaning = task.given.replace(gravity_vector=turned(task.given, tilt))
        shared = shared_columns(leaning, motion, beta)
        columns = task.columns(shapes, shared[..., :BASE] @ beta, held)
        known = shared[..., :BASE] @ beta_given - shared[..., BASE:] @ tilt
        rest = motion.tau - known
        problem = task.problem(shared, rest, columns)
        free = task.solve(problem)
        beta, tilt = beta_given + free.shared[:BASE], free.shared[BASE:]
        held = _held(free.joints)
        if k < SEARCHES:
            left = rest - shared @ free.shared - _sum(columns, free.joints, SENSOR)
            shapes, spread = best_shapes(
                motion, left, free.weights, task.with_memory, task.prior.strength, held
            )
    posterior = free.information + task.information
    posterior[:BASE, :BASE] -= task.information[:BASE, :BASE]
    parts = parts_of(motion.runs)
    moved = np.r_[np.ones(BASE + 2), free.joints.ravel()] != 0.0  # those held at zero are known
    return FreeFit(
        solution=free,
        shapes=shapes,
        columns=columns,
        beta=beta,
        tau=known + shared @ free.shared + _sum(columns, free.joints),
        sure=_marginal(posterior[np.ix_(moved, moved)], BASE),
        spread=spread,
        covariance=problem.covariance(free, parts),
        shift=problem.shift(free, task.sharper_friction(shapes, free.joints)),
        parts=parts,
        alone=problem.alone(free, parts),
    )


@dataclass(frozen=True, eq=False)
class BodyFit:
    """Physically consistent links, and the joints around them.

    Attributes:
        solution: The fit of gravity's direction and the joints.
        arm: The arm, with its effects.
        tau: Torques that it gives, with friction's memory [N m], shape (n, 7).
        memoryless_tau: The same without: those of `arm.inverse_dynamics` [N m], shape (n, 7).
    """

    solution: Solution
    arm: Arm
    tau: JointVector
    memoryless_tau: JointVector


def body_fit(task: Task, free: FreeFit, tell: Progress) -> BodyFit:
    """Finds physically consistent links near the free fit, and fits the joints around them.

    Args:
        task: The fit to do.
        free: The free fit.
        tell: Called with the progress.
    """
    given, motion, shapes = task.given, task.motion, free.shapes
    tell("consistent link inertias", 0.6)
    links = consistent_links(
        given.model.link_inertials(),
        base_parameter_map(given.model),
        free.beta,
        free.sure,
        task.prior.link_deviations(given),
    )
    tilted = _with_links(given, links, free.solution.shared[BASE:])
    tell("fitting the joints around them", 0.8)
    beta = base_parameters(tilted.model)
    shared = shared_columns(tilted, motion, beta)
    rigid = shared[..., :BASE] @ beta
    columns = task.columns(shapes, rigid, _held(free.solution.joints))
    final = task.solve(task.problem(shared[..., BASE:], motion.tau - rigid, columns))
    left = motion.tau - rigid - shared[..., BASE:] @ final.shared
    friction = left - _sum(columns, final.joints, STANDING) - _sum(columns, final.joints, SENSOR)
    coulomb, viscous = memoryless(motion, friction, final, shapes)
    effects = _effects(final.joints, shapes, coulomb, viscous, task.with_memory)
    effects = effects.replace(sensing=_sensing(final.joints, rigid.mean(axis=0)))
    fitted = _with_links(tilted, links, final.shared).with_effects(effects)
    tell("scores", 0.95)
    rigid = fitted.with_effects(None).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    return BodyFit(
        solution=final,
        arm=fitted,
        tau=rigid + _sum(columns, final.joints),
        memoryless_tau=rigid + effects.torque(motion.q, motion.qd),
    )


def _held(joints: Array) -> Held:
    torque, slope = (joints[:, JOINT_COLUMNS.index(n)] for n in ("hysteresis", "hysteresis_slope"))
    return torque, slope


def _sensing(joints: Array, level: JointVector) -> Sensing:
    """What the fit says of the sensors; `level` are the mean torques of the rigid arm."""
    crosstalk, shaking, drag = np.zeros((3, 7, 7))
    crosstalk[:, LOUD], other = np.split(joints[:, SENSOR][:, :-1], [len(LOUD)], axis=1)
    shaking[SHAKEN], drag[DRAGGED] = other[SHAKEN], other[DRAGGED]
    return Sensing(crosstalk, level, joints[:, -1], shaking, drag)


def _sum(columns: Array, joints: Array, part: slice = slice(None)) -> JointVector:
    """Torques of the joint parameters, or of a part of them [N m], shape (n, 7)."""
    added: JointVector = np.einsum("njk,jk->nj", columns[..., part], joints[:, part])
    return added


def _marginal(information: Array, count: int) -> Array:
    """Information about the first `count` parameters when the others are unknown."""
    inner, cross = information[:count, :count], information[:count, count:]
    reduced = inner - cross @ np.linalg.solve(information[count:, count:], cross.T)
    return 0.5 * (reduced + reduced.T)


def _with_links(arm: Arm, links: tuple[Inertial, ...], tilt: Array) -> Arm:
    """The arm with these links (tool and payload are in the last) and gravity turned.

    The tool keeps its mass, so that it can be changed: the last link is the remainder. If the
    remainder is not physical (the arm seems to have no such tool), the tool gets no mass, and all
    mass stays in the link.
    """
    model = arm.model
    tool = Tool(model.tool.name, model.T_hand_tip, None)
    if model.tool.inertial is not None:
        with contextlib.suppress(ModelError):
            hand = links[-1].without(model.tool.inertial.at(model.T_last_hand))
            links, tool = (*links[:-1], hand), model.tool
    changed = dataclasses.replace(
        model, inertials=links, tool=tool, payload=None, gravity=turned(arm, tilt)
    )
    return Arm.from_model(changed)


def _effects(
    joints: Array,
    shapes: Shapes,
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

"""The linear model of the sensed torques: columns for every parameter, and their prior.

    tau_j = Y_j(q, qd, qdd) beta + tilt + friction_j + spring_j + bias_j

Shared by all joints: 45 base parameters and two components of gravity across the mount (a tilted
mount or robot). For each joint: dry friction, viscous friction, bias, a spring (first harmonic of
the position) and friction with memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.friction import Hysteresis
from baxterkit.equations.base_parameters import base_parameter_map
from baxterkit.identify.preparation import FitRows
from baxterkit.recording import Recording
from baxterkit.types import Array, JointVector

JOINT_COLUMNS = (
    "coulomb",
    "viscous",
    "bias",
    "spring_sin",
    "spring_cos",
    "hysteresis",
    "hysteresis_slope",
)
"""Parameters of each joint, in this order."""
TILT = 2
"""Shared columns after the base parameters."""

SPRING_JOINT = 1
"""Baxter's external springs are at s1."""
PRESSED = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
"""Joints whose friction grows with the position: the springs at s1, the cables in the wrist."""
LASTING = np.array([1.0, 1.0, 0.15, 1.0, 1.0, 1.0, 1.0])
"""Correlation time of model errors, as a share of `Prior.strength`. Those of e0 come from friction
and change sign often; with the weight of the others, e0 would count too little. Chosen on
recordings of a real arm that were left out of the fit."""


@dataclass(frozen=True)
class Prior:
    """The prior: standard deviations around the model that is given.

    Attributes:
        mass: Of each link's mass, as a share of it.
        centre: Of the centre of mass [m].
        inertia: Of the entries of the inertia tensor, as a share of its trace.
        tool_mass: Of the mass that the last link carries [kg].
        tool_centre: Of its centre of mass [m].
        tilt: Of gravity across the mount [m/s²].
        spring: Of springs, as a share of the joint's greatest torque; twenty times that at s1.
        strength: Rows of data that count as one independent measurement: errors of the model are
            correlated for longer than noise.
    """

    mass: float = 0.15
    centre: float = 0.02
    inertia: float = 0.3
    tool_mass: float = 0.5
    tool_centre: float = 0.1
    tilt: float = 0.5
    spring: float = 0.01
    strength: float = 20.0

    @property
    def strengths(self) -> JointVector:
        """`strength` of each joint, shape (7,)."""
        strengths: JointVector = self.strength * LASTING
        return strengths

    def link_deviations(self, arm: Arm) -> Array:
        """Standard deviations of the ten parameters of each link around the arm's, shape (70,)."""
        deviations: list[float] = []
        for body in arm.model.link_inertials():
            m = self.mass * body.mass
            h = np.hypot(m * np.abs(body.com), body.mass * self.centre)
            spread = self.inertia * float(np.trace(body.about_origin))
            deviations += [m, *h, *[spread] * 6]
        last = np.array(deviations[-10:])
        h_tool = self.tool_mass * self.tool_centre
        tool = [self.tool_mass, *[h_tool] * 3, *[h_tool * self.tool_centre] * 6]
        return np.array([*deviations[:-10], *np.hypot(last, tool)])

    def base_covariance(self, arm: Arm) -> Array:
        """Covariance of the base parameters around the arm's, shape (45, 45)."""
        half = base_parameter_map(arm.model) * self.link_deviations(arm)
        covariance: Array = half @ half.T
        return covariance

    def information(self, arm: Arm) -> Array:
        """Inverse covariance of shared parameters and then those of the joints, shape (96, 96)."""
        shared = np.linalg.inv(self.base_covariance(arm))
        count = len(shared) + TILT
        joints = self.joint_deviations(arm).ravel()
        information = np.zeros((count + joints.size, count + joints.size))
        information[: len(shared), : len(shared)] = 0.5 * (shared + shared.T)
        rest = np.concatenate([np.full(TILT, self.tilt), joints])
        places = np.arange(len(shared), len(information))
        information[places, places] = rest**-2.0
        return information

    def joint_deviations(self, arm: Arm) -> Array:
        """Standard deviations of the parameters of each joint, shape (7, 7)."""
        effort = arm.limits.effort
        spring = np.array(self.spring * effort)
        spring[SPRING_JOINT] *= 20.0
        friction = 0.1 * effort
        slope = 0.001 * effort * np.array([1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0])
        rows = [friction, friction, friction, spring, spring, friction, slope]
        return np.stack(rows, axis=1)


def across(arm: Arm) -> Array:
    """Two unit vectors across the first axis of the arm, base axes, shape (2, 3)."""
    R = arm.model.T_base_s0[:3, :3]
    return np.ascontiguousarray(R[:, :2].T)


def shared_columns(arm: Arm, motion: FitRows) -> Array:
    """Columns of base parameters and of gravity across the mount, shape (n, 7, 47)."""
    Y = arm.regressor(motion.q, motion.qd, motion.qdd)
    sides = [arm.replace(gravity_vector=g, backend="native") for g in across(arm)]
    return np.concatenate(
        [Y, np.stack([side.gravity(motion.q) for side in sides], axis=-1)], axis=-1
    )


def joint_columns(motion: FitRows, dry: Array, memory: Array) -> Array:
    """Columns of the joints' parameters, shape (n, 7, 7), in the order of `JOINT_COLUMNS`.

    Args:
        motion: The rows.
        dry: Of `dry_columns`.
        memory: Of `memory_columns`.
    """
    q, state, pressed = motion.q, memory[:, :7], memory[:, 7:]
    return np.stack(
        [dry, motion.qd, np.ones_like(q), np.sin(q), np.cos(q), state, pressed], axis=-1
    )


def dry_columns(motion: FitRows, speed: float | JointVector) -> Array:
    """Dry friction of 1 N m at the rows, filtered as their torques are, shape (n, 7)."""
    return motion.filtered(lambda one: one.required("qd") / np.hypot(one.required("qd"), speed))


def memory_columns(motion: FitRows, distance: float | JointVector) -> Array:
    """Friction with memory of 1 N m, and of 1 N m/rad, filtered likewise, shape (n, 14)."""
    zeros = np.zeros(7)
    friction = Hysteresis(zeros, zeros + distance, zeros, zeros)

    def states(one: Recording) -> Array:
        z = np.concatenate([friction.states(one.q[run]) for run in one.segments])
        return np.concatenate([z, PRESSED * one.q * z], axis=1)

    return motion.filtered(states)

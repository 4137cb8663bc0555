"""The linear model of the sensed torques: columns for every parameter, and their prior.

    tau_j = Y_j(q, qd, qdd) beta + tilt + friction_j + spring_j + bias_j

Shared by all joints: 45 base parameters and two components of gravity across the mount (a tilted
mount or robot). For each joint: dry friction, viscous friction, bias, a spring (first harmonic of
the position) and friction with memory; then what its sensor adds: cross-talk and a lag.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
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
"""Parameters of each joint, in this order; those of its sensor follow."""
LOUD = (0, 1, 2, 3)
"""Joints whose torques are large enough to be seen by other sensors: s0, s1, e0, e1."""
HEARING = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
"""Joints whose sensors show them: no gain at the others holds on other campaigns."""
SHAKEN, DRAGGED = 1, 4
"""s1 shows how the torques of these joints bend; w0 shows velocities of other joints."""
SENSOR_COLUMNS = len(LOUD) + 7 + 1
"""Parameters of each sensor: cross-talk, the share of bends or velocities, then its lag."""
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
        crosstalk: Of the share of another joint's torque that a sensor shows.
        lag: Of the lag of a sensor [s].
        shaking: Of the share of second derivatives of torques at s1 [s²].
        drag: Of the torque of other joints' velocities at w0 [N m s/rad].
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
    crosstalk: float = 0.02
    lag: float = 0.005
    shaking: float = 3e-4
    drag: float = 0.005
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
        """Inverse covariance of shared parameters and then those of the joints."""
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
        """Standard deviations of the parameters of each joint and its sensor, shape (7, 19)."""
        effort = arm.limits.effort
        spring = np.array(self.spring * effort)
        spring[SPRING_JOINT] *= 20.0
        friction = 0.1 * effort
        slope = 0.001 * effort * np.array([1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0])
        other = np.full(7, self.drag)
        other[SHAKEN] = self.shaking
        sensor = [np.full(7, self.crosstalk)] * len(LOUD) + [other] * 7 + [np.full(7, self.lag)]
        rows = [friction, friction, friction, spring, spring, friction, slope, *sensor]
        return np.stack(rows, axis=1)


def across(arm: Arm) -> Array:
    """Two unit vectors across the first axis of the arm, base axes, shape (2, 3)."""
    R = arm.model.T_base_s0[:3, :3]
    return np.ascontiguousarray(R[:, :2].T)


def shared_columns(arm: Arm, motion: FitRows, beta: Array) -> Array:
    """Columns of base parameters and of gravity across the mount, shape (n, 7, 47).

    Args:
        arm: The arm, for its geometry and gravity.
        motion: The rows.
        beta: Base parameters that gravity across the mount acts on, shape (45,).
    """
    Y, rest = arm.regressor(motion.q, motion.qd, motion.qdd), np.zeros_like(motion.q)
    with unwarned():  # unit vectors to either side
        sides = [arm.replace(gravity_vector=g, backend="native") for g in across(arm)]
    leaning = [side.regressor(motion.q, rest, rest) @ beta for side in sides]
    return np.concatenate([Y, np.stack(leaning, axis=-1)], axis=-1)


def turned(arm: Arm, tilt: Array) -> Array:
    """Gravity of the arm, turned by this much across the mount [m/s²], shape (3,)."""
    before = arm.model.gravity
    after = before + tilt @ across(arm)
    length = float(np.linalg.norm(after))
    return after * (float(np.linalg.norm(before)) / length) if length else after


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


def sensor_columns(
    rigid: JointVector, qd: JointVector, rates: tuple[JointVector, JointVector]
) -> Array:
    """Columns of the sensors' parameters, shape (n, 7, 12).

    Args:
        rigid: Torques of the rigid arm less their mean [N m], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        rates: First and second derivative of the sensed torques [N m/s, N m/s²], shape (n, 7) each.
    """
    first, second = rates
    other = np.zeros((len(rigid), 7, 7))
    other[:, SHAKEN, LOUD], other[:, DRAGGED] = second[:, LOUD], qd
    other[:, range(7), range(7)] = 0.0
    crosstalk = rigid[:, None, LOUD] * HEARING[:, None]
    crosstalk[:, LOUD, range(len(LOUD))] = 0.0  # a sensor's own joint
    return np.concatenate([crosstalk, other, -first[..., None]], axis=-1)


def dry_columns(motion: FitRows, speed: float | JointVector, sharper: bool = False) -> Array:
    """Dry friction of 1 N m at the rows, filtered as their torques are, shape (n, 7)."""
    return motion.filtered(
        lambda one: one.required("qd") / np.hypot(one.required("qd"), speed), sharper
    )


def memory_columns(
    motion: FitRows,
    distance: float | JointVector,
    held: tuple[JointVector, JointVector],
    sharper: bool = False,
) -> Array:
    """Friction with memory of 1 N m, and of 1 N m/rad, filtered likewise, shape (n, 14).

    Args:
        motion: The rows.
        distance: Its travel [rad].
        held: Its torque [N m] and slope [N m/rad] as known so far, shape (7,) each: it does not
            push, so where these give less than zero there is none.
        sharper: Whether it is computed from the motion that is filtered less.
    """
    zeros = np.zeros(7)
    friction = Hysteresis(zeros, zeros + distance, zeros, zeros)
    torque, slope = held

    def states(one: Recording) -> Array:
        z = np.concatenate([friction.states(one.q[run]) for run in one.segments])
        z = np.where(torque + slope * one.q >= 0.0, z, 0.0)
        return np.concatenate([z, PRESSED * one.q * z], axis=1)

    return motion.filtered(states, sharper)

"""Inputs and outputs of controllers: states, references, checks and limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import joint_row, one, transform_array, vector_array
from baxterkit.checks.numbers import one_or_each
from baxterkit.errors import InputError
from baxterkit.model.library import baxter_arm
from baxterkit.types import Array, JointVector, Transform, Twist

DOF = 7
_SHAPE = (DOF,)
_FLOAT = np.dtype(np.float64)
_LAST_ROW = [0.0, 0.0, 0.0, 1.0]
_ROTATION = 1e-6  # tolerance of rotations, as of `transform_array`
REST: JointVector = np.zeros(DOF)
"""Velocity or acceleration of a joint at rest, (7,); read-only."""
REST.setflags(write=False)


@dataclass(slots=True, eq=False)
class State:
    """State of the arm.

    Attributes:
        q: Joint positions [rad], shape (7,).
        qd: Joint velocities [rad/s], shape (7,).
    """

    q: JointVector
    qd: JointVector


class ArmState(Protocol):
    """Anything with `q` and `qd` serves as a state: a `State`, or a limb of the twin."""

    @property
    def q(self) -> JointVector:
        """Joint positions [rad], shape (7,)."""

    @property
    def qd(self) -> JointVector:
        """Joint velocities [rad/s], shape (7,)."""


@dataclass(slots=True, eq=False)
class Reference:
    """Desired state of the arm.

    Attributes:
        q: Joint positions [rad], shape (7,).
        qd: Joint velocities [rad/s], shape (7,); at rest if not given.
        qdd: Joint accelerations [rad/s²], shape (7,); none if not given.
        T: Pose of the tip in base, (4, 4), for controllers of the tip; that of `q` if None.
        twist: Velocity of the tip [v; w] in base axes, shape (6,); that of `q`, `qd` if None
            (at rest if `T` is given).
        ahead: The reference from now on, for controllers that look ahead: of times from now [s],
            shape (n,), it gives the desired states; extrapolated if None.
    """

    q: JointVector
    qd: JointVector = field(default_factory=lambda: REST)
    qdd: JointVector = field(default_factory=lambda: REST)
    T: Transform | None = None
    twist: Twist | None = None
    ahead: Callable[[Array], CourseSample] | None = None


@runtime_checkable
class Controller(Protocol):
    """A torque controller of an arm: the twin, a replay and the robot call `update` every period.

    One that integrates or learns also has `reset()`, which is called before a motion.
    `ResolvedRate` is not one: it commands velocities, by a method of another name.
    """

    def update(self, state: ArmState, reference: Reference, dt: float, /) -> JointVector:
        """Torques for the next `dt` seconds [N m], shape (7,)."""


class CourseSample(Protocol):
    """Positions, velocities and accelerations of a course, shape (*batch, 7) each."""

    @property
    def q(self) -> JointVector:
        """Positions [rad]."""

    @property
    def qd(self) -> JointVector:
        """Velocities [rad/s]."""

    @property
    def qdd(self) -> JointVector:
        """Accelerations [rad/s²]."""


class Course(Protocol):
    """A motion to follow: anything that can be sampled in time, such as a `Trajectory`."""

    @property
    def duration(self) -> float:
        """Time that the course takes [s]."""

    def sample(self, t: ArrayLike) -> CourseSample:
        """The desired state at times [s], shape (*batch)."""


Gravity: TypeAlias = Callable[[Array], Array]
"""`gravity(q) -> tau` [N m], shape (7,)."""

InverseDynamics: TypeAlias = Callable[[Array, Array, Array], Array]
"""`inverse_dynamics(q, qd, qdd) -> tau` [N m], shape (7,)."""


def torque_controller(controller: object) -> Controller:
    """The controller itself, if it gives torques.

    Raises:
        InputError: If it gives velocities, or is not a controller; says what to do instead.
    """
    if isinstance(controller, type):
        name = controller.__name__
        raise InputError(f"{name} is a class; make a controller of it, as {name}(arm)")
    if isinstance(controller, Controller):
        return controller
    name = type(controller).__name__
    if hasattr(controller, "joint_velocity"):
        raise InputError(
            f"{name} commands joint velocities, and torques are wanted here; send what its "
            "joint_velocity gives by limb.command_velocity, or take a torque controller such as "
            "ComputedTorque"
        )
    raise InputError(
        f"{name} is not a controller: it needs update(state, reference, dt), which gives torques"
    )


def forget(controller: object) -> None:
    """Resets a controller, if it has `reset`."""
    reset = getattr(controller, "reset", None)
    if callable(reset):
        reset()


def sound(state: ArmState, reference: Reference) -> bool:
    """Whether all values are arrays of seven finite numbers; fast, and False if in doubt."""
    try:
        q, qd, r = state.q, state.qd, reference
        if not q.shape == qd.shape == r.q.shape == r.qd.shape == r.qdd.shape == _SHAPE:
            return False
        # Products keep values that are not finite, so one number shows them all.
        return math.isfinite(q.dot(r.q) + qd.dot(r.qd) + r.qdd.dot(r.qdd))
    except (AttributeError, TypeError, RuntimeWarning):  # infinity times zero may warn
        return False


def twist_row(V: ArrayLike) -> Twist:
    """The twist of a reference, shape (6,).

    Raises:
        ShapeError: If it is not six numbers.
        InputError: If a value is not finite.
    """
    if type(V) is np.ndarray and V.dtype is _FLOAT and V.shape == (6,):
        square: float = V.dot(V)  # as in `sound`
        if math.isfinite(square):
            return V
    return one(vector_array(V, "reference.twist", 6), "reference.twist")


def pose_row(T: ArrayLike) -> Transform:
    """The pose of a reference, (4, 4).

    Raises:
        ShapeError: If it is not 4 by 4.
        InputError: If a value is not finite, or it is not a rigid transform.
    """
    if type(T) is np.ndarray and T.dtype is _FLOAT and T.shape == (4, 4):
        # The squares of a rotation sum up to 3: a fast test that empty, scaled and broken arrays
        # fail. Arrays that fail are checked in full.
        (a, b, c, x), (d, e, f, y), (g, h, i, z), last = T.tolist()
        square = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i
        if abs(square - 3.0) < _ROTATION and math.isfinite(x + y + z) and last == _LAST_ROW:
            return T
    return one(transform_array(T, "reference.T"), "reference.T", 2)


def checked(state: ArmState, reference: Reference) -> tuple[State, Reference]:
    """State and reference as arrays of seven finite numbers; raises if they are not.

    Raises:
        ShapeError: If an array does not have shape (7,).
        InputError: If a value is not finite.
    """
    if state is None or reference is None:
        raise InputError("a controller needs a state with q and qd, and a reference; got None")
    if not (hasattr(state, "q") and hasattr(state, "qd")):
        raise InputError(
            f"state must have q and qd, as State(q, qd) or a limb, got {type(state).__name__}"
        )
    if not all(hasattr(reference, name) for name in Reference.__slots__):
        raise InputError(
            f"reference must be of type Reference, got {type(reference).__name__}; "
            "Reference(q, qd, qdd) makes one"
        )
    q, qd = joint_row(state.q, "state.q"), joint_row(state.qd, "state.qd")
    return State(q, qd), Reference(
        joint_row(reference.q, "reference.q"),
        joint_row(reference.qd, "reference.qd"),
        joint_row(reference.qdd, "reference.qdd"),
        reference.T,
        reference.twist,
        reference.ahead,
    )


def effort_limits(model: object, effort: ArrayLike | None) -> Array:
    """Greatest torques [N m]: as given, else the arm's, else Baxter's, shape (7,)."""
    if effort is not None:
        return one_or_each(effort, "effort")
    if isinstance(model, Arm):
        return model.limits.effort
    return baxter_arm("left").limits.effort

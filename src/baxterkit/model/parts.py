"""What models are made of: frozen classes, joints, rigid transforms."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import rotation_defect, transform_array, vector_array
from baxterkit.errors import InputError, ModelError
from baxterkit.spatial.formulas import nearest_rotation
from baxterkit.types import Transform, Vector3, frozen

SNAP_TOLERANCE = 1e-8
"""An angle in a file this near [rad] to a multiple of pi/2 is taken to be that multiple."""
FARTHEST_LIMIT = 1e3
"""An angle beyond this [rad] is rounded by 1e-13 rad: too coarse for exact inverse kinematics."""


class Frozen:
    """Pickles and copies through the constructor, so that arrays stay read-only."""

    def __reduce__(self) -> tuple[object, ...]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return type(self), tuple(getattr(self, field.name) for field in fields)


@dataclass(frozen=True, eq=False)
class Joint(Frozen):
    """A joint of one degree of freedom. Limits are infinite where a joint has none.

    Attributes:
        name: As in the robot's messages, for example left_s0.
        kind: "revolute" or "prismatic".
        T_parent_joint: Joint frame at q = 0 in the frame of the link before it, shape (4, 4).
        axis: Unit vector along the axis, joint frame, shape (3,).
        lower: Least position [rad or m].
        upper: Greatest position [rad or m].
        velocity: Greatest speed [rad/s or m/s].
        effort: Greatest torque or force [N m or N].
        damping: Viscous friction [N m s/rad or N s/m], as the description states it.
        friction: Dry friction [N m or N], as the description states it.
        link: Name of the link that moves with the joint.
    """

    name: str
    kind: str
    T_parent_joint: Transform
    axis: Vector3 = dataclasses.field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    link: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise ModelError(
                f"joint {self.name} has kind {self.kind!r}; it must be revolute or prismatic"
            )
        set_field(self, "T_parent_joint", rigid(self.T_parent_joint, f"{self.name}.T_parent_joint"))
        axis = vector_array(self.axis, f"{self.name}.axis")
        length = float(np.linalg.norm(axis))
        if axis.shape != (3,) or not length > 0.0:
            raise ModelError(f"joint {self.name} has axis {axis.tolist()}; it must be a direction")
        set_field(self, "axis", frozen(axis if abs(length - 1.0) <= 2e-16 else axis / length))
        if not self.lower <= self.upper:
            raise ModelError(
                f"joint {self.name} has its lower limit {self.lower:g} above its upper one, "
                f"{self.upper:g}"
            )
        if self.kind == "revolute" and max(self.lower, -self.upper) > FARTHEST_LIMIT:
            raise ModelError(
                f"joint {self.name} has limits {self.lower:g} and {self.upper:g} rad, so that it "
                f"is never within {FARTHEST_LIMIT:g} rad of 0; take whole turns off them"
            )


@dataclass(frozen=True, eq=False)
class Frame(Frozen):
    """A frame of the robot.

    Attributes:
        name: As in Rethink's description, "left_hand_camera"; `left_tip` is the tip of the arm.
        body: The body that carries it: "base" (fixed), "head", "left" or "right".
        link: Index of the arm's link, 0 (s0) to 6 (w2); 0 for base and head.
        T_link_frame: Pose of the frame on that link, in base or on the head, shape (4, 4).
    """

    name: str
    body: str
    link: int
    T_link_frame: Transform

    def __post_init__(self) -> None:
        set_field(self, "T_link_frame", frozen(np.asarray(self.T_link_frame, dtype=np.float64)))


@dataclass(frozen=True)
class Snap:
    """An angle that was moved to the multiple of pi/2 next to it when a file was read.

    Attributes:
        element: The element in the file, as `joint 'left_s1'`.
        line: Its line, counted from 1.
        angle: "roll", "pitch" or "yaw".
        value: As written [rad].
        snapped: As used [rad].
    """

    element: str
    line: int
    angle: str
    value: float
    snapped: float

    def __str__(self) -> str:
        return (
            f"line {self.line}, {self.element}: {self.angle} {self.value!r} -> {self.snapped!r} "
            f"({self.snapped - self.value:+.1e} rad)"
        )


def rigid(T: ArrayLike, name: str) -> Transform:
    """Checks one rigid transform and freezes it.

    A matrix that is a rotation to 1e-6, but not to rounding, is replaced by the nearest rotation.

    Raises:
        ShapeError: If `T` is not 4 by 4.
        InputError: If it is not rigid.
    """
    array = transform_array(T, name)
    if array.ndim != 2:
        raise InputError(f"{name} must be one 4 by 4 transform, got shape {array.shape}")
    if rotation_defect(array[:3, :3]) > 1e-14:
        array = array.copy()
        array[:3, :3] = nearest_rotation(array[:3, :3])
    return frozen(array)


def check_type(value: object, wanted: type, name: str) -> None:
    """Raises InputError if a value is not of a class."""
    if not isinstance(value, wanted):
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        raise InputError(f"{name} must be {article} {wanted.__name__}, got {type(value).__name__}")


def set_field(instance: object, name: str, value: object) -> None:
    """Sets a field of a frozen instance, in its `__post_init__`."""
    object.__setattr__(instance, name, value)

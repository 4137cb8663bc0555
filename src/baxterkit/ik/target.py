"""Targets of inverse kinematics: a pose, a position, or a position and a direction.

A pose is a plain 4 by 4 array. The other two are small classes, so that a target carries its kind
and its own batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import poses
from baxterkit.checks.arrays import vector_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.spatial.formulas import pose_difference, rotation_angle
from baxterkit.types import Array, Index, Transform, Vector3

COORDINATE_CLIP = 1e50
"""Coordinates beyond this [m] are clipped to it: just as far out of reach, and without overflow."""


@dataclass(frozen=True, eq=False)
class Pose:
    """The tip's position and orientation.

    Attributes:
        T: T_base_tip, shape (*batch, 4, 4).
    """

    T: Transform
    rows = 6

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch of transforms."""
        return self.T.shape[:-2]

    def flat(self, shape: tuple[int, ...]) -> Pose:
        """The targets of a batch that broadcasts to `shape`, in one row."""
        return Pose(np.broadcast_to(self.T, (*shape, 4, 4)).reshape(-1, 4, 4))

    def take(self, index: Index) -> Pose:
        """Some of a row of targets."""
        return Pose(self.T[index])

    def error(self, T: Transform) -> Array:
        """Step from T to the target: [p; rotation vector] in base axes, shape (n, 6)."""
        return pose_difference(T, self.T)

    def project(self, T: Transform, J: Array) -> Array:
        """Jacobian of the pose: that of the tip."""
        return J

    def sizes(self, T: Transform) -> tuple[Array, Array]:
        """Distance [m] and angle [rad] of T from the target, shape (n,) each."""
        distance = np.linalg.norm(self.T[..., :3, 3] - T[..., :3, 3], axis=-1)
        return distance, rotation_angle(np.swapaxes(T[..., :3, :3], -1, -2) @ self.T[..., :3, :3])


@dataclass(frozen=True, eq=False)
class Position:
    """The tip's position; its orientation is free.

    Attributes:
        p: Position in base [m], shape (*batch, 3).
    """

    p: Vector3
    rows = 3

    if TYPE_CHECKING:  # what is taken, to type checkers

        def __init__(self, p: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", _near(vector_array(self.p, "position")))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch of positions."""
        return self.p.shape[:-1]

    def flat(self, shape: tuple[int, ...]) -> Position:
        """The positions of a batch that broadcasts to `shape`, in one row."""
        return Position(np.broadcast_to(self.p, (*shape, 3)).reshape(-1, 3))

    def take(self, index: Index) -> Position:
        """Some of a row of positions."""
        return Position(self.p[index])

    def error(self, T: Transform) -> Array:
        """Step from T to the target in base axes, shape (n, 3)."""
        return self.p - T[..., :3, 3]

    def project(self, T: Transform, J: Array) -> Array:
        """Jacobian of the position, from that of the tip."""
        return J[..., :3, :]

    def sizes(self, T: Transform) -> tuple[Array, Array]:
        """Distance [m] and angle [rad, zero] of T from the target, shape (n,) each."""
        distance = np.linalg.norm(self.p - T[..., :3, 3], axis=-1)
        return distance, np.zeros_like(distance)


@dataclass(frozen=True, eq=False)
class Pointing:
    """The tip's position, and the direction of one axis of the tip; rotation about it is free.

    Attributes:
        p: Position in base [m], shape (*batch, 3).
        direction: Direction for the axis in base, of any length but zero, shape (*batch, 3).
        axis: The axis in the tip's frame: "x", "y", "z" or a vector, shape (3,).
    """

    p: Vector3
    direction: Vector3
    axis: Any = "z"
    rows = 6

    if TYPE_CHECKING:

        def __init__(self, p: ArrayLike, direction: ArrayLike, axis: ArrayLike = "z") -> None: ...

    def __post_init__(self) -> None:
        p, d = vector_array(self.p, "position"), vector_array(self.direction, "direction")
        try:
            p, d = np.broadcast_arrays(p, d)
        except ValueError:
            raise ShapeError(
                f"leading axes do not broadcast: position {p.shape}, direction {d.shape}"
            ) from None
        object.__setattr__(self, "p", _near(p))
        object.__setattr__(self, "direction", _unit(d, "direction"))
        object.__setattr__(self, "axis", _unit(vector_array(_axis(self.axis), "axis"), "axis"))
        if self.axis.shape != (3,):
            raise ShapeError(f"axis must be one vector of 3 values, got shape {self.axis.shape}")

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch of positions and directions."""
        return self.p.shape[:-1]

    def flat(self, shape: tuple[int, ...]) -> Pointing:
        """Positions and directions of a batch that broadcasts to `shape`, in one row."""
        p, d = (np.broadcast_to(x, (*shape, 3)).reshape(-1, 3) for x in (self.p, self.direction))
        return Pointing(p, d, self.axis)

    def take(self, index: Index) -> Pointing:
        """Some of a row of positions and directions."""
        return Pointing(self.p[index], self.direction[index], self.axis)

    def error(self, T: Transform) -> Array:
        """Step from T to the target: [p; shortest turn of the axis] in base axes, shape (n, 6)."""
        now = T[..., :3, :3] @ self.axis
        cross = np.cross(now, self.direction)
        sine = np.linalg.norm(cross, axis=-1, keepdims=True)
        cosine = np.sum(now * self.direction, axis=-1, keepdims=True)
        angle = np.arctan2(sine, cosine)
        turned = np.where(sine > 0.0, cross / np.where(sine > 0.0, sine, 1.0), _normal_to(now))
        return np.concatenate([self.p - T[..., :3, 3], angle * turned], axis=-1)

    def project(self, T: Transform, J: Array) -> Array:
        """Jacobian of the constrained directions: rotation about the axis itself does not count."""
        now = T[..., :3, :3] @ self.axis
        across = np.eye(3) - now[..., :, None] * now[..., None, :]
        return np.concatenate([J[..., :3, :], across @ J[..., 3:, :]], axis=-2)

    def sizes(self, T: Transform) -> tuple[Array, Array]:
        """Distance [m] and angle between the directions [rad], shape (n,) each."""
        error = self.error(T)
        return np.linalg.norm(error[..., :3], axis=-1), np.linalg.norm(error[..., 3:], axis=-1)


Target = Pose | Position | Pointing


def as_target(target: ArrayLike | Target, name: str = "T") -> Target:
    """A target object from the caller's argument: a target already, or 4 by 4 transforms.

    Raises:
        ShapeError: If it has another shape; says how to ask for a position.
        InputError: If it is not a rigid transform or not finite.
    """
    if isinstance(target, Pose | Position | Pointing):
        return target
    try:
        return Pose(pose_array(target, name))
    except ShapeError as error:
        try:
            of_positions = np.shape(target)[-1:] == (3,)
        except ValueError:  # ragged
            of_positions = False
        if of_positions:
            raise ShapeError(
                f"{error}; for a position alone pass Position(p), for a position and a direction "
                "Pointing(p, direction)"
            ) from None
        raise


def pose_array(T: ArrayLike, name: str = "T") -> Transform:
    """Poses to reach, checked, shape (*batch, 4, 4); see `COORDINATE_CLIP`."""
    Ts = poses.pose_array(T, name)
    p = Ts[..., :3, 3]
    near = _near(p)
    if near is p:
        return Ts
    Ts = Ts.copy()
    Ts[..., :3, 3] = near
    return Ts


def _near(p: Vector3) -> Vector3:
    return (
        np.clip(p, -COORDINATE_CLIP, COORDINATE_CLIP) if (np.abs(p) > COORDINATE_CLIP).any() else p
    )


def _axis(axis: str | ArrayLike) -> Any:
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            raise InputError(f"axis must be x, y, z or a vector, got {axis!r}")
        return np.eye(3)["xyz".index(axis)]
    return axis


def _unit(v: Array, name: str) -> Array:
    largest = np.abs(v).max(axis=-1, keepdims=True)
    if not (largest > 0.0).all():
        raise InputError(f"{name} must not be zero")
    scaled = v / largest  # whose squares neither overflow nor vanish
    result: Array = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return result


def _normal_to(v: Array) -> Array:
    """A unit vector normal to each unit vector, shape (n, 3)."""
    other = np.where(np.abs(v[..., :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    cross = np.cross(v, other)
    result: Array = cross / np.linalg.norm(cross, axis=-1, keepdims=True)
    return result

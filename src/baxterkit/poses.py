"""Poses other than 4x4 arrays: a position with a quaternion, and messages such as ROS's Pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, transform_array, vector_array
from baxterkit.checks.named import Given
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.spatial.formulas import quaternion_to_matrix, transform
from baxterkit.types import Array, Transform

__all__ = ["BASE_FRAMES", "ORDERS", "from_quaternion", "has_pose_form", "pose_array"]

ORDERS = ("xyzw", "wxyz")
"""Orders of a quaternion's components: ROS and SciPy have w last, MuJoCo and Eigen's constructor
first."""
NO_ROTATION = 0.02
"""Quaternions whose length differs from 1 by more are no rotations but a wrong column, an angle or
half a message; that of 0.7 0.7 0 0 differs by 0.01."""
BASE_FRAMES = ("", "base", "torso")
"""Frames in which a stamped pose is a pose in base."""


def from_quaternion(
    position: ArrayLike, quaternion: ArrayLike | None = None, *, order: str
) -> Transform:
    """The 4x4 of a position and a quaternion.

    Args:
        position: Position [m], shape (*batch, 3); or, without `quaternion`, position and quaternion
            in one row, shape (*batch, 7).
        quaternion: Shape (*batch, 4), of unit length but for rounding (`NO_ROTATION`), which
            is made up for.
        order: How the quaternion is written: "xyzw" or "wxyz".

    Returns:
        T, shape (*batch, 4, 4).

    Raises:
        UnknownNameError: If there is no such order.
        ShapeError: If shapes are wrong or do not broadcast.
        InputError: If the quaternion has not unit length, or anything is not finite.
    """
    if order not in ORDERS:
        raise UnknownNameError("quaternion order", order, ORDERS)
    if quaternion is None:
        seven = vector_array(position, "position", 7)
        p, q = seven[..., :3], seven[..., 3:]
    else:
        p, q = vector_array(position, "position"), vector_array(quaternion, "quaternion", 4)
    if bool((np.abs(q).max(axis=-1, initial=0.0) == 0.0).any()):
        raise InputError(
            "the quaternion 0 0 0 0 is not an orientation; no rotation is x y z w = 0 0 0 1"
        )
    with np.errstate(over="ignore"):
        length = np.linalg.norm(q, axis=-1)
    if bool((off := np.abs(length - 1.0) > NO_ROTATION).any()):
        raise InputError(
            f"the quaternion {' '.join(f'{x:g}' for x in q[off][0])} has length "
            f"{length[off][0]:.3g}; that of a rotation is 1: divide it by its length if it is one"
        )
    try:
        np.broadcast_shapes(p.shape[:-1], q.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"leading axes do not broadcast: position {p.shape}, quaternion {q.shape}"
        ) from None
    return transform(quaternion_to_matrix(q if order == "xyzw" else np.roll(q, -1, axis=-1)), p)


def pose_array(T: Given, name: str = "T") -> Transform:
    """Checks poses in base, in any of the accepted forms.

    Args:
        T: Shape (*batch, 4, 4); a mapping with "position" and "xyzw" or "wxyz"; a message like
            ROS's Pose, PoseStamped, Transform or TransformStamped; or a sequence of those, a
            PoseArray or a Path among them.
        name: The argument's name, for the message.

    Returns:
        The poses as float64, shape (*batch, 4, 4).

    Raises:
        ShapeError: If the shape is wrong.
        InputError: If it is not a rigid transform, or the message is in another frame than base.
    """
    if type(T) is not np.ndarray:
        if isinstance(getattr(T, "poses", None), list | tuple):
            _check_frame(T, name)
            if not T.poses:
                return np.empty((0, 4, 4))
            T = list(T.poses)
        read = _read(T, name)
        if read is None and isinstance(T, list | tuple) and T:
            rows = [_read(row, name) for row in T]
            read = np.array(rows) if all(row is not None for row in rows) else None
        if read is not None:
            return read
        if _is_pair(T):
            raise InputError(
                f"{name} looks like a position and a quaternion, whose order is not known; give "
                f'baxterkit.poses.from_quaternion(position, quaternion, order="xyzw"), or "wxyz"'
            )
    array = finite_array(T, name)
    if array.shape[-1:] == (7,):
        raise ShapeError(
            f"{name} has shape {array.shape}; of a position and a quaternion in one row the order "
            f'must be said: baxterkit.poses.from_quaternion({name}, order="xyzw"), or "wxyz"'
        )
    return transform_array(array, name)


def has_pose_form(T: Given) -> bool:
    """Whether T is, or begins with, a mapping or a message that holds a pose."""
    if isinstance(getattr(T, "poses", None), list | tuple):
        return True
    first = T[0] if isinstance(T, list | tuple) and T else T
    forms = ("pose", "transform", "position", "translation")
    return isinstance(first, Mapping) or any(hasattr(first, form) for form in forms)


def _read(T: Given, name: str) -> Array | None:
    """The pose of a mapping or a message; None if it is neither."""
    if isinstance(T, Mapping):
        orders = [order for order in ORDERS if order in T]
        if "position" not in T or len(orders) != 1:
            raise InputError(
                f'{name} as a mapping needs "position" and "xyzw" or "wxyz", got '
                f"{', '.join(map(str, T)) or 'nothing'}"
            )
        if len(T) > 2:
            more = [str(key) for key in T if key not in ("position", orders[0])]
            raise InputError(
                f'{name} as a mapping takes "position" and "{orders[0]}", in base, and nothing '
                f"else, got {', '.join(more)} too; transform poses in other frames first"
            )
        return from_quaternion(T["position"], T[orders[0]], order=orders[0])
    for inner in ("pose", "transform"):  # PoseStamped, TransformStamped; with a covariance twice
        if hasattr(T, inner) and not callable(getattr(T, inner)):
            _check_frame(T, name)
            return _read(getattr(T, inner), name)
    for place, turn in (("position", "orientation"), ("translation", "rotation")):
        if hasattr(T, place) and hasattr(T, turn):
            p, q = getattr(T, place), getattr(T, turn)
            return from_quaternion([p.x, p.y, p.z], [q.x, q.y, q.z, q.w], order="xyzw")
    return None


def _check_frame(message: Given, name: str) -> None:
    frame = str(getattr(getattr(message, "header", None), "frame_id", "")).lstrip("/")
    if frame not in BASE_FRAMES:
        raise InputError(
            f"{name} is a pose in the frame {frame!r}; poses are in base: transform it first "
            "(T_base_frame @ T)"
        )


def _is_pair(T: Given) -> bool:
    if not isinstance(T, Sequence) or isinstance(T, str) or len(T) != 2:
        return False
    return [np.shape(part)[-1:] for part in T] == [(3,), (4,)]

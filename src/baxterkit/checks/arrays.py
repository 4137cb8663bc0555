"""Array arguments: converted to float64, or refused with index and value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.named import JOINTS, SIDES, Given, has_names, named_value, named_values
from baxterkit.checks.units import warn_if_turns
from baxterkit.errors import InputError, ShapeError, shortened
from baxterkit.types import AnyArray, Array, JointsLike, JointVector, Rotation, Transform

TEXTS = ("q", "seed", "other", "start", "goal")
"""Joint positions that people give by the name of a configuration; `q` stands for `q_left` too."""
ROTATION_TOLERANCE = 1e-6
"""Largest entry of |R^T R - 1| of an accepted rotation: matrices typed with 7 digits pass."""


def finite_array(x: ArrayLike, name: str, nan: bool = False) -> Array:
    """Turns `x` into float64 and refuses NaN and infinity.

    Args:
        x: Anything NumPy understands as real numbers, any shape.
        name: The argument's name, for the message.
        nan: Whether NaN is accepted.

    Returns:
        A float64 array: `x` itself if it is one already, else a copy.

    Raises:
        InputError: If `x` is not numeric, is complex, has masked values, or has a value that is not
            finite.
        ShapeError: If `x` is a ragged sequence.
    """
    if type(x) is not np.ndarray and _is_masked(x):
        raise InputError(
            f"{name} is a masked array with values masked out; leave those rows out or fill them, "
            f"as in {name}.filled(0.0)"
        )
    try:
        raw = np.asarray(x)
    except ValueError as error:
        raise ShapeError(
            f"{name} is ragged: its rows must have equal length{_odd_row(x, name)}"
        ) from error
    if raw.dtype.kind not in "fiu":
        raise InputError(f"{name} must hold real numbers, got {_describe(raw)}")
    array: Array = raw.astype(np.float64, copy=False)
    fine = np.isfinite(array)
    if nan:
        fine |= np.isnan(array)
    if not fine.all():
        index = tuple(int(i) for i in np.argwhere(~fine)[0])
        raise InputError(
            f"{_entry(name, index)} = {array[index]}; every value of {name} must be finite"
        )
    return array


def joint_array(
    x: JointsLike,
    name: str = "q",
    dof: int = 7,
    names: Sequence[str] | None = None,
    nan: bool = False,
) -> JointVector:
    """Checks one value per joint on the last axis.

    Args:
        x: Joint values, shape (*batch, dof), or values with names (`named_values`).
        name: The argument's name, for the message.
        dof: Number of joints.
        names: The joints' names, for named values; None: those of either arm.
        nan: Whether NaN is accepted.

    Returns:
        The values as float64, shape (*batch, dof).

    Raises:
        ShapeError: If the last axis is not `dof` long.
        InputError: If a value is not a finite number, or names are not those of the joints.
    """
    if isinstance(x, str) and name.partition("_")[0] in TEXTS:
        raise InputError(
            f"{name} is the text {x!r}; joint positions by name: arm.configuration('untuck')"
        )
    plain: Given = x
    if type(x) is not np.ndarray or x.dtype.names is not None:
        plain = named_values(x, name, names)
    array = finite_array(plain, name, nan)
    if array.ndim == 0 or array.shape[-1] != dof:
        order = " (s0 s1 e0 e1 w0 w1 w2)" if dof == 7 else ""
        raise ShapeError(
            f"{name} must have {dof} values{order} on its last axis, got shape {array.shape}"
        )
    return array


def joint_row(
    x: JointsLike, name: str, dof: int = 7, names: Sequence[str] | None = None
) -> JointVector:
    """Checks one value per joint, of one state: shape (dof,); otherwise as `joint_array`."""
    return one(joint_array(x, name, dof, names), name)


def both_arms_array(x: JointsLike, name: str) -> Array:
    """Checks joint positions of both arms, left then right.

    Args:
        x: Shape (*batch, 14), or values with names, such as the robot's message.
        name: The argument's name, for the message.

    Returns:
        The values as float64, shape (*batch, 14).

    Raises:
        ShapeError: If the last axis is not 14 long.
        InputError: If a value is not finite, or a joint is missing.
    """
    if type(x) is not np.ndarray and has_names(x):
        sides = [[f"{side}_{joint}" for joint in JOINTS] for side in SIDES]
        return np.concatenate([joint_array(x, name, names=names) for names in sides], axis=-1)
    plain: Given = x
    array = finite_array(plain, name)
    if array.ndim == 0 or array.shape[-1] != 14:
        raise ShapeError(
            f"{name} must have 14 values in its last axis, joints of the left arm, then of the "
            f"right one; got shape {array.shape}"
        )
    return array


def head_array(x: ArrayLike, name: str = "head") -> Array:
    """Checks pan angles of the head, shape (*batch), or those named `head_pan` in a message.

    Warns if they seem to be in degrees.
    """
    if not isinstance(x, float | int | np.ndarray):
        x = named_value(x, name, "head_pan")
    pan = finite_array(x, name)
    warn_if_turns(pan[..., None], name)
    return pan


def head_angle(x: ArrayLike, name: str = "head") -> float:
    """Checks one pan angle of the head, as `head_array`."""
    pan = head_array(x, name)
    if pan.shape != ():
        raise ShapeError(f"{name} must be one number, got shape {pan.shape}")
    return float(pan)


def entry_count(x: ArrayLike, axes: int = 1) -> int:
    """How many entries the first axes have, without a copy; 0 where that is not known.

    A list counts as long as its first item is, of each further axis.
    """
    shape = getattr(x, "shape", None)
    if isinstance(shape, tuple):
        return math.prod(map(int, shape[:axes])) if len(shape) >= axes else 0
    if not isinstance(x, Sequence) or not len(x):
        return 0
    return len(x) * (entry_count(x[0], axes - 1) if axes > 1 else 1)


def one(array: Array, name: str, axes: int = 1) -> Array:
    """Refuses a batch where a single array with this number of axes is required.

    Raises:
        ShapeError: If there are leading axes.
    """
    if array.ndim != axes:
        shape = array.shape[-axes:]
        raise ShapeError(f"{name} must have shape {shape}, one at a time, got {array.shape}")
    return array


def vector_array(x: ArrayLike, name: str, size: int = 3) -> Array:
    """Checks vectors of `size` values on the last axis, shape (*batch, size)."""
    array = finite_array(x, name)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ShapeError(
            f"{name} must have {size} values on its last axis, got shape {array.shape}"
        )
    return array


def rotation_defect(R: Rotation) -> float:
    """Largest deviation of `R`, shape (*batch, 3, 3), from a rotation.

    Returns:
        The largest entry of |R^T R - 1|, or infinity if some `R` mirrors (det < 0).
    """
    if R.size == 0:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        if bool((np.linalg.det(R) <= 0.0).any()):
            return float("inf")
        return float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max())


def rotation_array(R: ArrayLike, name: str = "R") -> Rotation:
    """Checks rotation matrices, shape (*batch, 3, 3).

    Raises:
        ShapeError: If the last two axes are not 3 by 3.
        InputError: If a matrix is not a rotation to within 1e-6.
    """
    array = finite_array(R, name)
    if array.shape[-2:] != (3, 3):
        raise ShapeError(f"{name} must have shape (..., 3, 3), got {array.shape}")
    _check_rotation(array, name)
    return array


def transform_array(T: ArrayLike, name: str = "T") -> Transform:
    """Checks rigid transforms, shape (*batch, 4, 4).

    Args:
        T: Homogeneous transforms.
        name: The argument's name, for the message.

    Returns:
        The transforms as float64, values untouched.

    Raises:
        ShapeError: If the last two axes are not 4 by 4.
        InputError: If a value is not finite, the last row is not 0 0 0 1, or the upper left
            3 by 3 part is not a rotation to within 1e-6.
    """
    array = finite_array(T, name)
    if array.shape[-2:] != (4, 4):
        raise ShapeError(f"{name} must have shape (..., 4, 4), got {array.shape}")
    wrong_rows = (array[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any(axis=-1)
    if wrong_rows.any():
        row = array[..., 3, :][wrong_rows][0] if array.ndim > 2 else array[3]
        raise InputError(
            f"{name} must end in the row 0 0 0 1, got {' '.join(f'{x:g}' for x in row)}"
        )
    _check_rotation(array[..., :3, :3], name)
    return array


def generator(seed: Any) -> np.random.Generator:
    """Random generator of a seed: a non-negative integer, or another seed that NumPy accepts."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InputError(f"seed must be a non-negative integer, got {seed!r}") from error


def _check_rotation(R: Rotation, name: str) -> None:
    defect = rotation_defect(R)
    if defect <= ROTATION_TOLERANCE:
        return
    what = (
        "it mirrors (determinant not positive)"
        if defect == float("inf")
        else f"max |R^T R - 1| = {defect:.2e}, at most {ROTATION_TOLERANCE:g} is accepted"
    )
    raise InputError(
        f"{name} does not hold a rotation: {what}; "
        "project it with baxterkit.spatial.nearest_rotation(R)"
    )


def _odd_row(x: object, name: str) -> str:
    """Which row of a ragged sequence has another shape than the first; empty if unknown."""
    if not isinstance(x, list | tuple):
        return ""
    shapes = []
    for row in x:
        try:
            shapes.append(np.shape(row))
        except ValueError:  # ragged itself
            return ""
    k = next((k for k, shape in enumerate(shapes) if shape != shapes[0]), 0)
    if not k:
        return ""
    odd = f"is {shortened(repr(x[k]))}" if shapes[k] == () else f"has shape {shapes[k]}"
    return f"; {name}[0] has shape {shapes[0]}, {name}[{k}] {odd}"


def _is_masked(x: object, depth: int = 4) -> bool:
    """Whether `x`, or an item of it, has masked values, which NumPy would use silently."""
    if isinstance(x, list | tuple):
        return depth > 0 and any(_is_masked(item, depth - 1) for item in x)
    return isinstance(x, np.ndarray) and bool(np.any(getattr(x, "mask", False)))


def _entry(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _describe(array: AnyArray) -> str:
    """What an array holds instead of numbers: the first text or object, or its dtype."""
    items = array.ravel().tolist() if array.dtype.kind in "OUS" else []
    wrong = [x for x in items if not _is_number(x)] or items[: array.dtype.kind != "O"]
    if not wrong:
        return f"dtype {array.dtype}"
    if isinstance(wrong[0], str | bytes):
        return f"the text {shortened(repr(wrong[0]))}"
    return "None" if wrong[0] is None else f"an object of type {type(wrong[0]).__name__}"


def _is_number(x: object) -> bool:
    if not isinstance(x, str | bytes):
        return isinstance(x, Real)
    try:
        float(x)
    except ValueError:
        return False
    return True

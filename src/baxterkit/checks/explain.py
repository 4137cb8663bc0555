"""Python callbacks of the extension: they convert arguments other than plain arrays, and raise.

Both backends thus accept the same input, and refuse other input with the same message.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array, vector_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.kernels.choices import chosen
from baxterkit.types import Array


class Named(Protocol):
    """An object with joint names: an arm's model."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """In the order of every array."""


def read_input(value: ArrayLike, name: str, width: int, model: Named | None) -> Array:
    """An argument as an array, shape (*batch, width); raises if it is invalid.

    Args:
        value: The caller's argument.
        name: The argument's name.
        width: Values on the last axis; 7: joints.
        model: The arm.
    """
    if width == 7:
        names = None if model is None else model.joint_names
        return joint_array(value, name, width, names)
    return vector_array(value, name, width)


def explain_shapes(names: tuple[str, ...], shapes: tuple[tuple[int, ...], ...]) -> None:
    """Raises for arguments whose leading axes cannot be broadcast."""
    given = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes, strict=True))
    raise ShapeError(f"leading axes do not broadcast: {given}")


def explain_out(out: object, expected: tuple[int, ...]) -> None:
    """Raises for an `out` that cannot hold the result."""
    if not isinstance(out, np.ndarray):
        raise InputError(
            f"out must be a float64 array of shape {expected}, got {type(out).__name__}"
        )
    if out.shape != expected:
        raise ShapeError(f"out must have shape {expected}, got {out.shape}")
    if out.dtype != np.float64 or not out.dtype.isnative:
        raise InputError(f"out must be float64, got {out.dtype.str} ({out.dtype})")
    raise InputError("out must be a writable, aligned array")


def explain_frame(frame: object) -> None:
    """Raises for a Jacobian frame that does not exist."""
    chosen("jacobian", frame)

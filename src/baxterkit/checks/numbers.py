"""Plain numbers: counts, time steps, and one number for all joints or one each."""

from __future__ import annotations

import math
from operator import index

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.checks.units import warn_if_wide
from baxterkit.errors import InputError, ShapeError
from baxterkit.types import Array

LARGEST = 1e100
"""Limits and lengths of time beyond this are refused: their squares are not numbers."""


def count(n: object, name: str, least: int = 0) -> int:
    """A whole number that is at least `least`, by default not negative.

    Raises:
        InputError: If it is something else.
    """
    try:
        number = index(n)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"{name} must be a whole number, {least} or above, got {n!r}")
    return number


def scalar(x: ArrayLike | float, name: str) -> float:
    """One finite number.

    Raises:
        InputError: If it is not finite, or no number.
        ShapeError: If there are several.
    """
    if isinstance(x, float) and math.isfinite(x):  # the quick case: no array is made
        return float(x)
    array = finite_array(x, name)
    if array.shape != ():
        raise ShapeError(f"{name} must be one number, got shape {array.shape}")
    return float(array)


def share(x: float, name: str, beyond: str = "") -> float:
    """A share, as of a speed: above 0, at most 1; `beyond` says what to do for more.

    Raises:
        InputError: If it is something else.
        ShapeError: If there are several.
    """
    value = scalar(x, name)
    if not 0.0 < value <= 1.0:
        told = f"; {beyond}" if beyond and value > 1.0 else ""
        raise InputError(f"{name} = {x}; it must be above 0 and at most 1{told}")
    return value


def small_length(x: ArrayLike | float, name: str) -> float:
    """One finite length [m] that is small, such as a margin; warns if it seems to be in mm.

    Raises:
        InputError: If it is not finite, or no number.
        ShapeError: If there are several.
    """
    length = scalar(x, name)
    warn_if_wide(length, name)
    return length


def positive(x: ArrayLike, name: str) -> float:
    """One finite number above zero.

    Raises:
        InputError: If it is not positive or not finite, or no number.
        ShapeError: If there are several.
    """
    number = scalar(x, name)
    if number <= 0.0:
        raise InputError(f"{name} = {number:g} must be positive")
    if number > LARGEST:
        raise InputError(f"{name} = {number:g}; at most {LARGEST:g} are taken")
    return number


def time_step(dt: float) -> float:
    """`dt` if it is a valid time step [s].

    Raises:
        InputError: If it is not a positive, finite number.
    """
    try:
        sound = bool(0.0 < dt <= LARGEST)
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise InputError(f"dt = {dt} s; a time step must be positive and finite")
    return dt


def bounds(x: ArrayLike, name: str, size: int = 7) -> Array:
    """Upper bounds: one number for all, or one each; all positive, and `LARGEST` at most.

    Raises:
        ShapeError: If there are neither one nor `size` of them.
        InputError: If a number is out of range or not finite.
    """
    array = one_or_each(x, name, size, zero=False)
    if (most := float(array.max())) > LARGEST:
        raise InputError(f"{name} holds {most:g}; at most {LARGEST:g} are taken")
    return array


def one_or_each(x: ArrayLike, name: str, size: int = 7, *, zero: bool = True) -> Array:
    """One number for all, or one each; none negative.

    Args:
        x: A number, or `size` of them.
        name: The argument's name, for the message.
        size: Number of values if there is not just one.
        zero: Whether zero is valid.

    Returns:
        The numbers, read-only, shape (size,).

    Raises:
        ShapeError: If there are neither one nor `size` of them.
        InputError: If a number is too small or not finite.
    """
    array = finite_array(x, name)
    if array.shape not in ((), (size,)):
        raise ShapeError(f"{name} must be one number or have shape ({size},), got {array.shape}")
    least = float(array.min())
    if least < 0.0 or (least == 0.0 and not zero):
        wanted = "not be negative" if zero else "be positive"
        raise InputError(f"{name} must {wanted}, got {least:g}")
    array = np.array(np.broadcast_to(array, (size,)))
    array.setflags(write=False)
    return array

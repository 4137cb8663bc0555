"""Warnings about numbers that seem to be in degrees or millimetres."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np

from baxterkit.errors import UnitsWarning
from baxterkit.types import Array

__all__ = [
    "FAR_ANGLE",
    "FAR_TARGET",
    "unwarned",
    "warn_if_angle_in_degrees",
    "warn_if_degrees",
    "warn_if_millimetres",
]

FAR_ANGLE = 10.0
"""Only angles beyond this [rad], more than a turn and a half, are checked."""
FAR_TARGET = 10.0
"""Only targets farther away than this [m] are checked."""
REACH = 2.0
"""No target farther than this from base [m] can be reached."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


class Bounds(Protocol):
    """Least and greatest joint positions."""

    @property
    def lower(self) -> Array:
        """Least [rad]."""

    @property
    def upper(self) -> Array:
        """Greatest [rad]."""


class Limited(Protocol):
    """An object with joint limits: an arm's model."""

    @property
    def limits(self) -> Bounds:
        """Its limits [rad]."""


@contextmanager
def unwarned() -> Iterator[None]:
    """Switches the warnings off, for iterations whose joint positions may be far off."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


def warn_if_degrees(q: Array, name: str, model: Limited | None) -> bool:
    """Warns if joint positions are far outside the limits, and inside as degrees; says if it did.

    Args:
        q: Joint positions, shape (*batch, 7). The first row is checked; the last one if that is
            zero. (A simulated arm without stops may end many turns away from where it began.)
        name: The argument's name.
        model: The arm; None: no warning.
    """
    if model is None or not q.size or _quiet.get():
        return False
    rows = q.reshape(-1, q.shape[-1])
    row = rows[0] if rows[0].any() else rows[-1]
    worst, limits = float(np.abs(row).max()), model.limits
    far = worst > FAR_ANGLE and not _within(row, limits)
    if not (far and _within(np.deg2rad(row), limits)):
        return False
    _warn(
        f"{name} holds {worst:g} rad, {worst / (2 * np.pi):.1f} turns: are these degrees? "
        f"Angles are in radians: np.deg2rad({name}), or --deg on the command line"
    )
    return True


def warn_if_angle_in_degrees(angle: Array, name: str, lower: float, upper: float) -> None:
    """Warns if the angle of one joint is far outside its limits, and inside as degrees.

    Args:
        angle: Angles, shape (*batch); the first and the last one are checked.
        name: The argument's name.
        lower: Least angle [rad].
        upper: Greatest angle [rad].
    """
    if not angle.size or _quiet.get():
        return
    for value in (float(angle.flat[0]), float(angle.flat[-1])):
        far = abs(value) > FAR_ANGLE and not lower <= value <= upper
        if far and lower <= np.deg2rad(value) <= upper:
            _warn(
                f"{name} is {value:g} rad, {abs(value) / (2 * np.pi):.1f} turns: are these "
                f"degrees? Angles are in radians: np.deg2rad({name})"
            )
            return


def _within(q: Array, limits: Bounds) -> bool:
    return bool(((q >= limits.lower) & (q <= limits.upper)).all())


def warn_if_millimetres(p: Array, name: str) -> bool:
    """Warns if positions are metres out of reach, and within it as millimetres; says if it did.

    Args:
        p: Positions in base, shape (*batch, 3); the first and the last one are checked.
        name: The argument's name.
    """
    if not p.size or _quiet.get():
        return False
    rows = p.reshape(-1, 3)
    for row in rows[:: max(len(rows) - 1, 1)]:
        distance = float(np.abs(row).max())
        if FAR_TARGET < distance <= 1000.0 * REACH:
            _warn(
                f"{name} is {distance:g} m away: are these millimetres? Lengths are in metres: "
                "divide by 1000"
            )
            return True
    return False


def _warn(text: str) -> None:
    """Gives the warning at the line that called into this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UnitsWarning, stacklevel=level)

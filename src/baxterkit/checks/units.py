"""Warnings about numbers that seem to be in degrees or millimetres."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np

from baxterkit.errors import UnitsWarning
from baxterkit.types import Array

__all__ = ["FAR_ANGLE", "FAR_TARGET", "unwarned", "warn_if_degrees", "warn_if_millimetres"]

FAR_ANGLE = 10.0
"""Only angles beyond this [rad], more than a turn and a half, are checked."""
FAR_TARGET = 10.0
"""Only targets farther away than this [m] are checked."""
REACH = 2.0
"""No target farther than this from base [m] can be reached."""

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


def warn_if_degrees(q: Array, name: str, model: Limited | None, depth: int = 2) -> None:
    """Warns if joint positions are far outside the limits, and inside as degrees.

    Args:
        q: Joint positions, shape (*batch, 7); only the first row is checked.
        name: The argument's name.
        model: The arm; None: no warning.
        depth: Calls up to the user's.
    """
    if model is None or not q.size or _quiet.get():
        return
    row, limits = q.reshape(-1, q.shape[-1])[0], model.limits
    far = np.abs(row).max() > FAR_ANGLE
    if far and not _within(row, limits) and _within(np.deg2rad(row), limits):
        worst = float(np.abs(row).max())
        warnings.warn(
            f"{name} holds {worst:g} rad, {worst / (2 * np.pi):.1f} turns: are these degrees? "
            f"Angles are in radians: np.deg2rad({name}), or --deg on the command line",
            UnitsWarning,
            stacklevel=depth,
        )


def _within(q: Array, limits: Bounds) -> bool:
    return bool(((q >= limits.lower) & (q <= limits.upper)).all())


def warn_if_millimetres(p: Array, name: str, depth: int = 2) -> None:
    """Warns if positions are metres out of reach, and within it as millimetres.

    Args:
        p: Positions in base, shape (*batch, 3); the first is looked at.
        name: The argument's name.
        depth: Calls up to the user's.
    """
    distance = float(np.abs(p.reshape(-1, 3)[0]).max()) if p.size else 0.0
    if FAR_TARGET < distance <= 1000.0 * REACH:
        warnings.warn(
            f"{name} is {distance:g} m away: are these millimetres? Lengths are in metres: divide "
            "by 1000",
            UnitsWarning,
            stacklevel=depth,
        )

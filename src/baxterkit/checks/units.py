"""Numbers that look as if they were in other units: degrees for radians, millimetres for metres."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from baxterkit.errors import UnitsWarning
from baxterkit.types import Array

__all__ = ["FAR_ANGLE", "FAR_TARGET", "unwarned", "warn_if_degrees", "warn_if_millimetres"]

FAR_ANGLE = 10.0
"""Angles beyond this [rad], more than a turn and a half, are looked at."""
FAR_TARGET = 10.0
"""Targets farther away than this [m] are looked at."""
MOST_DEGREES = 180.0
REACH = 2.0
"""No target farther than this from base [m] can be reached."""

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def unwarned() -> Iterator[None]:
    """For iterations, whose joint positions may stray far on the way."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


def warn_if_degrees(q: Array, name: str, depth: int = 2) -> None:
    """Warns if joint positions are far outside every limit, and inside as degrees.

    Args:
        q: Joint positions, shape (*batch, 7); the first row is looked at.
        name: The argument's name.
        depth: Calls up to the user's.
    """
    row = np.abs(q.reshape(-1, q.shape[-1])[0]) if q.size else np.zeros(1)
    if FAR_ANGLE < row.max() <= MOST_DEGREES and not _quiet.get():
        warnings.warn(
            f"{name} holds {row.max():g} rad, {row.max() / (2 * np.pi):.1f} turns: are these "
            f"degrees? Angles are in radians: np.deg2rad({name}), or --deg on the command line",
            UnitsWarning,
            stacklevel=depth,
        )


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

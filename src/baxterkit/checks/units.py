"""Warnings about numbers that seem to be in degrees, millimetres or grams."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Protocol

import numpy as np

from baxterkit.errors import UnitsWarning
from baxterkit.types import Array

FAR_ANGLE = 10.0
"""Only angles beyond this [rad], more than a turn and a half, are checked."""
MOST_DEGREES = 360.0
"""Angles are not larger than this in degrees ..."""
MOST_MILLIRADIANS = 3600.0
"""... nor than this in milliradians; larger numbers are in no unit, and are left alone."""
FAR_TARGET = 10.0
"""Only targets farther away than this [m] are checked."""
REACH = 2.0
"""No target farther than this from base [m] can be reached."""
ONE_TURN = 6.2832
"""Orientations, and angles of the head, need no larger angle [rad] than this, just above 2 pi."""
LARGE = 10.0
"""Only obstacles with a side longer than this [m] are checked."""
WIDE = 1.0
"""Paddings, roundings of points and cells of the ground are not wider than this [m]."""
HEAVY = 50.0
"""No hand carries a payload heavier than this [kg]; Baxter's carries 2.2."""
STRONG = 20.0
"""Gravity above this [m/s²], twice the Earth's, is in another unit; 1 is taken to be in g."""
MOST_SAMPLED = 10_000
"""Points of a cloud that are looked at."""

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
    """Warns if joint positions are far outside the limits, and angles in degrees; says if it did.

    Args:
        q: Joint positions, shape (*batch, 7). The first row is checked; where that is zero, the
            one in the middle; where that is too, the last one. (A simulated arm without stops may
            end many turns away from where it began.) Angles above 3600 are in no unit.
        name: The argument's name.
        model: The arm; None: no warning.
    """
    if model is None or not q.size or _quiet.get():
        return False
    rows = q.reshape(-1, q.shape[-1])
    some = (rows[0], rows[len(rows) // 2], rows[-1])
    row = next((row for row in some if row.any()), rows[0])
    worst = float(np.abs(row).max())
    if not FAR_ANGLE < worst <= MOST_MILLIRADIANS or _within(row, model.limits):
        return False
    warn_at_caller(_far(worst, name))
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
            warn_at_caller(
                f"{name} is {value:g} rad, {abs(value) / (2 * np.pi):.1f} turns: are these "
                f"degrees? Angles are in radians: np.deg2rad({name})"
            )
            return


def warn_if_turns(angle: Array, name: str) -> bool:
    """Warns if an angle without limits is more than a turn; says if it did.

    Args:
        angle: Angles [rad] of an orientation, of the head or of a step, any shape. The first and
            the last row are checked. Angles above 3600 are in no unit.
        name: The argument's name.
    """
    if not angle.size or _quiet.get():
        return False
    rows = angle.reshape(-1, angle.shape[-1]) if angle.ndim else angle.reshape(1, 1)
    for row in rows[:: max(len(rows) - 1, 1)]:
        worst = float(np.abs(row).max())
        if ONE_TURN < worst <= MOST_MILLIRADIANS:
            warn_at_caller(_far(worst, name))
            return True
    return False


def warn_if_wide(length: float, name: str) -> None:
    """Warns if a small length, such as a margin [m], is more than a metre."""
    if abs(length) > WIDE and not _quiet.get():
        warn_at_caller(
            f"{name} is {length:g} m: are these millimetres? Lengths are in metres: divide by 1000"
        )


def warn_if_large(sizes: Iterable[float], name: str) -> None:
    """Warns if an obstacle is larger than a room, and has a size that fits millimetres.

    Args:
        sizes: Its sides, or its height and radius [m]. Where one of them is below 1 m, as of a
            floor or a wall, they are taken as they are.
        name: The argument's name.
    """
    lengths = tuple(sizes)
    if lengths and min(lengths) >= 1.0 and LARGE < max(lengths) <= 1e3 * LARGE and not _quiet.get():
        warn_at_caller(
            f"{name} is {max(lengths):g} m: are these millimetres? Lengths are in metres: divide "
            "by 1000 (ground without end is a plane: add_plane)"
        )


def warn_if_cloud_in_millimetres(points: Array, name: str) -> None:
    """Warns if three quarters of the lengths are above 10 m, of 10,000 points or rows at most.

    Args:
        points: Coordinates or heights [m], shape (n, *rest). Each counts with its largest number;
            NaN, and points at the origin, which cameras give where they see nothing, do not count.
        name: The argument's name.
    """
    if _quiet.get():
        return
    some = np.abs(points[:: 1 + len(points) // MOST_SAMPLED].reshape(-1, points.shape[-1]))
    far = np.nanmax(some, axis=-1, initial=0.0)
    far = far[far > 0.0]
    middle = float(np.quantile(far, 0.25)) if len(far) else 0.0
    if FAR_TARGET < middle <= 1000.0 * LARGE:
        warn_at_caller(
            f"{name} holds {middle:g} m: are these millimetres? Lengths are in metres: divide by "
            "1000"
        )


def warn_if_grams(mass: float, name: str) -> None:
    """Warns if a payload is heavier than any that a hand carries [kg], and not as grams."""
    if HEAVY < mass <= 1000.0 * HEAVY and not _quiet.get():
        warn_at_caller(
            f"{name} is {mass:g} kg: are these grams? Masses are in kilograms: divide by 1000"
        )


def warn_if_odd_gravity(gravity: Array, T_base_s0: Array) -> None:
    """Warns if gravity is not in m/s², or points upwards at an arm that stands upright.

    No gravity is valid, and so are other planets and tilted robots.

    Args:
        gravity: Gravity in base axes [m/s²], shape (3,).
        T_base_s0: The arm's mount, shape (4, 4).
    """
    size = float(np.hypot(np.hypot(gravity[0], gravity[1]), gravity[2]))
    if size > STRONG:
        warn_at_caller(
            f"gravity is {size:g} m/s², and the Earth's is 9.81: is this in cm/s² or mm/s²? "
            "Lengths are in metres"
        )
    elif abs(size - 1.0) < 1e-6:
        warn_at_caller("gravity is 1 m/s², and the Earth's is 9.81: is this in g? Multiply by 9.81")
    if gravity[2] > 0.5 * size and T_base_s0[2, 2] > 0.0:
        warn_at_caller(
            f"gravity points upwards in base (z = {gravity[2]:+g} m/s²): has it the wrong sign? "
            "A robot that stands upright has (0, 0, -9.81)"
        )


def _far(angle: float, name: str) -> str:
    """What may be wrong with an angle that is too large [rad]."""
    what = f"{name} holds {angle:g} rad, {angle / (2 * np.pi):.1f} turns"
    if angle > MOST_DEGREES:
        return f"{what}, too many in degrees too: are these milliradians? Angles are in radians"
    return (
        f"{what}: are these degrees? Angles are in radians: np.deg2rad({name}), or --deg on the "
        "command line"
    )


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
            warn_at_caller(
                f"{name} is {distance:g} m away: are these millimetres? Lengths are in metres: "
                "divide by 1000"
            )
            return True
    return False


def warn_at_caller(text: str, category: type[Warning] = UnitsWarning) -> None:
    """Gives a warning at the line that called into this package; not within `unwarned`."""
    if _quiet.get():
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_code):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_ours(code: CodeType) -> bool:
    """Whether code is this package's, or the `__init__` that a dataclass of it has."""
    made = (code.co_filename, code.co_name) == ("<string>", "__init__")
    return made or code.co_filename.startswith(_PACKAGE)

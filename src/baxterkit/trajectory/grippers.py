"""`GripperMotion`: how far a gripper is open along a motion, as Rethink's recorder writes it.

An opening holds from its time on, until the next one: a gripper gets them one after the other and
moves at its own speed. Before the first one it stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.parts import Frozen
from baxterkit.types import Array, frozen

PERCENT = 100.0
"""Files hold openings in percent, as the robot says them."""
BEYOND = 5.0
"""Readings that are beyond 0 or 100 by up to this [%] are a gripper's that is closed or open."""
LATE = 1e-6
"""Times may be after the end of the motion by this [s]: rounding of files."""


@dataclass(frozen=True, eq=False)
class GripperMotion(Frozen):
    """Openings of a gripper, each from its time on.

    Attributes:
        t: Times since the start of the motion [s], from 0 on, increasing, shape (m,).
        opening: Openings, 0 (closed) to 1 (open), shape (m,).
    """

    t: Array
    opening: Array

    def __post_init__(self) -> None:
        t, opening = finite_array(self.t, "t"), finite_array(self.opening, "opening")
        if t.ndim != 1 or t.shape != opening.shape or not t.size:
            raise ShapeError(
                "t and opening must have the same shape (m,), with at least one row, got "
                f"{t.shape} and {opening.shape}"
            )
        if t[0] < 0.0 or not (np.diff(t) > 0.0).all():
            raise InputError("times of a gripper must start at 0 s or later, and increase")
        if not ((opening >= 0.0) & (opening <= 1.0)).all():
            worst = float(opening[np.abs(opening - 0.5).argmax()])
            raise InputError(f"opening = {worst:g}; it must be from 0 (closed) to 1 (open)")
        object.__setattr__(self, "t", frozen(t))
        object.__setattr__(self, "opening", frozen(opening))

    @classmethod
    def from_samples(
        cls, t: ArrayLike, opening: ArrayLike, gripping: ArrayLike | None = None
    ) -> GripperMotion:
        """The openings of a recording; rows that repeat the opening before are left out.

        Args:
            t: Times [s], increasing, shape (m,); the first one becomes 0.
            opening: Openings, 0 to 1, shape (m,).
            gripping: Whether the fingers held something, shape (m,). There they close all the way
                in the motion: fingers that go no farther than they were would hold nothing.
        """
        times, rows = finite_array(t, "t"), finite_array(opening, "opening")
        if times.ndim != 1 or times.shape != rows.shape or not times.size:
            return cls(times, rows)  # refused there
        if gripping is not None:
            rows = np.where(np.asarray(gripping, dtype=bool), 0.0, rows)
        kept = np.append(True, np.diff(rows) != 0.0)
        return cls(times[kept] - times[0], rows[kept])

    @property
    def moves(self) -> bool:
        """Whether the gripper is told to move: an opening changes, or comes in between."""
        return bool(np.ptp(self.opening) > 0.0 or self.t[0] > 0.0)

    def at(self, t: ArrayLike) -> Array:
        """Openings at times [s], shape (*batch); NaN before the first one."""
        i = np.searchsorted(self.t, finite_array(t, "t"), side="right") - 1
        return np.where(i >= 0, self.opening[np.maximum(i, 0)], np.nan)

    def stretched(self, factor: float) -> GripperMotion:
        """The same openings in `factor` times the time."""
        return GripperMotion(self.t * factor, self.opening)

    def __repr__(self) -> str:
        said = ", ".join(
            f"{o:.2g} from {t:.4g} s" for t, o in zip(self.t, self.opening, strict=True)
        )
        return f"GripperMotion({said if len(self.t) <= 4 else f'{len(self.t)} openings'})"


def gripper_motion(given: GripperMotion | ArrayLike) -> GripperMotion:
    """Openings as a user gives them: one number, or rows of a time [s] and an opening.

    Raises:
        InputError: If an opening is not from 0 to 1, or times do not increase.
    """
    if isinstance(given, GripperMotion):
        return given
    values = finite_array(given, "openings")
    if values.shape == ():
        return GripperMotion(np.zeros(1), values[None])
    if values.ndim != 2 or values.shape[1] != 2:
        raise ShapeError(
            "openings must be one number, or rows (time, opening) as [(0.0, 1.0), (2.5, 0.0)], got "
            f"shape {values.shape}"
        )
    return GripperMotion(values[:, 0], values[:, 1])


def checked_grippers(
    given: Mapping[str, GripperMotion], sides: Sequence[str], duration: float
) -> dict[str, GripperMotion]:
    """The grippers of a motion, by side.

    Raises:
        InputError: If one is of an arm that the motion is not of, or goes on after its end.
    """
    found: dict[str, GripperMotion] = {}
    for side, openings in given.items():
        if side not in sides:
            whose = f"the motion is of {' and '.join(sides)}" if sides else "it names no arm"
            raise InputError(f"openings of the {side} gripper do not fit: {whose}")
        found[side] = openings = gripper_motion(openings)
        if openings.t[-1] > duration + LATE:
            raise InputError(
                f"the {side} gripper moves at {openings.t[-1]:g} s, after the end of the motion at "
                f"{duration:g} s"
            )
    return found


def joined(
    first: Mapping[str, GripperMotion], second: Mapping[str, GripperMotion], after: float
) -> dict[str, GripperMotion]:
    """The grippers of a motion, and of another that begins after a time [s]."""
    both = dict(first)
    for side, late in second.items():
        t, opening = late.t + after, late.opening
        if side in first:
            before = first[side].t < t[0]
            t = np.append(first[side].t[before], t)
            opening = np.append(first[side].opening[before], opening)
        both[side] = GripperMotion(t, opening)
    return both


def from_percent(t: Array, percent: Array, name: str) -> GripperMotion:
    """The openings of a column of a file.

    Raises:
        InputError: If a value is no opening.
    """
    off = np.maximum(-percent, percent - PERCENT)
    if off.max(initial=0.0) > BEYOND:
        worst = float(percent[off.argmax()])
        raise InputError(f"{name} = {worst:g}; openings are from 0 (closed) to 100 (open)")
    return GripperMotion.from_samples(t, np.clip(percent / PERCENT, 0.0, 1.0))


def gripper_columns(
    grippers: Mapping[str, GripperMotion], t: Array
) -> tuple[list[str], list[Array]]:
    """Names and values [%] of the columns of a file with rows at these times [s]; open at first."""
    names = [f"{side}_gripper" for side in grippers]
    values = [np.nan_to_num(PERCENT * one.at(t), nan=PERCENT) for one in grippers.values()]
    return names, values

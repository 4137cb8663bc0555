"""Checks a motion against limits, and refuses one that violates them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.errors import InputError, NoAnswerError, ShapeError
from baxterkit.model.limits import Limits
from baxterkit.model.names import SIDES, check_side
from baxterkit.types import Array

BOTH = "both"
"""Side of a motion of both arms."""
SLACK = {"position": 1e-9, "velocity": 1e-4, "acceleration": 1e-4, "torque": 1e-9}
"""Limits are closed: a value beyond one by this share of half the range (of the limit itself, if
the range is symmetric) still counts as inside. For velocities this is about the step of their
sensor, so that a motion at its limit may be sampled, written to a file and read again."""

_UNITS = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s²", "torque": "N m"}
_REMEDIES = {
    "position": "choose another path or start",
    "velocity": "slow down: trajectory.stretched({factor:.2f})",
    "acceleration": "slow down: trajectory.stretched({factor:.2f})",
    "torque": "slow down with trajectory.stretched(2.0), or carry less",
}


class TrajectoryError(NoAnswerError, ValueError):
    """A trajectory violates a limit.

    Attributes:
        quantity: "position", "velocity", "acceleration" or "torque".
        time: Time of the first violation [s].
        joint: The joint's name.
        value: The value then [rad, rad/s, rad/s² or N m].
        limit: The violated limit, with its sign.
        factor: Time stretch after which a velocity or an acceleration would respect its limit
            everywhere; 1 for the others.
    """

    def __init__(
        self,
        quantity: str,
        time: float,
        joint: str,
        value: float,
        limit: float,
        factor: float = 1.0,
    ) -> None:
        super().__init__(quantity, time, joint, value, limit, factor)
        self.quantity = quantity
        self.time = time
        self.joint = joint
        self.value = value
        self.limit = limit
        self.factor = factor
        self._remedy = _REMEDIES[quantity].format(factor=factor)

    def __str__(self) -> str:
        unit = _UNITS[self.quantity]
        # As many digits as it takes to tell the value from its limit, four at least.
        digits = next(
            (d for d in range(4, 12) if f"{self.value:.{d}f}" != f"{self.limit:.{d}f}"), 4
        )
        side = "above" if self.value > self.limit else "below"
        return (
            f"at t = {self.time:.3f} s the {self.quantity} of {self.joint} is "
            f"{self.value:.{digits}f} {unit}, {side} its limit {self.limit:.{digits}f} {unit}; "
            f"{self._remedy}"
        )


def of_a_recording(error: TrajectoryError) -> TrajectoryError:
    """The error of a motion that begins at speed, as a recorder's file may, with that advice."""
    error._remedy += (
        "; the motion begins at speed, and a trajectory begins at rest: if the file is a "
        "recording, take recording.load(...).to_trajectory()"
    )
    return error


class ContactError(NoAnswerError, ValueError):
    """On a trajectory the robot touches itself or the world.

    Attributes:
        time: When it touches first, to a hundredth [s].
        first: Name of the one link.
        second: Name of the other link or obstacle.
    """

    def __init__(self, time: float, first: str, second: str) -> None:
        super().__init__(time, first, second)
        self.time = time
        self.first = first
        self.second = second

    def __str__(self) -> str:
        return (
            f"at t = {self.time:.2f} s {self.first} touches {self.second}; choose another path, or "
            "move the other arm away"
        )


def columns_of(x: ArrayLike) -> int:
    """Columns that joint values are meant to have: 14 of both arms, else 7."""
    try:
        return 14 if np.shape(x)[-1:] == (14,) else 7
    except ValueError:  # rows of unequal length, which the checks refuse in words
        return 7


def refuse_beyond(
    quantity: str,
    t: Array,
    values: Array,
    lower: Array,
    upper: Array,
    names: Sequence[str],
) -> None:
    """Raises if a value lies beyond its limits.

    Args:
        quantity: Name of the values, as in `TrajectoryError`.
        t: Times [s], shape (n,).
        values: One row for each time, shape (n, joints).
        lower: Least values, shape (joints,).
        upper: Greatest values, shape (joints,).
        names: Joint names.

    Raises:
        TrajectoryError: At the first time where a joint is outside; of several joints, the one that
            is farthest beyond.
    """
    room = np.where(np.isfinite(upper - lower), upper - lower, 1.0)
    slack = 0.5 * SLACK[quantity] * room
    beyond = np.maximum(values - upper, lower - values) - slack
    outside = ~(beyond <= 0.0).all(axis=-1)  # written so that NaN counts as outside
    if not outside.any():
        return
    row = int(np.argmax(outside))
    joint = int(np.argmax(beyond[row]))
    value = float(values[row, joint])
    limit = float(upper[joint] if value > upper[joint] else lower[joint])
    raise TrajectoryError(
        quantity, float(t[row]), names[joint], value, limit, _factor(quantity, values, upper)
    )


def _factor(quantity: str, values: Array, upper: Array) -> float:
    """Time stretch that the motion needs, rounded up so that the printed number suffices."""
    if quantity not in ("velocity", "acceleration") or not (upper > 0.0).all():
        return 1.0
    ratio = float((np.abs(values) / upper).max())
    factor = ratio if quantity == "velocity" else float(np.sqrt(ratio))
    return float(np.ceil(100.0 * factor) / 100.0)


def side_of(limits: Limits) -> str | None:
    """The arm whose joints limits name, or "both"; None where they name none."""
    whose = {name.split("_")[0] for name in limits.names} & {*SIDES}
    return None if not whose else whose.pop() if len(whose) == 1 else BOTH


def checked_side(side: str | None, limits: Limits | None, joints: int) -> str | None:
    """The side of a motion, by what is said of it, its limits and its columns."""
    named = None if limits is None else side_of(limits)
    if limits is not None and len(limits.names) != joints:
        raise ShapeError(
            f"the motion has {joints} columns, and its limits are of {len(limits.names)}"
        )
    if (side == BOTH and joints == 7) or (side in SIDES and joints == 14):
        raise InputError(f"a motion of {side} has {21 - joints} columns, got {joints}")
    if side not in (None, BOTH) and named not in (None, check_side(side)):
        raise InputError(f"this motion is the {side} arm's; its limits are the {named} one's")
    return BOTH if joints == 14 else side or named

"""The bounds of a hand that follows a target."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError

BOUNDS = {
    "speed": (0.0, 1.0, "m/s"),
    "turn": (0.0, 4.0, "rad/s"),
    "joints": (0.0, 1.0, "of the velocity limits"),
    "clearance": (0.0, 0.2, "m"),
    "silence": (0.0, 1.0, "s"),
}
"""Bounds that values must be within; the least is out too."""


@dataclass(frozen=True)
class ServoSettings:
    """How a hand follows a target.

    Attributes:
        speed: Greatest speed of the tip [m/s].
        turn: Greatest angular speed of the tip [rad/s].
        joints: Share of the joints' velocity limits that is used.
        clearance: Distance from everything that is kept [m]; a hand that starts nearer comes no
            nearer. Over ROS the gate keeps its own margin too.
        silence: Time without a new target after which the hand brakes and holds [s].

    Raises:
        InputError: If a value is not finite or out of its range.
    """

    speed: float = 0.25
    turn: float = 1.0
    joints: float = 0.5
    clearance: float = 0.02
    silence: float = 0.25

    def __post_init__(self) -> None:
        for name, (low, high, unit) in BOUNDS.items():
            value = scalar(getattr(self, name), name)
            if not low < value <= high:
                raise InputError(
                    f"{name} = {value:g}; it must be above {low:g}, up to {high:g} {unit}"
                )
            object.__setattr__(self, name, value)

"""What the safety gate allows, as numbers that a user may set."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError

BOUNDS = {
    "jump": (0.0, 10.0, "rad"),
    "stale": (0.0, 60.0, "s"),
    "stall": (0.0, 60.0, "s"),
    "timeout": (0.0, 1.0, "s"),
    "torque_timeout": (0.0, 1.0, "s"),
}
"""Bounds that values must be within; the least is out too."""
MARGIN = 0.005
"""Safety margin of a link's scene unless another is set [m]."""


@dataclass(frozen=True)
class Rules:
    """What the gate allows.

    Attributes:
        jump: Largest difference of a commanded position from the measured one [rad].
        stale: Age at which states no longer count [s].
        stall: A motion ends if nothing can be sent for longer [s], as the process is held up or
            states are stale; it slows down before, and the robot brakes after `timeout`.
        timeout: Time for which the robot obeys a command [s]; 0.2 unless it was told otherwise. A
            command that is under way keeps the timeout that it was sent with.
        torque_timeout: The same under torques [s]; the gate tells the robot.
        collisions: Whether contacts are checked at all.
        graspable: Names of obstacles that fingers may close on. Once gripped, attach the object to
            the hand (`World.attach`) and set `link.scene` anew: what is gripped and still counts
            as an obstacle stops the arm.

    Raises:
        InputError: If a value is not finite or out of its range: it would switch a check off.
    """

    jump: float = 0.3
    stale: float = 0.1
    stall: float = 1.0
    timeout: float = 0.2
    torque_timeout: float = 0.05
    collisions: bool = True
    graspable: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, (low, high, unit) in BOUNDS.items():
            value = scalar(getattr(self, name), name)
            if not low < value <= high:
                raise InputError(
                    f"{name} = {value:g} {unit}; it must be above {low:g}, up to {high:g} {unit}"
                )
            object.__setattr__(self, name, value)
        if not isinstance(self.graspable, tuple | list) or not all(
            isinstance(name, str) for name in self.graspable
        ):
            raise InputError(
                f"graspable must be a tuple of names of obstacles, got {self.graspable!r}"
            )
        object.__setattr__(self, "graspable", tuple(self.graspable))

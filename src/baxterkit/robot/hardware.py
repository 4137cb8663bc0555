"""A robot's hardware as a person uses it: buttons, wheels, emergency stop, a pull at an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from baxterkit.types import Array

STIFFNESS = 300.0
"""Of the spring between a hand and the point that it is pulled to [N/m]."""
MOST_FORCE = 40.0
"""Greatest force of that spring [N]."""


@dataclass(frozen=True)
class HardwareState:
    """What the robot says of its hardware.

    Attributes:
        pressed: Names of the buttons that are pressed.
        lamps: Names of the lamps that are on.
        wheels: Where the wheels of the navigators are, 0 to 255, by the navigator's name.
        estop: Whether the emergency stop is pressed.
    """

    pressed: tuple[str, ...] = ()
    lamps: tuple[str, ...] = ()
    wheels: Mapping[str, int] = field(default_factory=dict)
    estop: bool = False


class Hardware(Protocol):
    """What a person can press and pull, such as `ros.TwinHardware`. All may take seconds."""

    def press(self, name: str, duration: float = 0.5) -> None:
        """Presses a button, such as "left_ok", for a while [s]."""

    def hold(self, name: str, on: bool) -> None:
        """Presses or releases a button, such as "left_cuff", from now on."""

    def turn(self, navigator: str, steps: int) -> None:
        """Turns the wheel of a navigator by whole steps."""

    def estop(self, on: bool = True) -> None:
        """Presses the emergency stop, or releases it."""

    def pull(self, side: str, to: Array) -> None:
        """Pulls a hand to a point in base [m], shape (3,), by a spring; for half a second."""

    def state(self) -> HardwareState:
        """What the robot says of it."""


def spring_force(tip: Array, to: Array) -> Array:
    """The force of the spring that pulls a tip to a point [N], shape (3,); both in base [m]."""
    force: Array = STIFFNESS * (to - tip)
    size = float(np.linalg.norm(force))
    return force * min(1.0, MOST_FORCE / size) if size > 0.0 else force

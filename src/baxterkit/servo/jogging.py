"""A target that a person moves with a device: teleoperation by keyboard or gamepad."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.model.names import SIDES
from baxterkit.servo.devices import Device, Nudge
from baxterkit.servo.targets import Goal, sides_of
from baxterkit.spatial.formulas import pose_difference, so3_exp, transform
from baxterkit.types import Transform

if TYPE_CHECKING:
    from baxterkit.robot.protocol import Robot

LEASH = 0.06, 0.3
"""A target is no farther from its hand than this [m, rad]: a hand that is let go of soon rests."""


class Jogging:
    """The source of poses for `robot.servo` that a person moves.

    Targets begin where the hands are. They never run farther ahead of a hand than `LEASH`, so a
    hand that is held up does not leap once it is free, and rests soon after the last key.

    Args:
        device: What the person moves it with.
        robot: The robot.
        side: The hands that `robot.servo` moves: "left", "right" or "both".
        tell: Told in words which hand is moved.

    Attributes:
        chosen: The hands that the device moves now; with "both", the left one at first.
    """

    def __init__(
        self,
        device: Device,
        robot: Robot,
        side: str = "left",
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._device, self._robot, self._tell = device, robot, tell
        self._sides = sides_of(side)
        self._turns = self._sides if len(self._sides) == 1 else (*SIDES, "both")
        self._targets = {each: robot.limb(each).tip for each in self._sides}
        self.chosen = sides_of(self._turns[0])

    def __call__(self, t: float) -> dict[str, Goal]:
        """The targets at a time [s]; ends as the device does."""
        nudge = self._device.read(t)
        if nudge.other and len(self._turns) > 1:
            self._choose_next()
        return {
            each: Goal(self._moved(each, nudge), nudge.opening if each in self.chosen else None)
            for each in self._sides
        }

    def _choose_next(self) -> None:
        names = [sides_of(name) for name in self._turns]
        at = (names.index(self.chosen) + 1) % len(names)
        self.chosen = names[at]
        if self._tell is not None:
            self._tell(f"{self._turns[at]} hand{'s' if len(self.chosen) > 1 else ''}")

    def _moved(self, side: str, nudge: Nudge) -> Transform:
        """The target of a hand after a nudge, on its leash: also where the hand is led away."""
        tip, T = self._robot.limb(side).tip, self._targets[side]
        if side in self.chosen:
            T = transform(so3_exp(nudge.turn) @ T[:3, :3], T[:3, 3] + nudge.shift)
            T = tip if nudge.stays else T
        away = pose_difference(tip, T)
        shares = [
            min(1.0, most / max(float(np.linalg.norm(part)), 1e-12))
            for part, most in zip((away[:3], away[3:]), LEASH, strict=True)
        ]
        if min(shares) < 1.0:
            turned, shifted = so3_exp(shares[1] * away[3:]), shares[0] * away[:3]
            T = transform(turned @ tip[:3, :3], tip[:3, 3] + shifted)
        self._targets[side] = T
        return T

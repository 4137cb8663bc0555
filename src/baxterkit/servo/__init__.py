"""A hand that follows a target which moves: teleoperation, tracking, any source of poses.

`robot.servo(target)` runs it on both bodies. `ServoSettings` bound it, a source gives poses or
`Goal`s, and a `ServoResult` tells what became of it. `targets` reads the source, `hand` moves one
hand's reference from tick to tick, `guide` keeps both clear of everything. `Jogging` is the source
that a person moves with a `Device`: `Keyboard`, `Gamepad`.
"""

from __future__ import annotations

from baxterkit.servo.devices import Device, Gamepad, Keyboard, Nudge
from baxterkit.servo.jogging import Jogging
from baxterkit.servo.result import ServoNote, ServoResult
from baxterkit.servo.settings import ServoSettings
from baxterkit.servo.targets import Goal, Source

__all__ = [
    "Device",
    "Gamepad",
    "Goal",
    "Jogging",
    "Keyboard",
    "Nudge",
    "ServoNote",
    "ServoResult",
    "ServoSettings",
    "Source",
]

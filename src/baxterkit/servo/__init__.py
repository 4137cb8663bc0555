"""A hand that follows a target which moves: teleoperation, tracking, any source of poses.

`robot.servo(target)` runs it on both bodies. `ServoSettings` bound it, a source gives poses or
`Goal`s, and a `ServoResult` tells what became of it. `targets` reads the source, `hand` moves one
hand's reference from tick to tick, `guide` keeps both clear of everything.
"""

from __future__ import annotations

from baxterkit.servo.result import ServoNote, ServoResult
from baxterkit.servo.settings import ServoSettings
from baxterkit.servo.targets import Goal, Source

__all__ = ["Goal", "ServoNote", "ServoResult", "ServoSettings", "Source"]

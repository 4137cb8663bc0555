"""What a robot was taught by hand: a motion with its grippers, waypoints, and what the hands wore.

`with robot.teach() as lesson:` makes a `Lesson`; `lesson.replay(speed=0.5)` plays it. `editing`
cuts, joins and mirrors, `retiming` makes it smooth and fast, `rehearsal` looks for contacts before
anything moves, `files` keep it. `lerobot` makes datasets of lessons and reads them: `episodes` has
their rows, `video` their pictures.
"""

from __future__ import annotations

from baxterkit.lesson.lerobot import load_lerobot, save_lerobot
from baxterkit.lesson.lesson import Lesson, TaughtHand

__all__ = ["Lesson", "TaughtHand", "load_lerobot", "save_lerobot"]

"""The tasks by name."""

from __future__ import annotations

from baxterkit.errors import UnknownNameError
from baxterkit.learn.lift_tray import LiftTray
from baxterkit.learn.pick_and_place import PickAndPlace
from baxterkit.learn.push import Push
from baxterkit.learn.reach import Reach
from baxterkit.learn.task import Task

TASKS: dict[str, type[Task]] = {
    "reach": Reach,
    "push": Push,
    "pick-and-place": PickAndPlace,
    "lift-tray": LiftTray,
}


def task(name: str, side: str = "left") -> Task:
    """A task by its name.

    Raises:
        UnknownNameError: If there is no such task, or no such arm.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name](side)

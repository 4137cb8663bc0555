"""Checks of the twin's arguments: robot, noise, bounds, times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import joint_row
from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError
from baxterkit.types import JointVector

LONGEST = 1e6
"""Longest time of one call [s]."""


def simulated_robot(robot: Baxter | Arm | str | Path | None, tool: str | None) -> Baxter:
    """The robot to simulate: as given, or nominal.

    Raises:
        InputError: If it is not a robot, or if it has tools and `tool` names another.
        ModelError: If it is a file that holds no robot.
    """
    if robot is None:
        tool = "hand" if tool is None else tool
        return Baxter(Arm("left", tool), Arm("right", tool))
    if isinstance(robot, (str, Path)):
        robot = Baxter.from_file(robot)
    if not isinstance(robot, (Arm, Baxter)):
        raise InputError(
            "robot must be a Baxter, an Arm or the path of a robot file, "
            f"got {type(robot).__name__}"
        )
    if tool is not None:
        raise InputError(
            f"tool={tool!r} is for a nominal robot; this one's arms have their tools: "
            f"give Arm(side, {tool!r}), or leave tool out"
        )
    return robot if isinstance(robot, Baxter) else Baxter.of_arm(robot)


def noise_factor(noise: float | None, rigid: bool) -> float:
    """Multiple of the nominal noise: 1, or 0 if rigid, if None.

    Raises:
        InputError: If it is negative or not finite.
    """
    if noise is None:
        return 0.0 if rigid else 1.0
    if not 0.0 <= noise < np.inf:
        raise InputError(f"noise = {noise}; it must not be negative")
    return float(noise)


def bounded(arm: Arm, values: ArrayLike, name: str, most: float, unit: str) -> JointVector:
    """Seven numbers, none of them beyond a bound for a stable simulation.

    Raises:
        ShapeError: If there are not seven.
        InputError: If a value is not finite or too large.
    """
    array = joint_row(values, name, names=arm.joint_names)
    i = int(np.abs(array).argmax())
    if abs(array[i]) > most:
        raise InputError(
            f"{name}[{i}] = {array[i]:g} {unit}; the twin takes up to {most:g} {unit} either way"
        )
    return array


def duration(seconds: float, name: str) -> float:
    """A time [s].

    Raises:
        InputError: If it is negative, not finite, or longer than `LONGEST`.
    """
    value = scalar(seconds, name)
    if not 0.0 <= value <= LONGEST:
        raise InputError(f"{name} = {seconds} s; it must be between 0 and {LONGEST:g} s")
    return value

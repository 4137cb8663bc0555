"""How an environment is set up, besides its task."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.learn.actions import check_kind
from baxterkit.sim.variation import Variation

REWARDS = ("dense", "sparse")
LONGEST = 600.0
"""Longest episode [s]."""


@dataclass(frozen=True)
class Randomisation:
    """What is drawn anew for each episode; ranges (low, high) are drawn from evenly.

    Attributes:
        variation: Payload, friction, lag and noise of the robot.
        mass: Multiple of the objects' masses.
        sliding: Multiple of the objects' friction.
    """

    variation: Variation = field(
        default_factory=lambda: Variation(
            payload=(0.0, 0.3), friction=(0.7, 1.4), lag=(0.02, 0.035), noise=(0.5, 2.0)
        )
    )
    mass: tuple[float, float] = (0.5, 2.0)
    sliding: tuple[float, float] = (0.7, 1.3)

    def __post_init__(self) -> None:
        for name in ("mass", "sliding"):
            low, high = getattr(self, name)
            if not 0.0 < scalar(low, name) <= scalar(high, name):
                raise InputError(f"{name} = ({low}, {high}); a range is (low, high), above 0")


@dataclass(frozen=True)
class Settings:
    """How an environment is set up.

    Attributes:
        action: "position", "velocity", "torque" or "tip"; see `learn.actions`.
        rate: Actions per second [Hz]; a divisor of 100, at which the robot publishes its states.
        reward: "dense": minus the distance from the goal; "sparse": 0 at the goal, -1 elsewhere.
        randomise: What differs from episode to episode besides start and goal; nothing if None.
        picture: Width and height of a camera's picture in the observations; none if None.
        seconds: Length of an episode [s]; the task's if None.

    Raises:
        InputError: If a value is not possible.
    """

    action: str = "velocity"
    rate: float = 50.0
    reward: str = "dense"
    randomise: Randomisation | None = None
    picture: tuple[int, int] | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_kind(self.action)
        if self.reward not in REWARDS:
            raise UnknownNameError("reward", self.reward, REWARDS)
        rate = scalar(self.rate, "rate")
        if not 10.0 <= rate <= 100.0 or not (100.0 / rate).is_integer():
            raise InputError(f"rate = {rate:g} Hz; it must divide 100 Hz and be from 10 to 100 Hz")
        if self.seconds is not None and not 0.0 < scalar(self.seconds, "seconds") <= LONGEST:
            raise InputError(f"seconds = {self.seconds:g}; it must be above 0, up to {LONGEST:g}")
        if self.randomise is not None and not isinstance(self.randomise, Randomisation):
            raise InputError(
                f"randomise must be a learn.Randomisation, got {type(self.randomise).__name__}"
            )

    @property
    def period(self) -> int:
        """Milliseconds of one action."""
        return round(1000.0 / self.rate)

    def steps(self, seconds: float) -> int:
        """Actions of an episode of a task that takes that long [s] unless we say otherwise."""
        return int(np.ceil((seconds if self.seconds is None else self.seconds) * self.rate))

"""Waiting until arms are at rest.

A motion that is cut short does not end at once: the arm brakes, and goes on by some 20 mrad on a
real robot. Who reads its position before that plans from a place where it will not be.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

import numpy as np

from baxterkit.clock import Clock
from baxterkit.robot.limb import Limb

REST = 0.03
"""An arm is at rest while every joint is slower than this [rad/s] ..."""
QUIET = 0.1
"""... for this time, by the robot's stamps [s]."""
LONGEST = 1.0
"""Longest time to wait [s]."""
PERIOD = 0.005
"""Time between two looks [s]."""


def settled(clock: Clock, arms: Iterable[Limb], longest: float = LONGEST) -> bool:
    """Waits until the arms are at rest, at most `longest` [s]; returns whether they are."""
    looks = settling(clock, arms, longest)
    while True:
        try:
            clock.sleep_until(next(looks))
        except StopIteration as end:
            return bool(end.value)


def settling(
    clock: Clock, arms: Iterable[Limb], longest: float = LONGEST
) -> Generator[float, None, bool]:
    """The same for a task: yields the times of its looks, and returns whether they are at rest."""
    left = dict.fromkeys(arms, np.inf)
    end = clock.now() + longest
    while True:
        for arm, since in list(left.items()):
            state = arm.published
            if np.abs(state.qd).max() > REST:
                left[arm] = np.inf
            elif since == np.inf:
                left[arm] = state.t
            elif state.t - since >= QUIET:
                del left[arm]
        if not left:
            return True
        if clock.now() > end:
            return False
        yield clock.now() + PERIOD

"""How far raw position commands may go: no farther, and no more suddenly, than the joints can.

Nothing but the joints' own loops smooths raw commands. So the commanded travel of each joint, the
sum of the sizes of its steps, is at most its velocity limit times (window + `BURST`), whatever the
window and whatever other commands come in between; one step is at most the limit times `LONGEST`.
And the commanded speed changes gradually, from 30 ms to the next by 13 % of the limit: jerky
commands would saturate torques, and the arm would swing faster than its limits.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from baxterkit.types import Array, JointVector

BURST = 0.02
"""Time by which commanded travel may run ahead of the velocity limit [s]."""
WINDOW = 0.03
"""Time over which the speed of a stream of commands is taken [s]."""
BEND = 0.004
"""Change of speed from one window to the next, as travel over this time at the limit [s]."""
FIRST = 0.007
"""Time at full speed by which the first command of a stream may be away from the arm [s]."""
LONGEST = 0.011
"""Time at full speed that one command may cover [s]: longer steps, as after a gap in the stream,
threw a light joint to 1.39 times its limit."""
KEPT = 4.0 * WINDOW
"""Time for which commands are kept [s]."""


class Allowance:
    """What is left of one arm's travel: it fills up at the velocity limits.

    Args:
        velocity: Velocity limits [rad/s], shape (7,).
    """

    def __init__(self, velocity: JointVector) -> None:
        self._velocity = velocity
        self._left: Array = BURST * velocity
        self._at = -np.inf
        self._past: deque[tuple[float, Array]] = deque()

    def room(self, now: float) -> JointVector:
        """Travel that is left at a time [rad], shape (7,)."""
        since = min(max(now - self._at, 0.0), BURST)
        return np.minimum(self._left + since * self._velocity, BURST * self._velocity)

    def between(
        self, start: JointVector, now: float, first: bool
    ) -> tuple[JointVector, JointVector]:
        """Least and greatest raw command that may come next [rad], shape (7,) each.

        Args:
            start: What it counts from: the last raw command, or the measured positions.
            now: When it comes.
            first: Whether it is the first of a stream, which begins at rest.
        """
        room = np.minimum(self.room(now), LONGEST * self._velocity)
        if first:
            straight, bend = start, FIRST * self._velocity
        else:
            one, two = (self._then(now - n * WINDOW) for n in (1, 2))
            straight, bend = 2.0 * one - two, BEND * self._velocity
        return np.maximum(start - room, straight - bend), np.minimum(start + room, straight + bend)

    def speed(self, command: JointVector, start: JointVector, now: float) -> JointVector:
        """Speed of the stream with a command [rad/s], shape (7,); a first one is from `start`."""
        before = self._then(now - WINDOW) if self._past and now - self._at < WINDOW else start
        return (command - before) / WINDOW

    def take(self, start: JointVector, command: JointVector, now: float, first: bool) -> None:
        """Takes the travel of a command away; arguments as above."""
        self._left, self._at = self.room(now) - np.abs(command - start), now
        if first:
            self._past.clear()
        self._past.append((now, command))
        while now - self._past[0][0] > KEPT:
            self._past.popleft()

    def _then(self, t: float) -> JointVector:
        """What was commanded at a time; before the first command, the same as by that."""
        after = self._past[-1]
        for before in reversed(self._past):
            if before[0] <= t:
                if after[0] <= before[0]:
                    return before[1]
                part = min((t - before[0]) / (after[0] - before[0]), 1.0)
                return before[1] + part * (after[1] - before[1])
            after = before
        return after[1]

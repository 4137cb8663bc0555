"""How far a motion has come: at the clock's pace, and slower while the robot is heard late.

On a busy machine states come late, or this process is held up. A motion that went on at full pace
would leave the arm behind, and be ended. So it slows down first: its time runs slower the older the
states are, stands still before the gate would send nothing any more, and picks up again gently.
What the gate allows is the same all along.
"""

from __future__ import annotations

import numpy as np

from baxterkit.types import Array

FRESH, OLD = 0.4, 0.9
"""States younger than this share of `Rules.stale` slow nothing; at the second one time stands."""
LATEST = 0.2
"""No older than this [s] may states be for a motion to go on, whatever `Rules.stale` is."""
NEAR, LEAST = 0.5, 0.25
"""Beyond this share of its tolerance an error slows the motion, down to this pace at the most: an
arm that something holds must still be noticed."""
RAMP = 0.3
"""Time in which a motion that stood still is at full pace again [s]."""


class Progress:
    """Time along a motion, as a function of the time since its start.

    Attributes:
        s: Time along the motion now [s].
        pace: How fast it runs now, 0 to 1.
        delay: By how much it is behind the clock [s].
    """

    def __init__(self) -> None:
        self.s, self.pace, self.delay = 0.0, 1.0, 0.0
        self._t, self._s = [0.0], [0.0]

    def advance(self, t: float, carried: float) -> None:
        """It is `t` since the start [s]; of a longer gap the arm has used `carried` [s]."""
        gap = t - self._t[-1]
        used = min(gap, carried)
        if self.pace == 1.0 and used == gap:
            self.s = t - self.delay
        else:
            self.s += self.pace * used
            self.delay = t - self.s
        self._t.append(t)
        self._s.append(self.s)

    def adapt(self, age: float, error: float, stale: float, period: float) -> None:
        """Sets the pace.

        Args:
            age: Age of the oldest state that counts [s].
            error: Greatest error, as a share of its tolerance.
            stale: Age at which the gate sends nothing any more [s].
            period: Time of a command [s].
        """
        limit = min(stale, LATEST / OLD)
        wanted = (OLD * limit - age) / ((OLD - FRESH) * limit)
        by_error = max((1.0 - error) / (1.0 - NEAR), LEAST)
        wanted = max(min(wanted, by_error, 1.0), 0.0)
        self.pace = min(wanted, self.pace + period / RAMP)

    def ease(self, share: float) -> None:
        """The arm may have this share of its speed; the motion takes as much longer."""
        self.pace = max(min(share * self.pace, self.pace), min(LEAST, self.pace))

    def stand(self) -> None:
        """Nothing could be sent: the motion stands still, and starts gently."""
        self.pace = 0.0

    def at(self, t: float) -> float:
        """Time along the motion at a time since the start, up to the present one [s]."""
        return t if self.delay == 0.0 else float(self.at_all(np.array([t]))[0])

    def at_all(self, t: Array) -> Array:
        """The same for an array of times."""
        if self.delay == 0.0:
            return t
        late = np.maximum(t - self._t[-1], 0.0)  # beyond the present one, at the present pace
        return np.asarray(np.interp(t, self._t, self._s) + self.pace * late)

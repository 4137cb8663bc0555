"""What became of a hand that followed a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MOST = 200
"""Notes that are kept; the count goes on."""
CALM = 1.0
"""A trouble that comes and goes is over after this time without it [s]."""


@dataclass(frozen=True, slots=True)
class ServoNote:
    """Something that held a hand up.

    Attributes:
        t: When, since the start [s].
        side: The hand.
        kind: As a word for programs: "silent", "not a pose", "jump", "out of reach", "blocked",
            "refused" (by the gate), "off" (the arm was moved by something else), "gripper" (it
            stays).
        text: The same as a sentence.
    """

    t: float
    side: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.t:.2f} s, {self.side} hand: {self.text}"


@dataclass(frozen=True)
class ServoResult:
    """The end of a servo run; the hands are at rest.

    Attributes:
        duration: How long it took [s].
        steps: Commands that were sent to each arm.
        notes: What held the hands up, in the order of time, each when it began.
        away: Distance of each tip from its last target [m]; NaN where none came.
    """

    duration: float
    steps: int
    notes: tuple[ServoNote, ...]
    away: Mapping[str, float]

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.steps / self.duration if self.duration > 0.0 else 0.0

    def __repr__(self) -> str:
        away = ", ".join(
            f"{side} without a target" if x != x else f"{side} {1e3 * x:.0f} mm from its target"
            for side, x in self.away.items()
        )
        return f"<ServoResult: {self.duration:.2f} s, {len(self.notes)} notes, {away}>"


class Log:
    """Collects notes: one when a trouble begins, none while it lasts."""

    def __init__(self) -> None:
        self.notes: list[ServoNote] = []
        self._under_way: set[tuple[str, str]] = set()
        self._last: dict[tuple[str, str], float] = {}

    def note(self, t: float, side: str, kind: str, text: str) -> None:
        """Notes a trouble, unless it is under way already."""
        self._last[side, kind] = t
        if (side, kind) not in self._under_way:
            self._under_way.add((side, kind))
            if len(self.notes) < MOST:
                self.notes.append(ServoNote(t, side, kind, text))

    def over(self, side: str, *kinds: str) -> None:
        """Ends troubles: the next ones are new."""
        self._under_way.difference_update((side, kind) for kind in kinds)

    def calmed(self, t: float, side: str, kind: str) -> None:
        """Ends a trouble that comes and goes, if it has not come for a while."""
        if t - self._last.get((side, kind), t) > CALM:
            self.over(side, kind)

"""Whether another program's position commands leave an arm where it is.

Each command of a stream of positions is near to where the arm is, which follows it some 25 ms late.
So a stream is told from rest by how far it has come since it was last at rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

STAYS = 0.02
"""A position command this near to where the arm is, and to the stream's first one [rad], keeps it
there: programs that hold an arm so, as Rethink's trajectory server between two goals, are no rivals
of the other arm."""
RESTS = 0.5
"""Time within which commands are of one stream, and for which one that has moved must stay within
`STAYS` until it is at rest again [s]."""


class Staying:
    """The position commands of one arm by other programs."""

    def __init__(self) -> None:
        self._anchor: dict[str, float] = {}
        self._heard = self._moved = -1e9

    def moves(
        self, now: float, wanted: Iterable[tuple[str, float]], places: Mapping[str, float]
    ) -> bool:
        """Whether a position command may move the arm.

        Args:
            now: When it came [s].
            wanted: Its joints and positions [rad].
            places: Where the arm's joints are measured [rad]; other names do not count.
        """
        told = [(name, x) for name, x in wanted if name in places]
        if now - self._heard > RESTS:
            self._anchor, self._moved = {}, -1e9
        self._heard = now
        for name, x in told:
            self._anchor.setdefault(name, x)
        if not _near(told, self._anchor):
            self._anchor.update(told)
            self._moved = now
        return now - self._moved <= RESTS or not _near(told, places)


def _near(told: Sequence[tuple[str, float]], others: Mapping[str, float]) -> bool:
    """Whether all joints are within `STAYS` of others; what is not finite is not."""
    return all(abs(x - others[name]) <= STAYS for name, x in told)

"""Pairs of links that can never touch, as `tools/never_touch.py` has proven."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("never.toml")
BEYOND = 0.05
"""How far beyond the joint limits the proofs hold [rad]."""


@dataclass(frozen=True)
class NeverPair:
    """Two links that stay apart, whatever the joints do.

    Attributes:
        first: Name of one, in the order of `LINKS`.
        second: Name of the other.
        least: The clearance that was proven [m].
        boxes: How many boxes of joint space the proof took.
    """

    first: str
    second: str
    least: float
    boxes: int


@cache
def never_pairs() -> tuple[NeverPair, ...]:
    """Those of the file, and those that mirror them."""
    import tomllib

    if not FILE.exists():  # while it is made
        return ()
    entries = tomllib.loads(FILE.read_text(encoding="utf-8")).get("pair", [])
    pairs = []
    for entry in entries:
        pair = NeverPair(**entry)
        twin = _mirrored(pair)
        pairs += [pair] if (twin.first, twin.second) == (pair.first, pair.second) else [pair, twin]
    return tuple(pairs)


def _mirrored(pair: NeverPair) -> NeverPair:
    swap = {"left": "right", "right": "left"}
    names = []
    for name in (pair.first, pair.second):
        side, _, rest = name.partition("_")
        names.append(f"{swap[side]}_{rest}" if side in swap else name)
    both = names[0].startswith("right") and names[1].startswith("left")
    first, second = reversed(names) if both else names
    return NeverPair(first, second, pair.least, pair.boxes)

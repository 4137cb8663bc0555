"""Pairs of links: which are checked against each other, and why the others are not.

Pairs that can never touch are proven by `tools/never_touch.py` (`never.toml`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from baxterkit.collision.body import ARM_LINKS, FINGERS, STANDING
from baxterkit.errors import InputError, UnknownNameError, shortened
from baxterkit.model.names import SIDES

Without = tuple[tuple[str, str], ...]
"""Pairs of links by name."""

LINKS = (*(f"{side}_{link}" for side in SIDES for link in ARM_LINKS), *STANDING)
"""Every link of the robot, in the order in which the kernels count them."""

NEAR = 2
"""Links this many joints apart on a chain, or fewer, are not checked: their shapes meet at the
joints between them, at any joint positions."""

USUAL = (
    ("w0", "torso"),
    ("w1", "torso"),
    ("e1", "head"),
    ("e0", "head"),
    ("w0", "head"),
    ("e0", "torso"),
    ("w2", "torso"),
    ("fingers", "torso"),
    ("w1", "head"),
    ("w1", "pedestal"),
    ("e1", "torso"),
    ("fingers", "pedestal"),
)
"""Pairs that touch most often in random configurations: checked first, since one hit decides."""
HOLDS = ("w1", "w2", FINGERS)
"""Links of an arm that are not checked against what its hand holds."""
FILE = Path(__file__).with_name("never.toml")
BEYOND = 0.05
"""How far beyond the joint limits the proofs hold [rad]."""


@dataclass(frozen=True)
class Pair:
    """Two links, in the order of `LINKS`.

    Attributes:
        first: Name of one.
        second: Name of the other.
        checked: Whether they are checked against each other.
        reason: Why.
        least: For links that can never touch, the clearance that is proven [m]; NaN for others.
    """

    first: str
    second: str
    checked: bool
    reason: str
    least: float = math.nan

    @property
    def no_neighbours(self) -> bool:
        """Whether they are no neighbours: checked, or left out since they can never touch."""
        return self.checked or not math.isnan(self.least)


@cache
def link_pairs() -> tuple[Pair, ...]:
    """Every pair of links, with the reason why it is checked or not."""
    never = {(pair.first, pair.second): pair.least for pair in never_pairs()}
    pairs = []
    for i, first in enumerate(LINKS):
        for second in LINKS[i + 1 :]:
            reason, least = _near(first, second), never.get((first, second), math.nan)
            if not reason and not math.isnan(least):
                reason = f"never: proven to stay {1e3 * least:g} mm apart"
            pairs.append(Pair(first, second, not reason, reason or "may touch", least))
    return tuple(pairs)


def check_pairs(without: Without, world: tuple[str, ...] = ()) -> Without:
    """Pairs of names of links and of a world's objects, as tuples.

    Raises:
        InputError: If they are something else.
        UnknownNameError: If there is no such link or object.
    """
    if without == ():
        return ()
    try:
        pairs = tuple((a, b) for a, b in without)
        sound = not any(isinstance(pair, str) for pair in without)
        sound = sound and all(isinstance(name, str) for pair in pairs for name in pair)
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise InputError(
            f"without = {shortened(repr(without))} must hold pairs of names, such as "
            "(('left', 'right'),)"
        )
    known = {*SIDES, *LINKS, *world}
    for name in (name for pair in pairs for name in pair):
        if name not in known:
            raise UnknownNameError("link", name, (*SIDES, *LINKS, *world))
    return pairs


def switched(
    without: Without,
    obstacles: tuple[tuple[str, str | None], ...] = (),
    displaced: float = 0.0,
    unproven: tuple[str, ...] = (),
) -> tuple[tuple[int, int], ...]:
    """The pairs to check, the smaller number first, without some of them.

    Args:
        without: Pairs of names to leave out, either order. "left" and "right" mean every link of
            that arm.
        obstacles: Names of obstacles, with the arm whose hand holds it (None: it stands).
        displaced: How much nearer the mounts let links come than the nominal ones [m]: pairs whose
            proof has less to spare are checked.
        unproven: Links that are larger than those of the proofs: their pairs are checked.

    Returns:
        Numbers in `LINKS`, followed by those of the obstacles.

    Raises:
        UnknownNameError: If there is no such link or obstacle.
    """
    names = (*LINKS, *(name for name, _ in obstacles))
    numbers = {name: n for n, name in enumerate(names)}
    off = set()
    for pair in without:
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(
                f"without = {without!r} must hold pairs of names, such as (('left', 'right'),)"
            )
        first, second = (_members(name, numbers) for name in pair)
        off |= {(a, b) for a in first for b in second}
        off |= {(b, a) for a in first for b in second}
    wanted = list(_checked_links(displaced, unproven))
    for n, (_, held) in enumerate(obstacles, len(LINKS)):
        wanted += [(link, n) for link in _links_beside(held)]
        wanted += [
            (m + len(LINKS), n)
            for m, (_, by) in enumerate(obstacles[: n - len(LINKS)])
            if held != by
        ]
    return tuple(pair for pair in wanted if pair not in off) if off else tuple(wanted)


@lru_cache(maxsize=16)
def _checked_links(displaced: float, unproven: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Pairs of the robot's links, those that touch most often first."""
    larger = {p for p in link_pairs() if p.no_neighbours and {p.first, p.second} & set(unproven)}
    on = (p for p in link_pairs() if p.checked or p in larger or _unsure(p, displaced))
    return tuple((LINKS.index(p.first), LINKS.index(p.second)) for p in sorted(on, key=_rank))


@cache
def _links_beside(held: str | None) -> tuple[int, ...]:
    """Links that are checked against an obstacle that stands, or that a hand holds."""
    found = []
    for n, link in enumerate(LINKS):
        side, _, part = link.partition("_")
        if (side in SIDES) if held is None else (side != held or part not in HOLDS):
            found.append(n)
    return tuple(found)


def _unsure(pair: Pair, displaced: float) -> bool:
    """Whether a pair that can never touch on the nominal robot may do so on another."""
    one_arm = _chain(pair.first)[0] == _chain(pair.second)[0]
    return math.isinf(displaced) if one_arm and pair.no_neighbours else pair.least <= displaced


def _rank(pair: Pair) -> int:
    key = (pair.first.split("_")[-1], pair.second)
    return USUAL.index(key) if key in USUAL else len(USUAL)


def _members(name: str, numbers: dict[str, int]) -> tuple[int, ...]:
    if name in SIDES:
        return tuple(n for n, link in enumerate(LINKS) if link.startswith(f"{name}_"))
    if name not in numbers:
        raise UnknownNameError("link", name, (*SIDES, *numbers))
    return (numbers[name],)


def _chain(link: str) -> tuple[str, int]:
    """The chain that a link is on, and how many joints there are from base to it."""
    if link in STANDING:
        return ("head", 1) if link == "head" else ("base", 0)
    side, name = link.split("_")
    return side, 1 + ARM_LINKS.index(name)


def _near(first: str, second: str) -> str:
    (chain_a, a), (chain_b, b) = _chain(first), _chain(second)
    if chain_a != chain_b and "base" not in (chain_a, chain_b):
        return ""
    apart = abs(a - b)
    if apart > NEAR:
        return ""
    if apart == 0:
        return "fixed to each other"
    return "neighbours" if apart == 1 else "two joints apart"


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

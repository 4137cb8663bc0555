"""Units in the names of columns, as in `q_left_s0 [deg]` and `t (ms)`."""

from __future__ import annotations

import re

PIECES = "pieces:"
"""What names of columns begin with that hold a motion of ours, which is in radians."""
_UNIT = re.compile(r"[\s_]*[\[(]\s*([^\[\]()]*?)\s*[\])]$")
_ANGLES = ("rad", "radian", "radians", "deg", "degree", "degrees", "°")
_FRACTIONS = {
    unit: (word, divisor)
    for units, word, divisor in (
        (("ms", "msec", "milliseconds"), "milliseconds", "1000"),
        (("us", "µs", "usec", "microseconds"), "microseconds", "1e6"),
        (("ns", "nsec", "nanoseconds"), "nanoseconds", "1e9"),
    )
    for unit in units
}
"""Units of time other than the second: the word, and how many of them are a second."""
_UNITS = frozenset(
    (
        *(
            f"{angle}{per}"
            for angle in _ANGLES
            for per in ("", "/s", "/s²", "/s^2", "/s2", "/s**2")
        ),
        *("s", "sec", "second", "seconds", *_FRACTIONS),
        *("nm", "n m", "n*m", "n·m", "n.m", "n", "m", "m/s"),
    )
)


def unit_of(name: str) -> str:
    """The unit in brackets at the end of a column's name, such as "rad"; empty if there is none."""
    found = _UNIT.search(name.strip().lower())
    return found[1] if found and found[1] in _UNITS else ""


def without_unit(name: str) -> str:
    """The name of a column in lower case, without spaces around it and the unit at its end."""
    name = name.strip().lower()
    unit = _UNIT.search(name)
    return name[: unit.start()] if unit and unit[1] in _UNITS else name


def is_degrees(unit: str) -> bool:
    """Whether a unit is of degrees: "deg", "degrees/s", "°"."""
    return unit.startswith(("deg", "°"))


def wrong_time(name: str) -> str:
    """Why a column of time is not in seconds, and what to do; empty if its name says no such unit.

    The unit stands in brackets, or after the last underscore: `time_ms`.
    """
    unit = unit_of(name) or name.strip().lower().rpartition("_")[2]
    if unit not in _FRACTIONS:
        return ""
    word, divisor = _FRACTIONS[unit]
    return f"the column {name} is in {word}; divide it by {divisor}, and call it time"

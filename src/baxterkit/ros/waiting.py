"""How long to wait: every call ends, so its time must be a number."""

from __future__ import annotations

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError

LONGEST = 86_400.0
"""Longest time that is waited for anything [s]: a day."""


def seconds(value: float, name: str = "timeout") -> float:
    """A time to wait [s].

    Raises:
        InputError: If it is no number, negative, or above a day.
    """
    time = scalar(value, name)
    if not 0.0 <= time <= LONGEST:
        raise InputError(f"{name} = {time:g} s; it must be from 0 to {LONGEST:g} s")
    return time

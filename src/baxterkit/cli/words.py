"""Words of the command line: numbers, and the signs that are hidden from the option parser."""

from __future__ import annotations

import re

MINUS = "−"  # replaces a minus sign, so that click does not read a negative number as an option
NEGATIVE = re.compile(r"-\.?\d.*")


def numbers(text: str) -> list[float] | None:
    """The numbers of a line or option; None if it holds anything else."""
    try:
        return [float(word) for word in plain(text).replace(",", " ").split()]
    except ValueError:
        return None


def plain(text: str) -> str:
    """A word of the command line with its minus signs back."""
    return text.replace(MINUS, "-")

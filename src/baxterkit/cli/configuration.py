"""Options that hold a configuration: the name of a configuration, or seven joint angles."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import click

COUNT = 7


class ConfigurationOption(click.Option):
    """An option whose value is one word (`untuck`, `0,-0.55,0,0.75,0,1.26,0`) or seven numbers."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("metavar", "POSE | Q...")
        super().__init__(*args, **options)


def gathered(args: Sequence[str], names: Collection[str]) -> list[str]:
    """Words of the command line, with the numbers after each of `names` joined into one word.

    Args:
        args: The words.
        names: Names of options with a configuration.
    """
    words: list[str] = []
    rest = list(args)
    while rest:
        words.append(rest.pop(0))
        if words[-1] == "--":
            return words + rest
        if words[-1] in names:
            count = _length(rest[:COUNT])
            if count:
                words.append(",".join(rest[:count]))
                del rest[:count]
    return words


def _length(words: Sequence[str]) -> int:
    """Number of words that belong to it: one, or if that is a number, all up to the next option."""
    if not words or not _is_number(words[0]):
        return len(words[:1])
    ends = (i for i, word in enumerate(words) if word.startswith("-") and not _is_number(word))
    return next(ends, len(words))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True

"""The words of the documents, docstrings and messages: the usual ones (see the glossary below)."""

from __future__ import annotations

import re
from pathlib import Path

import components
import pytest

ROOT = components.ROOT
IDIOMS = re.compile(
    r"\b(give|gives|giving|gave) way\b|\bunder way\b|\bway-points?\b"
    r"|\b(each|one|either|both|same|short|all the) ways?\b",
    re.IGNORECASE,
)
"""Where "way" is neither a path nor a motion."""
BANNED = {
    r"\bways?\b": "a path, a motion, a method",
    r"\bthings?\b": "an object, an obstacle, or its name",
    r"\b(says?|said) so\b": "reports it, states it, warns",
    r"\bthat (is|are) none\b": "invalid, empty, of zero length",
    r"\bof the random numbers\b": "Random seed, a non-negative integer.",
    r"\bwhole number from 0 on\b": "a non-negative integer",
    r"\b(a|the) no\b[,;:.]? (that|which|is|comes)\b": "infeasible; the proof of infeasibility",
    r"\bran away\b": "diverged",
    r"\bnamed poses?\b|\bname of a pose\b": "a named configuration",
    r"\b(armed|disarm(s|ed)?)\b": "in control; takes or releases control",
}
"""Pattern -> what to write instead."""
PLACES = ("README.md", "docs", "src/baxterkit", "examples")


def texts() -> list[Path]:
    """What users and readers see."""
    found = [ROOT / "README.md"]
    for place in PLACES[1:]:
        found += [p for p in sorted((ROOT / place).rglob("*")) if p.suffix in (".md", ".py")]
    return found


def test_the_usual_words_are_used() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:70]!r}: write {instead}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for instead in words_of(line)
    ]
    assert not wrong, "\n".join(wrong)


def words_of(line: str) -> list[str]:
    """What to write instead of the banned words of a line."""
    plain = IDIOMS.sub("", line)
    return [new for pattern, new in BANNED.items() if re.search(pattern, plain, re.IGNORECASE)]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("the way of the tip", 1),
        ("a named pose of an armed robot", 2),
        ("an arm gives way; a motion under way", 0),
        ("things in the way", 2),
        ("nothing touches anything", 0),
        ("it is full, and says so", 1),
        ("a margin that is none", 1),
        ("there is no path", 0),
        ("seed: Of the random numbers, a whole number from 0 on.", 2),
    ],
)
def test_words_are_found(line: str, count: int) -> None:
    assert len(words_of(line)) == count

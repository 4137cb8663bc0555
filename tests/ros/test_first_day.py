"""The page for the first day: the doctor's words are the page's, and each finding is there once.

The page's own blocks are run by `tests/test_readme.py`.
"""

from __future__ import annotations

import re

import components

from baxterkit.ros import ADVICE

PAGE = (components.ROOT / "docs" / "ros-first-hour.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \|$", re.MULTILINE)
WRONG_TAG = re.compile(r"<(serial|side)>")


def test_the_page_has_the_doctors_words() -> None:
    rows = [(name, fix.replace("`", "")) for name, fix in ROW.findall(PAGE)]
    assert sorted(rows) == sorted(
        (name, advice.fix.replace("`", "")) for name, advice in ADVICE.items()
    )


def test_findings_of_one_table_are_of_one_area() -> None:
    for table in re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE):
        areas = {ADVICE[name].area for name, _ in ROW.findall(table)}
        assert len(areas) == 1 or areas == {"rates", "this computer"}


def test_placeholders_are_shown() -> None:
    """Outside of code a browser would take them for tags."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", PAGE, flags=re.DOTALL)
    assert WRONG_TAG.findall(prose) == []

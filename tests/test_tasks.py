"""The fourteen tasks of docs/tasks.md: each stands alone, is short, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import components
import pytest
import test_readme

PAGE = components.ROOT / "docs" / "tasks.md"
SECTIONS = re.split(r"^## (?=\d)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
LONGEST = 20
LONG = {4: "20 s in real time", 9: "compiling takes half a minute of processor time"}
"""Tasks that only `make acceptance` runs, and why."""

doc_blocks = test_readme.doc_blocks


def number(section: str) -> int:
    """Of a task."""
    return int(section.split(".")[0])


def scripts(section: str) -> list[str]:
    """Its Python, and its commands."""
    blocks = re.findall(r"^```(python|console)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [
        body if kind == "python" else "\n".join(re.findall(r"^\$ .*", body, re.MULTILINE))
        for kind, body in blocks
    ]


def test_there_are_fourteen() -> None:
    assert [number(section) for section in SECTIONS] == list(range(1, 15))


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(
            section,
            id=section.splitlines()[0],
            marks=pytest.mark.acceptance if number(section) in LONG else (),
        )
        for section in SECTIONS
    ],
)
@pytest.mark.real_clock  # a server, and a twin in a process of its own
@pytest.mark.usefixtures("pictures_not_drawn")
def test_task_prints_what_the_page_says(
    section: str, doc_blocks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert doc_blocks.render(section) == section, "run: tools/doc_blocks.py --write docs/tasks.md"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_task_takes_twenty_lines_at_most(section: str) -> None:
    for script in scripts(section):
        assert len([line for line in script.splitlines() if line.strip()]) <= LONGEST

"""The tables of headers are complete, and in the order in which they need each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "baxterkit" / "native"
FOLDERS = ("ik", "collision", "planning")


def named(folder: str) -> list[str]:
    """The headers in the table's rows, from top to bottom."""
    rows = (CORE / folder / "README.md").read_text().splitlines()
    return [name for row in rows if row[:1] == "|" for name in re.findall(r"`(\w+\.hpp)`", row)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_readme_names_every_header_once(folder: str) -> None:
    missing = {path.name for path in (CORE / folder).glob("*.hpp")} - {*named(folder)}
    assert not missing, f"native/{folder}/README.md does not name {sorted(missing)}"
    assert len(named(folder)) == len({*named(folder)})


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_header_needs_only_those_above_it(folder: str) -> None:
    order = named(folder)
    for path in (CORE / folder).glob("*.hpp"):
        for needed in re.findall(r'#include "(\w+\.hpp)"', path.read_text()):
            assert order.index(needed) < order.index(path.name), f"{needed} is below {path.name}"


def test_the_readme_of_the_core_names_every_file() -> None:
    text = (CORE / "README.md").read_text()
    files = [p.name for p in CORE.iterdir() if p.suffix in (".cpp", ".hpp")]
    paired = {f"{Path(name).stem}.cpp" for name in files} & set(files)
    missing = [
        name
        for name in files
        if name not in text and not (f"{Path(name).stem}.cpp" in paired and name.endswith(".hpp"))
    ]
    assert not missing, f"native/README.md does not name {sorted(missing)}"
    named_files = set(re.findall(r"`(\w+\.[ch]pp)`", text))
    assert all(
        (CORE / name).exists() or (CORE / "generated" / name).exists() for name in named_files
    )


def test_every_file_that_the_readme_of_the_core_names_is_there() -> None:
    named = re.findall(r"`((?:\w+/)*\w+\.(?:cpp|hpp|cu))`", (CORE / "README.md").read_text())
    assert len(named) > 30
    folders = (CORE, CORE / "generated")
    assert [x for x in named if not any((folder / x).exists() for folder in folders)] == []

"""What README and docs print is what their code prints."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import components
import pytest

DOCUMENTS = [
    components.ROOT / "README.md",
    components.ROOT / "DEVELOPMENT.md",
    components.ROOT / "CHANGELOG.md",
    *sorted(path for path in (components.ROOT / "docs").rglob("*.md") if path.name != "tasks.md"),
]
"""But the fourteen tasks: `test_tasks.py` runs each of them alone."""


LONG = ("ros-first-hour.md", "export.md")
"""Pages that take seconds: a day with the robot, and compilers."""


def marked(path: Path) -> Any:
    """A page as a parameter."""
    return pytest.param(path, marks=pytest.mark.slow if path.name in LONG else ())


@pytest.fixture(scope="module")
def doc_blocks() -> ModuleType:
    path = components.ROOT / "tools" / "doc_blocks.py"
    spec = importlib.util.spec_from_file_location("doc_blocks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", [marked(path) for path in DOCUMENTS], ids=lambda path: path.name)
@pytest.mark.usefixtures("pictures_not_drawn")
def test_printed_output_is_true(
    path: Path, doc_blocks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path.name == "learn.md":
        components.require("gymnasium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = path.read_text(encoding="utf-8")
    assert doc_blocks.render(text) == text, (
        f"run: {Path(sys.executable).name} tools/doc_blocks.py --write"
    )


def test_readme_shows_python_with_its_output(doc_blocks: ModuleType) -> None:
    text = (components.ROOT / "README.md").read_text(encoding="utf-8")
    kinds = [match.group(1) for match in doc_blocks.BLOCK.finditer(text)]
    assert ("python", "text") in set(itertools.pairwise(kinds))


def test_untrue_output_is_caught(doc_blocks: ModuleType) -> None:
    text = "```python\nx = 2\nprint(x + 1)\n```\nprints\n```text\n4\n```\n"
    assert doc_blocks.render(text) == text.replace("\n4\n", "\n3\n")


def test_untrue_console_output_is_caught(doc_blocks: ModuleType) -> None:
    text = "```console\n$ baxterkit nonsense\nfine\n```\n"
    assert "Error: no verb 'nonsense'" in doc_blocks.render(text)

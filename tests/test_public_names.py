"""What documents and examples import is public: a name of `baxterkit` or of one of its parts."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import components
import pytest

import baxterkit

ROOT = components.ROOT
SOURCES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return BLOCK.findall(text) if path.suffix == ".md" else [text]


def hidden_names(program: str) -> Iterator[str]:
    """Imports of a program that are not public."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if re.match(r"baxterkit\.\w+\.", alias.name)
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("baxterkit"):
            assert node.module is not None
            module = importlib.import_module(node.module)
            public = dir(baxterkit) if module is baxterkit else getattr(module, "__all__", ())
            is_deep = node.module.count(".") > 1
            yield from (
                f"{node.module}.{alias.name}"
                for alias in node.names
                if is_deep or alias.name not in public
            )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_what_is_shown_is_public(path: Path) -> None:
    hidden = [name for program in programs(path) for name in hidden_names(program)]
    assert hidden == [], "export them from their part, and import them from there"


def test_a_deep_import_is_found() -> None:
    program = "from baxterkit.plot.page import Page\nfrom baxterkit.plot import Page, RC"
    assert [*hidden_names(program)] == ["baxterkit.plot.page.Page", "baxterkit.plot.RC"]

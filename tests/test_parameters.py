"""How many parameters a public function or method has: what travels together is one value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from components import ROOT

PACKAGE = ROOT / "src" / "baxterkit"
MOST = 8
APART = ("cli", "equations")
"""Commands have their options, and equations, which kernels are generated from, their symbols."""


def public(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Public functions and methods, with their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and (
            not node.name.startswith("_") or node.name == "__init__"
        ):
            yield owner + node.name, node


def count(function: ast.FunctionDef) -> int:
    """Number of its parameters, `self` and `cls` apart."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    bound = names[:1] in (["self"], ["cls"])
    return len(names) - bound + (given.vararg is not None) + (given.kwarg is not None)


def crowded(package: Path) -> dict[str, int]:
    found = {}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] in APART:
            continue
        for name, function in public(ast.parse(path.read_text(encoding="utf-8"))):
            if count(function) > MOST:
                found[f"{place.as_posix()} {name}"] = count(function)
    return found


@pytest.mark.slow
def test_public_functions_have_few_parameters() -> None:
    assert crowded(PACKAGE) == {}


def test_the_count_sees_methods_and_keywords(tmp_path: Path) -> None:
    many = ", ".join(f"a{n}" for n in range(8))
    (tmp_path / "part.py").write_text(
        f"def fine({many}): ...\ndef bad({many}, *, more=1): ...\ndef _hidden({many}, x): ...\n"
        f"class One:\n    def fine(self, {many}): ...\n    def bad(self, {many}, **more): ...\n"
    )
    assert crowded(tmp_path) == {"part.py bad": 9, "part.py One.bad": 9}

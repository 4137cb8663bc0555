"""The house is kept: few rooms at the entrance, few untyped values, nothing written twice."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from components import ROOT

PACKAGE = ROOT / "src" / "baxterkit"
MOST_ROOMS = 10
APART = {"__init__", "__main__", "version"}
MOST_ANY = 120
GENERATED = ("kernels/protocol.py",)
LIBRARIES = {
    "ForeignArray",
    "Kdl",
    "Mpl",
    "Mujoco",
    "Ompl",
    "SpecPart",
    "SymbolicMatrix",
    "Viser",
    "Zarr",
}
"""Objects of packages that are imported when they are needed, and mostly have no types."""
OUTSIDE = {"AnyArray", "Entry", "Facts", "Given", "Plain", "Scalar", "Value", "XmlValue"}
"""What comes from files, messages and users, before it is checked; equations over any scalars."""
ALIAS = re.compile(r"^(\w+): TypeAlias = .*\bAny\b", re.MULTILINE)


def sources() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def test_few_modules_lie_outside_of_rooms() -> None:
    loose = {path.stem for path in PACKAGE.glob("*.py")} - APART
    assert len(loose) <= MOST_ROOMS, sorted(loose)


def test_few_values_have_no_type() -> None:
    found = [
        f"{name}: {line.strip()}"
        for name, text in sources()
        for line in text.splitlines()
        if re.search(r"\bAny\b", line) and not re.search(r"\bimport\b", line)
    ]
    assert len(found) <= MOST_ANY, "\n".join(found)


def test_names_for_any_are_few_and_known() -> None:
    """Each is for a library without types, or for what comes from outside."""
    assert {name for _, text in sources() for name in ALIAS.findall(text)} <= LIBRARIES | OUTSIDE


def functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield owner + node.name, node
            yield from functions(node, f"{owner}{node.name}.")
        else:
            yield from functions(node, owner)


@pytest.mark.slow
def test_no_two_functions_share_signature_and_docstring() -> None:
    """Of all functions and methods, private ones too; what is generated says one thing twice."""
    same = defaultdict(list)
    for name, text in sources():
        if name not in GENERATED:
            for path, function in functions(ast.parse(text)):
                if words := ast.get_docstring(function):
                    same[ast.unparse(function.args), words].append(f"{name}: {path}")
    assert [places for places in same.values() if len(places) > 1] == []


@pytest.mark.slow
def test_a_method_without_docstring_overrides_a_documented_one() -> None:
    found = [
        (name, node)
        for name, text in sources()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    ]
    classes = {node.name: node for _, node in found}

    def documents(name: str, method: str) -> bool:
        node = classes.get(name)
        if node is None:
            return False
        own = (part for part in node.body if isinstance(part, ast.FunctionDef))
        if any(part.name == method and ast.get_docstring(part) for part in own):
            return True
        return any(documents(ast.unparse(base).partition("[")[0], method) for base in node.bases)

    bare = [
        f"{name}: {node.name}.{part.name}"
        for name, node in found
        if not node.name.startswith("_")
        for part in node.body
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")
        if not ast.get_docstring(part) and not documents(node.name, part.name)
    ]
    assert bare == []
